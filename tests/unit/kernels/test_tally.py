"""Counters of few mismatches: they add up, and overflow exactly at their limit."""

import numba
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import tally as kernel
from reident.kernels.bitmaps import DIGITS, NO_BITS, SUMS
from reident.kernels.lanes import LANES
from reident.kernels.registers import load, majority, odd, spread, store

RECORDS = 500


@numba.njit
def added(bits, at, halves, low, ready, counter):
    """Halves, eight, and eight more: what is made part of its caller has no code of its own."""
    k, x, y = load(ready, kernel.H), load(bits, halves), load(bits, halves + LANES)
    carry = majority(k, x, y)
    m0, m1, m2 = load(ready, kernel.M0), load(ready, kernel.M1), load(ready, kernel.M2)
    over = load(ready, kernel.MO)
    for eight in range(8, len(at), 8):
        m0, m1, m2, more = kernel.tally_eight(bits, 0, at, eight, m0, m1, m2, carry)
        carry = spread(NO_BITS)
        over |= more
    for q in range(low, DIGITS - 1):
        store(counter, q * LANES, load(ready, q * LANES))
    store(counter, kernel.H, odd(k, x, y))
    store(counter, kernel.M0, m0)
    store(counter, kernel.M1, m1)
    store(counter, kernel.M2, m2)
    store(counter, kernel.MO, over)


def packed(flags):
    words = np.zeros(LANES, np.uint64)
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
    halves, more = draw.random((2, RECORDS)) < 0.5, draw.random((len(digits), RECORDS)) < 0.5
    rows = [np.zeros(RECORDS), *(sums >> q & 1 for q in range(SUMS)), *differ, *halves, *more]
    # The piece is not the first, and neither is its counter.
    bits = np.concatenate([packed(np.ones(RECORDS)), *(packed(row) for row in rows)])
    before = draw.integers(2**63, size=2 * kernel.TALLY, dtype=np.uint64)
    kernel.begin_tally(kernel.FEW - limit, bits, LANES, low, before, kernel.TALLY)
    counter = before[kernel.TALLY :].copy()
    first = 2 + SUMS
    # The first eight are not asked for: they would name everybody.
    at = np.append(np.zeros(8, np.int64), np.arange(first, first + len(differ)) * LANES)
    beside = first + len(differ)
    ready = before[kernel.TALLY :].copy()
    added(bits, at, beside * LANES, low, ready, counter)
    for place, digit in enumerate(digits):
        kernel.tally_at(bits, (beside + 2 + place) * LANES, digit, counter, 0)
    total = sums + (differ.sum(axis=0) << DIGITS) + halves.sum(axis=0) * kernel.HALF
    total = total + sum(more[place] << digit for place, digit in enumerate(digits))
    over = unpacked(counter[kernel.MO :])
    assert over.tolist() == (total >= limit).astype(int).tolist()
    told = sum(unpacked(counter[q * LANES :]) << q for q in range(low, kernel.TOP))
    inside = total < limit
    assert (told[inside] + limit - kernel.FEW).tolist() == total[inside].tolist()
