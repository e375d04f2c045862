"""Scores of as many pairs as a register has bits: counters that overflow at eight mismatches.

As kernels/bitmaps, with fewer digits, and held in registers while they are added up: where only
near pairs can pass, most of the time goes there. A *piece* is eight words of each bitmap of a
block, side by side, a *part* of it those of one value; its counter is a value a binary digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reident.kernels import inlined, uncounted
from reident.kernels.bitmaps import ALL_BITS, DIGITS, NO_BITS, SUMS
from reident.kernels.lanes import LANES, WIDTH
from reident.kernels.registers import load, majority, odd, spread, store

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
TOP = DIGITS + 3
"""Binary digits: sixteenths of a mismatch, then mismatches."""
FEW = 1 << TOP
"""Where a counter overflows, in sixteenths."""
HALF = 1 << (DIGITS - 1)
"""Sixteenths that are added beside mismatches at no cost, twice."""
H, M0, M1, M2, MO = (WIDTH * row for row in range(DIGITS - 1, TOP + 1))
"""Where the digits of a counter begin: half mismatches, mismatches, what has overflowed."""
TALLY = MO + WIDTH
"""Words of a counter."""


@uncounted
def begin_tally(start: int, bits: Words, part: int, low: int, tally: Words, at: int) -> None:
    """Set a counter to `start` plus what missing values add: bitmaps after the first of a part.

    The counter stands in its array from `at` on. Neither has a digit below `low`.
    """
    carry = spread(NO_BITS)
    for q in range(low, TOP):
        digit = spread(ALL_BITS if start >> q & 1 else NO_BITS)
        own = load(bits, part + (1 + q) * LANES)
        store(tally, at + q * WIDTH, digit ^ own ^ carry)
        carry = (own & carry) | (digit & (own | carry))
    for q in range(TOP, SUMS):
        carry |= load(bits, part + (1 + q) * LANES)
    store(tally, at + MO, carry)


@inlined
def tally_eight(
    bits: Words, part: int, at: Ints, k: int, m0: Any, m1: Any, m2: Any, carry: Any
) -> Any:
    """Digits of a count with a carry and eight bitmaps of a part added, at[k] and those after it.

    Then what overflows. Three numbers of a digit become one of that digit and one of the next.
    """
    a, b, c = (
        load(bits, part + at[k]),
        load(bits, part + at[k + 1]),
        load(bits, part + at[k + 2]),
    )
    d, e, f = (
        load(bits, part + at[k + 3]),
        load(bits, part + at[k + 4]),
        load(bits, part + at[k + 5]),
    )
    g, h = load(bits, part + at[k + 6]), load(bits, part + at[k + 7])
    one, other, third = odd(a, b, c), odd(d, e, f), odd(g, h, carry)
    ones = odd(one, other, third)
    last = ones & m0
    twos, fours = majority(a, b, c), majority(d, e, f)
    more = majority(g, h, carry)
    fifth = majority(one, other, third)
    one, other = odd(twos, fours, more), odd(fifth, last, m1)
    twos, fours, more = majority(twos, fours, more), majority(fifth, last, m1), one & other
    third = odd(twos, fours, more)
    return (
        ones ^ m0,
        one ^ other,
        third ^ m2,
        majority(twos, fours, more) | (third & m2),
    )


@uncounted
def tally_at(bits: Words, here: int, digit: int, tally: Words, at: int) -> None:
    """Add a bitmap of a part, which begins at `here`, to a counter as one of its binary digits."""
    carry = load(bits, here)
    for q in range(digit, TOP):
        own = load(tally, at + q * WIDTH)
        store(tally, at + q * WIDTH, own ^ carry)
        carry = own & carry
    store(tally, at + MO, load(tally, at + MO) | carry)
