"""Both files made ready for attacks on micro-aggregated values: sorted once by each variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.encode.cells import MISSING, PRESENT
from reident.kernels.keys import row_keys
from reident.kernels.stepwise import Sorted
from reident.kernels.windows import Asked, Orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.cells import Cells
    from reident.encode.files import Files
    from reident.model.variables import Variable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
LAST_STATE = np.iinfo(np.int32).max - 1
"""Stands for missing where missing values come last."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """States and numbers of a file's rows in layout order, one column for each variable."""

    state: Places
    number: Floats
    stratum: Ints

    def rows(self, at: Ints) -> Table:
        """Some of the rows."""
        return Table(state=self.state[at], number=self.number[at], stratum=self.stratum[at])

    def group(self, j: int, states: int) -> Ints:
        """Rows that may agree on a variable share a number: a stratum and a state; -1 missing."""
        state = self.state[:, j].astype(np.int64)
        return np.where(state == MISSING, -1, self.stratum * states + state)


@dataclass(frozen=True, kw_only=True)
class Release:
    """The released rows, of which each is asked about once, and the rows of the intruder.

    `asked` holds the distinct rows with a value, `of` the number of each layout row's, -1 where it
    has none; `met` the intruder's rows that each of them meets.
    """

    asked: Table
    held: Table
    of: Ints
    met: Places

    @property
    def states(self) -> int:
        """One more than the largest state: how many a stratum may hold."""
        return int(max(self.asked.state.max(initial=0), self.held.state.max(initial=0))) + 1


def release_of(files: Files, variables: Sequence[Variable]) -> Release:
    """Lay out the chosen variables of both files; equal released rows are asked about once."""
    layout = files.layout
    eif_stratum = files.strata.eif[layout.eif]
    puf = _table([files.puf[one.name] for one in variables], layout.puf, layout.stratum)
    eif = _table([files.eif[one.name] for one in variables], layout.eif, eif_stratum)
    some = np.flatnonzero((puf.state != MISSING).any(axis=1))
    mine = puf.rows(some)
    keys = row_keys([mine.stratum, *(_codes(mine, j) for j in range(len(variables)))])
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    of = np.full(len(layout.puf), -1, np.int64)
    of[some] = place
    met = np.stack([layout.first[some[first]], layout.last[some[first]]], axis=1)
    return Release(asked=mine.rows(first), held=eif, of=of, met=met.astype(np.int32))


def _table(columns: Sequence[Cells], rows: Ints, stratum: Ints) -> Table:
    numbers = [np.zeros(0) if cells.number is None else cells.number[rows] for cells in columns]
    return Table(
        state=np.stack([cells.state[rows] for cells in columns], axis=1),
        number=np.stack(numbers, axis=1),
        stratum=stratum,
    )


def _codes(table: Table, j: int) -> Ints:
    """Equal cells of a column as equal codes."""
    numbers = np.unique(table.number[:, j], return_inverse=True)[1].astype(np.int64)
    return row_keys([table.state[:, j].astype(np.int64), numbers])


def orders_of(release: Release) -> tuple[Orders, Asked]:
    """The intruder's rows in the order of each variable, and where each released value belongs."""
    asked, held = release.asked, release.held
    m, v = held.number.shape
    values = np.zeros((v, m))
    rows = np.zeros((v, m), np.int32)
    place = np.full((m, v), -1, np.int32)
    blocks = np.empty((len(asked.number), v, 2), np.int32)
    for j in range(v):
        group = held.group(j, release.states)
        order = np.lexsort((held.number[:, j], group))
        order = order[np.searchsorted(group[order], 0) :]
        values[j, : len(order)] = held.number[order, j]
        rows[j, : len(order)] = order
        place[order, j] = np.arange(len(order))
        blocks[:, j] = _blocks(group[order], asked.group(j, release.states))
    return Orders(values, rows, place), Asked(asked.number, blocks)


def sorted_by_all(release: Release) -> tuple[Sorted, Places]:
    """The intruder's rows sorted by one variable after another, and each released row's block."""
    asked, held = release.asked, release.held
    group = held.group(0, release.states)
    states = np.where(held.state == MISSING, LAST_STATE, held.state).astype(np.int32)
    keys = [key for j in range(1, states.shape[1]) for key in (states[:, j], held.number[:, j])]
    order = np.lexsort((*reversed(keys), held.number[:, 0], group))
    order = order[np.searchsorted(group[order], 0) :]
    table = Sorted(
        order.astype(np.int32),
        np.ascontiguousarray(states[order].T),
        np.ascontiguousarray(held.number[order].T),
    )
    return table, _blocks(group[order], asked.group(0, release.states))


def _blocks(ordered: Ints, groups: Ints) -> Places:
    """First place and end of each group among the ordered ones, (-1, -1) for none."""
    found = np.stack([np.searchsorted(ordered, groups, side) for side in ("left", "right")], axis=1)
    return np.where(groups[:, None] < 0, -1, found).astype(np.int32)


def bounds(release: Release, interval: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Lowest and highest value of each released row and variable; a code allows itself alone.

    `interval` gives them for the rows of each variable that hold a number.
    """
    low, high = np.zeros_like(release.asked.number), np.zeros_like(release.asked.number)
    for j, (lowest, highest) in enumerate(interval):
        number = release.asked.state[:, j] == PRESENT
        low[number, j], high[number, j] = lowest, highest
    return low, high
