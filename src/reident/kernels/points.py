"""Sums of small whole losses of 64 pairs at a time: points, as data owners give them.

Where no variable loses more than seven points, three bitmaps are the binary digits of what an EIF
record loses at least. PUF records that agree on the first variables share their sums, which stand
on a stack, a step for each variable; the last four variables are added and the total compared with
a limit in one go, so that nothing is written but what passes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled, inlined
from reident.kernels.bitmaps import ALL_BITS, NO_BITS

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

WIDE = 64
"""Words of a tile: the planes of all classes stay in the second-level cache."""
ROWS = 64 * WIDE
DIGITS = 3
"""Binary digits of what one variable loses."""
MOST_POINTS = (1 << DIGITS) - 1
SUM_DIGITS = 6
"""Binary digits of a sum; whatever does not fit has overflowed."""
MOST_LIMIT = 1 << SUM_DIGITS
"""The highest limit that sums can be compared with."""
LAST = 4
"""Variables that are added in one go."""
STEP = (SUM_DIGITS + 1) * WIDE
"""Words of a step of the stack: digits, lowest first, then what has overflowed."""
W1, W2, W3, W4, W5, W6, S7 = (np.uint64(WIDE * row) for row in range(1, SUM_DIGITS + 2))
"""Where the rows of a step begin, and the step after it."""
ONE = np.uint64(1)


class Points(NamedTuple):
    """What classes lose at least: losses[j, PUF class, EIF class] points of `point` units.

    Variables stand in the order in which they are added, LAST at least. `mine` holds PUF classes by
    record, `theirs` EIF classes by variable; `first` is where the planes of each variable begin.
    `turn` is the place of each PUF row in an order in which rows with equal classes of the
    first variables stand together, within strata.
    """

    mine: Bytes
    theirs: Bytes
    losses: Bytes
    first: Ints
    turn: Ints
    point: int


@compiled
def draw_points(
    losses: Bytes, theirs: Bytes, used: npt.NDArray[np.bool_], planes: Words, nearest: Bytes
) -> None:
    """Planes of one variable for the used PUF classes, and what each loses at least in the tile.

    `theirs` holds the EIF classes of the tile. Digit q of PUF class a is row a * DIGITS + q.
    """
    sizes, words = losses.shape[1], (len(theirs) + 63) >> 6
    ranges = np.zeros((sizes, WIDE), np.uint64)
    there = np.zeros(sizes, np.bool_)
    for i in range(len(theirs)):
        there[theirs[i]] = True
        ranges[theirs[i], i >> 6] |= ONE << np.uint64(i & 63)
    # From each class on; a digit then changes where the losses of two neighbours differ in it.
    for b in range(sizes - 2, -1, -1):
        for w in range(words):
            ranges[b, w] |= ranges[b + 1, w]
    for a in range(len(used)):
        if not used[a]:
            continue
        row = losses[a]
        lowest = np.uint8(MOST_POINTS)
        for b in range(sizes):
            if there[b]:
                lowest = min(lowest, row[b])
        nearest[a] = lowest
        for q in range(DIGITS):
            plane = planes[(a * DIGITS + q) * WIDE : (a * DIGITS + q + 1) * WIDE]
            plane[:] = NO_BITS
            before = 0
            for b in range(sizes):
                digit = row[b] >> q & 1
                if digit != before:
                    before = digit
                    for w in range(words):
                        plane[w] ^= ranges[b, w]


@compiled
def add_points(planes: Words, at: Any, words: Any, stack: Words, step: Any) -> None:
    """The step after `step` of the stack: with a number added whose planes begin at `at`."""
    # The next step lies at a constant distance, so that the compiler need not fear overlaps.
    now = step * S7
    for w in range(words):
        s, n = now + w, now + w + S7
        x, y = stack[s], planes[at + w]
        stack[n] = x ^ y
        carry = x & y
        x, y = stack[s + W1], planes[at + w + W1]
        half = x ^ y
        stack[n + W1] = half ^ carry
        carry = (x & y) | (half & carry)
        x, y = stack[s + W2], planes[at + w + W2]
        half = x ^ y
        stack[n + W2] = half ^ carry
        carry = (x & y) | (half & carry)
        x = stack[s + W3]
        stack[n + W3] = x ^ carry
        carry &= x
        x = stack[s + W4]
        stack[n + W4] = x ^ carry
        carry &= x
        x = stack[s + W5]
        stack[n + W5] = x ^ carry
        stack[n + W6] = stack[s + W6] | (x & carry)


@inlined
def _pair(x0: Any, x1: Any, x2: Any, y0: Any, y1: Any, y2: Any) -> Any:
    """Two numbers of three digits, added up."""
    carry = x0 & y0
    half = x1 ^ y1
    s1 = half ^ carry
    carry = (x1 & y1) | (half & carry)
    half = x2 ^ y2
    return x0 ^ y0, s1, half ^ carry, (x2 & y2) | (half & carry)


@compiled
def add_last(planes: Words, at: Words, words: Any, sums: Words, limit: int, left: Words) -> Any:
    """Which sums, with the four numbers whose planes begin at `at` added, are below a limit.

    Returns whether any is, as a word that is not empty.
    """
    a, b, c, d = at[0], at[1], at[2], at[3]
    last = np.uint64(limit - 1)
    # A word full of each digit of the highest sum that passes.
    k0, k1 = NO_BITS - (last & ONE), NO_BITS - (last >> ONE & ONE)
    k2, k3 = NO_BITS - (last >> np.uint64(2) & ONE), NO_BITS - (last >> np.uint64(3) & ONE)
    k4, k5 = NO_BITS - (last >> np.uint64(4) & ONE), NO_BITS - (last >> np.uint64(5) & ONE)
    some = NO_BITS
    for w in range(words):
        e0, e1, e2, e3 = _pair(
            planes[a + w], planes[a + w + W1], planes[a + w + W2],
            planes[b + w], planes[b + w + W1], planes[b + w + W2],
        )  # fmt: skip
        f0, f1, f2, f3 = _pair(
            planes[c + w], planes[c + w + W1], planes[c + w + W2],
            planes[d + w], planes[d + w + W1], planes[d + w + W2],
        )  # fmt: skip
        carry = e0 & f0
        e0 ^= f0
        half = e1 ^ f1
        more = (e1 & f1) | (half & carry)
        e1 = half ^ carry
        half = e2 ^ f2
        carry = (e2 & f2) | (half & more)
        e2 = half ^ more
        half = e3 ^ f3
        e4 = (e3 & f3) | (half & carry)
        e3 = half ^ carry
        x = sums[w]
        carry = e0 & x
        # Beyond the limit: from the lowest digit up, the highest one that differs decides.
        beyond = (e0 ^ x) & ~k0
        x = sums[w + W1]
        half = e1 ^ x
        more = (e1 & x) | (half & carry)
        digit = half ^ carry
        beyond = (digit & ~k1) | (beyond & ~(digit ^ k1))
        x = sums[w + W2]
        half = e2 ^ x
        carry = (e2 & x) | (half & more)
        digit = half ^ more
        beyond = (digit & ~k2) | (beyond & ~(digit ^ k2))
        x = sums[w + W3]
        half = e3 ^ x
        more = (e3 & x) | (half & carry)
        digit = half ^ carry
        beyond = (digit & ~k3) | (beyond & ~(digit ^ k3))
        x = sums[w + W4]
        half = e4 ^ x
        carry = (e4 & x) | (half & more)
        digit = half ^ more
        beyond = (digit & ~k4) | (beyond & ~(digit ^ k4))
        x = sums[w + W5]
        digit = x ^ carry
        beyond = (digit & ~k5) | (beyond & ~(digit ^ k5))
        passing = ~(beyond | sums[w + W6] | (x & carry))
        left[w] = passing
        some |= passing
    return some


@compiled
def clear_sums(rows: int, stack: Words) -> None:
    """The first step of the stack: nothing lost, but beyond so many rows of the last word."""
    stack[:STEP] = NO_BITS
    if rows & 63:
        stack[SUM_DIGITS * WIDE + (rows >> 6)] = ALL_BITS << np.uint64(rows & 63)
