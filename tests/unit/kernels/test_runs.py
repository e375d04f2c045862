"""Runs of an index: every row that agrees, and said so where there are others among them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import runs as kernel

SIZES = (4, 3, 5)
"""Codes of three variables and one for missing values, as code + 1."""


def block_of(stratum, table, *, copies=False):
    weights = np.cumprod([1, *SIZES[::-1]])[::-1].astype(np.int64)
    codes = np.ascontiguousarray(table.T, np.int32)
    keys, complete = kernel.keys_of(codes, 0, len(table), stratum, np.arange(3), weights)
    assert keys.tolist() == (stratum * weights[0] + ((table + 1) * weights[1:]).sum(1)).tolist()
    assert complete.tolist() == (table >= 0).all(axis=1).tolist()
    most = 1000 * len(keys) if copies else 0
    starts, rows, filled_in, once = kernel.directory(
        keys, complete, weights, 3 * int(weights[0]), most
    )
    assert filled_in or not copies
    if not copies:
        assert rows.tolist() == np.argsort(keys, kind="stable").tolist()
    return kernel.Block(
        filled_in=filled_in,
        once=once,
        variables=np.arange(3),
        weights=weights,
        starts=starts,
        rows=rows,
        first=np.full(3, -1),
        present=np.full(3, -1),
        bits=np.zeros((1, 1), np.uint64),
    )


def found(block, codes, stratum):
    runs = np.empty((kernel.MOST_RUNS, 2), np.int64)
    number, agreed, _ = kernel.find_runs(block, np.array(codes, np.int32), stratum, runs)
    runs = runs[:number]
    assert (runs[:, 0] < runs[:, 1]).all()
    assert (runs[1:, 0] > runs[:-1, 1]).all()
    return {int(block.rows[i]) for begin, end in runs for i in range(begin, end)}, agreed


def originals(block, codes, stratum):
    """Rows that runs find where they are no copies, each once."""
    runs = np.empty((kernel.MOST_RUNS, 2), np.int64)
    number, _, _ = kernel.find_runs(block, np.array(codes, np.int32), stratum, runs)
    places = [i for begin, end in runs[:number] for i in range(begin, end)]
    listed = [int(block.rows[i]) for i in places if int(block.once[i >> 6]) >> (i & 63) & 1]
    assert len(listed) == len(set(listed))
    return set(listed)


def agreeing(stratum, table, codes, asked):
    fits = ((table == codes) | (table < 0) | (np.array(codes) < 0)).all(axis=1)
    return set(np.flatnonzero(fits & (stratum == asked)).tolist())


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.integers(0, 60))
def test_runs_hold_the_rows_of_the_stratum_that_agree_and_no_others(seed, rows):
    draw = np.random.default_rng(seed)
    table = np.stack([draw.integers(-1, size - 1, size=rows) for size in SIZES], axis=1)
    stratum = np.sort(draw.integers(2, size=rows))
    codes = [int(draw.integers(-1, size - 1)) for size in SIZES]
    filled = block_of(stratum, table, copies=True)
    for asked in (0, 1, 2):
        rows_found, agreed = found(block_of(stratum, table), codes, asked)
        assert agreed
        assert rows_found == agreeing(stratum, table, codes, asked)
        assert originals(filled, codes, asked) == rows_found
        if min(codes) >= 0:
            key = asked * filled.weights[0] + int(
                ((np.array(codes) + 1) * filled.weights[1:]).sum()
            )
            side_by_side = filled.rows[filled.starts[key] : filled.starts[key + 1]]
            assert sorted(side_by_side.tolist()) == sorted(rows_found)


def test_rows_have_no_copies_where_there_is_no_room_for_all():
    # The first row misses two values of 3 and of 2 codes: it has six copies.
    keys, complete = np.array([4, 28]), np.array([False, True])
    weights = np.array([60, 15, 5, 1])
    for most, filled_in in ((7, False), (8, True)):
        starts, rows, told, once = kernel.directory(keys, complete, weights, 60, most)
        assert told == filled_in
        assert len(rows) == starts[-1] == (8 if filled_in else 2)
        assert sum(int(word).bit_count() for word in once) == 2


def test_a_row_that_misses_a_variable_of_one_code_has_one_copy():
    keys, complete, weights = np.array([1, 3]), np.array([False, True]), np.array([4, 2, 1])
    starts, rows, filled_in, once = kernel.directory(keys, complete, weights, 4, 3)
    assert filled_in
    assert starts.tolist() == [0, 0, 1, 1, 3]
    assert rows.tolist() == [0, 0, 1]
    assert int(once[0]) == 0b101


@pytest.mark.parametrize("sizes", [(2 * kernel.MOST_RUNS,), (40, 40)])
def test_many_runs_are_taken_as_they_lie_and_it_is_said(sizes):
    # A PUF row without all codes but the last meets every key, and one row of each agrees.
    table = np.indices((*sizes, 2)).reshape(len(sizes) + 1, -1).T
    weights = np.cumprod([1, 3, *(size + 1 for size in sizes)])[::-1]
    keys = ((table + 1) * weights[1:]).sum(axis=1)
    whole = np.ones(len(keys), np.bool_)
    starts, rows, filled_in, once = kernel.directory(keys, whole, weights, int(weights[0]), 0)
    block = kernel.Block(
        filled_in=filled_in,
        once=once,
        variables=np.arange(len(sizes) + 1),
        weights=weights,
        starts=starts,
        rows=rows,
        first=np.full(2, -1),
        present=np.full(2, -1),
        bits=np.zeros((1, 1), np.uint64),
    )
    rows_found, agreed = found(block, [*[-1] * len(sizes), 1], 0)
    assert not agreed
    assert rows_found >= set(np.flatnonzero(table[:, -1] == 1).tolist())


def test_a_row_that_needs_too_many_copies_leaves_all_without():
    # The first row misses both variables: 69 * 69 copies are more than any row may have.
    weights = np.array([70 * 70, 70, 1])
    keys, complete = np.array([0, 71, 72]), np.array([False, True, True])
    assert kernel.copies_of(0, weights, np.empty(kernel.MOST_COPIES, np.int64)) == 0
    _, rows, filled_in, _ = kernel.directory(keys, complete, weights, 70 * 70, 10**6)
    assert not filled_in
    assert rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize("room", [5, 6])
def test_copies_need_room_for_all_of_them_and_no_more(room):
    # Two values of 3 and of 2 codes are missing.
    keys = np.empty(room, np.int64)
    assert kernel.copies_of(4, np.array([60, 15, 5, 1]), keys) == (6 if room == 6 else 0)
    if room == 6:
        assert sorted(keys.tolist()) == [24, 29, 39, 44, 54, 59]


def test_rows_together_may_have_more_copies_than_one_of_them():
    keys, complete, weights = np.zeros(3, np.int64), np.zeros(3, np.bool_), np.array([2001, 1])
    assert kernel.MOST_COPIES < 6000
    starts, rows, filled_in, _ = kernel.directory(keys, complete, weights, 2001, 6003)
    assert filled_in
    assert starts.tolist() == [*range(0, 6004, 3)]
    assert rows.tolist() == [0, 1, 2] * 2001


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 3), (2, 7), (6, 7)])
def test_keys_of_some_rows_are_those_of_all(first, last):
    draw = np.random.default_rng(3)
    codes = draw.integers(-1, 3, size=(4, 7)).astype(np.int8)
    stratum, variables = draw.integers(0, 3, size=7), np.array([2, 0])
    weights = np.array([16, 4, 1])
    known = (stratum, variables, weights)
    for all_of, some in zip(
        kernel.keys_of(codes, 0, 7, *known), kernel.keys_of(codes, first, last, *known), strict=True
    ):
        assert some.tolist() == all_of[first:last].tolist()
