"""Pieces of work that have nothing to do with each other, as a job for any engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reident.engine.job import Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True)
class Spread(Generic[Answer]):
    """Answers for rows 0 to `rows` - 1, some `width` at a time: do(first, last) gives one."""

    how: str
    rows: int
    width: int
    do: Callable[[int, int], Answer]

    def tiles(self, budget: int) -> Sequence[Tile]:
        """A strip for each answer; how large a tile may be has no bearing on them."""
        del budget
        firsts = range(0, self.rows, self.width)
        return [
            Tile(number, number, first, min(first + self.width, self.rows), 0, 1, self.width)
            for number, first in enumerate(firsts)
        ]

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
