"""Lower bounds of 64 pairs at a time: EIF records as bits, added up by carry-save adders.

A variable's values fall into a few *classes*. What a PUF class and an EIF class score at least,
in small whole steps, is a number per EIF record; its binary digits are bitmaps over EIF records.
A counter of bitmaps starts so that it overflows exactly when the bound is reached: a record whose
counter has overflowed cannot pass. Everything that does not overflow is scored exactly elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled, inlined

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]

WORDS = 128
"""Words of a tile: 8,192 EIF records, whose bitmaps stay in the second-level cache."""
CLASSES = 32
"""Classes of a variable at most."""
DIGITS = 4
"""Binary digits of what a graded variable scores at least: sixteenths of a mismatch."""
MISMATCHES = 5
"""Binary digits that count whole mismatches: bounds of 32 or more filter nothing."""
OVER = DIGITS + MISMATCHES
"""The row of a counter that holds what has overflowed; digits come before it, lowest first."""
SUMS = 8
"""Binary digits of what the missing values of an EIF record add up to."""
S1, S2, S3, M0, M1, M2, M3, M4, MO = (np.uint64(WORDS * row) for row in range(1, OVER + 1))
"""Where the rows of a counter begin: sixteenths, then mismatches, then overflow."""
NO_CLASS = 255
"""The class of a missing value that is a wildcard."""
NO_BITS, ALL_BITS = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
BITS, PAIRS, NIBBLES, BYTES = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)
ONE, TWO, FOUR, TOP_BYTE = (np.uint64(k) for k in (1, 2, 4, 56))


@compiled
def bits_in(word: Any) -> Any:
    """How many bits are set.

    The compiler knows this form, and makes one instruction of it.
    """
    x = word - ((word >> ONE) & BITS)
    x = (x & PAIRS) + ((x >> TWO) & PAIRS)
    return (((x + (x >> FOUR)) & NIBBLES) * BYTES) >> TOP_BYTE


@compiled
def lowest(word: Any) -> Any:
    """The place of the lowest bit that is set: as many bits as lie below it."""
    return np.int64(bits_in((word & (~word + ONE)) - ONE))


@compiled
def draw_digits(digits: Bytes, ranges: Any, size: int, tile: Words, at: Any, words: Any) -> None:
    """Binary digits of a function of the EIF class, from bitmaps of each class or above.

    `ranges` and `at` are rows of the tile, of which there are `size` and DIGITS. Digit q changes
    between class t - 1 and t exactly where bitmap t - 1 must turn it over.
    """
    for q in range(DIGITS):
        target = np.uint64((at + q) * WORDS)
        start = ALL_BITS if digits[0] >> q & 1 else NO_BITS
        for w in range(words):
            tile[target + w] = start
        for t in range(1, size + 1):
            if (digits[t] ^ digits[t - 1]) >> q & 1:
                source = np.uint64((ranges + t - 1) * WORDS)
                for w in range(words):
                    tile[target + w] ^= tile[source + w]


@compiled
def preload(
    start: int, tile: Words, sums: Any, apart: Any, low: int, words: Any, counter: Words, at: Any
) -> None:
    """Set a counter to `start` plus numbers of SUMS digits, which begin at `sums` of a tile.

    Their rows lie `apart` words from each other. The counter stands in its array from `at` on.
    Neither has a digit below `low`.
    """
    over = at + np.uint64(OVER * WORDS)
    for w in range(words):
        counter[over + w] = NO_BITS
    for q in range(low, OVER):
        here = at + np.uint64(q * WORDS)
        digit = ALL_BITS if start >> q & 1 else NO_BITS
        if q < SUMS:
            row = sums + np.uint64(q) * apart
            for w in range(words):
                s, c = tile[row + w], counter[over + w]
                counter[here + w] = digit ^ s ^ c
                counter[over + w] = (s & c) | (digit & (s | c))
        else:
            for w in range(words):
                c = counter[over + w]
                counter[here + w] = digit ^ c
                counter[over + w] = digit & c


@compiled
def add_eight(
    tile: Words, at: Words, k: int, words: Any, before: Words, start: Any, counter: Words
) -> None:
    """Add eight bitmaps, which begin at at[k], .. of a tile, to a count of mismatches.

    The count stands in `before` from `start` on, as in a counter; the sum goes to the counter,
    which must be another array: else no two words would be worked on at once.
    """
    a, b, c, d = at[k], at[k + 1], at[k + 2], at[k + 3]
    e, f, g, h = at[k + 4], at[k + 5], at[k + 6], at[k + 7]
    # Rows of a counter lie at constant distances, so that the compiler need not fear overlaps.
    for w in range(words):
        ones, twos, fours, eights = eight_words(
            tile[a + w], tile[b + w], tile[c + w], tile[d + w],
            tile[e + w], tile[f + w], tile[g + w], tile[h + w],
        )  # fmt: skip
        s = start + w
        m0, m1, m2, m3, m4, over = _sum(
            before[s + M0], before[s + M1], before[s + M2], before[s + M3], before[s + M4],
            ones, twos, fours, eights,
        )  # fmt: skip
        counter[w + M0], counter[w + M1], counter[w + M2] = m0, m1, m2
        counter[w + M3], counter[w + M4] = m3, m4
        counter[w + MO] = before[s + MO] | over


@compiled
def add_eight_more(tile: Words, at: Words, k: int, words: Any, counter: Words) -> None:
    """As `add_eight`, to a counter that holds a count already."""
    a, b, c, d = at[k], at[k + 1], at[k + 2], at[k + 3]
    e, f, g, h = at[k + 4], at[k + 5], at[k + 6], at[k + 7]
    for w in range(words):
        ones, twos, fours, eights = eight_words(
            tile[a + w], tile[b + w], tile[c + w], tile[d + w],
            tile[e + w], tile[f + w], tile[g + w], tile[h + w],
        )  # fmt: skip
        m0, m1, m2, m3, m4, over = _sum(
            counter[w + M0], counter[w + M1], counter[w + M2], counter[w + M3], counter[w + M4],
            ones, twos, fours, eights,
        )  # fmt: skip
        counter[w + M0], counter[w + M1], counter[w + M2] = m0, m1, m2
        counter[w + M3], counter[w + M4] = m3, m4
        counter[w + MO] |= over


@inlined
def eight_words(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> Any:
    """How many of eight words have each bit, as binary digits."""
    half = a ^ b
    ones, twos = half ^ c, (a & b) | (half & c)
    half = d ^ e
    other, twos_2 = half ^ f, (d & e) | (half & f)
    half = ones ^ other
    twos_3 = (ones & other) | (half & g)
    ones = half ^ g
    twos_4 = ones & h
    ones ^= h
    half = twos ^ twos_2
    fours = (twos & twos_2) | (half & twos_3)
    twos = half ^ twos_3
    other = twos & twos_4
    twos ^= twos_4
    return ones, twos, fours ^ other, fours & other


@inlined
def _sum(m0: Any, m1: Any, m2: Any, m3: Any, m4: Any, ones: Any, twos: Any, fours: Any,
         eights: Any) -> Any:  # fmt: skip
    """Digits of a count of mismatches with another number added, and what overflows."""
    carry = m0 & ones
    m0 ^= ones
    half = twos ^ carry
    carry = (twos & carry) | (m1 & half)
    m1 ^= half
    half = fours ^ carry
    carry = (fours & carry) | (m2 & half)
    m2 ^= half
    half = eights ^ carry
    carry = (eights & carry) | (m3 & half)
    m3 ^= half
    return m0, m1, m2, m3, m4 ^ carry, m4 & carry


@compiled
def add_digits(tile: Words, at: Any, words: Any, counter: Words) -> None:
    """Add a number of DIGITS binary digits, which begin at `at` of a tile, to a counter."""
    for w in range(words):
        x, k = tile[at + w], counter[w]
        counter[w] = k ^ x
        carry = k & x
        x, k = tile[at + w + S1], counter[w + S1]
        half = x ^ carry
        counter[w + S1] = k ^ half
        carry = (x & carry) | (k & half)
        x, k = tile[at + w + S2], counter[w + S2]
        half = x ^ carry
        counter[w + S2] = k ^ half
        carry = (x & carry) | (k & half)
        x, k = tile[at + w + S3], counter[w + S3]
        half = x ^ carry
        counter[w + S3] = k ^ half
        carry = (x & carry) | (k & half)
        k = counter[w + M0]
        counter[w + M0] = k ^ carry
        carry &= k
        k = counter[w + M1]
        counter[w + M1] = k ^ carry
        carry &= k
        k = counter[w + M2]
        counter[w + M2] = k ^ carry
        carry &= k
        k = counter[w + M3]
        counter[w + M3] = k ^ carry
        carry &= k
        k = counter[w + M4]
        counter[w + M4] = k ^ carry
        counter[w + MO] |= k & carry


@compiled
def add_at(tile: Words, at: Any, digit: int, words: Any, counter: Words, carry: Words) -> None:
    """Add a bitmap, which begins at `at` of a tile, to a counter as one of its binary digits.

    `carry` is room for one bitmap.
    """
    for w in range(words):
        carry[w] = tile[at + w]
    over, row_size = np.uint64(OVER * WORDS), np.uint64(WORDS)
    for q in range(np.uint64(digit) * row_size, over, row_size):
        for w in range(words):
            k = counter[q + w]
            counter[q + w] = k ^ carry[w]
            carry[w] &= k
    for w in range(words):
        counter[over + w] |= carry[w]
