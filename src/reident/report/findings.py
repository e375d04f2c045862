"""Sections about what was found: rates, limits, strata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import sentences
from reident.report.cells import factor, number, numbers, rate
from reident.report.figures import count, interval
from reident.report.plain import plain
from reident.report.sections import (
    Block,
    Cell,
    Check,
    Checks,
    Column,
    Finding,
    Paragraph,
    Rate,
    Section,
    Table,
)
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Results = Mapping[str, Any]

SHOWN_STRATA = 50
"""Strata of an attack that the page shows; tables/strata.csv holds them all."""


def rates(results: Results) -> Section:
    """The three rates of each attack, the conditional one first, and the table of all."""
    first = [
        Paragraph(text=plain(note["text"]), stated_first=True)
        for note in results["notes"]
        if note["first"]
    ]
    if any(check["exceeded"] for check in results["limits"]):
        first.insert(0, Paragraph(text=sentences.limits(results), stated_first=True))
    return Section(
        name="rates",
        heading="What the attacks found",
        blocks=(
            *first,
            *(
                _finding(label, attack, results["puf_records"])
                for label, attack in results["attacks"].items()
            ),
            _rates_table(results),
            _links_table(results),
            Paragraph(text="A dash stands where a number is undefined or needs the truth file."),
        ),
    )


def _finding(label: str, attack: Results, puf_records: int) -> Finding:
    suspected, confirmed = attack["suspected"], attack["confirmed"]
    ends = attack["conditional_interval"]
    within = "" if ends is None else f"; 95 % interval {interval((ends[0], ends[1]))}"
    return Finding(
        attack=name_of(label, attack),
        conditional=_rate(
            "Conditional rate",
            attack["conditional_rate"],
            confirmed,
            f"{count(suspected)} suspected{within}",
        ),
        others=(
            _rate("Suspected rate", attack["suspected_rate"], suspected, count(puf_records)),
            _rate("Confirmed rate", attack["confirmed_rate"], confirmed, count(puf_records)),
        ),
        sentence=sentences.finding(label, attack, puf_records),
    )


def _rate(name: str, value: float | None, part: int | None, whole: str) -> Rate:
    """A rate in large print says in words why it is not there."""
    if part is None:
        return Rate(name=name, figure=Cell(text="not known"), counts="needs the truth file")
    figure = Cell(text="undefined") if value is None else rate(value)
    return Rate(name=name, figure=figure, counts=f"{count(part)} of {whole}")


def _rates_table(results: Results) -> Table:
    return Table(
        name="rates",
        caption=f"Rates by attack, of {count(results['puf_records'])} records",
        columns=(
            Column(title="Attack"),
            *numbers("Suspected", "Suspected rate", "Confirmed", "Confirmed rate"),
            Column(title="Conditional rate", numeric=True, strong=True),
            *numbers("Interval from", "Interval to", "Blind guessing", "Lift"),
        ),
        rows=tuple(
            (
                Cell(text=name_of(label, attack)),
                number(attack["suspected"]),
                rate(attack["suspected_rate"]),
                number(attack["confirmed"]),
                rate(attack["confirmed_rate"]),
                rate(attack["conditional_rate"]),
                *(rate(end) for end in attack["conditional_interval"] or (None, None)),
                factor(attack["baseline_confirmed"]),
                factor(attack["lift"]),
            )
            for label, attack in results["attacks"].items()
        ),
    )


def _links_table(results: Results) -> Table:
    return Table(
        name="links",
        caption="Links by attack, and the records that could be found at all",
        columns=(Column(title="Attack"), *numbers("Pairs", "Pair precision", "Recall")),
        rows=tuple(
            (
                Cell(text=name_of(label, attack)),
                number(attack["pairs"]),
                rate(attack["pair_precision"]),
                rate(attack["recall"]),
            )
            for label, attack in results["attacks"].items()
        ),
    )


def limits(results: Results) -> Section:
    """Limits agreed before the run: met or exceeded."""
    checks = tuple(
        Check(
            exceeded=bool(check["exceeded"]),
            sentence=sentences.limit(check, results["attacks"][check["attack"]]),
        )
        for check in results["limits"]
    )
    blocks: tuple[Block, ...] = (Paragraph(text=sentences.limits(results)),)
    return Section(
        name="limits",
        heading="Agreed limits",
        blocks=(*blocks, Checks(checks=checks)) if checks else blocks,
    )


def strata(results: Results) -> Section:
    """Rates by attack and stratum."""
    blocks: list[Block] = []
    for label, attack in results["attacks"].items():
        rows = attack["by_stratum"]
        if rows:
            blocks.append(_strata_table(label, attack, rows[:SHOWN_STRATA], results["strata"]))
        if len(rows) > SHOWN_STRATA:
            blocks.append(
                Paragraph(
                    text=f"The {SHOWN_STRATA} largest of {count(len(rows))} rows are shown; "
                    "tables/strata.csv holds them all."
                )
            )
    if not blocks:
        blocks.append(Paragraph(text="This study declares no strata: every record met every one."))
    return Section(name="strata", heading="By attack and stratum", blocks=tuple(blocks))


def _strata_table(
    label: str, attack: Results, rows: Sequence[Results], names: Sequence[str]
) -> Table:
    return Table(
        name=f"strata-{plain(label)}",
        caption=f"{name_of(label, attack)}, by {', '.join(plain(name) for name in names)}",
        columns=(
            Column(title="Stratum"),
            *numbers(
                "PUF records", "EIF records", "Suspected", "Confirmed", "Suspected rate",
                "Confirmed rate",
            ),
            Column(title="Conditional rate", numeric=True, strong=True),
        ),
        rows=tuple(
            (
                Cell(text=stratum_name(row)),
                number(row["puf_records"]),
                number(row["eif_records"]),
                number(row["suspected"]),
                number(row["confirmed"]),
                rate(row["suspected_rate"]),
                rate(row["confirmed_rate"]),
                rate(row["conditional_rate"]),
            )
            for row in rows
        ),
    )  # fmt: skip


def stratum_name(row: Results) -> str:
    """The values of a stratum, or how many strata a row stands for."""
    if isinstance(row["stratum"], str):
        return f"{plain(row['stratum'])} ({count(row.get('strata'))} strata)"
    return ", ".join(plain(value) for value in row["stratum"].values())
