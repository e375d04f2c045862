"""The report of unique records: how many, by which variables, and what stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import charts, grounds, wording
from reident.report.cells import number, numbers, rate
from reident.report.figures import count, percentage, plural
from reident.report.plain import plain
from reident.report.sections import (
    Block,
    Cell,
    Column,
    Document,
    Items,
    Paragraph,
    Picture,
    Section,
    Table,
)
from reident.report.uniques import finding, minimal_sentence, risk_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    Results = Mapping[str, Any]

SHOWN_COUNTS = 10
"""Counts that the page shows; results.json holds them all."""


def document(results: Results, manifest: Mapping[str, Any]) -> Document:
    """The report of a search, from the content of results.json and manifest.json."""
    return Document(
        title="Unique records",
        marking="",
        approval="",
        sections=(
            _found(results),
            *([_behind(results["minimal"])] if results["minimal"] is not None else []),
            notes(results),
            cannot_show(),
            certificate(manifest, [("method", manifest["method"]["name"])]),
        ),
    )


def _found(results: Results) -> Section:
    blocks: list[Block] = [
        *(
            Paragraph(text=plain(note["text"]), stated_first=True)
            for note in results["notes"]
            if note["first"]
        ),
        Paragraph(text=finding(results)),
    ]
    if results["risk"] is not None:
        blocks.append(Paragraph(text=risk_sentence(results["risk"])))
    blocks += [_levels_picture(results), _counts(results), _levels(results), _variables(results)]
    return Section(name="found", heading="What was found", blocks=tuple(blocks))


def _levels_picture(results: Results) -> Picture:
    few = results["violations"]
    title = f"{plural(few['5'], 'record lies', 'records lie')} in cells of fewer than five"
    return Picture(
        title=title,
        svg=charts.bars(
            [
                charts.Bar(f"fewer than {level}", records, count(records))
                for level, records in few.items()
            ],
            "records in cells of so few",
        ),
        alternative=f"Bars of records in cells below the usual levels of k-anonymity. {title}.",
        caption="A record in a cell of fewer than k records violates k-anonymity at that level.",
    )


def _counts(results: Results) -> Table:
    return Table(
        name="counts",
        caption="Cells and records by how many records share their data",
        columns=(Column(title="Records that share their data"), *numbers("Cells", "Records")),
        rows=tuple(
            (Cell(text=count(row["count"])), number(row["cells"]), number(row["records"]))
            for row in results["by_count"][:SHOWN_COUNTS]
        ),
    )


def _levels(results: Results) -> Table:
    return Table(
        name="levels",
        caption="Records below the usual levels of k-anonymity",
        columns=(Column(title="In cells of"), *numbers("Records")),
        rows=tuple(
            (Cell(text=f"fewer than {level}"), number(records))
            for level, records in results["violations"].items()
        ),
    )


def _variables(results: Results) -> Table:
    return Table(
        name="variables",
        caption="Variables that somebody outside could know",
        columns=(Column(title="Variable"), *numbers("Categories", "Smallest category")),
        rows=tuple(
            (
                Cell(text=plain(row["name"])),
                number(row["categories"]),
                number(row["smallest_category"]),
            )
            for row in results["variables"]
        ),
    )


def _behind(minimal: Results) -> Section:
    """Which variables make records stand alone."""
    shares = [row for row in minimal["contributions"] if row["share"] is not None]
    shares.sort(key=lambda row: -row["share"])
    blocks: list[Block] = [Paragraph(text=minimal_sentence(minimal))]
    if shares:
        first = plain(shares[0]["variable"])
        most = percentage(shares[0]["share"])
        blocks += [
            Picture(
                title=f"{first} is behind {most} of the scores",
                svg=charts.bars(
                    [
                        charts.Bar(row["variable"], row["share"], percentage(row["share"]))
                        for row in shares
                    ],
                    "percent of all scores",
                ),
                alternative="Bars of the share of the scores that each variable is behind.",
                caption="A set counts for each of its variables, so shares add up to more than "
                "100 %.",
            ),
            _shares(shares),
        ]
    if minimal["by_set"]:
        blocks += _by_set(minimal)
    return Section(name="behind", heading="Which variables are behind it", blocks=tuple(blocks))


def _shares(shares: list[Results]) -> Table:
    return Table(
        name="contributions",
        caption="Share of the scores that the minimal sets with a variable have",
        columns=(Column(title="Variable"), *numbers("Share of the scores")),
        rows=tuple((Cell(text=plain(row["variable"])), rate(row["share"])) for row in shares),
    )


def _by_set(minimal: Results) -> list[Block]:
    named = [(_set_name(row["variables"]), row["records"]) for row in minimal["by_set"]]
    name, records = named[0]
    title = f"{plural(records, 'record is', 'records are')} alone by {name}"
    return [
        Picture(
            title=title,
            svg=charts.bars(
                [charts.Bar(label, found, count(found)) for label, found in named],
                "records",
            ),
            alternative=f"Bars of records by minimal set of variables. {title}.",
            caption="Minimal sets: on no part of them is the record alone.",
        ),
        Table(
            name="sets",
            caption="Records that stand alone, by minimal set of variables; the most frequent sets",
            columns=(Column(title="Variables"), *numbers("Records")),
            rows=tuple((Cell(text=label), number(found)) for label, found in named),
        ),
    ]


def _set_name(variables: list[str]) -> str:
    *others, last = (plain(name) for name in variables)
    return f"{', '.join(others)} and {last}" if others else last


# Shared with the report of protection -------------------------------------------------------------


def notes(results: Results) -> Section:
    """The notes, in their order."""
    told = grounds.texts(results["notes"])
    none = Paragraph(text="There are no notes.")
    return Section(name="notes", heading="Notes", blocks=(Items(texts=told) if told else none,))


def cannot_show() -> Section:
    """What the search for unique records cannot show."""
    return Section(
        name="cannot-show",
        heading="What this cannot show",
        blocks=(Items(texts=wording.UNIQUES_CANNOT_SHOW),),
    )


def certificate(manifest: Mapping[str, Any], run: list[tuple[str, Any]]) -> Section:
    """Which file, options and versions gave this result."""
    given = {name: value for name, value in manifest["options"].items() if value not in ("", [])}
    options = [(name, grounds.written(value)) for name, value in given.items()]
    return Section(
        name="certificate",
        heading="Certificate",
        blocks=(
            grounds.inputs(manifest["inputs"]),
            grounds.named_values("options", "What was asked", options),
            grounds.named_values(
                "run", "The run", [*run, ("jobs", manifest["jobs"]), *manifest["versions"].items()]
            ),
        ),
    )
