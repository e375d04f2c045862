"""Unique records of one file on the terminal: counts by cell size, risk, minimal sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from reident.report.columns import columns
from reident.report.figures import count, decimal, percentage
from reident.report.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.table import Table

    Results = Mapping[str, Any]

SHOWN = 10
"""Rows of counts that fit a screen; the JSON holds all."""


def summary(results: Results) -> Group:
    """The counts as rich draws them; texts are shown as they are, never as markup."""
    parts: list[RenderableType] = [_counts(results), Text(), Text(finding(results))]
    if results["risk"] is not None:
        parts.append(Text(risk_sentence(results["risk"])))
    if results["minimal"] is not None:
        parts += [Text(minimal_sentence(results["minimal"])), _contributions(results["minimal"])]
    return Group(*parts)


def _counts(results: Results) -> Table:
    table = columns("Records that share their data", "Cells", "Records")
    for row in results["by_count"][:SHOWN]:
        table.add_row(count(row["count"]), count(row["cells"]), count(row["records"]))
    for level, records in results["violations"].items():
        table.add_row(f"fewer than {level}", "", count(records))
    return table


def finding(results: Results) -> str:
    """How many records stand alone, or nearly."""
    few = "alone" if results["k"] == 1 else f"in cells of at most {count(results['k'])}"
    cells = "" if results["cells"] is None else f" in {count(results['cells'])} cells"
    return (
        f"{count(results['unique_records'])} of {count(results['records'])} records{cells} stand "
        f"{few}."
    )


def risk_sentence(risk: Results) -> str:
    """The individual risk in words."""
    told = (
        f"Individual risk: {decimal(risk['expected'])} true matches expected, largest risk "
        f"{decimal(risk['largest'])}."
    )
    house = risk["household"]
    if house is None:
        return told
    return (
        f"{told} Households: {decimal(house['expected'])} of {count(house['rated'])} expected to "
        f"be found, largest risk {decimal(house['largest'])}."
    )


def minimal_sentence(minimal: Results) -> str:
    """How many minimal sets there are."""
    sizes = ", ".join(f"{count(row['sets'])} of size {row['size']}" for row in minimal["by_size"])
    return f"{count(minimal['records'])} records have minimal sets: {sizes}."


def _contributions(minimal: Results) -> Table:
    table = columns("Variable", "Share of the scores")
    for row in minimal["contributions"]:
        table.add_row(Text(plain(row["variable"])), percentage(row["share"]))
    return table
