"""Cells counted in shares, for engines of many machines: no cell lies in two shares.

Every worker makes the keys of all records once; a share is counted by the same tables as a stream.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.engine.job import Tile
from reident.kernels import cells
from reident.needles.find import Found, levels, tally_of
from reident.needles.stream import add_batch, empty_table, words_of_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.categories import Coded
    from reident.engine.job import Fold

Ints = npt.NDArray[np.int64]
BITS = 6
"""Of a key's hash, that tell its share: 64 shares at most."""
FEWEST = 1 << 12
"""Records that a share should hold, about."""


class Share(NamedTuple):
    """The records whose cells lie in a share, how many share the cell of each, and the tally."""

    rows: Ints
    counts: npt.NDArray[np.uint32]
    tally: Ints


@dataclass(frozen=True, kw_only=True)
class SharesJob:
    """Count the cells of one share of the keys after another; a tile is a share."""

    how: ClassVar[str] = "shares"
    part: ClassVar = Share
    coded: Coded
    k: int

    @property
    def bits(self) -> int:
        """That tell the shares apart."""
        return min(BITS, (self.coded.records // FEWEST).bit_length())

    @cached_property
    def words(self) -> npt.NDArray[np.uint64]:
        """The keys of all records."""
        return words_of_batch(self.coded, drop=False)

    def tiles(self, budget: int) -> Sequence[Tile]:
        """A strip for each share; how large a tile may be has no bearing on them."""
        del budget
        n = self.coded.records
        return [Tile(s, s, s, s + 1, 0, n, n) for s in range(1 << self.bits)]

    def run(self, tile: Tile, so_far: Share | None) -> Share:
        """Count the cells of a share, then look its records up."""
        del so_far
        words, share = self.words, (tile.first, self.bits)
        table = add_batch(words, share, empty_table(words), sys.maxsize)
        found = np.zeros(len(words), np.uint32)
        cells.look_up_words(words, share, table.held, table.sizes, found)
        rows = np.flatnonzero(found)
        return Share(rows, found[rows], tally_of(table.sizes[table.sizes > 0], self.k))

    def merge(self, one: Share, other: Share) -> Share:
        """A share has one tile only."""
        del other
        return one

    def finish(self, tile: Tile, part: Share) -> Share:
        """A share needs nothing more."""
        del tile
        return part


def by_shares(coded: Coded, k: int, fold: Fold, label: str) -> Found:
    """Count how many records share each record's P-set, share by share."""
    counts = np.zeros(coded.records, np.uint32)
    tally = np.zeros(levels(k), np.int64)
    for share in fold(SharesJob(coded=coded, k=k), label) if coded.records else ():
        counts[share.rows] = share.counts
        tally += share.tally
    return Found(counts, tally)
