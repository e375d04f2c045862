"""One guess a record: searches on micro-aggregated values, cut into strips for the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from reident.engine.job import Tile
from reident.kernels.stepwise import Sorted, nearest_stepwise
from reident.kernels.trimmed import nearest_trimmed
from reident.kernels.windows import (
    Asked,
    Orders,
    count_in_grids,
    count_windows,
    spans_between,
    spans_of_nearest,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.kernels.grids import Grids

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
STRIP = 512
"""Released rows a strip at most."""
SWIFT = 1 << 10
"""Pairs that are settled in the time that it takes to look at one."""


class Guesses(NamedTuple):
    """For each released row and step: the score, how many fit as well, and the last of these.

    `Trimming` says two where more than one fit.
    """

    found: Ints


class Search(Protocol):
    """A way to guess: the rows of a strip become scores, candidates and guesses, step by step."""

    @property
    def how(self) -> str:
        """One word."""
        ...

    def guess(self, first: int, last: int) -> Ints:
        """(score, candidates, one of them) of each released row and step."""
        ...


@dataclass(frozen=True, kw_only=True)
class Between:
    """Spans between two bounds."""

    low: Floats
    high: Floats

    def spans(self, orders: Orders, asked: Asked, first: int, last: int, out: Places) -> None:
        """Fill the spans of the released rows of a strip."""
        spans_between(orders, asked, self.low[first:last], self.high[first:last], out)


@dataclass(frozen=True, kw_only=True)
class Nearest:
    """Spans of so many nearest values."""

    count: int

    def spans(self, orders: Orders, asked: Asked, first: int, last: int, out: Places) -> None:
        """Fill the spans of the released rows of a strip."""
        del first, last
        spans_of_nearest(orders, asked, self.count, out)


@dataclass(frozen=True, kw_only=True)
class Counting:
    """The record in most intervals, one at least, over the first upto[s] variables."""

    how: ClassVar[str] = "windows"
    orders: Orders
    asked: Asked
    reach: Between
    upto: Ints

    def guess(self, first: int, last: int) -> Ints:
        """The number of intervals is the score."""
        spans = _spans(self.reach, self.orders, self.asked, first, last)
        out = np.empty((last - first, len(self.upto), 3), np.int64)
        count_windows(self.orders, spans, self.upto, 1, out)
        return out


@dataclass(frozen=True, kw_only=True)
class Agreeing:
    """The record in most windows, `agree` at least."""

    how: ClassVar[str] = "grids"
    orders: Orders
    grids: Grids
    asked: Asked
    reach: Between | Nearest
    agree: int

    def guess(self, first: int, last: int) -> Ints:
        """The number of windows is the score."""
        spans = _spans(self.reach, self.orders, self.asked, first, last)
        out = np.empty((last - first, 1, 3), np.int64)
        count_in_grids(self.orders.place, self.grids, spans, self.agree, out[:, 0])
        return out


def _spans(reach: Between | Nearest, orders: Orders, asked: Asked, first: int, last: int) -> Places:
    """The spans of the released rows of a strip."""
    part = Asked(asked.values[first:last], asked.blocks[first:last])
    spans = np.empty(part.blocks.shape, np.int32)
    reach.spans(orders, part, first, last, spans)
    return spans


@dataclass(frozen=True, kw_only=True)
class Stepping:
    """The nearest on one variable after another among the `count` nearest on the first."""

    how: ClassVar[str] = "stepwise"
    table: Sorted
    values: Floats
    states: Places
    blocks: Places
    count: int
    upto: Ints

    def guess(self, first: int, last: int) -> Ints:
        """The score is how many variables it took until one candidate was left."""
        here = slice(first, last)
        left = np.empty((last - first, self.values.shape[1], 2), np.int64)
        nearest_stepwise(
            self.table, self.values[here], self.states[here], self.blocks[here], self.count, left
        )
        out = np.empty((last - first, len(self.upto), 3), np.int64)
        out[:, :, 0] = 1 + (left[:, :, 0] == 1).argmax(axis=1)[:, None]
        out[:, :, 1:] = left[:, self.upto - 1]
        return out


@dataclass(frozen=True, kw_only=True)
class Trimming:
    """The smallest sum of the `agree` smallest relative differences."""

    how: ClassVar[str] = "trimmed"
    orders: Orders
    grids: Grids
    numbers: Floats
    asked: Asked
    met: Places
    agree: int

    def guess(self, first: int, last: int) -> Ints:
        """The sum is the score."""
        part = Asked(self.asked.values[first:last], self.asked.blocks[first:last])
        out = np.empty((last - first, 1, 3), np.int64)
        met = self.met[first:last]
        nearest_trimmed(self.orders, self.numbers, self.grids, part, met, self.agree, out[:, 0])
        return out


@dataclass(frozen=True, kw_only=True)
class GuessJob:
    """Strips of released rows, each settled against all that it meets."""

    part: ClassVar = Guesses
    search: Search
    met: Places

    @property
    def how(self) -> str:
        """The way of the search."""
        return self.search.how

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Strips of released rows; a tile is a whole strip."""
        pairs = (self.met[:, 1] - self.met[:, 0]).astype(np.int64)
        if not len(pairs):
            return []
        width = max(1, min(STRIP, budget * SWIFT // max(1, int(pairs.max()))))
        return [
            Tile(
                number,
                number,
                first,
                min(first + width, len(pairs)),
                0,
                int(pairs.max()),
                int(pairs[first : first + width].sum()),
            )
            for number, first in enumerate(range(0, len(pairs), width))
        ]

    def run(self, tile: Tile, so_far: Guesses | None) -> Guesses:
        """Guess for each row of the strip."""
        del so_far
        return Guesses(self.search.guess(tile.first, tile.last))

    def merge(self, one: Guesses, other: Guesses) -> Guesses:
        """Both are the whole answer of their strip."""
        del other
        return one

    def finish(self, tile: Tile, part: Guesses) -> Ints:
        """A strip's guesses need nothing more."""
        del tile
        return part.found
