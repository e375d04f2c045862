"""Counters of few mismatches: they add up, and overflow exactly at their limit."""

import numba
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import tally as kernel
from reident.kernels.bitmaps import DIGITS, SUMS, WORDS

RECORDS = 200
SIZE = np.uint64(4)


@numba.njit
def added(bits, at, half, start, before, counter):
    """Eight, and eight more: what is made part of its caller has no code of its own."""
    kernel.tally_eight(bits, at, half, SIZE, before, start, counter)
    for k in range(8, len(at), 8):
        kernel.tally_more(bits, at, k, SIZE, counter)


@numba.njit
def added_at(bits, here, digit, counter):
    kernel.tally_at(bits, here, digit, SIZE, counter)


def packed(flags):
    words = np.zeros(WORDS, np.uint64)
    for i in np.flatnonzero(flags):
        words[i // 64] |= np.uint64(1) << np.uint64(i % 64)
    return words


def unpacked(words):
    return np.array([int(words[i // 64]) >> (i % 64) & 1 for i in range(RECORDS)])


@settings(max_examples=100)
@given(
    st.integers(0, DIGITS - 1),
    st.integers(1, kernel.FEW),
    st.integers(1, 3),
    st.lists(st.integers(0, DIGITS), max_size=3),
    st.integers(0, 2**32),
)
def test_a_counter_adds_up_and_overflows_exactly_at_its_limit(low, limit, eights, digits, seed):
    draw = np.random.default_rng(seed)
    step = 1 << low
    limit = -(-limit // step) * step
    digits = [max(low, digit) for digit in digits]
    sums = draw.integers(draw.integers(1, 1 << SUMS), size=RECORDS) >> low << low
    differ = draw.random((8 * eights, RECORDS)) < draw.random()
    half, more = draw.random(RECORDS) < 0.5, draw.random((len(digits), RECORDS)) < 0.5
    rows = [np.zeros(RECORDS), *(sums >> q & 1 for q in range(SUMS)), *differ, half, *more]
    bits = np.concatenate([packed(row) for row in rows])
    apart, start = np.uint64(WORDS), np.uint64(kernel.TALLY)
    before = draw.integers(2**63, size=2 * kernel.TALLY, dtype=np.uint64)
    kernel.begin_tally(kernel.FEW - limit, bits, apart, apart, low, SIZE, before, start)
    # Digits below a half are not touched by what is added: a scan copies them. It has no more room.
    counter = before[kernel.TALLY :].copy()
    at = np.arange(1 + SUMS, 1 + SUMS + len(differ)).astype(np.uint64) * apart
    added(bits, at, np.uint64(1 + SUMS + len(differ)) * apart, start, before, counter)
    for place, digit in enumerate(digits):
        added_at(bits, np.uint64(2 + SUMS + len(differ) + place) * apart, digit, counter)
    total = sums + (differ.sum(axis=0) << DIGITS) + half * kernel.HALF
    total = total + sum(more[place] << digit for place, digit in enumerate(digits))
    over = unpacked(counter[kernel.TOP * WORDS :])
    assert over.tolist() == (total >= limit).astype(int).tolist()
    told = sum(unpacked(counter[q * WORDS :]) << q for q in range(low, kernel.TOP))
    inside = total < limit
    assert (told[inside] + limit - kernel.FEW).tolist() == total[inside].tolist()
