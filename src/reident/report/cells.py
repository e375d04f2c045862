"""Numbers as cells of a table: what is shown, with the number itself."""

from __future__ import annotations

from reident.report.figures import count, percentage
from reident.report.sections import Cell, Column


def number(value: int | None) -> Cell:
    """A count as a cell."""
    return Cell(text=count(value), value=value)


def rate(value: float | None) -> Cell:
    """A percentage as a cell."""
    return Cell(text=percentage(value), value=value)


def numbers(*titles: str) -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(title=title, numeric=True) for title in titles)
