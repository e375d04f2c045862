"""Classes of each variable's values, and what two classes score at least: the filter of an index.

Categories are classes of their own, many of them share one. Values that are graded, by distance
or by a rule, fall into classes of about equal size; two classes score at least what their nearest
values score. Nothing here decides on a pair: it only rules out pairs that cannot pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.kernels.bitmaps import CLASSES, DIGITS, NO_CLASS
from reident.kernels.coarse import least_by_lists, least_by_steps
from reident.kernels.desk import Least
from reident.kernels.pairs import CAP, DISTANCE, EQUAL, ONE, SLACK, STEPS

if TYPE_CHECKING:
    from reident.attacks.pairwise import Metric
    from reident.kernels.pairs import Scorer

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
SAMPLE = 20_000
"""Numbers that are enough to cut them into classes of about equal size."""
GONE, SKIPPED = 0, 1
"""Classes of graded EIF values that are missing and of those that are not applicable."""


def coarse(metric: Metric, cost: int) -> tuple[Bytes, Bytes, Least]:
    """PUF classes by record, EIF classes by variable, and what they score at least."""
    scorer = metric.scorer
    v = len(scorer.kind)
    mine = np.empty((metric.puf.codes.shape[1], v), np.uint8)
    theirs = np.empty((v, metric.eif.codes.shape[1]), np.uint8)
    classes = np.zeros(v, np.int64)
    graded = np.flatnonzero(scorer.kind != EQUAL)
    digits = np.zeros((len(graded), CLASSES, CLASSES), np.uint8)
    steps = 1 << DIGITS
    for j in range(v):
        puf, eif = metric.puf.codes[j], metric.eif.codes[j]
        if scorer.kind[j] == EQUAL:
            mine[:, j], theirs[j] = _shared(puf), _shared(eif)
            highest = max(puf.max(initial=-1), eif.max(initial=-1))
            classes[j] = min(CLASSES, int(highest) + 1)
            continue
        if scorer.kind[j] == DISTANCE:
            mine[:, j], theirs[j], least = _distances(metric, j)
        else:
            mine[:, j], theirs[j], least = by_rule(metric, j, CLASSES, CLASSES)
        mine[puf < 0, j] = NO_CLASS
        theirs[j, eif < 0] = GONE
        least[:, GONE] = scorer.missing[j]
        classes[j] = int(theirs[j].max(initial=0)) + 1
        place = int(np.searchsorted(graded, j))
        digits[place] = np.minimum(least * steps // cost, steps - 1).astype(np.uint8)
    missing = np.minimum(scorer.missing * steps // cost, steps)
    exact = (
        not len(graded)
        and bool((scorer.other == cost).all())
        and bool((scorer.missing * steps == missing * cost).all())
        and all(
            int(codes.max(initial=-1)) < CLASSES for codes in (metric.puf.codes, metric.eif.codes)
        )
    )
    low = min((_lowest(int(amount)) for amount in missing), default=DIGITS)
    return mine, theirs, Least(graded, digits, missing, classes, cost, exact, low, grain_of(scorer))


def grain_of(scorer: Scorer) -> int:
    """What divides all scores: distances may be any number of units."""
    if (scorer.kind == DISTANCE).any():
        return 1
    amounts = np.concatenate([scorer.other, scorer.missing, scorer.units])
    return max(1, int(np.gcd.reduce(amounts)))


def _lowest(amount: int) -> int:
    """The lowest binary digit of an amount of sixteenths."""
    return (amount & -amount).bit_length() - 1 if amount else DIGITS


def _shared(codes: Codes) -> Bytes:
    """Categories as classes; the ones beyond the last class share with others."""
    if codes.max(initial=-1) < CLASSES:
        return codes.astype(np.uint8)  # -1 becomes NO_CLASS
    return np.where(codes < 0, NO_CLASS, codes % CLASSES).astype(np.uint8)


def _distances(metric: Metric, j: int) -> tuple[Bytes, Bytes, Ints]:
    """Numbers in classes of about equal size; values that are not applicable in one of their own.

    Classes of PUF values are GONE (never used), SKIPPED, then numbers; EIF classes likewise.
    """
    scorer = metric.scorer
    sides = [(rows.codes[j], rows.numbers[j]) for rows in (metric.puf, metric.eif)]
    pooled = np.concatenate([numbers[codes == 0] for codes, numbers in sides])
    pooled = pooled[:: 1 + len(pooled) // SAMPLE]
    places = np.linspace(0, 1, CLASSES - 1)[1:-1]
    cuts = np.unique(np.quantile(pooled, places, method="lower")) if len(pooled) else pooled
    classes, lows, highs = [], [], []
    for codes, numbers in sides:
        own = np.where(codes > 0, SKIPPED, np.searchsorted(cuts, numbers, "right") + 2)
        inside = codes == 0
        low, high = np.full(CLASSES, np.inf), np.full(CLASSES, -np.inf)
        np.minimum.at(low, own[inside], numbers[inside])
        np.maximum.at(high, own[inside], numbers[inside])
        classes.append(own.astype(np.uint8))
        lows.append(low)
        highs.append(high)
    # With several scales the widest one brings values nearest.
    sd = float(scorer.sd[:, j].max())
    least = np.full((CLASSES, CLASSES), scorer.other[j], np.int64)
    least[SKIPPED, SKIPPED] = 0
    # EIF values far beyond the PUF's scale, and bounds of classes that nobody is in, are infinite:
    # such a distance is taken as none, which rules nothing out.
    with np.errstate(over="ignore", invalid="ignore"):
        above, below = lows[1] - highs[0][:, None], lows[0][:, None] - highs[1]
        least[2:, 2:] = _floor(np.maximum(above, below), sd)[2:, 2:]
    return classes[0], classes[1], least


def _floor(apart: Floats, sd: float) -> Ints:
    """Units that numbers so far apart, or not apart at all, cannot score below."""
    somewhat = np.where((apart > 0) & np.isfinite(apart), apart, 0.0)
    x = np.where(somewhat > 0, CAP, 0.0) if sd == 0 else np.minimum(somewhat / sd * SLACK, CAP)
    # Two units of slack are far more than the last bit of tanh.
    units: Ints = np.rint(np.tanh(x / 2) ** 2 * ONE).astype(np.int64)
    return np.maximum(units - 2, 0)


def by_rule(metric: Metric, j: int, mine: int, theirs: int) -> tuple[Bytes, Bytes, Ints]:
    """Codes of a rule in classes of about equal size, in their order: so many of each file.

    What classes score at least has a row and a column for GONE too, whatever stands there.
    """
    scorer = metric.scorer
    puf, eif = _classes(metric.puf.codes[j], mine), _classes(metric.eif.codes[j], theirs)
    begin = int(scorer.start[j])
    codes = int(metric.puf.codes[j].max(initial=-1)) + 1
    least = np.full((mine, theirs), np.iinfo(np.int64).max, np.int64)
    bounds = scorer.bounds[begin : begin + codes + 1]
    known = (puf[1][:codes], eif[1], bounds, scorer.low)
    if scorer.kind[j] == STEPS:
        least_by_steps(*known, scorer.high, scorer.units, scorer.other[j], least)
    else:
        least_by_lists(*known, scorer.units, scorer.other[j], least)
    least[least == np.iinfo(np.int64).max] = 0
    return puf[0], eif[0], least


def _classes(codes: Codes, most: int) -> tuple[Bytes, Bytes]:
    """The class of every record, and of every code: GONE is left for missing values."""
    counts = np.bincount(codes[codes >= 0], minlength=1)
    if len(counts) < most:
        places = np.arange(1, len(counts) + 1)
    else:
        middle = np.cumsum(counts) - counts / 2
        places = 1 + (middle * (most - 1) / max(1, counts.sum())).astype(np.int64)
    table: Bytes = np.minimum(places, most - 1).astype(np.uint8)
    return table[np.maximum(codes, 0)], table
