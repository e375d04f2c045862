"""The nearest EIF rows found in boxes: a box that is too far off is not looked into.

Boxes of EIF rows are cut in two, across the variable on which their rows can differ most, until
few rows are left in each. What a PUF row scores with any row of a box is at least what it scores
with the nearest values that occur in it, in whole units: where numbers tell records apart, that is
far sharper than classes of them (kernels/bounds). With many variables all boxes are near, and
there are better ways.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled, uncounted
from reident.kernels.pairs import (
    DISTANCE,
    EQUAL,
    GRAIN,
    ONE,
    Records,
    Scorer,
    gap,
    level,
    score_some,
    squared,
)
from reident.kernels.shortlist import NO_CUTOFF, Shortlist, put

Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
BITS = 63
"""Codes that are told apart by a bit; more of them share bits."""
GONE = np.uint64(BITS)
"""The bit of missing values."""
BIT = np.uint64(1)
UNCUT = -1
NEAR = GRAIN // 4
"""Levels below which the steps between them are too coarse to tell near numbers apart."""
SOME = 64
"""Values that tell the middle of all: to look for it among all takes seconds to compile."""


class Boxes(NamedTuple):
    """Boxes of EIF rows: rows span[b, 0] to span[b, 1] - 1 in their order, `deep` cuts at most.

    The halves of b are boxes halves[b] and the next, or it is UNCUT. Numbers of variable j, or
    codes of one that is not measured, go from low[b, j] to high[b, j]; held[b, j] has a bit for
    each code, and one for missing values.
    """

    span: Ints
    halves: Ints
    low: Floats
    high: Floats
    held: Words
    deep: int


@compiled
def survey(
    codes: Codes, numbers: Floats, kind: Ints, rows: Ints, low: Floats, high: Floats, held: Words
) -> None:
    """What the cells of some rows go from and to, by variable, and which codes there are."""
    for j in range(len(kind)):
        low[j], high[j], held[j] = np.inf, -np.inf, 0
    for row in rows:
        for j in range(len(kind)):
            code = codes[row, j]
            if code < 0:
                held[j] |= BIT << GONE
            elif kind[j] == DISTANCE and code == 0:
                low[j], high[j] = min(low[j], numbers[row, j]), max(high[j], numbers[row, j])
            else:
                held[j] |= BIT << np.uint64(code % BITS)
                if kind[j] == EQUAL:
                    low[j], high[j] = min(low[j], float(code)), max(high[j], float(code))


@compiled
def widest(scorer: Scorer, low: Floats, high: Floats, held: Words) -> int:
    """The variable on which rows can differ most, half way between; -1 where all are alike."""
    best, most = -1, 0
    for j in range(len(low)):
        apart = 0
        gone, others = held[j] >> GONE & BIT, held[j] & ~(BIT << GONE)
        if gone and (others or low[j] <= high[j]):
            apart = scorer.missing[j]
        if low[j] < high[j]:
            if scorer.kind[j] == EQUAL:
                apart = scorer.other[j]
            else:
                apart = max(apart, squared(gap(low[j], high[j], 2 * scorer.sd[0, j])))
        if scorer.kind[j] == DISTANCE and others and low[j] <= high[j]:
            apart = scorer.other[j]
        if apart > most:
            best, most = j, apart
    return best


@compiled
def cut(codes: Codes, numbers: Floats, measured: bool, j: int, rows: Ints) -> int:
    """Put rows with low values of a variable first; how many of them: about half.

    Equal values stay together. Missing ones come first, codes beside numbers last.
    """
    size = len(rows)
    keys = np.empty(size)
    for i in range(size):
        code = codes[rows[i], j]
        if code < 0:
            keys[i] = -np.inf
        elif not measured:
            keys[i] = code
        else:
            keys[i] = numbers[rows[i], j] if code == 0 else np.inf
    middle, some = size // 2, np.sort(keys[:: 1 + size // SOME])
    pivot = some[len(some) // 2]
    below, upto = 0, 0
    for key in keys:
        below += key < pivot
        upto += key <= pivot
    # Some value lies above the pivot, or some below.
    last = below if below > 0 and (upto == size or middle - below <= upto - middle) else upto
    old, first, second = rows.copy(), 0, last
    for i in range(size):
        if keys[i] < pivot or (last == upto and keys[i] == pivot):
            rows[first] = old[i]
            first += 1
        else:
            rows[second] = old[i]
            second += 1
    return last


@compiled
def grow(records: Records, scorer: Scorer, order: Ints, roots: Ints, most: int) -> Boxes:
    """Boxes that hold order[roots[b]] to order[roots[b + 1] - 1] at first, and their halves.

    Those of more than `most` rows are cut, if their rows differ; `order` follows the boxes.
    """
    codes, numbers = records.eif, records.eif_numbers
    v, count, deep = codes.shape[1], len(roots) - 1, 0
    # Every cut leaves a row on both sides. What is not needed is not touched, and takes no memory.
    room = count + 2 * len(order)
    span, halves, cuts = np.empty((room, 2), np.int64), np.empty(room, np.int64), np.empty(room)
    low, high, held = np.empty((room, v)), np.empty((room, v)), np.empty((room, v), np.uint64)
    for b in range(count):
        span[b, 0], span[b, 1], cuts[b] = roots[b], roots[b + 1], 0
    b = 0
    while b < count:
        first, last = span[b, 0], span[b, 1]
        rows = order[first:last]
        survey(codes, numbers, scorer.kind, rows, low[b], high[b], held[b])
        halves[b] = UNCUT
        j = widest(scorer, low[b], high[b], held[b]) if last - first > most else -1
        middle = first
        if j >= 0:
            middle += cut(codes, numbers, scorer.kind[j] == DISTANCE, j, rows)
        # Numbers beyond every scale are infinite, and stand with what is beside numbers.
        if first < middle < last:
            halves[b] = count
            span[count, 0], span[count, 1] = first, middle
            span[count + 1, 0], span[count + 1, 1] = middle, last
            cuts[count] = cuts[count + 1] = cuts[b] + 1
            deep = max(deep, int(cuts[count]))
            count += 2
        b += 1
    return Boxes(
        span[:count].copy(), halves[:count].copy(), low[:count].copy(), high[:count].copy(),
        held[:count].copy(), deep,
    )  # fmt: skip


@uncounted
def least_apart(a: float, b: float, steep: float, floor: Ints) -> Any:
    """Units that two numbers cannot score below: as by `floors`, and sharp where they are near.

    There tanh(x/2)^2 is more than x^2/4 (1 - x^2/6); two units of slack are far more than rounding
    takes.
    """
    entry = level(a, b, steep)
    if entry >= NEAR:
        return floor[entry]
    square = (abs(a - b) * steep / GRAIN) ** 2
    return max(np.int64(0), np.int64(0.25 * square * (1.0 - square / 6) * ONE) - 2)


@uncounted
def least_units(
    puf: Codes, x: Floats, p: int, kind: Ints, missing: Ints, other: Ints, steep: Floats,
    floor: Ints, low: Floats, high: Floats, held: Words, b: int, cutoff: int,
) -> Any:  # fmt: skip
    """What PUF row p scores at least with any row of box b; `steep` is that of its scale."""
    total = 0
    for j in range(len(kind)):
        code, bits = puf[p, j], held[b, j]
        if code < 0:
            total += missing[j]
            continue
        units = min(missing[j], other[j]) if bits >> GONE & BIT else other[j]
        if kind[j] == DISTANCE and code == 0:
            value, start, stop = x[p, j], low[b, j], high[b, j]
            if start <= stop:
                if value < start:
                    units = min(units, least_apart(value, start, steep[j], floor))
                elif value > stop:
                    units = min(units, least_apart(value, stop, steep[j], floor))
                else:
                    units = 0
        elif bits >> np.uint64(code % BITS) & BIT and (
            kind[j] == DISTANCE or low[b, j] <= code <= high[b, j]
        ):
            units = 0
        total += units
        if total >= cutoff:
            break
    return total


@compiled
def homes(records: Records, scorer: Scorer, boxes: Boxes, rows: Ints, roots: Ints) -> Ints:
    """The box that is not cut to which each PUF row comes from its root by the nearer half."""
    # Tuples are opened once a call: for every box that would cost more than the box.
    puf, _, x, _ = records
    kind, missing, other, _, steep, scale, floor, _, _, _, _, _ = scorer
    _, halves, low, high, held, _ = boxes
    out = np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        p, b = rows[i], roots[i]
        own = steep[scale[p]]
        while halves[b] != UNCUT:
            b = halves[b]
            one, two = (
                least_units(
                    puf, x, p, kind, missing, other, own, floor, low, high, held, b, NO_CUTOFF
                ),
                least_units(
                    puf, x, p, kind, missing, other, own, floor, low, high, held, b + 1, NO_CUTOFF
                ),
            )
            b += two < one
        out[i] = b
    return out


@compiled
def search(
    records: Records,
    scorer: Scorer,
    boxes: Boxes,
    rows: Ints,
    roots: Ints,
    base: int,
    short: Shortlist,
) -> int:
    """Put what PUF rows find in the boxes below their roots on shortlists, which begin at `base`.

    EIF rows are those of the boxes' order. The nearer half comes first, so that cutoffs come down.
    Returns how many EIF rows were looked at.
    """
    # Tuples are opened once a call: for every box that would cost more than the box.
    puf, _, x, _ = records
    kind, missing, other, _, steep, scale, floor, _, _, _, _, _ = scorer
    span, halves, low, high, held, deep = boxes
    sizes, kept, scores, cutoffs = short
    waiting, least = np.empty(deep + 2, np.int64), np.empty(deep + 2, np.int64)
    room = (span[:, 1] - span[:, 0])[halves == UNCUT].max()
    pairs, units = np.empty((room, 2), np.int64), np.empty(room, np.int64)
    # A value of a type: for a plain one whatever is called would be compiled once more.
    rough, looked = bool(np.bool_(False)), 0
    for i in range(len(rows)):
        p = rows[i]
        own, row = steep[scale[p]], p - base
        waiting[0], least[0], number = roots[i], 0, 1
        while number:
            number -= 1
            b = waiting[number]
            if least[number] >= cutoffs[row]:
                continue
            if halves[b] == UNCUT:
                first, size = span[b, 0], span[b, 1] - span[b, 0]
                for k in range(size):
                    pairs[k, 0], pairs[k, 1] = p, first + k
                score_some(records, scorer, pairs, size, cutoffs, base, rough, units)
                for k in range(size):
                    if units[k] < cutoffs[row]:
                        put(sizes, kept, scores, cutoffs, row, first + k, units[k])
                looked += size
                continue
            near = halves[b]
            far = near + 1
            one, two = (
                least_units(
                    puf, x, p, kind, missing, other, own, floor, low, high, held, near, cutoffs[row]
                ),
                least_units(
                    puf, x, p, kind, missing, other, own, floor, low, high, held, far, cutoffs[row]
                ),
            )
            if two < one:
                near, far, one, two = far, near, two, one
            waiting[number], least[number] = far, two
            waiting[number + 1], least[number + 1] = near, one
            number += 2
    return looked
