"""Pairs put on a shortlist together leave it as if they had come one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reident.kernels import shortlist

scores = st.lists(st.integers(0, 6), max_size=14)


def on_it(short, row=0):
    size = int(short.size[row])
    held = zip(short.eif[row, :size].tolist(), short.units[row, :size].tolist(), strict=True)
    return sorted(held), int(short.cutoff[row])


@given(st.integers(1, 4), st.integers(1, 8), scores, scores)
def test_pairs_put_together_or_one_by_one_leave_the_same(keep, bound, earlier, later):
    one, other = (shortlist.empty(np.array([bound]), keep) for _ in range(2))
    for first, found in ((0, earlier), (100, later)):
        below = [(first + place, score) for place, score in enumerate(found) if score < bound]
        pairs = np.array(below, np.int64).reshape(-1, 2)
        shortlist.put_some(*one, 0, pairs, len(pairs))
        for eif, units in below:
            if units < other.cutoff[0]:
                shortlist.push(other, 0, eif, units)
    assert on_it(one) == on_it(other)


@given(st.integers(1, 4), st.integers(1, 8), scores, scores)
def test_finds_leave_what_their_pairs_one_by_one_would(keep, bound, earlier, later):
    """Of each find whole ranks come along and the first score beyond them, as kept by bitmaps."""
    one, other = (shortlist.empty(np.array([9, bound]), keep) for _ in range(2))
    found, ends = [], []
    for first, units in ((0, earlier), (100, later)):
        below = [(first + place, score) for place, score in enumerate(units) if score < bound]
        ordered = sorted(score for _, score in below)
        cutoff = ordered[keep] if len(ordered) > keep else shortlist.NO_CUTOFF
        found += [pair for pair in below if pair[1] < cutoff]
        ends.append((1, len(found), cutoff))
        for eif, score in below:
            if score < other.cutoff[1]:
                shortlist.push(other, 1, eif, score)
    pairs = np.array(found, np.int64).reshape(-1, 2)
    shortlist.put_all(np.array(ends, np.int64), pairs, len(ends), *one)
    assert on_it(one, 1) == on_it(other, 1)
    assert on_it(one, 0) == ([], 9)


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_more_pairs_than_may_stay_leave_the_same_in_any_order(keep):
    for units in product(range(4), repeat=keep + 2):
        pairs = np.array(list(enumerate(units)), np.int64)
        one, other = (shortlist.empty(np.array([9]), keep) for _ in range(2))
        shortlist.put_some(*one, 0, pairs, len(pairs))
        for eif, score in enumerate(units):
            if score < other.cutoff[0]:
                shortlist.push(other, 0, eif, score)
        assert on_it(one) == on_it(other)


def test_a_pair_of_the_shortlist_that_comes_again_changes_nothing():
    short = shortlist.empty(np.array([9]), 2)
    for eif, units in ((4, 5), (7, 3), (4, 5), (7, 3)):
        shortlist.push(short, 0, eif, units)
    assert on_it(short) == ([(4, 5), (7, 3)], 9)
