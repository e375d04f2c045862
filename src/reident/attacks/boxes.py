"""Near pairs found in boxes of EIF rows, where few numbers tell records apart: a job of strips.

Boxes serve where most of a PUF record's score comes from a few variables. How many EIF rows a
record would look at is counted on some records of both files; the more variables tell them apart
the more that are, and then blocks and bitmaps find them sooner (attacks/index.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from reident.attacks.spread import together
from reident.engine.job import in_turn
from reident.engine.tiles import strips
from reident.kernels import boxes as kernel
from reident.kernels import shortlist
from reident.kernels.boxes import UNCUT, Boxes
from reident.kernels.keys import sort_keys
from reident.kernels.pairs import DISTANCE, EQUAL, Records, Rows, by_record, numbers_by_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.attacks.twins import Distinct
    from reident.engine.job import Fold, Tile
    from reident.kernels.pairs import Scorer
    from reident.kernels.shortlist import Shortlist

Ints = npt.NDArray[np.int64]
MOST = 16
"""Rows of a box that is not cut."""
PARTS = 32
"""Parts of the boxes that are cut side by side."""
STRIP = 16_384
"""PUF rows a strip: many, because rows at home in the same box share what they look at."""
SAMPLE, PROBES = 2048, 32
"""EIF rows and PUF rows that tell how many EIF rows a PUF row would look at."""
FEW, SPARED = 0.4, 8
"""Few are so many times the root of those that it meets, and one of so many in the sample.

