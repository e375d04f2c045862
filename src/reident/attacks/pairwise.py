"""What taxicab, euclidean and adhoc share: score, threshold, ranks (Primer 2.2)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from reident.attacks.index import Making, worthwhile
from reident.attacks.spread import together
from reident.engine.job import UNTOLD
from reident.engine.memory import give_back
from reident.engine.tiles import cut
from reident.kernels import pairs as kernel
from reident.kernels import shortlist
from reident.kernels.bitmaps import DIGITS
from reident.kernels.keys import sort_keys
from reident.model.linked import UNMET, Linked, Ranking, Scale
from reident.model.pairs import Pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reident.attacks.boxes import BoxesJob
    from reident.attacks.lookups import IndexedJob
    from reident.encode.files import Files
    from reident.encode.strata import Layout
    from reident.engine.job import Fold, Tile
    from reident.kernels.pairs import Rows, Scorer
    from reident.kernels.shortlist import Kept, Shortlist
    from reident.model.notes import Note

Ints = npt.NDArray[np.int64]
NO_NUMBERS = np.zeros((1, 1))
"""For metrics that compare codes alone."""


AT_ONCE = 1 << 14
"""Pairs that are scored together, rows whose shortlists are unfolded: they are copied for it."""
MANY = 2**31
"""Positions from which four bytes do not hold them."""
MOST_UNITS = 2**62
"""A bound beyond every score; sums of units stay far below."""


def bounded(bound: int) -> int:
    """A bound as the kernels can hold it: a larger one lets every pair pass all the same."""
    return max(0, min(bound, MOST_UNITS >> DIGITS))


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A ranked metric made ready for the kernel: a pair passes when its units are below `bound`."""

    puf: Rows
    eif: Rows
    scorer: Scorer
    bound: int
    keep: int
    scale: Scale
    encoding: Mapping[str, Any]
    notes: list[Note]

    def wide(self) -> Metric:
        """The same with codes as kernels take them; until then they are held in a narrow type."""
        return replace(self, puf=_wide(self.puf), eif=_wide(self.eif))


def _wide(rows: Rows) -> Rows:
    return rows._replace(codes=rows.codes.astype(np.int32, copy=False))


@dataclass(frozen=True, kw_only=True)
class RankedJob:
    """Fold shortlists over tiles of the Cartesian product, within strata."""

    how: ClassVar[str] = "brute"
    part: ClassVar = shortlist.Shortlist

    metric: Metric
    meets: Ints

    @property
    def keep(self) -> int:
        """Pairs that a PUF row may keep."""
        return self.metric.keep

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Strips of PUF rows, cut along the EIF."""
        return cut(self.meets, budget)

    def run(self, tile: Tile, so_far: Shortlist | None) -> Shortlist:
        """Score the pairs of a tile; cutoffs reached so far only prune."""
        rows = tile.last - tile.first
        bound = np.full(rows, self.metric.bound, np.int64)
        short = shortlist.empty(bound if so_far is None else so_far.cutoff, self.metric.keep)
        corners = np.array([tile.first, tile.last, tile.start, tile.stop], np.int64)
        metric = self.metric
        kernel.score_tile(metric.puf, metric.eif, metric.scorer, self.meets, corners, short)
        return short

    def merge(self, one: Shortlist, other: Shortlist) -> Shortlist:
        """As if one had seen the pairs of both."""
        return shortlist.merge(one, other)

    def finish(self, tile: Tile, part: Shortlist) -> Shortlist:
        """A strip's pairs."""
        del tile
        return shortlist.gathered(part)


def meetings(layout: Layout) -> Ints:
    """For each PUF row the EIF rows it meets, as one array."""
    return np.stack([layout.first, layout.last], axis=1)


