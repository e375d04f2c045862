"""Tables of the numbers behind the rates: the way of the records, ranks, orders, scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report.cells import counted, factor, number, numbers, rate
from reident.report.figures import count
from reident.report.findings import stratum_name
from reident.report.plain import plain
from reident.report.sections import Cell, Column, Table
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Results = Mapping[str, Any]
    Rows = Sequence[Results]

KINDS = ("truth", "suspected_false", "random_other")
"""Kinds of pairs that a histogram counts."""


def funnel_table(results: Results) -> Table:
    """Records left after each step."""
    steps = ("compared", "suspected", "confirmed")
    return counted(
        "funnel",
        "The way of the records, from the file to a confirmed link",
        "Attack",
        [
            (name_of(label, attack), results["puf_records"], *(attack[step] for step in steps))
            for label, attack in results["attacks"].items()
        ],
        "PUF", "Compared", "Suspected", "Confirmed",
    )  # fmt: skip


def ranks_table(label: str, rows: Rows) -> Table:
    """Suspected pairs by rank."""
    return counted(
        f"ranks-{label}", "Suspected pairs by rank", "Rank",
        [(str(row["rank"]), row["pairs"], row["confirmed"]) for row in rows],
        "Pairs", "Confirmed pairs",
    )  # fmt: skip


def ties_table(label: str, rows: Rows) -> Table:
    """Records by the size of their first rank."""
    return counted(
        f"first-{label}", "How many intruder records tie for the closest place", "Tied",
        [
            ("more (not suspected)" if row["size"] is None else str(row["size"]), row["records"])
            for row in rows
        ],
        "Records",
    )  # fmt: skip


def orders_table(label: str, rows: Rows) -> Table:
    """Suspected records by order of interaction."""
    return counted(
        f"orders-{label}", "Suspected records by the smallest interaction that exposes them",
        "Order",
        [
            ("above" if row["order"] is None else str(row["order"]), row["suspected"],
             row["confirmed"])
            for row in rows
        ],
        "Suspected", "Confirmed",
    )  # fmt: skip


def steps_table(label: str, steps: Rows) -> Table:
    """What an attack that goes from variable to variable knows after each."""
    return Table(
        name=f"steps-{plain(label)}",
        caption="Intruder records left for a record, on average, and links, after each variable",
        columns=(
            Column(title="After variable"),
            *numbers("Candidates", "Suspected", "Confirmed", "Confirmed rate"),
        ),
        rows=tuple(
            (
                Cell(text=plain(row["variable"])),
                factor(row["candidates"]),
                number(row["suspected"]),
                number(row["confirmed"]),
                rate(row["confirmed_rate"]),
            )
            for row in steps
        ),
    )


def top_strata_table(label: str, rows: Rows) -> Table:
    """The strata of the picture."""
    named = [(stratum_name(row), row) for row in rows]
    return _found(f"top-strata-{label}", "The strata of the picture", "Stratum", named)


def without(row: Results) -> str:
    """Which variable was left out."""
    return "all variables" if row["variable"] is None else f"without {plain(row['variable'])}"


def contribution_table(label: str, rows: Rows) -> Table:
    """An attack with all variables, and without each."""
    caption = "What is found with all variables, and without each"
    named = [(without(row), row) for row in rows]
    return _found(f"contribution-{label}", caption, "Variables", named)


def _found(name: str, caption: str, first: str, rows: Sequence[tuple[str, Results]]) -> Table:
    """What an attack found, row by row: suspected, confirmed, and the rate of the two."""
    return Table(
        name=plain(name),
        caption=caption,
        columns=(Column(title=first), *numbers("Suspected", "Confirmed", "Conditional rate")),
        rows=tuple(
            (
                Cell(text=head),
                number(row["suspected"]),
                number(row["confirmed"]),
                rate(row["conditional_rate"]),
            )
            for head, row in rows
        ),
    )


def score_rows(histogram: Results) -> list[tuple[float, float, dict[str, int | None]]]:
    """Ends of each bar and its counts; the width of a bar is all that is worked out here."""
    bars, top = histogram["bins"], histogram["top"]
    return [
        (
            bar * top / bars,
            (bar + 1) * top / bars,
            {kind: None if histogram[kind] is None else histogram[kind][bar] for kind in KINDS},
        )
        for bar in range(bars)
    ]


def scores_table(label: str, histogram: Results) -> Table:
    """Pairs by score."""
    return counted(
        f"scores-{label}",
        f"Pairs by score, threshold {histogram['threshold']:.4g}; other pairs are a random "
        f"sample of {count(histogram['random_pairs'])}",
        "Score",
        [
            (f"{low:.4g} to {high:.4g}", *counts.values())
            for low, high, counts in score_rows(histogram)
        ],
        "True pairs", "Suspected, false", "Other pairs",
    )  # fmt: skip


def undrawn(label: str, attack: Results) -> list[Table]:
    """Numbers that no picture shows: the readings of unicity, and its sample uniques."""
    return [
        counted(
            f"readings-{label}", "Under three readings of “all potential interactions”", "Reading",
            [(plain(row["reading"]), row["suspected"], row["confirmed"])
             for row in attack["readings"]],
            "Suspected", "Confirmed",
        ),
        counted(
            f"uniques-{label}", "Sample uniques on all present values", "File",
            [(side.upper(), records) for side, records in (attack["uniques"] or {}).items()],
            "Records",
        ),
    ]  # fmt: skip
