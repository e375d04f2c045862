"""Are there more pairs than may be listed? Shown by counting some of them.

Cells of sorted rows are cheap to find and show some partners of every record. Sorted by other
variables the files show others. Pairs that are counted exist and are counted once: more of them
than may be listed is a proof. Fewer prove nothing, and then the pairs are listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.attacks.spread import Spread
from reident.engine.job import UNTOLD
from reident.kernels import crowd as kernel
from reident.kernels.crowd import Cells, Pool
from reident.kernels.keys import ROOM

if TYPE_CHECKING:
    from collections.abc import Callable

    from reident.attacks.sides import Sides
    from reident.engine.job import Fold

Ints = npt.NDArray[np.int64]
Masks = npt.NDArray[np.uint64]
MOST_ROWS = 256
"""Rows of a cell at most: larger ones show more partners, and take longer for each."""
WAVE = 4
"""Orders of the variables that are counted before the total is looked at."""
WAVES = 16
"""Waves at most."""
SAMPLE = 512
"""Cells that tell whether the count is worth while."""
SLICE = 1024
"""Cells that are counted in one go, so that a stop is prompt."""


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Both files, to be sorted in one order of the variables after another."""

    sides: Sides
    orders: Ints

    @cached_property
    def pool(self) -> Pool:
        """Rows of both files."""
        puf, eif = self.sides.puf, self.sides.eif
        return Pool(
            np.concatenate([puf.table.codes, eif.table.codes]),
            np.concatenate([puf.stratum, eif.stratum]),
            len(puf.records),
        )

    def cells(self, number: int) -> Cells:
        """Cells of the files sorted in an order: by as many variables as a key can hold."""
        key = self.pool.stratum.copy()
        size = int(key.max(initial=0)) + 1
        chosen = []
        for j in self.orders[number]:
            base = int(self.sides.categories[j]) + 1
            if size * base > ROOM:
                break
            key = key * base + self.pool.codes[:, j] + 1
            size *= base
            chosen.append(j)
        rows = np.argsort(key, kind="stable").astype(np.int64)
        return kernel.sorted_cells(self.pool, rows, np.array(chosen, np.int64), MOST_ROWS)

    def cells_from(self, first: int) -> Callable[[int, int], Cells]:
        """What gives the cells of an order, numbered from some order on."""
        return lambda number, _: self.cells(first + number)

    def variables_of(self, cells: Cells) -> Masks:
        """For each PUF row the variables of its cell, 0 if it has none."""
        mask = np.zeros(len(self.pool.codes), np.uint64)
        sizes = np.diff(cells.bounds, axis=1)[:, 0]
        inside = np.repeat(cells.bounds[:, 0] - np.cumsum(sizes) + sizes, sizes)
        mask[cells.rows[inside + np.arange(sizes.sum())]] = np.repeat(cells.variables, sizes)
        return mask[: self.pool.puf]


def too_many(sides: Sides, most: int, fold: Fold) -> bool:
    """Whether some of the pairs are more than `most`; if not, there may be more all the same."""
    stream = np.random.default_rng(0)
    orders = [stream.permutation(len(sides.categories)) for _ in range(WAVES * WAVE)]
    crowd = Crowd(sides=sides, orders=np.array(orders, np.int64))
    if not _worthwhile(crowd, most):
        return False
    total = 0
    seen = np.empty((0, crowd.pool.puf), np.uint64)
    for first in range(0, WAVES * WAVE, WAVE):
        wave = Spread(how="crowd", rows=WAVE, width=1, do=crowd.cells_from(first), prepares=True)
        for cells in list(fold(wave, UNTOLD)):
            total += sum(fold(_counting(crowd, cells, seen), UNTOLD))
            if total > most:
                return True
            seen = np.vstack([seen, crowd.variables_of(cells)])
    return False


def _counting(crowd: Crowd, cells: Cells, seen: Masks) -> Spread[int]:
    def count(first: int, last: int) -> int:
        return int(kernel.count_partners(crowd.pool, cells, seen, first, last, 1))

    return Spread(how="crowd", rows=len(cells.bounds), width=SLICE, do=count, prepares=True)


def _worthwhile(crowd: Crowd, most: int) -> bool:
    """Whether a sample of cells promises enough: this decides how it is counted, never what."""
    cells = crowd.cells(0)
    number = len(cells.bounds)
    step = max(1, number // SAMPLE)
    nothing = np.empty((0, crowd.pool.puf), np.uint64)
    shown = kernel.count_partners(crowd.pool, cells, nothing, 0, number, step)
    return int(shown) * step * WAVE * WAVES > 3 * most
