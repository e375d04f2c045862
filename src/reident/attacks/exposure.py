"""How records are exposed: by how small an interaction, and alone in their own file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.kernels import refine as kernel
from reident.kernels.refine import Cells, Columns
from reident.model.linked import READINGS

if TYPE_CHECKING:
    from reident.attacks.sides import Sides

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def first_orders(sides: Sides, orders: int, reading: str, suspected: Flags) -> Ints:
    """For each suspected PUF record the size of the smallest interaction that exposes it.

    Searched level by level up to `orders`, while a suspected record is not yet exposed; 0 above.
    """
    v = len(sides.categories)
    if reading == "highest":
        # Only the interaction of all variables counts, so it is also the smallest.
        return np.where(suspected & (v <= orders), v, 0)
    levels = _Levels(sides, READINGS.index(reading), suspected[sides.puf.records])
    order = np.zeros(len(suspected), np.int64)
    for size in range(1, min(orders, v) + 1):
        before = levels.waiting.copy()
        levels.search(levels.whole, 0, size)
        order[sides.puf.records[before & ~levels.waiting]] = size
    return order


class _Levels:
    """Interactions of a size, each reached from a smaller one; exposed rows stop waiting."""

    def __init__(self, sides: Sides, reading: int, waiting: Flags) -> None:
        puf, eif = sides.puf, sides.eif
        self.columns = Columns(puf.table.codes.T.copy(), eif.table.codes.T.copy())
        self.categories = sides.categories
        self.reading, self.waiting = reading, waiting
        self.whole = Cells(
            np.arange(len(puf.records)),
            np.arange(len(eif.records)),
            np.stack([puf.ends, eif.ends], axis=1),
        )

    def search(self, cells: Cells, first: int, size: int) -> None:
        """Interactions of so many variables more, none before the first."""
        for j in range(first, len(self.categories) - size + 1):
            if not self.waiting.any():
                return
            more = int(self.categories[j])
            if size == 1:
                kernel.expose(cells, self.columns, j, more, self.reading, self.waiting)
            else:
                finer = kernel.refine(cells, self.columns, j, more, self.waiting)
                self.search(finer, j + 1, size - 1)
