"""An anonymisation on the terminal: what each method changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from reident.report.columns import columns
from reident.report.figures import count, decimal

if TYPE_CHECKING:
    from collections.abc import Mapping


def summary(results: Mapping[str, Any]) -> Group:
    """Methods in order, and the classes of equal QI before and after."""
    table = columns("Method", "Records", "Values changed")
    for row in results["log"]:
        table.add_row(row["method"], count(row["records"]), count(row["cells_changed"]))
    before, after = results["before"], results["after"]
    told = (
        f"{count(results['records_in'])} records in, {count(results['records_out'])} out. "
        f"Smallest class of equal QI: {count(before['S1'])} before, {count(after['S1'])} after; "
        f"mean class: {decimal(before['S2'])} before, {decimal(after['S2'])} after.\n"
    )
    return Group(table, Text(told))
