"""Which of many numbers may be kept: decided on their binary digits, by the rank rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import cellwise as kernel
from reident.kernels.bitmaps import DIGITS, OVER, WORDS
from reident.kernels.desk import COUNTER, MOST_LIMIT

ROWS = 200


def packed(flags):
    words = np.zeros(WORDS, np.uint64)
    for i in np.flatnonzero(flags):
        words[i // 64] |= np.uint64(1) << np.uint64(i % 64)
    return words


def counted(values, limit):
    """A counter as counting leaves it: what reaches the limit has overflowed."""
    counter = np.zeros(COUNTER, np.uint64)
    told = values + MOST_LIMIT - limit
    for q in range(OVER):
        counter[q * WORDS : (q + 1) * WORDS] = packed(told >> q & 1)
    counter[OVER * WORDS : (OVER + 1) * WORDS] = packed(values >= limit)
    return counter


@settings(max_examples=150)
@given(st.integers(0, 4), st.integers(1, 12), st.integers(1, 6), st.integers(0, 2**32))
def test_whole_ranks_are_kept_and_written_down(low, levels, keep, seed):
    draw = np.random.default_rng(seed)
    limit = levels << low
    values = draw.integers(levels + draw.integers(1, 20), size=ROWS) << low
    valid = draw.random(ROWS) < draw.random()
    counter, hits = counted(values, limit), np.zeros((2, WORDS + 1), np.uint64)
    some = kernel.hit(counter, packed(valid), np.uint64(4), hits)
    passing = np.flatnonzero(valid & (values < limit))
    assert (some > 0) == (len(passing) > 0)
    if not some:
        return
    top = low
    while 1 << top < limit:
        top += 1
    level = kernel.keep_few(counter, hits, some, keep, limit, low, top)
    ordered = np.sort(values[passing])
    assert level == (ordered[keep] if len(ordered) > keep else limit)
    places, found = np.arange(1000, 1000 + ROWS + 64), np.zeros((ROWS + 1, 2), np.int64)
    cost = 16
    total = kernel.note(counter, hits, some, limit, cost, low, top, places, 1, found, 1)
    kept = passing[values[passing] < level]
    assert found[1:total].tolist() == [[1064 + i, values[i] * cost >> DIGITS] for i in kept]


def test_what_a_bitmap_does_not_name_overflows():
    counter = counted(np.zeros(ROWS, np.int64), 8)
    named = np.arange(ROWS) % 3 == 0
    bits = np.concatenate([np.zeros(5, np.uint64), packed(named)])
    kernel.rule_out(bits, np.uint64(5), np.uint64(4), counter)
    assert counter[OVER * WORDS : (OVER + 1) * WORDS][:4].tolist() == (~packed(named)[:4]).tolist()


@pytest.mark.parametrize(("cost", "low"), [(16, 0), (4, 2), (2, 3)])
def test_limits_let_scores_below_a_cutoff_through_and_no_others(cost, low):
    scores = np.arange(60)
    sums = (scores << DIGITS) // cost
    assert (sums % (1 << low) == 0).all()
    for cutoff in range(40):
        limit = kernel.whole_limit(cutoff, cost, 1, low)
        assert (sums < limit).tolist() == (scores < cutoff).tolist()
