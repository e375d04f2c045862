"""Near pairs looked up in the blocks of an index, stage after stage: a job of strips of PUF rows.

A pair with t mismatches on the categorical variables scores at least t times the cost of one. So
the pairs with few mismatches are found first, by blocks (kernels/blocks); a PUF record whose
cutoff has come down to what one more mismatch costs needs no more. Stages allow more and more
mismatches until every pair that could still pass has been found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from reident.engine.tiles import strips
from reident.kernels import blocks as kernel
from reident.kernels import shortlist
from reident.kernels.candidates import seed
from reident.kernels.cellwise import scan_cells, whole_limit
from reident.kernels.desk import Asked
from reident.kernels.entries import entries_of, needy_rows
from reident.kernels.everyone import scan_everyone
from reident.kernels.keys import sort_keys
from reident.kernels.pairs import Records, by_record
from reident.kernels.pointwise import scan_points
from reident.kernels.runs import keys_of
from reident.kernels.tally import FEW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.engine.job import Tile
    from reident.kernels.desk import Classes, Least
    from reident.kernels.everyone import Crowd
    from reident.kernels.pairs import Scorer
    from reident.kernels.points import Points
    from reident.kernels.runs import Block
    from reident.kernels.shortlist import Shortlist

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
STRIP = 65_536
"""PUF rows a strip: many, because rows with equal keys share their lookups."""
FASTER = 512
"""How much faster bitmaps meet pairs than the plain kernel, for which budgets are meant."""
REACH = 16
"""EIF rows to each side that are scored beforehand."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """A stage: its blocks find every pair with more than `above` mismatches, up to so many."""

    above: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class IndexedJob:
    """Fold shortlists over lookups; a tile is a strip of PUF rows against the whole EIF.

    `levels` together find every pair that can pass: one that scores below `bound`. PUF rows are in
    layout order. EIF rows stand in an order of their own inside strata, in which near ones lie
    together: `order` holds their rows in the layout, `crowd` where a PUF row would stand, and if
    `seeded` its neighbours there are scored first. `columns` are codes of PUF and of EIF rows by
    variable, of which variable j has codes[j], and `numbers` those of distances, by record. PUF row
    p meets EIF rows meets[p, 0] to meets[p, 1] - 1, and decides pairs[p] pairs; `stratum` is that
    of PUF and of EIF rows, `own` what a PUF row's missing values cost, `halves` which of them cost
    half a mismatch. Where scores are few whole `points`, rows that must meet everyone do so by
    them.
    """

    part: ClassVar = shortlist.Shortlist
    scorer: Scorer
    bound: int
    keep: int
    columns: tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]
    numbers: tuple[Floats, Floats]
    codes: Ints
    classes: Classes
    least: Least
    meets: Ints
    pairs: Ints
    stratum: tuple[Ints, Ints]
    order: Ints
    crowd: Crowd
    seeded: bool
    own: Ints
    halves: npt.NDArray[np.uint16]
    points: Points | None
    levels: tuple[Level, ...] = ()

    @cached_property
    def records(self) -> Records:
        """Rows by record, for pairs that are scored singly: where sums are exact few ever are."""
        puf, eif = self.columns
        return Records(by_record(puf), by_record(eif), *self.numbers)

    @property
    def weights(self) -> Ints:
        """Pairs that each PUF row decides."""
        return self.pairs

    @property
    def how(self) -> str:
        """Lookups, or every pair by bitmaps where one block without variables finds them all."""
        return "index" if len(self.levels) > 1 or len(self.levels[0].blocks) > 1 else "bitmaps"

    @property
    def pointwise(self) -> bool:
        """Whether all pairs are met by sums of points, which find cutoffs themselves."""
        return self.points is not None and bool(self.levels) and self.how == "bitmaps"

    @property
    def summed(self) -> bool:
        """Whether bitmaps count every score that may pass exactly: few mismatches."""
        least = self.least
        limit = whole_limit(self.bound, least.cost, least.grain, least.low)
        return bool(least.exact and limit <= FEW)

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Strips of PUF rows, at least two so that threads can share them."""
        meets = self.meets
        rows = min(STRIP, budget, -(-len(meets) // 2))
        if self.how == "bitmaps":
            # A stop waits for the tiles under way, and bitmaps meet this many pairs as fast.
            rows = min(rows, (budget * FASTER) // int((meets[:, 1] - meets[:, 0]).max()))
        return strips(meets, rows, self.pairs)

    def run(self, tile: Tile, so_far: Shortlist | None) -> Shortlist:
        """Stage after stage, for the rows that still need it.

        A row that misses a value of a block has to ask for many keys there: it turns to such a
        block last, and not at all where others find every pair that could pass.
        """
        del so_far
        rows = np.arange(tile.first, tile.last)
        short = self.begin(rows, tile.first)
        own, cost = self.own[tile.first : tile.last], self.least.cost
        strip = tile.first, tile.last
        keys = [[self.keys(block, *strip) for block in level.blocks] for level in self.levels]
        # Pairs that have not been found have so many mismatches at least.
        fewest = np.zeros(len(rows), np.int64)
        for place, level in enumerate(self.levels):
            asked = np.zeros(len(rows), np.int64)
            orders = [sort_keys(key) for key, _ in keys[place]]
            for easy in (True, False):
                if not easy:
                    spared = _spared(keys[place + 1 :], short.cutoff - own, cost)
                for block, (key, complete), order in zip(
                    level.blocks, keys[place], orders, strict=True
                ):
                    askable = complete if easy else ~(complete | spared)
                    chosen = needy_rows(order, askable, short.cutoff, own, cost, asked, fewest)
                    if len(chosen):
                        ask = chosen + tile.first, key.take(chosen), complete.take(chosen)
                        self.look_up(block, *ask, tile.first, short)
        return short

    def keys(self, block: Block, first: int, last: int) -> tuple[Ints, Bools]:
        """Keys of PUF rows `first` to `last` - 1 on a block; which of them have all its values."""
        stratum = self.stratum[0]
        return keys_of(self.columns[0], first, last, stratum, block.variables, block.weights)

    def begin(self, rows: Ints, base: int) -> Shortlist:
        """Shortlists that have seen nothing, with cutoffs from rough neighbours."""
        short = shortlist.empty(np.full(rows[-1] - base + 1, self.bound, np.int64), self.keep)
        if self.seeded and not self.pointwise:
            seed(
                self.records, self.scorer, self.meets, self.crowd.places[rows], rows, REACH,
                short.cutoff, base, self.keep,
            )  # fmt: skip
        return short

    def look_up(
        self, block: Block, rows: Ints, keys: Ints, complete: Bools, base: int, short: Shortlist
    ) -> int:
        """Look PUF rows, in order of key, up in a block; returns EIF rows read.

        `base` is the first row of `short`.
        """
        stratum = self.stratum[0]
        scorer, least = self.scorer, self.least
        if not len(block.variables) and self.points is not None:
            self._by_points(self.points, rows, rows - base, short)
            return int((self.meets[rows, 1] - self.meets[rows, 0]).sum())
        if not len(block.variables):
            # By place means by stratum too.
            rows = rows[sort_keys(self.crowd.places[rows])]
            asked = Asked(rows, stratum[rows], np.ones(len(rows), np.bool_), stratum, base)
            scan_everyone(
                self.records, self.classes, scorer, least, block, self.crowd, asked, short
            )
            return int((self.meets[rows, 1] - self.meets[rows, 0]).sum())
        read = 0
        if self.summed and block.filled_in:
            entries, left = entries_of(rows, keys, complete, block.weights)
            mine, halves = self.classes.mine, self.halves
            read = int(scan_cells(mine, halves, least, block, entries, base, short))
            rows, keys, complete = rows[left], keys[left], complete[left]
            if not len(rows):
                return read
        asked = Asked(rows, keys, complete & block.filled_in, stratum, base)
        return read + int(
            kernel.scan_block(self.records, self.classes, scorer, least, block, asked, short)
        )

    def _by_points(self, points: Points, rows: Ints, held: Ints, short: Shortlist) -> None:
        """Meet everyone by sums of points; `held` are places on the shortlists."""
        order = sort_keys(points.turn[rows])
        rows, held = rows[order], held[order]
        # In their turn, all that belongs to PUF rows is read from front to back.
        some = shortlist.Shortlist(*(part[held] for part in short))
        scan_points(
            self.records._replace(puf=self.records.puf[rows]),
            self.scorer,
            points._replace(mine=points.mine[rows]),
            self.stratum[0][rows],
            self.meets[rows],
            self.crowd.places[rows],
            some,
        )
        for part, new in zip(short, some, strict=True):
            part[held] = new

    def merge(self, one: Shortlist, other: Shortlist) -> Shortlist:
        """As if one had seen the pairs of both."""
        return shortlist.merge(one, other)

    def finish(self, tile: Tile, part: Shortlist) -> Shortlist:
        """A strip's pairs in rows of the layout."""
        del tile
        pairs = shortlist.gathered(part)
        return pairs._replace(eif=self.order.take(pairs.eif).astype(np.uint32))


def _spared(stages: Sequence[Sequence[tuple[Ints, Bools]]], left: Ints, cost: int) -> Bools:
    """Which PUF rows find whatever could pass in later stages, by blocks that they fill.

    Of each block of a stage it has the keys of PUF rows, and which of them are complete. `left` is
    what mismatches of a pair may add up to, and not reach.
    """
    found = np.zeros(len(left), np.bool_)
    for blocks in stages:
        easy = np.sum([complete for _, complete in blocks], axis=0, dtype=np.int64)
        # To meet everyone, at last, spares nothing.
        found |= (easy * cost >= left) & (len(blocks) > 1)
    return found
