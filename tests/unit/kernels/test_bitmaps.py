"""Counters of bitmaps count what they should, for every record of a word, and overflow in time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import bitmaps as kernel
from reident.kernels.bitmaps import DIGITS, MISMATCHES, OVER, SUMS, WORDS

TOP = 1 << (DIGITS + MISMATCHES)
RECORDS = 150
"""More than two words, less than three."""


def set_bits(row):
    """Which of the records a bitmap names."""
    return [bool(int(row[i // 64]) >> (i % 64) & 1) for i in range(RECORDS)]


def packed(flags):
    words = np.zeros(WORDS, np.uint64)
    for i, flag in enumerate(flags):
        words[i // 64] |= np.uint64(int(flag) << (i % 64))
    return words


def values_of(counter):
    """The number that each record's digits spell, and whether it has overflowed."""
    rows = counter.reshape(-1, WORDS)
    digits = [set_bits(row) for row in rows]
    return [
        sum(int(digits[q][i]) << q for q in range(OVER)) if not digits[OVER][i] else None
        for i in range(RECORDS)
    ]


@pytest.mark.parametrize("place", range(64))
def test_the_lowest_bit_is_found_whatever_lies_above(place):
    for above in (0, 1, 2**63, 0xF0F0F0F0F0F0F0F0):
        word = (1 << place) | (above & ~((1 << place) - 1)) & (2**64 - 1)
        assert int(kernel.lowest(np.uint64(word))) == place


@settings(max_examples=60)
@given(st.lists(st.integers(0, 15), min_size=1, max_size=32), st.integers(0, 2**32))
def test_digits_of_any_function_of_classes_are_drawn_from_ranges(digits, seed):
    classes = np.random.default_rng(seed).integers(len(digits), size=RECORDS).astype(np.uint8)
    size = len(digits) - 1
    tile = np.zeros((size + DIGITS) * WORDS, np.uint64)
    for t in range(1, size + 1):
        tile[(t - 1) * WORDS : t * WORDS] = packed(classes >= t)
    table = np.array(digits, np.uint8)
    kernel.draw_digits(table, 0, size, tile, size, np.uint64(3))
    planes = tile[size * WORDS :].reshape(DIGITS, WORDS)
    drawn = [sum(int(set_bits(planes[q])[i]) << q for q in range(DIGITS)) for i in range(RECORDS)]
    assert drawn == [digits[c] for c in classes]


@settings(max_examples=60)
@given(
    st.integers(1, TOP),
    st.booleans(),
    st.integers(0, 3),
    st.integers(0, 4),
    st.integers(0, 2**32),
)
def test_a_counter_adds_up_and_overflows_exactly_at_its_limit(limit, summed, eights, numbers, seed):
    draw = np.random.default_rng(seed)
    sums = draw.integers(2**SUMS, size=RECORDS) * summed
    mismatches = draw.random((8 * eights, RECORDS)) < draw.random()
    digits = draw.integers(16, size=(numbers, RECORDS))
    rows = [packed(sums >> q & 1) for q in range(SUMS)]
    rows += [packed(row) for row in mismatches]
    rows += [packed(row >> q & 1) for row in digits for q in range(DIGITS)]
    tile = np.concatenate([np.zeros(WORDS, np.uint64), *rows])
    counter = np.full((OVER + 1) * WORDS, 2**64 - 1, np.uint64)
    words = np.uint64(3)
    before = counter.copy()
    row = np.uint64(WORDS)
    kernel.preload(TOP - limit, tile, row, row, 0, words, before, np.uint64(0))
    counter[:] = before
    at = np.array([(1 + SUMS + i) * WORDS for i in range(8 * eights)], np.uint64)
    for k in range(0, 8 * eights, 8):
        if k:
            kernel.add_eight_more(tile, at, k, words, counter)
        else:
            kernel.add_eight(tile, at, k, words, before, np.uint64(0), counter)
    for k in range(numbers):
        start = 1 + SUMS + 8 * eights + k * DIGITS
        kernel.add_digits(tile, np.uint64(start * WORDS), words, counter)
    whole = 16 * mismatches.sum(axis=0) + digits.sum(axis=0) + sums
    expected = [None if total >= limit else int(total) + TOP - limit for total in whole]
    assert values_of(counter) == expected


@given(st.integers(0, OVER - 1), st.integers(1, TOP), st.integers(0, 2**32))
def test_a_bitmap_counts_as_the_digit_that_it_is_added_at(digit, limit, seed):
    draw = np.random.default_rng(seed)
    low = min(digit, SUMS - 1)
    limit = max(1, limit >> low) << low
    sums = draw.integers(2**SUMS, size=RECORDS) >> low << low
    marked = draw.random(RECORDS) < draw.random()
    rows = [packed(sums >> q & 1) for q in range(SUMS)]
    tile = np.concatenate([np.zeros(WORDS, np.uint64), *rows, packed(marked)])
    counters = np.full(2 * (OVER + 1) * WORDS, 2**64 - 1, np.uint64)
    at, words = np.uint64((OVER + 1) * WORDS), np.uint64(3)
    counters[(OVER + 1) * WORDS :][: low * WORDS] = 0
    kernel.preload(TOP - limit, tile, np.uint64(WORDS), np.uint64(WORDS), low, words, counters, at)
    counter = counters[(OVER + 1) * WORDS :].copy()
    carry = np.empty(WORDS, np.uint64)
    kernel.add_at(tile, np.uint64((1 + SUMS) * WORDS), digit, words, counter, carry)
    whole = sums + (marked.astype(np.int64) << digit)
    expected = [None if total >= limit else int(total) + TOP - limit for total in whole]
    assert values_of(counter) == expected