def link_ranked(
    metric: Metric, files: Files, truth: Ints, others: Ints, fold: Fold, label: str
) -> Linked:
    """Suspected pairs of a ranked metric; `truth` and `others` are pairs to be scored as well."""
    truth_units, random_units = (units_of(metric, files, pairs) for pairs in (truth, others))
    bound, keep, scale = metric.bound, metric.keep, metric.scale
    encoding, notes = metric.encoding, metric.notes
    job, of = ready(metric, files, fold)
    # The job holds what it needs of the rows; shortlists need the room.
    del metric
    give_back()
    kept, how = _folded(job, fold, label)
    del job
    give_back()
    pairs = _ranked(kept, of, files.layout, fold)
    suspected = np.zeros(files.puf_records, np.bool_)
    suspected[pairs.puf] = True
    return Linked(
        pairs=pairs,
        suspected=suspected,
        listed=True,
        set_aside=set_aside(files),
        notes=notes,
        encoding=encoding,
        how=how,
        scale=scale,
        ranking=_ranking(kept, of, bound, keep, files, pairs),
        truth_units=truth_units,
        random_units=random_units,
    )


def kept_pairs(metric: Metric, files: Files, fold: Fold, label: str) -> tuple[Pairs, str]:
    """From coded columns to kept pairs in order, and the way it went."""
    job, of = ready(metric, files, fold)
    kept, how = _folded(job, fold, label)
    del job  # what it holds is not needed any more, and may be large
    return _ranked(kept, of, files.layout, fold), how


def ready(
    metric: Metric, files: Files, fold: Fold
) -> tuple[BoxesJob | IndexedJob | RankedJob, Ints]:
    """The job that finds the pairs, and which of its rows stands for each PUF row."""
    layout = files.layout
    meets = meetings(layout)
    if not worthwhile(metric, meets):
        return RankedJob(metric=metric.wide(), meets=meets), np.arange(len(meets))
    strata = (layout.stratum, files.strata.eif[layout.eif])
    making = Making(metric=metric, strata=strata, meets=meets, fold=fold)
    (made,) = fold(making, UNTOLD)
    return made.job, made.of


def _folded(job: BoxesJob | IndexedJob | RankedJob, fold: Fold, label: str) -> tuple[Kept, str]:
    """Shortlists of all rows of a job, and the way it went."""
    return shortlist.end_to_end(fold(job, label)), job.how


def _ranked(kept: Kept, of: Ints, layout: Layout, fold: Fold) -> Pairs:
    """Shortlists as pairs in order of PUF key, rank, EIF key."""
    order = sort_keys(layout.puf)
    held = np.diff(kept.start)
    begins = range(0, len(order), AT_ONCE)
    sizes = [int(held.take(of.take(order[first:][:AT_ONCE])).sum()) for first in begins]
    ends = [0, *itertools.accumulate(sizes)]
    whole = [np.empty(ends[-1], kind) for kind in _kinds(kept, layout, int(held.max(initial=0)))]

    def fill(part: int) -> None:
        rows = order[begins[part] :][:AT_ONCE]
        out, ranks = np.empty((3, sizes[part]), np.int64), np.empty((2, sizes[part]), np.int32)
        # Unlike an index, `take` lets other threads go on.
        at, starts = shortlist.places(kept.start, of.take(rows))
        eif, units = layout.eif.take(kept.eif.take(at)), kept.units.take(at).astype(np.int64)
        shortlist.unfold(starts, layout.puf.take(rows), eif, units, out, ranks)
        for column, own in zip(whole, (*out, *ranks), strict=True):
            column[ends[part] : ends[part + 1]] = own

    together(fold, *(partial(fill, part) for part in range(len(sizes))))
    puf, eif, units, rank, tied = whole
    return Pairs(puf=puf, eif=eif, units=units, rank=rank, tied=tied)


def _kinds(kept: Kept, layout: Layout, most: int) -> list[npt.DTypeLike]:
    """Types that hold positions of both files, units, and ranks of at most so many pairs."""
    last = [int(side.max(initial=0)) for side in (layout.puf, layout.eif)]
    positions = [np.int32 if one < MANY else np.int64 for one in last]
    return [*positions, kept.units.dtype, *[np.min_scalar_type(-1 - most)] * 2]


