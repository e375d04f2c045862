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
        theirs.astype(np.int32), 0, rows, np.zeros(rows, np.int64), np.arange(3), WEIGHTS
    )
    starts, places, filled_in, _ = runs.directory(keys, complete, WEIGHTS, 60, 100 * rows)
    assert filled_in
    keys, complete = runs.keys_of(
        mine.astype(np.int32), 0, 20, np.zeros(20, np.int64), np.arange(3), WEIGHTS
    )
    order = np.argsort(keys, kind="stable")
    asked, left = kernel.entries_of(order, keys[order], complete[order], WEIGHTS)
    assert not left.any()
    runs_asked = list(zip(asked.keys.tolist(), asked.until.tolist(), strict=True))
    assert runs_asked == sorted(runs_asked)
    for p in range(20):
        found = []
        for row, key, until, whole, once in zip(*asked, strict=True):
            if row == p:
                assert whole == complete[p]
                assert until == key + 1 or mine[2, p] < 0
                # Later keys of a run count what has a value of the last variable.
                found += [
                    int(e)
                    for cell in range(key, until)
                    for e in places[starts[cell] : starts[cell + 1]]
                    if all(theirs[d, e] >= 0 for d in range(3) if once >> d & 1)
                    and (cell == key or theirs[2, e] >= 0)
                ]
        own = mine[:, [p]]
        agree = ((theirs == own) | (theirs < 0) | (own < 0)).all(axis=0)
        assert sorted(found) == np.flatnonzero(agree).tolist()


def test_a_row_that_would_ask_for_too_many_keys_goes_another_way():
    weights = np.array([3 * 66 * 2, 66 * 2, 2, 1])
    keys = np.array([2 * 132, 2 * 132 + 1])
    asked, left = kernel.entries_of(np.array([4, 9]), keys, np.zeros(2, np.bool_), weights)
    # Both miss one of 65 codes, the first of them the last variable too.
    assert left.tolist() == [True, True]
    assert len(asked.rows) == 0
    weights = np.array([3 * 65 * 2, 65 * 2, 2, 1])
    asked, left = kernel.entries_of(
        np.array([4]), np.array([2 * 130 + 1]), np.zeros(1, np.bool_), weights
    )
    assert left.tolist() == [False]
    assert sorted(asked.keys.tolist()) == [2 * 130 + 1 + 2 * code for code in range(1, 65)]
    assert sorted(asked.once.tolist()) == [0] + [2] * 63


def test_a_row_that_misses_the_last_variable_alone_asks_once():
    weights = np.array([101 * 66, 66, 1])
    asked, left = kernel.entries_of(
        np.array([4]), np.array([7 * 66]), np.zeros(1, np.bool_), weights
    )
    assert not left.any()
    assert [array.tolist() for array in asked] == [[4], [7 * 66 + 1], [8 * 66], [False], [0]]


def test_rows_without_a_missing_value_ask_for_their_own_keys():
    rows, keys, weights = np.array([9, 2, 4]), np.array([17, 17, 61]), np.array([60, 15, 5, 1])
    asked, left = kernel.entries_of(rows, keys, np.ones(3, np.bool_), weights)
    expected, _ = kernel.several(rows, keys, np.ones(3, np.bool_), weights)
    assert not left.any()
    assert [one.tolist() for one in asked] == [one.tolist() for one in expected]
    assert [one.tolist() for one in asked[:3]] == [[9, 2, 4], [17, 17, 61], [18, 18, 62]]


def test_rows_that_ask_for_one_key_come_before_those_that_ask_for_two():
    # Rows 0 and 2 miss the last variable, which has two codes.
    rows, keys = np.array([0, 2, 1, 3]), np.array([3, 3, 4, 4])
    asked, _ = kernel.entries_of(rows, keys, keys == 4, np.array([9, 3, 1]))
    assert asked.rows.tolist() == [1, 3, 0, 2]
    assert asked.keys.tolist() == [4] * 4
    assert asked.until.tolist() == [5, 5, 6, 6]


@settings(max_examples=100)
@given(st.integers(0, 30), st.integers(0, 2**32))
def test_rows_ask_while_a_pair_that_they_lack_could_pass(rows, seed):
    draw = np.random.default_rng(seed)
    order, cost = draw.permutation(rows), int(draw.integers(1, 4))
    askable = draw.random(rows) < 0.7
    cutoffs, own, asked, fewest = draw.integers(6, size=(4, rows))
    needy = [bool(askable[i] and cutoffs[i] > fewest[i] * cost + own[i]) for i in range(rows)]
    told = asked + needy, np.maximum(fewest, asked + needy)
    chosen = kernel.needy_rows(order, askable, cutoffs, own, cost, asked, fewest)
    assert chosen.tolist() == [i for i in order.tolist() if needy[i]]
    assert (asked.tolist(), fewest.tolist()) == (told[0].tolist(), told[1].tolist())
