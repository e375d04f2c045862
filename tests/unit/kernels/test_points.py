"""Sums of points, 64 pairs at a time, are those of plain numbers."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reident.kernels.points import (
    DIGITS,
    LAST,
    MOST_LIMIT,
    MOST_POINTS,
    ROWS,
    STEP,
    WIDE,
    add_last,
    add_points,
    clear_sums,
    draw_points,
)

SEEDS = st.integers(0, 2**32 - 1)


def bits(flags):
    """Rows as bits of the words of a plane."""
    row = np.zeros(64 * WIDE, np.uint8)
    row[: len(flags)] = flags
    return np.packbits(row, bitorder="little").view(np.uint64)


def planes_of(values):
    """The digits of one number a row."""
    return np.concatenate([bits(values >> q & 1) for q in range(DIGITS)])


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.sampled_from([1, 63, 64, 65, 200]), st.integers(1, 9), st.integers(1, 12))
@example(0, ROWS, 2, 3)
def test_planes_hold_what_each_row_loses(seed, rows, mine, sizes):
    draw = np.random.default_rng(seed)
    losses = draw.integers(0, MOST_POINTS + 1, size=(mine, sizes)).astype(np.uint8)
    theirs = draw.integers(sizes, size=rows).astype(np.uint8)
    used = draw.random(mine) < 0.7
    before = np.full(mine * DIGITS * WIDE, 99, np.uint64)
    planes, nearest = before.copy(), np.full(mine, 99, np.uint8)
    draw_points(losses, theirs, used, planes, nearest)
    for a in range(mine):
        own = slice(a * DIGITS * WIDE, (a + 1) * DIGITS * WIDE)
        lost = losses[a][theirs]
        # Only what is used is drawn.
        assert np.array_equal(planes[own], planes_of(lost) if used[a] else before[own])
        assert nearest[a] == (lost.min() if used[a] else 99)


def added(values, rows):
    """A stack with all but the last variables of values[variable, row] added up."""
    steps = len(values) - LAST
    stack = np.full((steps + 1) * STEP, 99, np.uint64)
    clear_sums(rows, stack)
    planes = np.concatenate([planes_of(own) for own in values])
    begins = np.arange(len(values), dtype=np.uint64) * np.uint64(DIGITS * WIDE)
    words = np.uint64((rows + 63) // 64)
    for step in range(steps):
        add_points(planes, begins[step], words, stack, np.uint64(step))
    return planes, begins[steps:], words, stack[steps * STEP :]


@settings(max_examples=80, deadline=None)
@given(
    SEEDS,
    st.sampled_from([1, 63, 64, 65, 200]),
    st.integers(LAST, 14),
    st.integers(0, MOST_POINTS),
    st.integers(1, MOST_LIMIT),
)
@example(0, 200, 14, MOST_POINTS, MOST_LIMIT)
@example(0, 64, 9, MOST_POINTS, MOST_LIMIT)
@example(0, 64, 10, MOST_POINTS, MOST_LIMIT)
def test_rows_pass_whose_sum_is_below_the_limit(seed, rows, variables, least, limit):
    draw = np.random.default_rng(seed)
    values = draw.integers(least, MOST_POINTS + 1, size=(variables, rows))
    planes, at, words, sums = added(values, rows)
    left = np.zeros(WIDE, np.uint64)
    some = add_last(planes, at, words, sums, limit, left)
    passing = values.sum(axis=0) < limit
    assert np.array_equal(left, bits(passing))
    assert bool(some) == passing.any()


@pytest.mark.parametrize("limit", range(1, MOST_LIMIT + 1))
def test_every_sum_is_compared_with_every_limit(limit):
    total = np.arange(70)
    parts = np.stack([np.clip(total - 7 * j, 0, 7) for j in range(10)])
    planes, at, words, sums = added(parts, len(total))
    left = np.zeros(WIDE, np.uint64)
    assert add_last(planes, at, words, sums, limit, left)
    assert np.array_equal(left, bits(total < limit))
