"""What a PUF row may keep of the rows that passed, decided before a pair is written down.

Rows are in *parts*, as many as a register has bits; a part has a counter of them, as in
kernels/tally.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.bitmaps import ALL_BITS, DIGITS, NO_BITS, ONE, lowest
from reident.kernels.lanes import WIDTH
from reident.kernels.registers import count, filled, load, spread, store
from reident.kernels.tally import FEW, MO, TALLY, TOP

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
PART = 64 * WIDTH
"""EIF rows of a part."""


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def below(counter: Words, hit: int, level: int, low: int, passing: Words) -> int:
    """Which numbers that passed, given by their digits, lie below a level, and how many."""
    number = 0
    while hit:
        part = lowest(np.uint64(hit))
        hit &= hit - 1
        at, smaller = part * TALLY, spread(NO_BITS)
        for q in range(low, TOP):
            digit = spread(ALL_BITS if level >> q & 1 else NO_BITS)
            zero = ~load(counter, at + q * WIDTH)
            smaller = (zero & smaller) | (digit & (zero | smaller))
        smaller &= load(counter, at + MO)
        store(passing, part * WIDTH, smaller)
        number += count(smaller)
    return number


@numba.njit(cache=True, nogil=True)
def note(
    counter: Words,
    hit: int,
    fewer: bool,
    passing: Words,
    limit: int,
    cost: int,
    low: int,
    origin: int,
    found: Ints,
    total: int,
) -> int:
    """Write down places and units of what passes, after `total` others; returns how many now.

    Bits of `hit` name the parts where something passed; where `fewer` may be kept, `passing` says
    which. The first part begins at place `origin`.
    """
    while hit:
        part = lowest(np.uint64(hit))
        hit &= hit - 1
        passed, held = (passing, part * WIDTH) if fewer else (counter, part * TALLY + MO)
        words = filled(load(passed, held))
        while words:
            w = lowest(words)
            words &= words - ONE
            left, at = passed[held + w], part * TALLY + w
            while left:
                bit = lowest(left)
                left &= left - ONE
                counted = np.int64(0)
                for q in range(low, TOP):
                    counted |= np.int64(counter[at + q * WIDTH] >> np.uint64(bit) & ONE) << q
                found[total, 0] = origin + part * PART + w * 64 + bit
                found[total, 1] = (counted + limit - FEW) * cost >> DIGITS
                total += 1
    return total
