"""What a PUF row may keep of the rows that passed, decided before a pair is written down.

Rows are in *parts*, as many as a register has bits; a part has a counter of them, as in
kernels/tally.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reident.kernels import inlined, uncounted
from reident.kernels.bitmaps import ALL_BITS, DIGITS, NO_BITS, ONE, lowest
from reident.kernels.lanes import WIDTH
from reident.kernels.registers import counted, filled, in_all, load, majority, spread, store
from reident.kernels.tally import FEW, M0, M1, M2, MO, TALLY, TOP

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
PART = 64 * WIDTH
"""EIF rows of a part."""


@uncounted
def level_of(
    counter: Words, hit: int, keep: int, limit: int, low: int, guess: Ints, passing: Words
) -> int:
    """The first score that is not kept, because ranks are whole; what lies below it passes.

    More than `keep` lie below the limit. Bits of `hit` name the parts that hold them. A search
    begins at a guess, the last one found.
    """
    step = 1 << low
    level = min(limit, guess[0]) - step
    number = below(counter, hit, level + FEW - limit, low, passing)
    while number <= keep and level + step < limit:
        level += step
        number = below(counter, hit, level + FEW - limit, low, passing)
    if number <= keep:
        # Of all that passes there are too many.
        guess[0] = limit
        return int(level)
    while number > keep:
        level -= step
        number = below(counter, hit, level + FEW - limit, low, passing)
    guess[0] = level + step
    return int(level)


@uncounted
def below(counter: Words, hit: int, level: int, low: int, passing: Words) -> int:
    """Which numbers that passed, given by their digits, lie below a level, and how many.

    From the lowest digit on, a number is smaller if two of these hold: its digit is 0, that of the
    level is 1, it is smaller so far.
    """
    # Made once, not for each part.
    one, two, four = (
        digit_of(level, DIGITS),
        digit_of(level, DIGITS + 1),
        digit_of(level, DIGITS + 2),
    )
    number = spread(NO_BITS)
    while hit:
        part = lowest(np.uint64(hit))
        hit &= hit - 1
        at, smaller = part * TALLY, spread(NO_BITS)
        for q in range(low, DIGITS):
            smaller = majority(~load(counter, at + q * WIDTH), digit_of(level, q), smaller)
        smaller = majority(~load(counter, at + M0), one, smaller)
        smaller = majority(~load(counter, at + M1), two, smaller)
        smaller = majority(~load(counter, at + M2), four, smaller)
        smaller &= load(counter, at + MO)
        store(passing, part * WIDTH, smaller)
        number += counted(smaller)
    return int(in_all(number))


@inlined
def digit_of(number: int, q: int) -> Any:
    """A binary digit of a number, for every row."""
    return spread(ALL_BITS if number >> q & 1 else NO_BITS)


@uncounted
def note(
    counter: Words,
    hit: int,
    passing: Words,
    limit: int,
    cost: int,
    low: int,
    origin: int,
    found: Ints,
    total: int,
) -> int:
    """Write down places and units of what passes, after `total` others; returns how many now.

    Bits of `hit` name the parts where something passed, `passing` says what may be kept. The first
    part begins at place `origin`.
    """
    while hit:
        part = lowest(np.uint64(hit))
        hit &= hit - 1
        words = filled(load(passing, part * WIDTH))
        while words:
            w = lowest(words)
            words &= words - ONE
            left, at = passing[part * WIDTH + w], part * TALLY + w
            while left:
                bit = lowest(left)
                left &= left - ONE
                score = np.int64(0)
                for q in range(low, TOP):
                    score |= np.int64(counter[at + q * WIDTH] >> np.uint64(bit) & ONE) << q
                found[total, 0] = origin + part * PART + w * 64 + bit
                found[total, 1] = (score + limit - FEW) * cost >> DIGITS
                total += 1
    return total
