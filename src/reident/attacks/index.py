"""When and how near pairs are looked up instead of met one by one.

A pair with t mismatches on the categorical variables scores at least t times the cost of one. So
the pairs with few mismatches are found first, by blocks (kernels/blocks); a PUF record whose
cutoff has come down to what one more mismatch costs needs no more. Stages allow more and more
mismatches until every pair that could still pass has been found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from reident.engine.job import Tile
from reident.kernels import blocks as kernel
from reident.kernels import shortlist
from reident.kernels.blocks import MISSING_BYTE, MOST_FILTERED, Asked, Block, Both, Stage
from reident.kernels.pairs import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.attacks.pairwise import Metric
    from reident.kernels.shortlist import Shortlist

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
STRIP = 16_384
"""PUF rows a strip: many, because rows with equal keys share their lookups."""
WORTHWHILE = 1 << 22
"""Pairs from which an index is worth its making."""
MOST_READ = 0.25
"""Share of the EIF that lookups of a stage may read before meeting all of it is cheaper."""
NEIGHBOURS = 24
"""Near pairs that a record should find in the first stage, so that its cutoff comes down."""
SAMPLE = 200_000
"""Random pairs that tell how many mismatches are common."""
PROBES = 256
"""PUF rows that tell how much a stage would read."""
MOST_BLOCKS = 60
"""Blocks without a mismatch are found by the bits of one number."""
ROOM = 2**62


@dataclass(frozen=True, kw_only=True)
class Level:
    """A stage: pairs with more than `above` and at most `most` mismatches, and its blocks.

    `home` is the block of each variable, -1 where its mismatches are not counted.
    """

    above: int
    most: int
    blocks: tuple[Block, ...]
    home: Ints


@dataclass(frozen=True, kw_only=True)
class IndexedJob:
    """Fold shortlists over lookups; a tile is a strip of PUF rows against the whole EIF.

    `levels` together find every pair that can pass; `cost` is the least that a mismatch adds.
    `puf` and `eif` are the codes by record, in layout order.
    """

    how: ClassVar[str] = "index"
    metric: Metric
    levels: tuple[Level, ...]
    cost: int
    puf: Codes
    eif: Codes
    stratum: Ints
    meets: Ints

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Strips of PUF rows, at least eight so that threads can share them."""
        rows = max(1, min(STRIP, budget, -(-len(self.meets) // 8)))
        tiles = []
        for number, first in enumerate(range(0, len(self.meets), rows)):
            last = min(first + rows, len(self.meets))
            mine = self.meets[first:last]
            work = int((mine[:, 1] - mine[:, 0]).sum())
            tiles.append(Tile(number, number, first, last, 0, int(mine[-1, 1]), work))
        return tiles

    def run(self, tile: Tile, so_far: Shortlist | None) -> Shortlist:
        """Stage after stage, for the rows that still need it."""
        del so_far
        rows = np.arange(tile.first, tile.last)
        bound = np.full(len(rows), self.metric.bound, np.int64)
        short = shortlist.empty(bound, self.metric.keep)
        for level in self.levels:
            for place in range(len(level.blocks)):
                # A pair's first block without a mismatch comes no later than its mismatches.
                fewest = max(level.above + 1, place)
                needy = rows[short.cutoff > fewest * self.cost]
                self.look_up(level, place, needy, tile.first, short)
        return short

    def look_up(self, level: Level, place: int, rows: Ints, base: int, short: Shortlist) -> int:
        """Look PUF rows up in a block; `base` is the first of `short`. Returns EIF rows read."""
        block = level.blocks[place]
        stage = Stage(level.above, level.most, place, level.home, self.cost)
        keys = _keys(self.puf[rows], self.stratum[rows], block.variables, block.weights)
        order = np.argsort(keys, kind="stable")
        asked = Asked(rows[order], keys[order], self.stratum, base)
        metric = self.metric
        both = Both(metric.puf, metric.eif, self.puf, self.eif)
        return int(kernel.scan_block(both, metric.scorer, block, stage, asked, short))

    def merge(self, one: Shortlist, other: Shortlist) -> Shortlist:
        """As if one had seen the pairs of both."""
        return shortlist.merge(one, other)

    def finish(self, tile: Tile, part: Shortlist) -> Shortlist:
        """A strip's shortlist needs nothing more."""
        del tile
        return part


def indexed(metric: Metric, stratum: tuple[Ints, Ints], meets: Ints) -> IndexedJob | None:
    """A job that looks pairs up, or None where meeting them all is cheaper.

    `stratum` numbers the strata of PUF and EIF rows, in layout order.
    """
    scorer = metric.scorer
    chosen = np.flatnonzero((scorer.kind == EQUAL) & (scorer.other > 0))
    pairs = int((meets[:, 1] - meets[:, 0]).sum())
    if pairs < max(1, WORTHWHILE) or not len(chosen) or metric.bound <= 0:
        return None
    job = IndexedJob(
        metric=metric,
        levels=(),
        cost=int(scorer.other[chosen].min()),
        puf=np.ascontiguousarray(metric.puf.codes.T),
        eif=np.ascontiguousarray(metric.eif.codes.T),
        stratum=stratum[0],
        meets=meets,
    )
    levels = _levels(job, stratum[1], chosen)
    return replace(job, levels=levels) if levels else None


def _levels(job: IndexedJob, eif_stratum: Ints, chosen: Ints) -> tuple[Level, ...]:
    """The first stage that finds enough neighbours, the next one, and the last that is needed."""
    # One mismatch more than `last` cannot pass the threshold.
    last = min(-(-job.metric.bound // job.cost) - 1, len(chosen))
    near = _neighbours(job, chosen)
    wanted = NEIGHBOURS if len(chosen) == len(job.metric.scorer.kind) else 4 * NEIGHBOURS
    enough = int(np.argmax(near >= wanted)) if (near >= wanted).any() else last
    levels: list[Level] = []
    above = -1
    for most in sorted({min(t, last) for t in (enough, enough + 1, last)}):
        level = _level(job, eif_stratum, chosen, above, most)
        if _share(job, level) > MOST_READ:
            break
        levels.append(level)
        above = most
    if levels and above < last:
        levels.append(_everything(job, eif_stratum, chosen, above))
    return tuple(levels)


def _neighbours(job: IndexedJob, chosen: Ints) -> npt.NDArray[np.float64]:
    """For t = 0, 1, ..: EIF rows within t mismatches of a PUF row, on average."""
    stream = np.random.default_rng(0)  # a guess at the work ahead; no result depends on it
    p = stream.integers(len(job.meets), size=SAMPLE)
    width = job.meets[p, 1] - job.meets[p, 0]
    e = job.meets[p, 0] + (stream.random(SAMPLE) * width).astype(np.int64)
    mine, theirs = job.puf[p][:, chosen], job.eif[e][:, chosen]
    mismatches = ((mine != theirs) & (mine >= 0) & (theirs >= 0)).sum(axis=1)
    weights = np.bincount(mismatches, weights=width, minlength=len(chosen) + 1)
    return np.asarray(np.cumsum(weights) / SAMPLE)


def _level(job: IndexedJob, eif_stratum: Ints, chosen: Ints, above: int, most: int) -> Level:
    """Blocks for at most `most` mismatches: one more block than that, of balanced entropy."""
    number = most + 1
    if number > min(len(chosen), MOST_BLOCKS):
        return _everything(job, eif_stratum, chosen, above)
    shares: list[list[int]] = [[] for _ in range(number)]
    weight = np.zeros(number)
    entropy = {int(j): _entropy(job.eif[:, j]) for j in chosen}
    for j in sorted(entropy, key=lambda j: -entropy[j]):
        lightest = int(np.argmin(weight))
        shares[lightest].append(j)
        weight[lightest] += entropy[j]
    home = np.full(len(job.metric.scorer.kind), -1, np.int64)
    for place, share in enumerate(shares):
        home[share] = place
    blocks = tuple(_block(job, eif_stratum, share, chosen) for share in shares)
    return Level(above=above, most=most, blocks=blocks, home=home)


def _everything(job: IndexedJob, eif_stratum: Ints, chosen: Ints, above: int) -> Level:
    """All pairs with more than `above` mismatches, by one block without variables."""
    home = np.full(len(job.metric.scorer.kind), -1, np.int64)
    # Mismatches are counted as of block 1, so that block 0, this one, is never spoilt.
    home[chosen] = 1
    block = _block(job, eif_stratum, [], chosen)
    return Level(above=above, most=len(chosen), blocks=(block,), home=home)


def _entropy(codes: npt.NDArray[np.int32]) -> float:
    share = np.bincount(codes + 1) / len(codes)
    share = share[share > 0]
    return float(-(share * np.log(share)).sum())


def _block(job: IndexedJob, eif_stratum: Ints, share: list[int], chosen: Ints) -> Block:
    """Sort the EIF by its key on the variables of a share, as many as a key has room for."""
    codes = job.eif
    sizes, variables = [], []
    room = ROOM // (int(max(job.stratum.max(), eif_stratum.max(initial=0))) + 2)
    for j in share:
        size = int(max(job.puf[:, j].max(), codes[:, j].max(initial=-1))) + 2
        if size <= room:
            room //= size
            sizes.append(size)
            variables.append(j)
    weights = np.cumprod([1, *sizes[::-1]])[::-1]
    keys = _keys(codes, eif_stratum, np.array(variables, np.int64), weights)
    rows = np.argsort(keys, kind="stable")
    distinct, starts = np.unique(keys[rows], return_index=True)
    others = [j for j in chosen.tolist() if j not in variables][:MOST_FILTERED]
    return Block(
        variables=np.array(variables, np.int64),
        weights=weights.astype(np.int64),
        sizes=np.array(sizes, np.int64),
        wild=np.array([bool((codes[:, j] < 0).any()) for j in variables], np.bool_),
        keys=distinct,
        starts=np.append(starts, len(rows)).astype(np.int64),
        rows=rows,
        others=np.array(others, np.int64),
        bytes=_bytes(codes, others)[:, rows],
    )


def _bytes(codes: Codes, variables: list[int]) -> npt.NDArray[np.uint8]:
    """Codes as bytes; many categories share one, which can only make a pair look nearer."""
    table = np.ascontiguousarray(codes[:, variables].T)
    return np.where(table < 0, MISSING_BYTE, table % MISSING_BYTE).astype(np.uint8)


def _keys(codes: Codes, stratum: Ints, variables: Ints, weights: Ints) -> Ints:
    """Mixed-radix keys: stratum, then code + 1 of each variable."""
    keys = stratum * weights[0]
    for variable, weight in zip(variables, weights[1:], strict=True):
        keys = keys + (codes[:, variable].astype(np.int64) + 1) * weight
    return np.asarray(keys, np.int64)


def _share(job: IndexedJob, level: Level) -> float:
    """The share of the EIF that some PUF rows would read."""
    probes = np.unique(np.linspace(0, len(job.meets) - 1, PROBES).astype(np.int64))
    # A cutoff of 0 lets nothing through: the lookup is only measured.
    short = shortlist.empty(np.zeros(len(job.meets), np.int64), 1)
    read = sum(job.look_up(level, place, probes, 0, short) for place in range(len(level.blocks)))
    return read / max(1, int((job.meets[probes, 1] - job.meets[probes, 0]).sum()))
