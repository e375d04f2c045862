"""Pieces of work that have nothing to do with each other, as a job for any engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reident.engine.job import UNTOLD, Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import numpy.typing as npt

    from reident.engine.job import Fold

    Ints = npt.NDArray[np.int64]

Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True)
class Spread(Generic[Answer]):
    """Answers for rows 0 to `rows` - 1, some `width` at a time: do(first, last) gives one.

    `weights` tell how much there is to do for each row; without them all are alike.
    """

    how: str
    rows: int
    width: int
    do: Callable[[int, int], Answer]
    weights: Ints | None = None
    prepares: bool = False

    def tiles(self, budget: int) -> Sequence[Tile]:
        """A strip for each answer; how large a tile may be has no bearing on them."""
        del budget
        tiles = []
        for number, first in enumerate(range(0, self.rows, self.width)):
            last = min(first + self.width, self.rows)
            work = last - first if self.weights is None else int(self.weights[first:last].sum())
            tiles.append(Tile(number, number, first, last, 0, 1, work))
        return tiles

    def run(self, tile: Tile, so_far: Any) -> Answer:
        """One answer."""
        del so_far
        return self.do(tile.first, tile.last)

    def merge(self, one: Answer, other: Answer) -> Answer:
        """A strip has one tile only."""
        del other
        return one

    def finish(self, tile: Tile, part: Answer) -> Answer:
        """The answer as it is."""
        del tile
        return part


def together(fold: Fold, *tasks: Callable[[], Any]) -> list[Any]:
    """What some tasks return, in their order; they run side by side where the engine can."""
    spread = Spread(
        how="together", rows=len(tasks), width=1, do=lambda first, _: tasks[first](), prepares=True
    )
    return list(fold(spread, UNTOLD))
