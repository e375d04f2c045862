"""Score a tile of pairs into shortlists: exact integers, never a matrix (Primer 2.2, steps 1-5).

A score is a sum of non-negative units over the variables, lower is closer. How a variable adds up
is its *kind*: a table that all three ranked metrics fill in their own way. One PUF record meets a
block of EIF records at a time, variable by variable, so that each inner loop runs down one column.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled, uncounted
from reident.kernels.shortlist import Shortlist, push

EQUAL, DISTANCE, STEPS, LISTED = range(4)
"""EQUAL: 0 or `other`. DISTANCE: squared tanh of the scaled gap. STEPS: ranges of EIF codes that
a PUF code scores by. LISTED: units of listed EIF codes, `other` for the rest."""

ONE = 1 << 40
"""Units of a squared score of 1."""
CAP = 6.0
GRAIN = 512
"""Lower bounds of squared scores are tabulated in steps of 1/GRAIN of a standard deviation."""
SLACK = 1 - 2.0**-40
"""Keeps a level below its gap although it is found by multiplication, not division."""
BLOCK = 2048
"""EIF records scored at a time: their sums stay in the first-level cache."""


class Rows(NamedTuple):
    """Records of one file, a row per variable: codes (-1 missing), and numbers for distances.

    Kernels take codes of four bytes; who holds many may hold them in fewer.
    """

    codes: npt.NDArray[Any]
    numbers: npt.NDArray[np.float64]


class Scorer(NamedTuple):
    """How each variable scores.

    `missing` and `other` are units per variable. `sd` is per scale and variable, and `steep` what
    a distance is multiplied by to find its level; `scale` names the scale of each PUF row. STEPS
    and LISTED variables own rows start[j] + PUF code of `bounds`: entries bounds[row] to
    bounds[row + 1] of `low`, `high` and `units`. Ranges of STEPS lie one inside the other, the
    innermost first.
    """

    kind: npt.NDArray[np.int64]
    missing: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    sd: npt.NDArray[np.float64]
    steep: npt.NDArray[np.float64]
    scale: npt.NDArray[np.int64]
    floor: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]
    low: npt.NDArray[np.int32]
    high: npt.NDArray[np.int32]
    units: npt.NDArray[np.int64]


@compiled
def gap(a: float, b: float, sd: float) -> float:
    """The distance in standard deviations, capped (Primer 2.2.2 step 3)."""
    apart = abs(a - b)
    if apart == 0.0:
        return 0.0
    if sd == 0.0:
        return CAP
    return min(apart / sd, CAP)


@compiled
def squared(x: float) -> Any:
    """The squared score of a gap, in units: 2 logistic(x) - 1 = tanh(x / 2)."""
    t = math.tanh(x * 0.5)
    return np.int64(np.rint(t * t * ONE))


@cache
def floors() -> npt.NDArray[np.int64]:
    """Units that a gap of at least k / GRAIN cannot score below, for every k up to the cap."""
    steps = np.arange(int(CAP) * GRAIN + 1) / GRAIN
    # Two units of slack are far more than the last bit of tanh, and far less than matters.
    units = [max(0, round(math.tanh(x / 2) ** 2 * ONE) - 2) for x in steps.tolist()]
    return np.array(units, np.int64)


def steepness(sd: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What a distance is multiplied by to find its level; finite also where sd is 0."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.minimum(GRAIN * SLACK / sd, 1e300)


@compiled
def level(a: float, b: float, steep: float) -> Any:
    """The entry of `floors` for two numbers: never above their gap times GRAIN."""
    return np.int32(min(abs(a - b) * steep, CAP * GRAIN))


@uncounted
def add_equal(
    total: npt.NDArray[np.int64],
    a: int,
    codes: npt.NDArray[np.int32],
    missing: int,
    other: int,
) -> None:
    """Add units of an EQUAL variable: PUF code a against a block of EIF codes."""
    for i in range(len(total)):
        b = codes[i]
        total[i] += missing if b < 0 else (0 if a == b else other)


@uncounted
def add_distance(
    total: npt.NDArray[np.int64],
    here: tuple[float, float],
    codes: npt.NDArray[np.int32],
    numbers: npt.NDArray[np.float64],
    apart: tuple[int, int],
    floor: npt.NDArray[np.int64],
) -> None:
    """Add lower bounds of a DISTANCE variable whose PUF cell is present.

    `here` is the PUF's number and its steepness; `apart` the units of missing and of different.
    """
    x, steep = here
    missing, other = apart
    for i in range(len(total)):
        b = codes[i]
        near = floor[level(x, numbers[i], steep)]
        total[i] += missing if b < 0 else (near if b == 0 else other)


@uncounted
def add_steps(
    total: npt.NDArray[np.int64],
    codes: npt.NDArray[np.int32],
    low: npt.NDArray[np.int32],
    high: npt.NDArray[np.int32],
    units: npt.NDArray[np.int64],
    apart: tuple[int, int],
) -> None:
    """Add units of a STEPS variable: those of the innermost range that holds the EIF code.

    Every range that holds it replaces the units of the next one outside: differences add up.
    """
    missing, other = apart
    for i in range(len(total)):
        total[i] += missing if codes[i] < 0 else other
    outside = other
    for k in range(len(low) - 1, -1, -1):
        begin, end = low[k], high[k]
        change = units[k] - outside
        outside = units[k]
        for i in range(len(total)):
            total[i] += change if (codes[i] >= begin) & (codes[i] < end) else 0


@uncounted
def add_listed(
    total: npt.NDArray[np.int64],
    codes: npt.NDArray[np.int32],
    listed: npt.NDArray[np.int32],
    units: npt.NDArray[np.int64],
    apart: tuple[int, int],
) -> None:
    """Add units of a LISTED variable: bisect the PUF code's list for the EIF code."""
    missing, other = apart
    for i in range(len(total)):
        b = codes[i]
        at = np.searchsorted(listed, b)
        found = units[at] if at < len(listed) and listed[at] == b else other
        total[i] += missing if b < 0 else found


