"""What each variable contributes, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from reident.report.columns import columns
from reident.report.details import without
from reident.report.figures import count, percentage
from reident.report.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table


def summary(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """Each attack with all variables, and without each."""
    table = columns("Attack", "Variables", "Suspected", "Confirmed", "Conditional")
    for label, rows in found.items():
        table.add_section()
        for row in rows:
            table.add_row(
                Text(plain(label)),
                Text(without(row)),
                count(row["suspected"]),
                count(row["confirmed"]),
                percentage(row["conditional_rate"]),
            )
    return table
