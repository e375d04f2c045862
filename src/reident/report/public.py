"""The report for the public: large counts only, and rates in whole percent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import grounds, pictures, wording
from reident.report.cells import number, numbers, rate
from reident.report.figures import bound, count, interval, percentage, plural, rounded
from reident.report.plain import plain
from reident.report.sections import (
    Block,
    Cell,
    Check,
    Checks,
    Column,
    Document,
    Finding,
    Items,
    Paragraph,
    Rate,
    Section,
    Table,
)
from reident.report.sentences import RATES, name_of
from reident.report.suppress import publish

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reident.report.suppress import Published, Row

    Results = Mapping[str, Any]

SMALL_CELL = 10
HIDDEN = "hidden"
NEEDS = {
    "suspected_rate": ("suspected",),
    "confirmed_rate": ("confirmed",),
    "conditional_rate": ("suspected", "confirmed"),
}
"""The counts that a rate is made of: it is told where they are."""


def document(results: Results, manifest: Mapping[str, Any], small_cell: int) -> Document:
    """The report of a run as the public may see it."""
    told = publish(results, small_cell)
    return Document(
        title=plain(results["title"]).strip() or wording.UNTITLED,
        marking=plain(results["marking"] or "").strip(),
        approval=plain(results["approval"] or "").strip(),
        sections=(
            _rates(results, told),
            _limits(results, told),
            _intruder(results, told),
            _strata(results, told),
            _pictures(results, told),
            _notes(results),
            grounds.cannot_show(results),
            grounds.methods(results),
            _certificate(results, manifest, told),
            grounds.glossary(results),
        ),
    )


def _hidden_text(told: Published) -> str:
    return (
        f"For the public: counts below {told.small_cell} are hidden, and so is what would give "
        "them away; rates are in whole percent."
    )


def _known(label: str, rate_name: str, told: Published) -> bool:
    own = told.attacks[label]
    return all(own.get(name) is not None for name in NEEDS[rate_name])


# What was found -----------------------------------------------------------------------------------


def _rates(results: Results, told: Published) -> Section:
    return Section(
        name="rates",
        heading="What the attacks found",
        blocks=(
            Paragraph(text=_hidden_text(told), stated_first=True),
            *(_finding(label, attack, told) for label, attack in results["attacks"].items()),
            _rates_table(results, told),
        ),
    )


def _finding(label: str, attack: Results, told: Published) -> Finding:
    own = told.attacks[label]
    puf = _count(told.totals["puf_records"])
    suspected, confirmed = _count(own["suspected"]), _count(own.get("confirmed"))
    within = ""
    if _known(label, "conditional_rate", told):
        low, high = (rounded(end) or 0 for end in attack["conditional_interval"])
        within = f"; 95 % interval {interval((low, high))}"
    return Finding(
        attack=name_of(label, attack),
        conditional=_rate(
            label, attack, "conditional_rate", told, f"{confirmed} of {suspected} suspected{within}"
        ),
        others=(
            _rate(label, attack, "suspected_rate", told, f"{suspected} of {puf}"),
            _rate(label, attack, "confirmed_rate", told, f"{confirmed} of {puf}"),
        ),
        sentence=_sentence(label, attack, told),
    )


def _count(value: int | None) -> str:
    return HIDDEN if value is None else count(value)


def _rate(label: str, attack: Results, name: str, told: Published, counts: str) -> Rate:
    title = RATES[name].capitalize()
    if "confirmed" in NEEDS[name] and "confirmed" not in told.attacks[label]:
        return Rate(name=title, figure=Cell(text="not known"), counts="needs the truth file")
    if not _known(label, name, told):
        return Rate(name=title, figure=Cell(text=HIDDEN), counts="a count behind it is small")
    return Rate(name=title, figure=rate(rounded(attack[name])), counts=counts)


def _sentence(label: str, attack: Results, told: Published) -> str:
    name, own = name_of(label, attack), told.attacks[label]
    puf = told.totals["puf_records"]
    if own["suspected"] is None or puf is None:
        return f"How many records {name} suspects is hidden, because the number is small."
    share = percentage(rounded(attack["suspected_rate"]))
    start = (
        f"{name} suspects {count(own['suspected'])} of {plural(puf, 'record', 'records')} ({share})"
    )
    if "confirmed" not in own:
        return f"{start}; how many of them are right is not known."
    if own["confirmed"] is None:
        return f"{start}; how many of them are right is hidden, because the number is small."
    right = percentage(rounded(attack["conditional_rate"]))
    return f"{start}; {count(own['confirmed'])} of them are right, {right}."


def _rates_table(results: Results, told: Published) -> Table:
    return Table(
        name="rates",
        caption="Rates by attack, in whole percent",
        columns=(
            Column(title="Attack"),
            *numbers("Suspected", "Suspected rate", "Confirmed", "Confirmed rate"),
            Column(title="Conditional rate", numeric=True, strong=True),
        ),
        rows=tuple(
            (
                Cell(text=name_of(label, attack)),
                _told(told.attacks[label], "suspected"),
                _rounded(label, attack, "suspected_rate", told),
                _told(told.attacks[label], "confirmed"),
                _rounded(label, attack, "confirmed_rate", told),
                _rounded(label, attack, "conditional_rate", told),
            )
            for label, attack in results["attacks"].items()
        ),
    )


def _told(own: Mapping[str, int | None], name: str) -> Cell:
    if name in own and own[name] is None:
        return Cell(text=HIDDEN)
    return number(own.get(name))


def _rounded(label: str, attack: Results, name: str, told: Published) -> Cell:
    if not _known(label, name, told):
        return Cell(text=HIDDEN if NEEDS[name][-1] in told.attacks[label] else "-")
    return rate(rounded(attack[name]))


def _limits(results: Results, told: Published) -> Section:
    """Verdicts, but for those that would bound a hidden count."""
    checks = []
    for check in results["limits"]:
        label, name = check["attack"], check["rate"]
        agreed = (
            f"the {RATES[name]} of {name_of(label, results['attacks'][label])} and the agreed "
            f"limit of {bound(check['limit'])} %"
        )
        if _known(label, name, told):
            exceeded = bool(check["exceeded"])
            verdict = "Exceeded" if exceeded else "Met"
            checks.append(Check(exceeded=exceeded, sentence=f"{verdict}: {agreed}."))
        else:
            sentence = f"Hidden: {agreed}, because a count behind the rate is small."
            checks.append(Check(exceeded=False, sentence=sentence))
    none = Paragraph(text="No limit was agreed before this run.")
    return Section(
        name="limits",
        heading="Agreed limits",
        blocks=(Checks(checks=tuple(checks)) if checks else none,),
    )


# What it stands on --------------------------------------------------------------------------------


def _intruder(results: Results, told: Published) -> Section:
    eif, overlap = _count(told.totals["eif_records"]), told.totals.get("overlap")
    text = f"Records of the intruder's file: {eif}."
    if overlap is not None:
        text += f" Of the public-use file {count(overlap)} records have a true partner there."
    if results["strata"]:
        by = ", ".join(plain(name) for name in results["strata"])
        text += f" Only records with the same {by} are compared."
    return Section(
        name="intruder",
        heading="What the intruder was assumed to know",
        blocks=(
            Paragraph(text=text),
            Table(
                name="variables",
                caption="Linking variables",
                columns=(Column(title="Variable"), Column(title="Kind")),
                rows=tuple(
                    (Cell(text=plain(row["name"])), Cell(text=plain(row["kind"])))
                    for row in results["variables"]
                ),
            ),
        ),
    )


def _strata(results: Results, told: Published) -> Section:
    blocks: list[Block] = []
    if not results["strata"]:
        blocks.append(Paragraph(text="This study declares no strata: every record met every one."))
    elif not told.strata:
        blocks.append(Paragraph(text="Counts by stratum are hidden, because some are small."))
    else:
        labels = list(told.strata[0].attacks)
        blocks += [_stratum_table(results, told, label) for label in labels]
    return Section(name="strata", heading="By attack and stratum", blocks=tuple(blocks))


def _stratum_table(results: Results, told: Published, label: str) -> Table:
    rows = [(_values(row), row) for row in told.strata]
    if told.merged is not None:
        rows.append(("all others, and records without a stratum", told.merged))
    fields = list(told.strata[0].attacks[label])
    by = ", ".join(plain(name) for name in results["strata"])
    return Table(
        name=f"strata-{plain(label)}",
        caption=f"{name_of(label, results['attacks'][label])}, by {by}",
        columns=(
            Column(title="Stratum"),
            *numbers("PUF records", "EIF records", *(name.capitalize() for name in fields)),
        ),
        rows=tuple(
            (
                Cell(text=name),
                number(row.puf_records),
                number(row.eif_records),
                *(number(row.attacks[label][field]) for field in fields),
            )
            for name, row in rows
        ),
    )


def _values(row: Row) -> str:
    return ", ".join(plain(value) for value in (row.stratum or {}).values())


def _pictures(results: Results, told: Published) -> Section:
    """The rates that are told, as a picture."""
    attacks = {label: _drawable(label, one, told) for label, one in results["attacks"].items()}
    known = {label: one for label, one in attacks.items() if one["suspected_rate"] is not None}
    blocks: tuple[Block, ...] = (Paragraph(text="There is nothing to draw: counts are hidden."),)
    if known:
        blocks = (pictures.rates({"attacks": known}).picture(),)
    return Section(name="pictures", heading="Pictures, with their numbers", blocks=blocks)


def _drawable(label: str, attack: Results, told: Published) -> dict[str, Any]:
    rates = {name: rounded(attack[name]) if _known(label, name, told) else None for name in NEEDS}
    ends = attack["conditional_interval"] if rates["conditional_rate"] is not None else None
    return {
        "method": attack["method"],
        "suspected": told.attacks[label]["suspected"],
        "conditional_interval": None if ends is None else [rounded(end) for end in ends],
        "baseline_confirmed": None,
        **rates,
    }


def _notes(results: Results) -> Section:
    """What notes on settings mean; those that count records are not told."""
    codes = dict.fromkeys(
        note["code"]
        for notes in (results["notes"], *(one["notes"] for one in results["attacks"].values()))
        for note in notes
    )
    texts = tuple(wording.SETTINGS[code] for code in codes if code in wording.SETTINGS)
    return Section(
        name="notes",
        heading="Notes",
        blocks=(Items(texts=texts) if texts else Paragraph(text="There are no notes."),),
    )


def _certificate(results: Results, manifest: Mapping[str, Any], told: Published) -> Section:
    files = {
        side: {**file, "records": _not_small(file.get("records"), told)}
        for side, file in manifest.get("inputs", {}).items()
    }
    return grounds.certificate(results, {**manifest, "inputs": files})


def _not_small(records: int | None, told: Published) -> int | None:
    return None if records is None or records < told.small_cell else records