@uncounted
def add_one(
    total: npt.NDArray[np.int64],
    puf: Rows,
    p: int,
    j: int,
    codes: npt.NDArray[np.int32],
    numbers: npt.NDArray[np.float64],
    scorer: Scorer,
) -> None:
    """Add variable j: PUF row p against a block of EIF codes and numbers."""
    a = puf.codes[j, p]
    kind = scorer.kind[j]
    missing, other = scorer.missing[j], scorer.other[j]
    if a < 0:
        total += missing
    elif kind == EQUAL or (kind == DISTANCE and a > 0):
        # A number that is not applicable equals the same code alone, as a category does.
        add_equal(total, a, codes, missing, other)
    elif kind == DISTANCE:
        here = (puf.numbers[j, p], scorer.steep[scorer.scale[p], j])
        add_distance(total, here, codes, numbers, (missing, other), scorer.floor)
    else:
        row = scorer.start[j] + a
        begin, end = scorer.bounds[row], scorer.bounds[row + 1]
        low, units = scorer.low[begin:end], scorer.units[begin:end]
        if kind == STEPS:
            add_steps(total, codes, low, scorer.high[begin:end], units, (missing, other))
        else:
            add_listed(total, codes, low, units, (missing, other))


@uncounted
def add_up(
    total: npt.NDArray[np.int64], puf: Rows, p: int, eif: Rows, first: int, scorer: Scorer
) -> None:
    """Units of PUF row p with EIF rows from `first` on; of DISTANCE variables the lower bound."""
    last = first + len(total)
    total[:] = 0
    for j in range(len(scorer.kind)):
        numbers = eif.numbers[j, first:last] if scorer.kind[j] == DISTANCE else eif.numbers[0, :0]
        add_one(total, puf, p, j, eif.codes[j, first:last], numbers, scorer)


