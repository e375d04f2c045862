"""Scores of 64 pairs at a time while they are few: counters that overflow at eight mismatches.

As kernels/bitmaps, with fewer digits: where only near pairs can pass, most of the time goes into
adding up, and every digit of a counter is read and written for each PUF row.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.bitmaps import ALL_BITS, DIGITS, NO_BITS, SUMS, WORDS, eight_words

Words = npt.NDArray[np.uint64]
TOP = DIGITS + 3
"""Binary digits: sixteenths of a mismatch, then mismatches. The row after them has overflowed."""
FEW = 1 << TOP
"""Where a counter overflows, in sixteenths."""
TALLY = (TOP + 2) * WORDS
"""Words of a counter, and of a row more for carries."""
HALF = 1 << (DIGITS - 1)
"""Sixteenths that are added beside mismatches at no cost."""
H, M0, M1, M2, MO = (np.uint64(WORDS * row) for row in range(DIGITS - 1, TOP + 1))
"""Where the rows of a counter begin: half mismatches, mismatches, overflow."""


@numba.njit(cache=True, nogil=True)
def begin_tally(
    start: int, bits: Words, sums: Any, apart: Any, low: int, words: Any, tally: Words, at: Any
) -> None:
    """Set a counter to `start` plus numbers of SUMS digits, which begin at `sums` of some bitmaps.

    Their rows lie `apart` words from each other. The counter stands in its array from `at` on.
    Neither has a digit below `low`.
    """
    over = at + MO
    for w in range(words):
        tally[over + w] = NO_BITS
    for q in range(low, TOP):
        here, row = at + np.uint64(q * WORDS), sums + np.uint64(q) * apart
        digit = ALL_BITS if start >> q & 1 else NO_BITS
        for w in range(words):
            s, c = bits[row + w], tally[over + w]
            tally[here + w] = digit ^ s ^ c
            tally[over + w] = (s & c) | (digit & (s | c))
    for q in range(TOP, SUMS):
        row = sums + np.uint64(q) * apart
        for w in range(words):
            tally[over + w] |= bits[row + w]


@numba.njit(cache=True, nogil=True, inline="always")
def tally_eight(
    bits: Words, at: Words, half: Any, words: Any, before: Words, start: Any, tally: Words
) -> None:
    """Add the first eight bitmaps of `at` as mismatches, and one more as half a mismatch.

    The count stands in `before` from `start` on; the sum goes to the counter, which must be another
    array: else no two words would be worked on at once.
    """
    a, b, c, d, e, f, g, h = at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]
    # Rows of a counter lie at constant distances, so that the compiler need not fear overlaps.
    for w in range(words):
        ones, twos, fours, eights = eight_words(
            bits[a + w], bits[b + w], bits[c + w], bits[d + w],
            bits[e + w], bits[f + w], bits[g + w], bits[h + w],
        )  # fmt: skip
        s = start + w
        k, x = before[s + H], bits[half + w]
        m0, m1, m2, over = _few(before[s + M0], before[s + M1], before[s + M2], k & x, ones, twos,
                                fours, eights)  # fmt: skip
        tally[w + H], tally[w + M0], tally[w + M1], tally[w + M2] = k ^ x, m0, m1, m2
        tally[w + MO] = before[s + MO] | over


@numba.njit(cache=True, nogil=True, inline="always")
def tally_more(bits: Words, at: Words, k: int, words: Any, tally: Words) -> None:
    """Add eight more bitmaps, at[k] and those that follow, to a counter."""
    a, b, c, d = at[k], at[k + 1], at[k + 2], at[k + 3]
    e, f, g, h = at[k + 4], at[k + 5], at[k + 6], at[k + 7]
    for w in range(words):
        ones, twos, fours, eights = eight_words(
            bits[a + w], bits[b + w], bits[c + w], bits[d + w],
            bits[e + w], bits[f + w], bits[g + w], bits[h + w],
        )  # fmt: skip
        m0, m1, m2, over = _few(tally[w + M0], tally[w + M1], tally[w + M2], NO_BITS, ones, twos,
                                fours, eights)  # fmt: skip
        tally[w + M0], tally[w + M1], tally[w + M2] = m0, m1, m2
        tally[w + MO] |= over


@numba.njit(cache=True, nogil=True, inline="always")
def _few(m0: Any, m1: Any, m2: Any, carry: Any, ones: Any, twos: Any, fours: Any,
         eights: Any) -> Any:  # fmt: skip
    """Digits of a count of mismatches with a carry and another number added; what overflows."""
    half = ones ^ carry
    carry = (ones & carry) | (m0 & half)
    m0 ^= half
    half = twos ^ carry
    carry = (twos & carry) | (m1 & half)
    m1 ^= half
    half = fours ^ carry
    carry = (fours & carry) | (m2 & half)
    m2 ^= half
    return m0, m1, m2, carry | eights


@numba.njit(cache=True, nogil=True, inline="always")
def tally_at(bits: Words, at: Any, digit: int, words: Any, tally: Words) -> None:
    """Add a bitmap, which begins at `at` of some, to a counter as one of its binary digits."""
    over, row_size, carry = MO, np.uint64(WORDS), np.uint64((TOP + 1) * WORDS)
    for w in range(words):
        tally[carry + w] = bits[at + w]
    for q in range(np.uint64(digit) * row_size, over, row_size):
        for w in range(words):
            k, c = tally[q + w], tally[carry + w]
            tally[q + w] = k ^ c
            tally[carry + w] = c & k
    for w in range(words):
        tally[over + w] |= tally[carry + w]
