"""Sections about what the findings stand on: the intruder, notes, methods, certificate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reident.report import sentences, wording
from reident.report.cells import number, numbers
from reident.report.figures import UNKNOWN, count, plural
from reident.report.plain import plain
from reident.report.sections import (
    Block,
    Cell,
    Column,
    Heading,
    Items,
    Paragraph,
    Section,
    Table,
    Terms,
)
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Results = Mapping[str, Any]

FILES = {
    "puf": "Public-use file",
    "eif": "Intruder file",
    "iuf": "Truth file",
    "file": "File",
}


def intruder(results: Results) -> Section:
    """What the intruder was assumed to know, and how well that file fits."""
    variables = results["variables"]
    records = plural(results["eif_records"], "record", "records")
    things = plural(len(variables), "thing", "things")
    told = [f"The intruder holds a file of {records} and knows {things} about each."]
    if results["strata"]:
        by = ", ".join(plain(name) for name in results["strata"])
        told.append(f"Only records with the same {by} are compared.")
    if results["overlap"] is not None:
        told.append(
            f"{count(results['overlap'])} of {count(results['puf_records'])} records of the "
            "public-use file have a true partner in that file; the others can only be linked "
            "falsely."
        )
    else:
        told.append("How many of them are in the public-use file is not known.")
    blocks: list[Block] = [Paragraph(text=" ".join(told))]
    blocks += [
        Paragraph(
            text=f"{name_of(label, attack)} uses only "
            f"{', '.join(plain(name) for name in attack['options']['variables'])}."
        )
        for label, attack in results["attacks"].items()
        if attack["options"].get("variables")
    ]
    blocks.append(_variables_table(results))
    return Section(
        name="intruder", heading="What the intruder was assumed to know", blocks=tuple(blocks)
    )


def _variables_table(results: Results) -> Table:
    agreement = {row["variable"]: row for row in results["true_pair_agreement"]}
    fields = ("equal", "different", "missing_puf", "missing_eif") if agreement else ()
    titles = ("Equal", "Different", "Missing in PUF", "Missing in EIF") if agreement else ()
    pairs = count(results["truth_pairs"])
    return Table(
        name="agreement",
        caption=f"Linking variables, and how {pairs} true pairs agree on them"
        if agreement
        else "Linking variables",
        columns=(Column(title="Variable"), Column(title="Kind"), *numbers(*titles)),
        rows=tuple(
            (
                Cell(text=plain(variable["name"])),
                Cell(text=plain(variable["kind"])),
                *(number(agreement.get(variable["name"], {}).get(field)) for field in fields),
            )
            for variable in results["variables"]
        ),
    )


def notes(results: Results) -> Section:
    """Notes of the study and of each attack, with ties and records that were set aside."""
    blocks: list[Block] = []
    if results["notes"]:
        blocks.append(Items(texts=texts(results["notes"])))
    for label, attack in results["attacks"].items():
        told = (
            sentences.set_aside(label, attack, results["puf_records"]),
            sentences.ties(label, attack),
        )
        # The set-aside records are told in one sentence, not once more for each rule.
        own = texts([note for note in attack["notes"] if note["code"] != "set_aside"])
        said = (*(text for text in told if text), *own)
        if said:
            blocks += [Heading(text=name_of(label, attack)), Items(texts=said)]
    return Section(
        name="notes",
        heading="Notes",
        blocks=tuple(blocks) or (Paragraph(text="There are no notes."),),
    )


def texts(rows: Sequence[Results]) -> tuple[str, ...]:
    """The texts of notes."""
    return tuple(plain(row["text"]) for row in rows)


def cannot_show(_results: Results) -> Section:
    """What no study of this kind can show."""
    return Section(
        name="cannot-show",
        heading="What this study cannot show",
        blocks=(Items(texts=wording.CANNOT_SHOW),),
    )


def methods(results: Results) -> Section:
    """How the rates and the attacks are defined, with the paper's sections and the options."""
    general = [*wording.RATES, *([wording.STRATA] if results["strata"] else [])]
    blocks: list[Block] = [Paragraph(text=text) for text in general]
    for label, attack in results["attacks"].items():
        where, what = wording.METHODS.get(
            attack["method"], ("see the documentation", "This method has a page of its own.")
        )
        blocks += [
            Heading(text=name_of(label, attack)),
            Paragraph(text=f"{where}. {what}"),
            named_values(
                f"options-{plain(label)}",
                "Settings of this attack",
                [(name, written(value)) for name, value in attack["options"].items()],
            ),
        ]
    blocks.append(
        Paragraph(
            text="Primer: P. Singer and A. Dajani, Re-Identification Primer using Four Metrics - "
            "Updated, CED-DA-FY20-001, U.S. Census Bureau, 2020."
        )
    )
    used = {attack["method"].partition("_")[0] for attack in results["attacks"].values()}
    papers = dict.fromkeys(text for name, text in wording.PAPERS.items() if name in used)
    blocks += [Paragraph(text=text) for text in papers]
    return Section(name="methods", heading="Method notes", blocks=tuple(blocks))


def written(value: Any) -> str:
    """An option as a study file writes it; an empty list of variables means all of them."""
    if isinstance(value, str):
        return value
    return "all" if value in ([], ()) else json.dumps(value, ensure_ascii=False)


def named_values(name: str, caption: str, rows: Sequence[tuple[Any, Any]]) -> Table:
    """A table of names and values."""
    return Table(
        name=name,
        caption=caption,
        columns=(Column(title="Name"), Column(title="Value")),
        rows=tuple(
            (Cell(text=plain(left)), Cell(text=UNKNOWN if right is None else plain(right)))
            for left, right in rows
        ),
    )


def certificate(results: Results, manifest: Mapping[str, Any]) -> Section:
    """Which files, versions and seed gave this result, and how long it took."""
    run = [("seed", results["seed"]), ("schema of results.json", results["schema"])]
    run += [(name, manifest[name]) for name in ("engine", "jobs") if name in manifest]
    if manifest.get("unperturbed"):
        run.append(("unperturbed values", "used in place of the public-use file's"))
    for part in ("versions", "machine"):
        run += list(manifest.get(part, {}).items())
    minutes = _minutes(manifest.get("timings", {}))
    if minutes is not None:
        run.append(("minutes, without writing", minutes))
    return Section(
        name="certificate",
        heading="Certificate",
        blocks=(
            Paragraph(
                text="The same files, study and version give the same results, byte for byte."
            ),
            inputs(manifest.get("inputs", {})),
            named_values("run", "The run", run),
        ),
    )


def inputs(files: Mapping[str, Mapping[str, Any]]) -> Table:
    """The files of a run, with their fingerprints."""
    return Table(
        name="inputs",
        caption="Files",
        columns=(
            Column(title="File"),
            Column(title="Name"),
            *numbers("Records"),
            Column(title="SHA-256"),
        ),
        rows=tuple(
            (
                Cell(text=FILES.get(side, plain(side))),
                Cell(text=plain(file.get("name", UNKNOWN))),
                number(file.get("records")),
                Cell(text=plain(file.get("sha256") or "in memory, no file")),
            )
            for side, file in files.items()
        ),
    )


def _minutes(timings: Mapping[str, Any]) -> str | None:
    # Without writing: the page itself is part of that, and is the same when made again.
    seconds = [timings[part] for part in ("read", "encode") if part in timings]
    seconds += timings.get("attacks", {}).values()
    return f"{sum(seconds) / 60:.2f}" if seconds else None


def glossary(_results: Results) -> Section:
    """Words of the report."""
    return Section(name="glossary", heading="Glossary", blocks=(Terms(terms=wording.GLOSSARY),))