def _ranking(kept: Kept, of: Ints, bound: int, keep: int, files: Files, pairs: Pairs) -> Ranking:
    cutoff = kept.cutoff[of]
    overflowed = cutoff < bound
    nothing = (np.diff(kept.start) == 0)[of]
    passing = np.zeros(files.puf_records, np.bool_)
    tied_out = np.zeros(files.puf_records, np.bool_)
    first_units = np.zeros(files.puf_records, cutoff.dtype)
    first_size = np.zeros(files.puf_records, pairs.tied.dtype)
    at = files.layout.puf
    passing[at] = ~nothing | overflowed
    # Nothing kept although something passed: the cutoff is the score of the first rank itself.
    tied_out[at] = nothing & overflowed
    first_units[at] = cutoff
    best = pairs.rank == 1
    first_size[pairs.puf[best]] = pairs.tied[best]
    return Ranking(
        keep=keep,
        passing=passing,
        tied_out=tied_out,
        first_units=first_units,
        first_size=first_size,
    )


def units_of(metric: Metric, files: Files, pairs: Ints) -> Ints:
    """Exact units of given pairs of positions, UNMET where their records never meet."""
    layout = files.layout
    rows = np.full(files.puf_records, -1, np.int64)
    rows[layout.puf] = np.arange(len(layout.puf))
    places = np.full(files.eif_records, -1, np.int64)
    places[layout.eif] = np.arange(len(layout.eif))
    out = np.full(len(pairs), UNMET, np.int64)
    for first in range(0, len(pairs), AT_ONCE):
        puf, eif = pairs[first : first + AT_ONCE].T
        asked = np.stack([rows[puf], places[eif]], axis=1)
        same = files.strata.puf[puf] == files.strata.eif[eif]
        met = np.flatnonzero(same & (asked[:, 0] >= 0) & (asked[:, 1] >= 0))
        out[first + met] = score(metric, asked[met])
    return out


def score(metric: Metric, pairs: Ints) -> Ints:
    """Exact units of pairs (PUF row, EIF row), whatever they are."""
    scorer = metric.scorer
    if len(scorer.scale):
        scorer = scorer._replace(scale=scorer.scale[pairs[:, 0]])
    out = np.zeros(len(pairs), np.int64)
    # The records of a pair lie in the same row of both tables; no cutoff stops a score short.
    same = np.repeat(np.arange(len(pairs)), 2).reshape(-1, 2)
    never = np.full(len(pairs), MOST_UNITS, np.int64)
    puf, eif = pairs.T
    records = kernel.Records(
        kernel.by_record(metric.puf.codes[:, puf]),
        kernel.by_record(metric.eif.codes[:, eif]),
        kernel.numbers_by_record(metric.puf.numbers, puf, scorer),
        kernel.numbers_by_record(metric.eif.numbers, eif, scorer),
    )
    kernel.score_some(records, scorer, same, len(pairs), never, 0, False, out)  # noqa: FBT003  # numba takes flags by place
    return out


def set_aside(files: Files) -> list[tuple[str, int]]:
    """PUF records that meet nobody, by the rule that keeps them apart."""
    no_stratum = int((files.strata.puf < 0).sum())
    alone = files.puf_records - no_stratum - len(files.layout.puf)
    rules = [("missing_stratum", no_stratum), ("stratum_not_in_eif", alone)]
    return [(rule, records) for rule, records in rules if records]


def scorer(kinds: Sequence[int], missing: Sequence[int], other: Sequence[int]) -> Scorer:
    """A scorer of EQUAL variables, to be completed by metrics that know other kinds."""
    none = np.zeros(0, np.int64)
    return kernel.Scorer(
        kind=np.array(kinds, np.int64),
        missing=np.array(missing, np.int64),
        other=np.array(other, np.int64),
        sd=np.zeros((1, len(kinds))),
        steep=np.zeros((1, len(kinds))),
        scale=none,
        floor=none,
        start=np.zeros(len(kinds), np.int64),
        bounds=np.zeros(1, np.int64),
        low=none.astype(np.int32),
        high=none.astype(np.int32),
        units=none,
    )
