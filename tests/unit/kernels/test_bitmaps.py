"""Counters of bitmaps count what they should, for every record of a word, and overflow in time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import bitmaps as kernel
from reident.kernels.bitmaps import DIGITS, MISMATCHES, NO_CLASS, OVER, SUMS, WORDS

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


def test_mismatches_are_records_that_are_present_and_of_another_class():
    draw = np.random.default_rng(1)
    classes = draw.choice([0, 1, 2, NO_CLASS], RECORDS).astype(np.uint8)
    rows = draw.permutation(RECORDS)
    bits = np.ones((4, 5), np.uint64)
    kernel.mark_mismatches(classes, rows, 3, bits)
    assert set_bits(bits[3]) == [classes[row] != NO_CLASS for row in rows]
    for c in range(3):
        expected = [classes[row] not in {c, NO_CLASS} for row in rows]
        assert set_bits(bits[c]) == expected
    assert int(bits[:, 2].max()) < 1 << (RECORDS - 128)
    assert not bits[:, 3:].any()


@pytest.mark.parametrize("records", [33, 64, 100, 128])
def test_mismatches_are_marked_up_to_the_last_record_and_not_beyond(records):
    classes = np.random.default_rng(records).choice([0, 1, NO_CLASS], records).astype(np.uint8)
    bits = np.ones((3, 5), np.uint64)
    kernel.mark_mismatches(classes, np.arange(records), 2, bits)
    for row, marked in zip(bits, (classes == 1, classes == 0, classes != NO_CLASS), strict=True):
        assert row.tolist() == packed(marked)[:5].tolist()


def test_no_word_is_shifted_by_all_its_bits(monkeypatch):
    class One(int):
        def __lshift__(self, places):
            assert places < 64
            return 1 << int(places)

    # As plain Python, where numbers may be of any kind: compiled, such a shift may give anything.
    monkeypatch.setattr(kernel, "ONE", One(1))
    rows, classes = np.arange(RECORDS), np.ones(RECORDS, np.uint8)
    for mark in (kernel.mark_mismatches, kernel.mark_ranges):
        bits = np.zeros((3, 3), np.uint64)
        getattr(mark, "py_func", mark)(classes, rows, 2, bits)
        assert all(set_bits(bits[0]))


def test_ranges_name_records_of_a_class_or_above():
    draw = np.random.default_rng(2)
    classes = draw.integers(5, size=RECORDS).astype(np.uint8)
    rows = draw.permutation(RECORDS)
    bits = np.ones((5, 3), np.uint64)
    kernel.mark_ranges(classes, rows, 5, bits)
    for t in range(1, 5):
        assert set_bits(bits[t - 1]) == [classes[row] >= t for row in rows]


def test_sums_are_told_in_digits_and_stop_short():
    draw = np.random.default_rng(3)
    sums = draw.integers(2 ** (SUMS + 2), size=RECORDS)
    rows = draw.permutation(RECORDS)
    bits = np.zeros((SUMS, 3), np.uint64)
    kernel.mark_sums(sums, rows, bits)
    told = [sum(int(set_bits(bits[q])[i]) << q for q in range(SUMS)) for i in range(RECORDS)]
    assert told == [min(sums[row], 2**SUMS - 1) for row in rows]


def test_each_place_of_a_bitmap_is_filled_in_by_one_word():
    class Places(list):
        def __getitem__(self, place):
            asked.append(place)
            return list.__getitem__(self, place)

    rows, classes = Places(range(RECORDS)), np.zeros(RECORDS, np.int64)
    # As plain Python, where any list may be given: compiled, a shift by a word may be anything.
    for mark, number in (
        (kernel.mark_mismatches, [1]),
        (kernel.mark_ranges, [2]),
        (kernel.mark_sums, []),
    ):
        asked = []
        getattr(mark, "py_func", mark)(classes, rows, *number, np.zeros((2, 3), np.uint64))
        assert sorted(asked) == list(range(RECORDS))


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
