"""Numbers as cells of a table: what is shown, with the number itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report.figures import count, decimal, percentage
from reident.report.plain import plain
from reident.report.sections import Cell, Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence


def number(value: int | None) -> Cell:
    """A count as a cell."""
    return Cell(text=count(value), value=value)


def rate(value: float | None) -> Cell:
    """A percentage as a cell."""
    return Cell(text=percentage(value), value=value)


def numbers(*titles: str) -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(title=title, numeric=True) for title in titles)


def factor(value: float | None) -> Cell:
    """An expected count or a factor as a cell."""
    return Cell(text=decimal(value), value=value)


def counted(
    name: str, caption: str, first: str, rows: Sequence[tuple[Any, ...]], *titles: str
) -> Table:
    """A table of counts: what they are of, and one column for each title."""
    return Table(
        name=plain(name),
        caption=caption,
        columns=(Column(title=first), *numbers(*titles)),
        rows=tuple((Cell(text=head), *(number(value) for value in rest)) for head, *rest in rows),
    )
