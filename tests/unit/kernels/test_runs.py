"""Runs of an index: every row that agrees, and said so where there are others among them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import runs as kernel

SIZES = (4, 3, 5)
"""Codes of three variables and one for missing values, as code + 1."""


def block_of(stratum, table):
    weights = np.cumprod([1, *SIZES[::-1]])[::-1].astype(np.int64)
    keys = stratum * weights[0] + ((table + 1) * weights[1:]).sum(axis=1)
    starts, rows = kernel.directory(keys, 3 * int(weights[0]))
    assert rows.tolist() == np.argsort(keys, kind="stable").tolist()
    return kernel.Block(
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
    for asked in (0, 1, 2):
        rows_found, agreed = found(block_of(stratum, table), codes, asked)
        assert agreed
        assert rows_found == agreeing(stratum, table, codes, asked)


def test_many_runs_are_taken_as_they_lie_and_it_is_said():
    size = 2 * kernel.MOST_RUNS
    # A PUF row without the first code meets every first code, each with one row that agrees.
    table = np.stack([np.arange(size).repeat(2), np.tile([0, 1], size)], axis=1)
    weights = np.array([3 * (size + 1), 3, 1])
    keys = ((table + 1) * weights[1:]).sum(axis=1)
    starts, rows = kernel.directory(keys, int(weights[0]))
    block = kernel.Block(
        variables=np.arange(2),
        weights=weights,
        starts=starts,
        rows=rows,
        first=np.full(2, -1),
        present=np.full(2, -1),
        bits=np.zeros((1, 1), np.uint64),
    )
    rows_found, agreed = found(block, [-1, 1], 0)
    assert not agreed
    assert rows_found >= set(np.flatnonzero(table[:, 1] == 1).tolist())