@uncounted
def above_floor(puf: Rows, p: int, eif: Rows, e: int, scorer: Scorer) -> Any:
    """What the lower bounds of a pair leave out."""
    more = 0
    for j in range(len(scorer.kind)):
        if scorer.kind[j] == DISTANCE and puf.codes[j, p] == 0 and eif.codes[j, e] == 0:
            a, b, scale = puf.numbers[j, p], eif.numbers[j, e], scorer.scale[p]
            more += squared(gap(a, b, scorer.sd[scale, j]))
            more -= scorer.floor[level(a, b, scorer.steep[scale, j])]
    return more


@compiled
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
    totals = np.empty(BLOCK, np.int64)
    for p in range(tile[0], tile[1]):
        row = p - tile[0]
        end = min(meets[p, 1], tile[3])
        for first in range(max(meets[p, 0], tile[2]), end, BLOCK):
            total = totals[: min(BLOCK, end - first)]
            add_up(total, puf, p, eif, first, scorer)
            cutoff = short.cutoff[row]
            for i in range(len(total)):
                if total[i] < cutoff:
                    units = total[i] + above_floor(puf, p, eif, first + i, scorer)
                    if units < cutoff:
                        push(short, row, first + i, units)
                        cutoff = short.cutoff[row]


class Records(NamedTuple):
    """Both files by record, for pairs that are looked at singly: codes and numbers."""

    puf: npt.NDArray[np.int32]
    eif: npt.NDArray[np.int32]
    puf_numbers: npt.NDArray[np.float64]
    eif_numbers: npt.NDArray[np.float64]


def by_record(codes: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Codes that stand one variable under the other, a row per record, as kernels take them."""
    return np.ascontiguousarray(codes.T, np.int32)


def numbers_by_record(
    numbers: npt.NDArray[np.float64], taken: npt.NDArray[np.int64] | slice, scorer: Scorer
) -> npt.NDArray[np.float64]:
    """Numbers of some records, a row each; where no distance is asked for, what stands for them."""
    measured = bool((scorer.kind == DISTANCE).any())
    return np.ascontiguousarray(numbers[:, taken].T) if measured else numbers


@compiled
def score_some(
    records: Records,
    scorer: Scorer,
    pairs: npt.NDArray[np.int64],
    size: int,
    cutoffs: npt.NDArray[np.int64],
    base: int,
    rough: bool,
    out: npt.NDArray[np.int64],
) -> None:
    """Exact units of the first `size` pairs (PUF row, EIF row), or `rough` ones, never above them.

    A score at or above cutoffs[PUF row - base] may stop short of the exact one.
    """
    # Tuples are opened once a call: for every pair that would cost more than the pair.
    puf, eif, x, y = records
    kind, missing, other, sd, steep, scale, floor, start, bounds, low, high, units = scorer
    for i in range(size):
        p, e = pairs[i, 0], pairs[i, 1]
        cutoff = cutoffs[p - base]
        total = 0
        measured = False
        for j in range(len(kind)):
            a, b = puf[p, j], eif[e, j]
            if a < 0 or b < 0:
                total += missing[j]
            elif kind[j] == EQUAL or (kind[j] == DISTANCE and (a > 0 or b > 0)):
                total += other[j] if a != b else 0
            elif kind[j] == DISTANCE:
                measured = True
                total += floor[level(x[p, j], y[e, j], steep[scale[p], j])]
            else:
                at, end = bounds[start[j] + a], bounds[start[j] + a + 1]
                if kind[j] == STEPS:
                    while at < end and not low[at] <= b < high[at]:
                        at += 1
                else:
                    # Bisect for the first listed code that is not below b.
                    left = end - at
                    while left > 0:
                        half = left // 2
                        below = low[at + half] < b
                        at += half + 1 if below else 0
                        left = left - half - 1 if below else half
                    if at < end and low[at] != b:
                        at = end
                total += units[at] if at < end else other[j]
            if total >= cutoff:
                break
        if measured and not rough and total < cutoff:
            # Lower bounds first, exact scores for the few pairs that they let through.
            for j in range(len(kind)):
                if kind[j] == DISTANCE and puf[p, j] == 0 and eif[e, j] == 0:
                    total += squared(gap(x[p, j], y[e, j], sd[scale[p], j]))
                    total -= floor[level(x[p, j], y[e, j], steep[scale[p], j])]
        out[i] = total
