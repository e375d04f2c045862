"""The limit of a filter lets through whatever lies below a cutoff, and no more than it must.

Then room that begins with a line of the cache.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reident.kernels.desk import in_lines, limit_of


@given(st.integers(1, 5_000), st.integers(1, 400), st.integers(1, 60))
def test_the_limit_lies_just_above_the_largest_score_below_the_cutoff(cutoff, cost, grain):
    below = range(0, cutoff, grain)
    assert limit_of(cutoff, cost, grain) == max(16 * score // cost for score in below) + 1


@given(st.integers(-50, 0), st.integers(1, 400), st.integers(1, 60))
def test_nothing_lies_below_a_cutoff_of_nothing(cutoff, cost, grain):
    assert limit_of(cutoff, cost, grain) <= 0


@pytest.mark.parametrize("words", [1, 8, 21, 5000])
def test_room_has_its_words_and_begins_with_a_line_of_the_cache(words):
    room = in_lines(words)
    assert len(room) == words
    assert room.ctypes.data % 64 == 0
