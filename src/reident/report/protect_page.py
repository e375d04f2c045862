"""The report of a protective action: before and after, what was changed, what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import charts, uniques_page
from reident.report.cells import number, numbers, rate
from reident.report.figures import UNKNOWN, count, plural
from reident.report.plain import plain
from reident.report.protect import domain_name, rows, sentence
from reident.report.sections import (
    Block,
    Cell,
    Column,
    Document,
    Paragraph,
    Picture,
    Section,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    Results = Mapping[str, Any]

SHOWN_DOMAINS = 50
"""Domains that the page shows; results.json holds more."""
WHOLE = 1000
"""From here on a mean is shown without decimal places."""


def document(results: Results, manifest: Mapping[str, Any]) -> Document:
    """The report of an action, from the content of results.json and manifest.json."""
    return Document(
        title="Protected records",
        marking="",
        approval="",
        sections=(
            _found(results),
            _cost(results),
            uniques_page.notes(results),
            uniques_page.cannot_show(),
            uniques_page.certificate(manifest, []),
        ),
    )


def _found(results: Results) -> Section:
    blocks: list[Block] = [
        *(
            Paragraph(text=plain(note["text"]), stated_first=True)
            for note in results["notes"]
            if note["first"]
        ),
        Paragraph(text=sentence(results)),
        _picture(results),
        Table(
            name="before-after",
            caption="What the search for unique records found before and after",
            columns=(Column(title="Count"), *numbers("Before", "After")),
            rows=tuple(
                (Cell(text=name), number(before), number(after))
                for name, before, after in rows(results)
            ),
        ),
    ]
    return Section(name="found", heading="Before and after", blocks=tuple(blocks))


def _picture(results: Results) -> Picture:
    before, after = results["before"], results["after"]
    title = (
        f"{plural(before['unique_records'], 'record was', 'records were')} unique before, "
        f"{count(after['unique_records'])} after"
    )
    sides = (("before", before), ("after", after))
    return Picture(
        title=title,
        svg=charts.bars(
            [
                charts.Bar(f"fewer than {level}", found, count(found), name)
                for level in before["violations"]
                for name, side in sides
                for found in [side["violations"][level]]
            ],
            "records in cells of so few",
        ),
        alternative=f"Bars of records in small cells, before and after the action. {title}.",
        caption="Records whose data were blanked or encrypted are set aside: they form no cell.",
    )


def _cost(results: Results) -> Section:
    blocks: list[Block] = [
        Paragraph(
            text="Statistics before and after, side by side, tell what was removed: they are not "
            "for publication together."
        ),
        _changed(results),
        _statistics(results),
    ]
    if results["by_domain"]:
        blocks.append(_domains(results))
    return Section(name="cost", heading="What was changed, and what it cost", blocks=tuple(blocks))


def _changed(results: Results) -> Table:
    return Table(
        name="changed",
        caption="Cells changed, by variable",
        columns=(Column(title="Variable"), *numbers("Cells changed")),
        rows=tuple(
            (Cell(text=plain(row["variable"])), number(row["changed"]))
            for row in results["by_variable"]
        ),
    )


def _statistics(results: Results) -> Table:
    parts = (("present", number), ("mean", _mean), ("sd", _mean))
    return Table(
        name="statistics",
        caption="Statistics of all columns; a mean of fewer than ten values is not told",
        columns=(
            Column(title="Variable"),
            *numbers(
                "Values before",
                "Values after",
                "Mean before",
                "Mean after",
                "Sd before",
                "Sd after",
            ),
        ),
        rows=tuple(
            (
                Cell(text=plain(row["variable"])),
                *(shown(row[part][when]) for part, shown in parts for when in ("before", "after")),
            )
            for row in results["statistics"]
        ),
    )


def _mean(value: float | None) -> Cell:
    if value is None:
        return Cell(text=UNKNOWN)
    return Cell(text=f"{value:,.0f}" if abs(value) >= WHOLE else f"{value:.4g}", value=value)


def _domains(results: Results) -> Table:
    held = results["by_domain"]
    more = "" if len(held) <= SHOWN_DOMAINS else f"; {SHOWN_DOMAINS} of {len(held):,} rows"
    return Table(
        name="domains",
        caption=f"Losses by domain{more}",
        columns=(
            Column(title="Domain"),
            *numbers("Records before", "After", "Lost", "Unique before"),
        ),
        rows=tuple(
            (
                Cell(text=domain_name(row)),
                number(row["records_in"]),
                number(row["records_out"]),
                rate(row["share_lost"]),
                number(row["unique_records"]),
            )
            for row in held[:SHOWN_DOMAINS]
        ),
    )
