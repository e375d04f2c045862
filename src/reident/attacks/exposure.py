"""How records are exposed: by how small an interaction, and alone in their own file."""

from __future__ import annotations

from collections import deque
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.attacks.spread import Spread
from reident.engine.job import UNTOLD
from reident.kernels import refine as kernel
from reident.kernels.refine import Cells, Columns
from reident.model.linked import READINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from reident.attacks.sides import Sides
    from reident.engine.job import Fold
    from reident.model.options import Unicity

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
FORETOLD = 3
"""Orders that are forecast: few wait for a larger one, and nobody knows beforehand how many."""


def first_orders(sides: Sides, attack: Unicity, suspected: Flags, fold: Fold) -> Ints:
    """For each suspected PUF record the size of the smallest interaction that exposes it.

    Searched level by level up to `orders`, while a suspected record is not yet exposed; 0 above.
    """
    v = len(sides.categories)
    if attack.interactions == "highest":
        # Only the interaction of all variables counts, so it is also the smallest.
        return np.where(suspected & (v <= attack.orders), v, 0)
    levels = Levels(sides, READINGS.index(attack.interactions))
    waiting = suspected[sides.puf.records]
    order = np.zeros(len(suspected), np.int64)
    for size in range(1, min(attack.orders, v) + 1):
        before = waiting.copy()
        deque(fold(levels.of_size(size, lambda: waiting), UNTOLD), maxlen=0)
        order[sides.puf.records[before & ~waiting]] = size
    return order


def order_jobs(sides: Sides, attack: Unicity) -> list[Spread[None]]:
    """The jobs of the first orders, for a forecast: as if every PUF record were suspected.

    Each piece of work begins so, whatever another has exposed: else few would be left to be timed.
    """
    if attack.interactions == "highest":
        return []
    everyone = np.ones(len(sides.puf.records), np.bool_)
    levels = Levels(sides, READINGS.index(attack.interactions))
    most = min(attack.orders, len(sides.categories), FORETOLD)
    return [levels.of_size(size, everyone.copy) for size in range(1, most + 1)]


class Levels:
    """Interactions of a size, each reached from a smaller one; exposed rows stop waiting.

    Whoever exposes a row first says that it need not wait: within a size this only saves work.
    """

    def __init__(self, sides: Sides, reading: int) -> None:
        puf, eif = sides.puf, sides.eif
        self.columns = Columns(puf.table.codes.T.copy(), eif.table.codes.T.copy())
        self.categories = sides.categories
        self.reading = reading
        self.whole = Cells(
            np.arange(len(puf.records)),
            np.arange(len(eif.records)),
            np.stack([puf.ends, eif.ends], axis=1),
        )

    def of_size(self, size: int, waiting: Callable[[], Flags]) -> Spread[None]:
        """Search the interactions of a size, by their first variable, for rows still waiting."""
        v = len(self.categories)
        return Spread(
            how="orders",
            rows=v - size + 1,
            width=1,
            do=lambda first, last: self.search(self.whole, range(first, last), size, waiting()),
            weights=np.array([comb(v - 1 - j, size - 1) for j in range(v - size + 1)], np.int64),
        )

    def search(self, cells: Cells, variables: range, size: int, waiting: Flags) -> None:
        """Interactions of so many variables more; the first of them is given."""
        for j in variables:
            if not waiting.any():
                return
            more = int(self.categories[j])
            if size == 1:
                kernel.expose(cells, self.columns, j, more, self.reading, waiting)
            else:
                finer = kernel.refine(cells, self.columns, j, more, waiting)
                rest = range(j + 1, len(self.categories) - size + 2)
                self.search(finer, rest, size - 1, waiting)
