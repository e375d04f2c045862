"""Keys of rows: one exact number for each combination, however many categories multiply up."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels.keys import ROOM, counts, row_keys, sort_keys


def columns_of(rows):
    return [np.array(column) for column in zip(*rows, strict=True)]


@settings(max_examples=150)
@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(st.tuples(*[st.integers(-1, 4)] * width), min_size=1, max_size=12)
    )
)
def test_rows_have_one_key_exactly_when_they_are_equal(rows):
    keys = row_keys(columns_of(rows)).tolist()
    assert len(set(zip(rows, keys, strict=True))) == len(set(rows)) == len(set(keys))


@pytest.mark.parametrize("largest", [2**31 - 2, 2**20, 3])
@pytest.mark.parametrize("width", [2, 3, 64])
def test_keys_stay_exact_when_categories_multiply_beyond_64_bits(largest, width):
    # Row k differs from row 0 in column k alone: nothing may wrap around and meet it.
    rows = [[largest] * width for _ in range(width + 1)]
    for place in range(width):
        rows[place + 1][place] = largest - 1
    rows.append([-1] * width)
    keys = row_keys(columns_of(rows))
    assert len(set(keys.tolist())) == width + 2
    assert keys.min() >= 0
    assert keys.max() < ROOM * 2


def test_keys_stay_exact_after_columns_in_which_all_rows_are_equal():
    same = np.full(8, 2**31 - 2)
    keys = row_keys([same, same, same, np.arange(8), same, same, same])
    assert len(set(keys.tolist())) == 8


def test_rows_whose_products_would_wrap_around_are_told_apart():
    """2^32 * 2^32 is 0 in 64 bits: (1, 0, 0) and (0, 0, 0) would be one row."""
    big = 2**32 - 1
    rows = [(0, 0, 0), (1, 0, 0), (big, big, big)]
    assert len(set(row_keys(columns_of(rows)).tolist())) == 3


def test_missing_is_a_code_of_its_own():
    assert len(set(row_keys([np.array([-1, 0, 1])]).tolist())) == 3


@settings(max_examples=60)
@given(st.lists(st.integers(0, 5), max_size=20))
def test_counts_are_how_many_rows_share_the_key(keys):
    expected = Counter(keys)
    assert counts(np.array(keys, np.int64)).tolist() == [expected[key] for key in keys]


@settings(max_examples=150)
@given(st.lists(st.integers(0, 40), max_size=30))
def test_rows_are_sorted_by_key_and_then_by_row(keys):
    order = sort_keys(np.array(keys, np.int64)).tolist()
    assert order == sorted(range(len(keys)), key=lambda row: (keys[row], row))
