"""Keys that PUF rows ask for: together they hold every row that agrees, counted once."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import entries as kernel
from reident.kernels import runs

SIZES = (4, 3, 5)
"""Codes of three variables and one for missing values."""
WEIGHTS = np.array([60, 15, 5, 1])


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_entries_find_every_row_that_agrees_once(seed, rows):
    draw = np.random.default_rng(seed)
    theirs = np.stack([draw.integers(-1, size - 1, size=rows) for size in SIZES])
    mine = np.stack([draw.integers(-1, size - 1, size=20) for size in SIZES])
    keys, complete = runs.keys_of(
        theirs.T.astype(np.int32), np.arange(rows), np.zeros(rows, np.int64), np.arange(3), WEIGHTS
    )
    starts, places, filled_in, _ = runs.directory(keys, complete, WEIGHTS, 60, 100 * rows)
    assert filled_in
    keys, complete = runs.keys_of(
        mine.T.astype(np.int32), np.arange(20), np.zeros(20, np.int64), np.arange(3), WEIGHTS
    )
    asked, left = kernel.entries_of(np.arange(20), keys, complete, WEIGHTS)
    assert not left.any()
    asked = kernel.in_order(asked, np.argsort(asked.keys, kind="stable"))
    for p in range(20):
        found = []
        for row, key, whole, once in zip(*asked, strict=True):
            if row == p:
                assert whole == complete[p]
                found += [
                    int(e)
                    for e in places[starts[key] : starts[key + 1]]
                    if all(theirs[d, e] >= 0 for d in range(3) if once >> d & 1)
                ]
        own = mine[:, [p]]
        agree = ((theirs == own) | (theirs < 0) | (own < 0)).all(axis=0)
        assert sorted(found) == np.flatnonzero(agree).tolist()


def test_a_row_that_would_ask_for_too_many_keys_goes_another_way():
    weights = np.array([101 * 66, 66, 1])
    keys = np.array([7 * 66, 5])
    asked, left = kernel.entries_of(np.array([4, 9]), keys, np.zeros(2, np.bool_), weights)
    # The first misses one of 65 codes, the second one of 100.
    assert left.tolist() == [True, True]
    assert len(asked.rows) == 0
    weights = np.array([101 * 65, 65, 1])
    asked, left = kernel.entries_of(
        np.array([4]), np.array([7 * 65]), np.zeros(1, np.bool_), weights
    )
    assert left.tolist() == [False]
    assert sorted(asked.keys.tolist()) == [7 * 65 + code for code in range(1, 65)]
    assert sorted(asked.once.tolist()) == [0] + [2] * 63
