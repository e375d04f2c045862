"""The making of an index: when it is worth it, which blocks in which stages, and in what order.

Where few numbers tell records apart boxes of EIF rows take its place (attacks/boxes.py).
Stages are chosen by what some PUF rows would read of the EIF. Where numbers or rules are compared
too, EIF rows stand in a rough order, so that neighbours can be scored beforehand: they bring
cutoffs down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.attacks.blocks import block_on, entropy_of, shares
from reident.attacks.boxes import boxed, few_looked_at
from reident.attacks.coarse import coarse
from reident.attacks.lookups import IndexedJob, Level
from reident.attacks.points import point_of, points_of
from reident.attacks.spread import together
from reident.attacks.twins import distinct
from reident.engine.job import Tile, in_turn
from reident.kernels import shortlist
from reident.kernels.bitmaps import CLASSES, NO_CLASS
from reident.kernels.cellwise import halves_of
from reident.kernels.coarse import missing_sums
from reident.kernels.desk import Classes
from reident.kernels.everyone import Crowd, least_by_tiles
from reident.kernels.keys import sort_keys
from reident.kernels.lanes import LANES
from reident.kernels.pairs import EQUAL, numbers_by_record
from reident.kernels.planes import mark, pack
from reident.kernels.runs import keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reident.attacks.boxes import BoxesJob
    from reident.attacks.pairwise import Metric
    from reident.attacks.twins import Distinct
    from reident.engine.job import Fold
    from reident.kernels.desk import Least
    from reident.kernels.pairs import Scorer
    from reident.kernels.runs import Block

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
WORTHWHILE = 1 << 22
"""Pairs from which an index is worth its making."""
MOST_READ = 0.25
"""Share of the EIF that lookups of a stage may read before meeting all of it is cheaper."""
QUICKER = 5
"""How much quicker points are added up than sixteenths, for the same share."""
SUMMED = 3
"""How much quicker exact sums are looked up than made for everyone, for the same share."""
SOON_READ = 12_000
"""EIF rows that a record reads in the last stage so soon that no stage before it spares as much."""
NEIGHBOURS = 24
"""Near pairs that a record should find in the first stage, so that its cutoff comes down."""
SAMPLE = 20_000
"""Random pairs that tell how many mismatches are common."""
PROBES = 256
"""PUF rows that tell how much a stage would read."""
MANY = 200
"""Pairs of a PUF row below the threshold from which a lower cutoff is worth some scores first."""
PIECES = 64
"""Pieces of a block whose bitmaps are made at a time."""
ROOM = 2**62


def worthwhile(metric: Metric, meets: Ints) -> bool:
    """Whether looking pairs up may be cheaper than meeting them one by one."""
    pairs = int((meets[:, 1] - meets[:, 0]).sum())
    return pairs >= max(1, WORTHWHILE) and metric.bound > 0 and _cost(metric.scorer) > 0


def _cost(scorer: Scorer) -> int:
    """What one mismatch costs at least, if it is one of a categorical variable."""
    chosen = scorer.other[_chosen(scorer)]
    return int(chosen.min() if len(chosen) else scorer.other.max(initial=0))


def _chosen(scorer: Scorer) -> Ints:
    """Variables of blocks."""
    return np.flatnonzero((scorer.kind == EQUAL) & (scorer.other > 0))


class Indexed(NamedTuple):
    """A job over the rows that must be met, and which of them stands for each PUF row."""

    job: IndexedJob | BoxesJob
    of: Ints


@dataclass(frozen=True, kw_only=True)
class Making:
    """The making of an index as a job of one tile, so that an engine does it where there is room.

    `strata` are those of PUF and of EIF rows; PUF row p meets EIF rows meets[p, 0] to
    meets[p, 1] - 1. A `fold` makes blocks side by side; elsewhere, where it cannot go, they are
    made in turn.
    """

    how: ClassVar[str] = "index"
    makes: ClassVar[bool] = True
    prepares: ClassVar[bool] = True

    metric: Metric
    strata: tuple[Ints, Ints]
    meets: Ints
    fold: Fold | None

    def tiles(self, budget: int) -> Sequence[Tile]:
        """All of it."""
        del budget
        return [Tile(0, 0, 0, len(self.meets), 0, len(self.strata[1]), 1)]

    def run(self, tile: Tile, so_far: Indexed | None) -> Indexed:
        """Find the rows that must be met, and make blocks of them, or boxes."""
        del tile, so_far
        fold = self.fold or in_turn
        rows = distinct(self.metric, self.strata, self.meets, fold)
        if few_looked_at(rows):
            return Indexed(boxed(rows, fold), rows.of)
        job = _without_levels(rows, fold)
        # One mismatch more than `last` cannot pass the threshold.
        last = min(-(-job.bound // job.least.cost) - 1, len(_chosen(job.scorer)))
        packed, (entropy, stages) = together(
            fold,
            partial(pack, job.classes.theirs, job.classes.sums),
            partial(_stages, job, rows, last),
        )
        of, eif = rows.of, rows.eif
        # The job holds all else that is needed of them; blocks need the room.
        del rows
        levels = _levels(job, packed, entropy, stages, last, fold)
        del packed
        order, crowd = eif[job.order] if job.seeded else eif, job.crowd
        if not len(levels[-1].blocks[0].variables):
            # Who meets everyone looks at tiles first; nobody else does.
            nearest = least_by_tiles(job.classes.theirs, job.scorer, job.least)
            crowd = crowd._replace(nearest=nearest)
        return Indexed(replace(job, levels=levels, order=order, crowd=crowd), of)

    def merge(self, one: Indexed, other: Indexed) -> Indexed:
        """There is one tile only."""
        del other
        return one

    def finish(self, tile: Tile, part: Indexed) -> Indexed:
        """As it is."""
        del tile
        return part


def _without_levels(rows: Distinct, fold: Fold) -> IndexedJob:
    """A job that has yet to get its blocks."""
    metric, stratum, meets, scorer = rows.metric, rows.stratum, rows.meets, rows.metric.scorer
    chosen = _chosen(scorer)
    (mine, theirs, least), own = together(
        fold,
        partial(coarse, metric, _cost(scorer)),
        partial(missing_sums, metric.puf.codes, scorer.missing),
    )
    order, places, codes = np.arange(len(stratum[1])), meets[:, 0].copy(), metric.eif.codes
    # Exact sums need no cutoff to begin with: trials find one (kernels/exact).
    seeded = len(least.graded) > 0 or (not least.exact and _passing(rows)[-1] > MANY)
    if seeded:
        order, places = _order(mine, theirs, least, stratum, chosen)
        theirs, codes = (np.ascontiguousarray(own[:, order]) for own in (theirs, codes))
    equal = np.where(scorer.kind == EQUAL, least.missing, 0)
    sums, halves = together(
        fold,
        # As numbers with a sign NO_CLASS is below 0, and no class is.
        partial(missing_sums, theirs.view(np.int8), equal),
        partial(halves_of, mine, least.missing),
    )
    return IndexedJob(
        scorer=scorer,
        bound=metric.bound,
        keep=metric.keep,
        columns=(metric.puf.codes, codes),
        numbers=(
            numbers_by_record(metric.puf.numbers, slice(None), scorer),
            numbers_by_record(metric.eif.numbers, order if seeded else slice(None), scorer),
        ),
        codes=np.maximum(*(side.codes.max(axis=1, initial=-1) for side in (metric.puf, metric.eif)))
        + np.int64(1),
        classes=Classes(mine, theirs, sums),
        least=least,
        meets=meets,
        pairs=rows.pairs,
        stratum=stratum,
        order=order,
        crowd=Crowd(np.zeros((0, 0, 0), np.uint8), places),
        seeded=seeded,
        own=own,
        halves=halves,
        points=points_of(metric, order, stratum[0]) if seeded and point_of(metric) else None,
    )


def _passing(rows: Distinct) -> Floats:
    """For t = 0, 1, ..: pairs of a PUF row with at most t mismatches that pass, on average.

    Graded variables are left out, as if they cost nothing.
    """
    metric, chosen = rows.metric, _chosen(rows.metric.scorer)
    p, e, width = _random_pairs(rows.meets)
    units, mismatches = np.zeros((2, SAMPLE), np.int64)
    for j in chosen.tolist():
        mine, theirs = metric.puf.codes[j].take(p), metric.eif.codes[j].take(e)
        gone = (mine < 0) | (theirs < 0)
        differ = ~gone & (mine != theirs)
        units += gone * metric.scorer.missing[j] + differ * metric.scorer.other[j]
        mismatches += differ
    weights = np.where(units < metric.bound, width, 0)
    found = np.bincount(mismatches, weights=weights, minlength=len(chosen) + 1)
    return np.asarray(np.cumsum(found) / SAMPLE)


def _random_pairs(meets: Ints) -> tuple[Ints, Ints, Ints]:
    """Some pairs that meet, and how many EIF rows each PUF row meets."""
    stream = np.random.default_rng(0)  # a guess at the work ahead; no result depends on it
    p = stream.integers(len(meets), size=SAMPLE)
    width = meets[p, 1] - meets[p, 0]
    return p, meets[p, 0] + (stream.random(SAMPLE) * width).astype(np.int64), width


def _order(
    mine: Bytes, theirs: Bytes, least: Least, stratum: tuple[Ints, Ints], chosen: Ints
) -> tuple[Ints, Ints]:
    """EIF rows by stratum, by category, and by ever finer classes of the graded variables.

    Then where each PUF row would stand among them.
    """
    entropy = [entropy_of(theirs[j]) for j in chosen]
    # Neighbours differ in the last variables first: those in which records differ most.
    parts = [(int(j), 0, int(least.classes[j])) for j in chosen[np.argsort(entropy)]]
    parts += [(int(j), shift, CLASSES >> shift) for shift in (3, 0) for j in least.graded]
    room = ROOM // (int(max(side.max(initial=0) for side in stratum)) + 2)
    keys = [*stratum]
    for j, shift, size in parts:
        if size + 1 > room:
            break
        room //= size + 1
        for side, own in enumerate((mine[:, j], theirs[j])):
            keys[side] = keys[side] * (size + 1) + np.minimum(own >> shift, size)
    order = sort_keys(keys[1])
    return order, np.searchsorted(keys[1][order], keys[0])


def _levels(
    job: IndexedJob,
    packed: Words,
    entropy: Mapping[int, float],
    asked: list[int],
    last: int,
    fold: Fold,
) -> tuple[Level, ...]:
    """Stages that are worth it, and at last one that finds whatever could still pass."""
    levels: list[Level] = []
    above = -1
    for stages in _batches(job, asked):
        made = iter(_blocks(job, packed, [shares(entropy, most) for most in stages], fold))
        for most in stages:
            level = Level(above=above, blocks=tuple(islice(made, most + 1)))
            if _share(job, level) > _most_read(job):
                break
            levels.append(level)
            above = most
        if above < stages[-1]:
            break
    if above < last or not levels:
        levels.append(Level(above=above, blocks=tuple(_blocks(job, packed, [[[]]], fold))))
    return tuple(levels)


def _batches(job: IndexedJob, asked: list[int]) -> list[list[int]]:
    """Stages whose blocks are made together: all of them, if each will hardly be found too dear."""
    stages = [most for most in asked if most < len(_chosen(job.scorer))]
    return [[most] for most in stages] if job.seeded else [stages] if stages else []


def _blocks(
    job: IndexedJob, packed: Words, stages: list[list[list[int]]], fold: Fold
) -> list[Block]:
    """The blocks of some stages, given by their shares."""
    tasks = (partial(block_on, job, share) for parts in stages for share in parts)
    blocks, marks = zip(*together(fold, *tasks), strict=True)
    # Few blocks, of sizes that differ: bitmaps are made a part at a time, so that all threads do.
    parts = (
        partial(mark, packed, block.rows[64 * LANES * at :][: 64 * LANES * PIECES], own, bits)
        for block, own in zip(blocks, marks, strict=True)
        for at in range(0, len(block.bits), PIECES)
        for bits in [block.bits[at : at + PIECES]]
    )
    together(fold, *parts)
    return list(blocks)


def _stages(job: IndexedJob, rows: Distinct, last: int) -> tuple[dict[int, float], list[int]]:
    """What variables tell, and numbers of mismatches to allow one after another, up to `last`."""
    entropy = {int(j): entropy_of(job.classes.theirs[j]) for j in _chosen(job.scorer)}
    return entropy, _allowed(job, rows, entropy, last)


def _allowed(job: IndexedJob, rows: Distinct, entropy: Mapping[int, float], last: int) -> list[int]:
    """Stages for blocks of such variables, by what some records would read and find."""
    if not job.seeded:
        if job.summed and _soon(job, shares(entropy, last)):
            return [last]
        near = _passing(rows) >= NEIGHBOURS
        enough = int(np.argmax(near)) if near.any() else last
        return sorted({min(t, last) for t in (enough, enough + 1, last)})
    probes = _probes(job)
    cutoffs = np.sort(job.begin(probes, 0).cutoff[probes])
    needed = np.minimum(-(-cutoffs // job.least.cost) - 1, last)
    return sorted({max(0, int(needed[len(needed) * part // 10])) for part in (2, 5, 9)})


def _soon(job: IndexedJob, parts: list[list[int]]) -> bool:
    """Whether a PUF row reads few EIF rows in blocks on such shares, by some pairs."""
    mine, theirs = job.classes.mine, job.classes.theirs
    some = [classes[:: 1 + len(classes) // PROBES].T for classes in (mine, theirs.T)]
    share = 0.0
    for part in parts:
        agree = np.ones([own.shape[1] for own in some], np.bool_)
        for j in part:
            # Variable by variable: what is compared stays in the cache.
            own, other = some[0][j, :, None], some[1][j]
            agree &= (own == other) | (own == NO_CLASS) | (other == NO_CLASS)
        share += float(agree.mean())
    met = float((job.meets[:, 1] - job.meets[:, 0]).mean())
    # A guess: what is near the share at which meeting everyone is cheaper is not taken on trust.
    return share <= min(MOST_READ / 2, SOON_READ / met)


def _most_read(job: IndexedJob) -> float:
    """The share of the EIF up to which a stage is cheaper than meeting everyone."""
    if job.points is not None:
        return MOST_READ / QUICKER
    return MOST_READ * SUMMED if job.summed else MOST_READ


def _probes(job: IndexedJob) -> Ints:
    return np.unique(np.linspace(0, len(job.meets) - 1, PROBES).astype(np.int64))


def _share(job: IndexedJob, level: Level) -> float:
    """The share of the EIF that some PUF rows would read.

    A block without variables finds everyone: no stage before the last is worth that.
    """
    if not all(len(block.variables) for block in level.blocks):
        return math.inf
    rows = _probes(job)
    codes, stratum = job.columns[0].take(rows, axis=1), job.stratum[0].take(rows)
    # A cutoff of 0 lets nothing through: the lookup is only measured.
    short = shortlist.empty(np.zeros(len(job.meets), np.int64), 1)
    read = 0
    for block in level.blocks:
        keys, complete = keys_of(codes, 0, len(rows), stratum, block.variables, block.weights)
        order = sort_keys(keys)
        read += job.look_up(block, rows[order], keys[order], complete[order], 0, short)
    meets = job.meets[rows]
    return read / max(1, int((meets[:, 1] - meets[:, 0]).sum()))
