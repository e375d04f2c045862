"""Minimal sample uniques: the few variables that make a record stand alone, and their score.

Score of a minimal set of size s, searched up to size M among ATT variables: the product of ATT - i
for i = s..M; a record's score is the sum over its minimal sets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.engine.job import UNTOLD, Tile
from reident.kernels import minimal as kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.categories import Coded
    from reident.engine.job import Fold

Ints = npt.NDArray[np.int64]
Masks = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
MOST_VARIABLES = 64
"""Sets of variables are held as 64-bit masks."""


@dataclass(frozen=True, kw_only=True)
class MinimalSets:
    """Every minimal set of every record, in order of record, then size, then variables.

    rows[i] is the record of set i, masks[i] its variables as bits.
    """

    records: int
    variables: int
    size: int
    rows: Ints
    masks: Masks

    @property
    def sizes(self) -> Ints:
        """How many variables each set has."""
        return np.bitwise_count(self.masks).astype(np.int64)

    @property
    def set_scores(self) -> Floats:
        """The score of each set."""
        return scores(self.variables, self.size)[self.sizes]

    @property
    def record_scores(self) -> Floats:
        """The score of each record; 0 where it has no minimal set."""
        return np.bincount(self.rows, self.set_scores, self.records).astype(np.float64)

    def holding(self, variable: int) -> npt.NDArray[np.bool_]:
        """Which sets hold a variable."""
        return np.asarray(self.masks & np.uint64(1 << variable), np.bool_)

    @property
    def contributions(self) -> list[float | None]:
        """For each variable the percentage of all scores that sets with it have; None without any.

        A set counts for each of its variables, so that they add up to more than 100.
        """
        each = self.set_scores
        whole = each.sum()
        return [
            float(100 * each[self.holding(j)].sum() / whole) if whole else None
            for j in range(self.variables)
        ]


def scores(variables: int, size: int) -> Floats:
    """The score of a minimal set by its size, 0..variables.

    A set of all variables is found only where SIZE reaches that far. The product is then taken up
    to ATT - 1, and is 1 for it: M = ATT would make every score zero.

    >>> scores(4, 3).tolist()
    [0.0, 6.0, 2.0, 1.0, 1.0]
    """
    most = min(size, variables - 1)
    return np.array(
        [0.0]
        + [
            float(math.prod(variables - i for i in range(s, most + 1)))
            for s in range(1, variables + 1)
        ]
    )


class Found(NamedTuple):
    """Minimal sets of one size that begin with one variable, in no order: records and masks."""

    rows: Ints
    masks: Masks


@dataclass(frozen=True, kw_only=True)
class MinimalJob:
    """Search the sets of one size, by their first variable; those of smaller sizes are known.

    Known sets masks[bounds[r]] to masks[bounds[r + 1] - 1] are those of record r.
    """

    how: ClassVar[str] = "minimal"
    part: ClassVar = Found
    codes: npt.NDArray[np.unsignedinteger]
    missing: Ints
    bounds: Ints
    masks: Masks
    size: int

    def tiles(self, budget: int) -> Sequence[Tile]:
        """A strip for each variable that a set may begin with."""
        del budget
        variables, n = self.codes.shape
        return [
            Tile(j, j, j, j + 1, 0, n, n * math.comb(variables - 1 - j, self.size - 1))
            for j in range(variables - self.size + 1)
        ]

    def run(self, tile: Tile, so_far: Found | None) -> Found:
        """The sets that begin with a variable."""
        del so_far
        given = (self.codes, self.missing, self.bounds, self.masks)
        return Found(*kernel.sets_of_size(*given, tile.first, self.size))

    def merge(self, one: Found, other: Found) -> Found:
        """A variable has one tile only."""
        del other
        return one

    def finish(self, tile: Tile, part: Found) -> Found:
        """Sets need nothing more."""
        del tile
        return part


def minimal_sets(coded: Coded, size: int, fold: Fold, *, wildcard: bool) -> MinimalSets:
    """All minimal sets up to a size; level by level, so that smaller ones are known."""
    variables, n = coded.codes.shape
    size = min(size, variables)
    missing = np.array(coded.missing if wildcard else [-1] * variables, np.int64)
    rows, masks = np.zeros(0, np.int64), np.zeros(0, np.uint64)
    for level in range(1, size + 1):
        bounds = np.searchsorted(rows, np.arange(n + 1)).astype(np.int64)
        job = MinimalJob(codes=coded.codes, missing=missing, bounds=bounds, masks=masks, size=level)
        found = list(fold(job, UNTOLD))
        rows = np.concatenate([rows, *(one for one, _ in found)])
        masks = np.concatenate([masks, *(one for _, one in found)])
        order = np.lexsort((masks, np.bitwise_count(masks), rows))
        rows, masks = rows[order], masks[order]
    return MinimalSets(records=n, variables=variables, size=size, rows=rows, masks=masks)


def dis_of_file(singles: int, paired: int, fraction: float) -> float | None:
    """The chance that a unique match is a true one, by data intrusion simulation.

    U records are alone, P lie in cells of two, and a fraction of the population is in the file:
    U f / (U f + P (1 - f)). None where there is neither.
    """
    right, wrong = singles * fraction, paired * (1 - fraction)
    return right / (right + wrong) if singles or paired else None


def dis_scores(sets: MinimalSets, singles: int, paired: int, fraction: float) -> Floats:
    """The file's DIS shared out over records by what their minimal sets weigh; NaN without any.

    A set of size s weighs (2^(ATT - s) - 1) / C(ATT, s), as sdcMicro has it; see decision 31. A set
    of all variables weighs as much as one of ATT - 1.
    """
    out = np.full(sets.records, np.nan)
    file_dis = dis_of_file(singles, paired, fraction)
    if not len(sets.rows) or not file_dis:
        return out
    att = sets.variables
    smaller = [min(s, max(att - 1, 1)) for s in range(1, att + 1)]
    each = [(2.0 ** max(att - s, 1) - 1) / math.comb(att, s) for s in smaller]
    weigh = np.array([0.0, *each])
    weight = np.bincount(sets.rows, weigh[sets.sizes], minlength=sets.records)
    has = weight > 0
    power = weight[has] ** (1 + (8 - att) / 20)
    odds = power * (1 / power).sum()
    out[has] = 1 / (1 + (singles / file_dis - singles) / odds)
    return out
