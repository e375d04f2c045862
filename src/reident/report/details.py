"""The numbers behind the rates: the way of the records, ranks, orders, readings, scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report.cells import number, numbers, rate
from reident.report.figures import count, decimal
from reident.report.plain import plain
from reident.report.sections import Block, Cell, Column, Heading, Section, Table
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Results = Mapping[str, Any]


def behind(results: Results) -> Section:
    """The numbers behind the rates: the way of the records, ranks, orders, readings, scores."""
    blocks: list[Block] = [_funnel(results)]
    for label, attack in results["attacks"].items():
        tables = [table for table in _details(label, attack) if table.rows]
        if tables:
            blocks += [Heading(text=name_of(label, attack)), *tables]
    return Section(name="behind", heading="The numbers behind the rates", blocks=tuple(blocks))


def _funnel(results: Results) -> Table:
    return Table(
        name="funnel",
        caption="The way of the records, from the file to a confirmed link",
        columns=(Column(title="Attack"), *numbers("PUF", "Compared", "Suspected", "Confirmed")),
        rows=tuple(
            (
                Cell(text=name_of(label, attack)),
                number(results["puf_records"]),
                number(attack["compared"]),
                number(attack["suspected"]),
                number(attack["confirmed"]),
            )
            for label, attack in results["attacks"].items()
        ),
    )


def _details(label: str, attack: Results) -> list[Table]:
    return [
        _counts(
            f"ranks-{label}", "Suspected pairs by rank", "Rank",
            [(str(row["rank"]), row["pairs"], row["confirmed"]) for row in attack["by_rank"]],
            "Pairs", "Confirmed pairs",
        ),
        _counts(
            f"first-{label}", "How many intruder records tie for the closest place", "Tied",
            [
                ("more (not suspected)" if row["size"] is None else str(row["size"]),
                 row["records"])
                for row in attack["first_rank_sizes"]
            ],
            "Records",
        ),
        _counts(
            f"orders-{label}", "Suspected records by the smallest interaction that exposes them",
            "Order",
            [
                ("above" if row["order"] is None else str(row["order"]), row["suspected"],
                 row["confirmed"])
                for row in attack["by_order"]
            ],
            "Suspected", "Confirmed",
        ),
        _counts(
            f"readings-{label}", "Under three readings of “all potential interactions”",
            "Reading",
            [(plain(row["reading"]), row["suspected"], row["confirmed"])
             for row in attack["readings"]],
            "Suspected", "Confirmed",
        ),
        _counts(
            f"uniques-{label}", "Sample uniques on all present values", "File",
            [(side.upper(), records) for side, records in (attack["uniques"] or {}).items()],
            "Records",
        ),
        _steps(label, attack["steps"]),
        _scores(label, attack["histogram"]),
    ]  # fmt: skip


def _counts(
    name: str, caption: str, first: str, rows: Sequence[tuple[Any, ...]], *titles: str
) -> Table:
    return Table(
        name=plain(name),
        caption=caption,
        columns=(Column(title=first), *numbers(*titles)),
        rows=tuple((Cell(text=head), *(number(value) for value in rest)) for head, *rest in rows),
    )


def _steps(label: str, steps: Sequence[Results]) -> Table:
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
                Cell(text=decimal(row["candidates"]), value=row["candidates"]),
                number(row["suspected"]),
                number(row["confirmed"]),
                rate(row["confirmed_rate"]),
            )
            for row in steps
        ),
    )


def _scores(label: str, histogram: Results | None) -> Table:
    """Pairs by score; the width of a bar is all that is worked out here."""
    rows: list[tuple[Any, ...]] = []
    caption = ""
    if histogram is not None:
        bars, top = histogram["bins"], histogram["top"]
        caption = (
            f"Pairs by score, threshold {histogram['threshold']:.4g}; other pairs are a random "
            f"sample of {count(histogram['random_pairs'])}"
        )
        kinds = [histogram[kind] for kind in ("truth", "suspected_false", "random_other")]
        rows = [
            (
                f"{bar * top / bars:.4g} to {(bar + 1) * top / bars:.4g}",
                *(None if kind is None else kind[bar] for kind in kinds),
            )
            for bar in range(bars)
        ]
    return _counts(
        f"scores-{label}", caption, "Score", rows, "True pairs", "Suspected, false", "Other pairs"
    )
