"""Counters of few mismatches: they add up, and overflow exactly at their limit."""

import numba
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import tally as kernel
from reident.kernels.bitmaps import DIGITS, NO_BITS, SUMS
from reident.kernels.lanes import LANES, WIDTH
from reident.kernels.registers import load, majority, odd, spread, store

RECORDS = 500
"""A piece, but for its last rows."""
PARTS = LANES // WIDTH


@numba.njit
def added(bits, part, at, halves, counter):
    """Halves, eight, and eight more: what is made part of its caller has no code of its own."""
    k, x = load(counter, kernel.H), load(bits, part + halves)
    y = load(bits, part + halves + LANES)
    carry = majority(k, x, y)
    m0, m1, m2 = load(counter, kernel.M0), load(counter, kernel.M1), load(counter, kernel.M2)
    over = load(counter, kernel.MO)
    for eight in range(8, len(at), 8):
        m0, m1, m2, more = kernel.tally_eight(bits, part, at, eight, m0, m1, m2, carry)
        carry = spread(NO_BITS)
        over |= more
    store(counter, kernel.H, odd(k, x, y))
    store(counter, kernel.M0, m0)
    store(counter, kernel.M1, m1)
    store(counter, kernel.M2, m2)
    store(counter, kernel.MO, over)


def packed(flags):
    """Flags as the bits of eight words, those of a bitmap in a piece."""
    words = np.zeros(LANES, np.uint64)
    for i in np.flatnonzero(flags):
        words[i // 64] |= np.uint64(1) << np.uint64(i % 64)
    return words


def unpacked(counters, q):
    """Digit q of all counters of a piece, one part after another."""
    words = counters[:, q * WIDTH : (q + 1) * WIDTH].reshape(-1)
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
    # The piece is not the first, and neither are its counters.
    bits = np.concatenate([packed(np.ones(RECORDS)), *(packed(row) for row in rows)])
    first = 1 + SUMS
    # The first eight are not asked for: they would name everybody.
    at = np.append(np.full(8, -LANES), np.arange(first, first + len(differ)) * LANES)
    beside = first + len(differ)
    counters = draw.integers(2**63, size=(1 + PARTS, kernel.TALLY), dtype=np.uint64)
    before = counters[0].copy()
    for part in range(PARTS):
        own, counter = LANES + part * WIDTH, counters.reshape(-1)
        to = (1 + part) * kernel.TALLY
        kernel.begin_tally(kernel.FEW - limit, bits, own, low, counter, to)
        added(bits, own, at, beside * LANES, counters[1 + part])
        for place, digit in enumerate(digits):
            here = own + (beside + 2 + place) * LANES
            kernel.tally_at(bits, here, digit, counter, to)
    assert counters[0].tolist() == before.tolist()
    total = sums + (differ.sum(axis=0) << DIGITS) + halves.sum(axis=0) * kernel.HALF
    total = total + sum(more[place] << digit for place, digit in enumerate(digits))
    over = unpacked(counters[1:], kernel.TOP)
    assert over.tolist() == (total >= limit).astype(int).tolist()
    told = sum(unpacked(counters[1:], q) << q for q in range(low, kernel.TOP))
    inside = total < limit
    assert (told[inside] + limit - kernel.FEW).tolist() == total[inside].tolist()