Measured from 40,000 to 1,000,000 records: what lookups read grows with the EIF, what boxes show
hardly does. Close to this both take about as long.
"""


@dataclass(frozen=True, kw_only=True)
class BoxesJob:
    """Fold shortlists over strips of PUF rows, each against the boxes of its stratum.

    EIF rows stand in the order of the boxes: `order` holds their rows in the layout. PUF row p
    begins at box roots[p], meets EIF rows meets[p, 0] to meets[p, 1] - 1 and decides pairs[p]
    pairs.
    """

    how: ClassVar[str] = "boxes"
    part: ClassVar = shortlist.Shortlist
    records: Records
    scorer: Scorer
    bound: int
    keep: int
    boxes: Boxes
    roots: Ints
    meets: Ints
    pairs: Ints
    order: Ints

    @property
    def weights(self) -> Ints:
        """Pairs that each PUF row decides."""
        return self.pairs

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Strips of PUF rows, at least two so that threads can share them."""
        rows = min(STRIP, budget, -(-len(self.meets) // 2))
        return strips(self.meets, rows, self.pairs)

    def run(self, tile: Tile, so_far: Shortlist | None) -> Shortlist:
        """Search for the rows of a strip: those at home in the same box one after another."""
        del so_far
        short, _ = self.searched(tile.first, tile.last)
        return short

    def searched(self, first: int, last: int) -> tuple[Shortlist, int]:
        """Shortlists of PUF rows, and how many EIF rows they looked at in all."""
        rows = np.arange(first, last)
        known = self.records, self.scorer, self.boxes
        rows = rows[sort_keys(kernel.homes(*known, rows, self.roots[first:last]))]
        short = shortlist.empty(np.full(last - first, self.bound, np.int64), self.keep)
        return short, kernel.search(*known, rows, self.roots[rows], first, short)

    def merge(self, one: Shortlist, other: Shortlist) -> Shortlist:
        """As if one had seen the pairs of both."""
        return shortlist.merge(one, other)

    def finish(self, tile: Tile, part: Shortlist) -> Shortlist:
        """A strip's pairs in rows of the layout."""
        del tile
        pairs = shortlist.gathered(part)
        return pairs._replace(eif=self.order.take(pairs.eif).astype(np.uint32))


def few_looked_at(rows: Distinct) -> bool:
    """Whether a PUF row would look at few EIF rows in boxes, by some rows of both files.

    Boxes are of values; rules of a data owner know no nearer and farther ones.
    """
    kind = rows.metric.scorer.kind
    if not (kind == DISTANCE).any() or not np.isin(kind, (DISTANCE, EQUAL)).all():
        return False
    some = _some(rows)
    if not len(some.meets):
        return False
    _, looked = boxed(some, in_turn).searched(0, len(some.meets))
    each, (there, met) = looked / len(some.meets), map(_met, (some, rows))
    return each <= min(FEW * math.sqrt(met), there / SPARED)


def _met(rows: Distinct) -> float:
    """EIF rows that a PUF row meets, on average."""
    return float((rows.meets[:, 1] - rows.meets[:, 0]).mean())


def _some(rows: Distinct) -> Distinct:
    """Some rows of both files, and who of them meets whom."""
    metric, scale = rows.metric, rows.metric.scorer.scale
    theirs = np.unique(np.linspace(0, len(rows.eif) - 1, SAMPLE).astype(np.int64))
    mine = np.arange(0, len(rows.meets), 1 + len(rows.meets) // PROBES)
    meets = np.searchsorted(theirs, rows.meets[mine])
    inside = meets[:, 0] < meets[:, 1]
    mine, meets = mine[inside], meets[inside]
    return replace(
        rows,
        metric=replace(
            metric,
            puf=_taken(metric.puf, mine),
            eif=_taken(metric.eif, theirs),
            scorer=metric.scorer._replace(scale=scale[mine] if len(scale) else scale),
        ),
        stratum=(rows.stratum[0][mine], rows.stratum[1][theirs]),
        meets=meets,
        pairs=rows.pairs[mine],
        eif=rows.eif[theirs],
    )


def _taken(rows: Rows, chosen: Ints) -> Rows:
    return Rows(rows.codes[:, chosen], rows.numbers[:, chosen])


def boxed(rows: Distinct, fold: Fold) -> BoxesJob:
    """The job that finds pairs in boxes of EIF rows, at first one for each stratum."""
    metric, scorer = rows.metric, rows.metric.scorer
    records = Records(
        by_record(metric.puf.codes),
        by_record(metric.eif.codes),
        numbers_by_record(metric.puf.numbers, slice(None), scorer),
        numbers_by_record(metric.eif.numbers, slice(None), scorer),
    )
    order = np.arange(len(rows.eif))
    starts = np.unique(np.append(rows.meets, [0, len(order)]))
    boxes = _grown(records, scorer, order, starts, fold)
    eif, numbers = records.eif[order], records.eif_numbers[order]
    return BoxesJob(
        records=records._replace(eif=eif, eif_numbers=numbers),
        scorer=scorer,
        bound=metric.bound,
        keep=metric.keep,
        boxes=boxes,
        roots=np.searchsorted(starts, rows.meets[:, 0]),
        meets=rows.meets,
        pairs=rows.pairs,
        order=rows.eif[order],
    )


def _grown(records: Records, scorer: Scorer, order: Ints, starts: Ints, fold: Fold) -> Boxes:
    """Boxes that begin at some rows, cut into PARTS first, and these side by side."""
    grow = partial(kernel.grow, records, scorer)
    most = max(MOST, len(order) // PARTS)
    whole = grow(order, starts, most)
    uncut = np.flatnonzero(whole.halves == UNCUT)
    uncut = uncut[np.argsort(whole.span[uncut, 0])]
    parts = np.split(uncut, np.flatnonzero(np.diff(whole.span[uncut, 0] // most)) + 1)
    ends = [np.append(whole.span[part, 0], whole.span[part[-1], 1]) for part in parts]
    finer = together(
        fold,
        *(partial(grow, order[own[0] : own[-1]], own - own[0], MOST) for own in ends),
    )
    below = [
        boxes._replace(span=boxes.span + own[0]) for own, boxes in zip(ends, finer, strict=True)
    ]
    return _joined(whole, parts, below)


def _joined(whole: Boxes, uncut: Sequence[Ints], below: Sequence[Boxes]) -> Boxes:
    """Boxes with the halves of some that were not cut: each part of these comes first below."""
    at = len(whole.span)
    new = [(whole, 0)]
    for own, boxes in zip(uncut, below, strict=True):
        first = len(own)
        halves = np.where(boxes.halves == UNCUT, UNCUT, boxes.halves + at - first)
        whole.halves[own] = halves[:first]
        new.append((boxes._replace(halves=halves), first))
        at += len(boxes.span) - first
    return Boxes(
        span=np.concatenate([boxes.span[first:] for boxes, first in new]),
        halves=np.concatenate([boxes.halves[first:] for boxes, first in new]),
        low=np.concatenate([boxes.low[first:] for boxes, first in new]),
        high=np.concatenate([boxes.high[first:] for boxes, first in new]),
        held=np.concatenate([boxes.held[first:] for boxes, first in new]),
        deep=whole.deep + max(boxes.deep for boxes in below),
    )
