"""Unicity of large files: each PUF record is settled by small cells (Primer 2.1).

Rates need no list of pairs: a record is suspected when it has a partner, and true pairs are judged
one by one. So a list is only made where it is asked for and not too long.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from reident.attacks.crowd import too_many
from reident.attacks.spread import Spread
from reident.attacks.suspects import Strip, gathered, unlisted
from reident.engine.job import Tile
from reident.kernels import partners as kernel
from reident.kernels.partners import ALL_PAIRS, CONSISTENT_PAIRS, NO_PAIRS, Aim, Verdicts
from reident.model.linked import NOT_EXPOSED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reident.attacks.sides import Sides
    from reident.attacks.suspects import Listing, Suspects
    from reident.engine.job import Fold, Job
    from reident.kernels.records import Both
    from reident.model.truth import Truth

Ints = npt.NDArray[np.int64]
STRIP = 512
"""PUF rows a strip at most."""
SWIFT = 32
"""Pairs that are settled in the time that it takes to meet one."""
FEW = 24
"""Rows that a cell should hold: a partner is soon found, and quickly."""
TRUE_PAIRS = 1 << 12
"""True pairs judged in one go, so that they are shared out and a stop is prompt."""


@dataclass(frozen=True, kw_only=True)
class PartnersJob:
    """Settle strips of PUF rows, each against all rows that it meets.

    `rows` are rows of the PUF's table and `spans` the rows of both tables that they meet. `also`
    gives what is to be done besides, for a forecast.
    """

    how: ClassVar[str] = "cells"
    part: ClassVar = Verdicts
    both: Both
    sides: Sides
    rows: Ints
    spans: Ints
    aim: Aim
    also: Callable[[], Sequence[Job[Any, Any]]] = tuple

    @property
    def met(self) -> int:
        """How many records of both files its records would meet one by one."""
        return int((self.spans[:, 1::2] - self.spans[:, ::2]).sum())

    @property
    def weights(self) -> Ints:
        """EIF rows that each PUF row meets."""
        return np.asarray(self.spans[:, 3] - self.spans[:, 2])

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Strips of PUF rows; a tile is a whole strip."""
        if not len(self.rows):
            return []
        met = self.weights
        width = max(1, min(STRIP, budget * SWIFT // max(1, int(met.max()))))
        tiles = []
        for number, first in enumerate(range(0, len(self.rows), width)):
            last = min(first + width, len(self.rows))
            work = int(met[first:last].sum())
            tiles.append(Tile(number, number, first, last, 0, int(met.max()), work))
        return tiles

    def run(self, tile: Tile, so_far: Verdicts | None) -> Verdicts:
        """Settle the strip's rows one by one."""
        del so_far
        here = slice(tile.first, tile.last)
        return kernel.judge_all(self.both, self.rows[here], self.spans[here], self.aim)

    def merge(self, one: Verdicts, other: Verdicts) -> Verdicts:
        """Both are the whole answer of their strip."""
        del other
        return one

    def finish(self, tile: Tile, part: Verdicts) -> Strip:
        """Rows become positions in key order; pairs get their readings."""
        rows = self.rows[tile.first : tile.last]
        puf = np.repeat(rows, np.diff(part.bounds))
        mine, theirs = self.both.puf.codes[puf], self.both.eif.codes[part.partners]
        agree = ((mine == theirs) | (mine < 0) | (theirs < 0)).all(axis=1)
        full = ((mine == theirs) & (mine >= 0)).all(axis=1)
        return Strip(
            records=self.sides.puf.records[rows],
            reading=part.reading,
            puf=self.sides.puf.records[puf],
            eif=self.sides.eif.records[part.partners],
            pair_reading=agree.astype(np.int64) + full,
        )


def job_of(sides: Sides) -> PartnersJob:
    """Settle every PUF row that meets an EIF row; no pairs are asked for."""
    spans = np.hstack([side.spans(sides.puf.stratum) for side in (sides.puf, sides.eif)])
    rows = np.flatnonzero(spans[:, 3] > spans[:, 2])
    aim = Aim(NO_PAIRS, FEW)
    return PartnersJob(both=sides.both, sides=sides, rows=rows, spans=spans[rows], aim=aim)


def searched(job: PartnersJob, listing: Listing, fold: Fold, label: str) -> Suspects:
    """Suspected records, and pairs where they are to be listed."""
    if listing.headline == 0 and listing.most is not None and not listing.exceeded(0):
        many = too_many(job.sides, listing.most, fold)
    else:
        many = listing.exceeded(0)
    if many:
        return unlisted(fold(job, label), listing)
    pairs = ALL_PAIRS if listing.headline == 0 else CONSISTENT_PAIRS
    found = gathered(fold(replace(job, aim=Aim(pairs, FEW)), label), listing)
    # What is to be done besides has been told.
    return found or unlisted(fold(replace(job, also=tuple), label), listing)


class TruePairs:
    """The reading of each true pair, judged one by one."""

    def __init__(self, job: PartnersJob, truth: Truth) -> None:
        self._both, self._pairs = job.both, len(truth)
        at, theirs = _rows_of(job, truth)
        # A row that is missing here has no stratum, meets nobody, or is one of several copies.
        inside = np.flatnonzero((at >= 0) & (theirs >= 0))
        spans = job.spans[at[inside]]
        meets = (theirs[inside] >= spans[:, 2]) & (theirs[inside] < spans[:, 3])
        self._inside, self._spans = inside[meets], spans[meets]
        self._rows = np.stack([job.rows[at[inside[meets]]], theirs[inside[meets]]], axis=1)

    def job(self) -> Spread[Ints]:
        """Judge those whose records meet."""
        return Spread(how="true pairs", rows=len(self._inside), width=TRUE_PAIRS, do=self._judged)

    def readings(self, fold: Fold, label: str) -> Ints:
        """A reading for each true pair, NOT_EXPOSED if it is not suspected."""
        reading = np.full(self._pairs, NOT_EXPOSED, np.int64)
        reading[self._inside] = np.concatenate([self._inside[:0], *fold(self.job(), label)])
        return reading

    def _judged(self, first: int, last: int) -> Ints:
        here = slice(first, last)
        return np.asarray(kernel.judge_pairs(self._both, self._rows[here], self._spans[here]))


def _rows_of(job: PartnersJob, truth: Truth) -> tuple[Ints, Ints]:
    """Where the records of true pairs stand: places in the job's rows, rows of the EIF; or -1."""
    sides = job.sides
    place = np.full(int(truth.puf.max(initial=0)) + 1, -1, np.int64)
    of_row = np.full(len(sides.puf.records), -1, np.int64)
    of_row[job.rows] = np.arange(len(job.rows))
    known = sides.puf.records < len(place)
    place[sides.puf.records[known]] = of_row[known]
    row = np.full(truth.eif_records, -1, np.int64)
    row[sides.eif.records] = np.arange(len(sides.eif.records))
    return place[truth.puf], row[truth.eif]
