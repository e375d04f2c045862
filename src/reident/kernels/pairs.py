"""Score a tile of pairs into shortlists: exact integers, never a matrix (Primer 2.2, steps 1-5).

A score is a sum of non-negative units over the variables, lower is closer. How a variable adds up
is its *kind*: a table that all three ranked metrics fill in their own way.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.shortlist import Shortlist, push

EQUAL, DISTANCE, STEPS, LISTED = range(4)
"""EQUAL: 0 or `other`. DISTANCE: squared tanh of the scaled gap. STEPS: ranges of EIF codes that
a PUF code scores by. LISTED: units of listed EIF codes, `other` for the rest."""

ONE = 1 << 40
"""Units of a squared score of 1."""
CAP = 6.0
GRAIN = 1024
"""Lower bounds of squared scores are tabulated in steps of 1/GRAIN of a standard deviation."""


class Rows(NamedTuple):
    """Records of one file: a code per variable (-1 missing) and a number where kinds need one."""

    codes: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.float64]


class Scorer(NamedTuple):
    """How each variable scores.

    `missing` and `other` are units per variable. `sd` is per scale and variable, `scale` names the
    scale of each PUF row. STEPS and LISTED variables own rows start[j] + PUF code of `bounds`:
    entries bounds[row] to bounds[row + 1] of `low`, `high` and `units`.
    """

    kind: npt.NDArray[np.int64]
    missing: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    sd: npt.NDArray[np.float64]
    scale: npt.NDArray[np.int64]
    floor: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]
    low: npt.NDArray[np.int32]
    high: npt.NDArray[np.int32]
    units: npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def gap(a: float, b: float, sd: float) -> float:
    """The distance in standard deviations, capped (Primer 2.2.2 step 3)."""
    apart = abs(a - b)
    if apart == 0.0:
        return 0.0
    if sd == 0.0:
        return CAP
    x = apart / sd
    return x if x < CAP else CAP


@numba.njit(cache=True, nogil=True)
def squared(x: float) -> int:
    """The squared score of a gap, in units: 2 logistic(x) - 1 = tanh(x / 2)."""
    t = math.tanh(x * 0.5)
    return np.int64(np.rint(t * t * ONE))


def floors() -> npt.NDArray[np.int64]:
    """Units that a gap of at least k / GRAIN cannot score below, for every k up to the cap."""
    steps = np.arange(int(CAP) * GRAIN + 1) / GRAIN
    # Two units of slack are far more than the last bit of tanh, and far less than matters.
    units = [max(0, round(math.tanh(x / 2) ** 2 * ONE) - 2) for x in steps.tolist()]
    return np.array(units, np.int64)


@numba.njit(cache=True, nogil=True)
def graded(scorer: Scorer, j: int, a: int, b: int) -> int:
    """Units of EIF code b for PUF code a of a STEPS variable: the first range that holds it."""
    row = scorer.start[j] + a
    for k in range(scorer.bounds[row], scorer.bounds[row + 1]):
        if scorer.low[k] <= b < scorer.high[k]:
            return scorer.units[k]
    return scorer.other[j]


@numba.njit(cache=True, nogil=True)
def listed(scorer: Scorer, j: int, a: int, b: int) -> int:
    """Units of EIF code b for PUF code a of a LISTED variable, by bisection of a's list."""
    row = scorer.start[j] + a
    first, last = scorer.bounds[row], scorer.bounds[row + 1]
    while first < last:
        middle = (first + last) // 2
        if scorer.low[middle] < b:
            first = middle + 1
        else:
            last = middle
    if first < scorer.bounds[row + 1] and scorer.low[first] == b:
        return scorer.units[first]
    return scorer.other[j]


@numba.njit(cache=True, nogil=True)
def score(puf: Rows, p: int, eif: Rows, e: int, scorer: Scorer, cutoff: int) -> int:
    """The exact units of a pair, or some number at or above the cutoff if they reach it."""
    total = np.int64(0)
    unsettled = False
    for j in range(len(scorer.kind)):
        a, b = puf.codes[p, j], eif.codes[e, j]
        kind = scorer.kind[j]
        if a < 0 or b < 0:
            total += scorer.missing[j]
        elif kind == EQUAL:
            if a != b:
                total += scorer.other[j]
        elif kind == DISTANCE:
            if a == 0 and b == 0:
                x = gap(puf.numbers[p, j], eif.numbers[e, j], scorer.sd[scorer.scale[p], j])
                total += scorer.floor[int(x * GRAIN)]
                unsettled = True
            elif a != b:
                total += scorer.other[j]
        elif kind == STEPS:
            total += graded(scorer, j, a, b)
        else:
            total += listed(scorer, j, a, b)
        if total >= cutoff:
            return total
    if unsettled:
        for j in range(len(scorer.kind)):
            if scorer.kind[j] == DISTANCE and puf.codes[p, j] == 0 and eif.codes[e, j] == 0:
                x = gap(puf.numbers[p, j], eif.numbers[e, j], scorer.sd[scorer.scale[p], j])
                total += squared(x) - scorer.floor[int(x * GRAIN)]
    return total


@numba.njit(cache=True, nogil=True)
def score_tile(
    puf: Rows,
    eif: Rows,
    scorer: Scorer,
    meets: npt.NDArray[np.int64],
    tile: npt.NDArray[np.int64],
    short: Shortlist,
) -> None:
    """Score PUF rows tile[0]..tile[1] - 1 against EIF rows tile[2]..tile[3] - 1 that they meet.

    PUF row p meets EIF rows meets[p, 0] to meets[p, 1] - 1.
    """
    for p in range(tile[0], tile[1]):
        row = p - tile[0]
        for e in range(max(meets[p, 0], tile[2]), min(meets[p, 1], tile[3])):
            cutoff = short.cutoff[row]
            units = score(puf, p, eif, e, scorer, cutoff)
            if units < cutoff:
                push(short, row, e, units)


@numba.njit(cache=True, nogil=True)
def score_listed(
    puf: Rows,
    eif: Rows,
    scorer: Scorer,
    pairs: npt.NDArray[np.int64],
    out: npt.NDArray[np.int64],
) -> None:
    """Score given pairs (PUF row, EIF row), whatever their score."""
    never = np.iinfo(np.int64).max
    for k in range(len(pairs)):
        out[k] = score(puf, pairs[k, 0], eif, pairs[k, 1], scorer, never)
