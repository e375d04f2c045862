"""Who gives a value to whom: swapping, PRAM, and tables whose counts are rounded."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.oracle.protect import rounded_counts as plain_counts
from reident.remedies.groups import (
    cells_of,
    randomised,
    rounded_counts,
    swapped,
    table_rounded,
)
from reident.remedies.streams import Streams

EXAMPLES = settings(max_examples=150)
COUNTS = st.lists(st.integers(1, 12), min_size=1, max_size=8)


def streams(records, seed=0):
    return Streams(seed=seed, action="test", places=np.arange(records))


@given(rows=st.lists(st.booleans(), min_size=1, max_size=12), data=st.data())
@EXAMPLES
def test_swapping_keeps_values_in_their_group_and_moves_every_chosen_one(rows, data):
    groups = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    )
    draws = np.array(data.draw(st.permutations(range(len(rows)))), np.float64)
    rows = np.array(rows)
    donors = swapped(rows, draws, groups)
    assert sorted(donors.tolist()) == list(range(len(rows)))
    for r, donor in enumerate(donors.tolist()):
        assert groups[donor] == groups[r]
        others = rows & (groups == groups[r])
        moves = rows[r] and others.sum() > 1
        assert (donor != r) == moves


def test_without_groups_all_chosen_records_swap():
    rows = np.array([True, False, True, True])
    donors = swapped(rows, np.array([0.2, 0.0, 0.9, 0.5]))
    assert donors.tolist() == [3, 1, 0, 2]


def test_nobody_chosen_nobody_swaps():
    assert swapped(np.zeros(3, np.bool_), np.zeros(3)).tolist() == [0, 1, 2]


def test_pram_replaces_a_share_by_values_as_frequent_as_the_file_has_them():
    """30,000 records, half replaced: counts within six standard deviations of what is expected."""
    size = 30_000
    values = np.repeat([0, 1, 2], [size // 10, size // 2, size * 4 // 10])
    present = np.ones(size, np.bool_)
    donors = randomised(present, present, 0.5, streams(size), "x")
    moved = donors != np.arange(size)
    assert abs(moved.mean() - 0.5) < 6 * 0.5 / np.sqrt(size)
    before, after = np.bincount(values), np.bincount(values[donors])
    assert (np.abs(after - before) < 6 * np.sqrt(before)).all()


@given(present=st.lists(st.booleans(), min_size=1, max_size=9), data=st.data())
@EXAMPLES
def test_pram_leaves_missing_values_and_other_records_alone(present, data):
    present = np.array(present)
    rows = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(present), max_size=len(present)))
    )
    donors = randomised(rows, present, 1.0, streams(len(rows)), "x")
    still = donors == np.arange(len(rows))
    assert still[~(rows & present)].all()
    assert present[donors[~still]].all()


@given(counts=COUNTS, base=st.integers(1, 7))
@EXAMPLES
def test_rounded_counts_are_unbiased_exactly(counts, base):
    """The mean over all offsets is the count itself; the total never moves."""
    table = np.array(counts)
    found = [rounded_counts(table, base, offset) for offset in range(base)]
    assert (np.sum(found, axis=0) == base * table).all()
    for offset, one in enumerate(found):
        assert one.sum() == table.sum()
        assert (np.abs(one - table) < base).all()
        assert (one >= 0).all()
        assert one.tolist() == plain_counts(counts, base, offset)


@given(counts=COUNTS, base=st.integers(1, 7), offset=st.integers(0, 6))
@EXAMPLES
def test_counts_are_multiples_of_the_base_but_for_what_the_total_has_more(counts, base, offset):
    found = rounded_counts(np.array(counts), base, offset % base)
    assert int((found % base).sum()) % base == sum(counts) % base
    if sum(counts) % base == 0:
        assert (found % base == 0).all()


@given(
    codes=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=25),
    base=st.integers(1, 5),
    seed=st.integers(0, 9),
)
@EXAMPLES
def test_records_move_so_that_the_table_has_the_rounded_counts(codes, base, seed):
    table = np.array(codes, np.uint8).T
    cells = cells_of(table, np.ones(len(codes), np.bool_))
    donors = table_rounded(cells, base, streams(len(codes), seed))
    before = np.bincount(cells)
    after = np.bincount(cells[donors], minlength=len(before))
    assert after.sum() == before.sum()
    assert (np.abs(after - before) < base).all()
    moved = donors != np.arange(len(codes))
    # As few records move as can be: one for each that a cell has lost.
    assert moved.sum() == np.maximum(before - after, 0).sum()
    if before.sum() % base == 0:
        assert (after % base == 0).all()


def test_a_rounded_table_is_unbiased_in_the_long_run():
    """Cells of 1, 2 and 6 to base 3: means of 3,000 seeds, within six standard errors."""
    cells = np.repeat([0, 1, 2], [1, 2, 6])
    found = [
        np.bincount(cells[table_rounded(cells, 3, streams(9, seed))], minlength=3)
        for seed in range(3000)
    ]
    spread = np.std(found, axis=0) + 1e-12
    assert (np.abs(np.mean(found, axis=0) - [1, 2, 6]) < 6 * spread / np.sqrt(3000) + 1e-9).all()


def test_records_outside_the_table_stay():
    cells = cells_of(np.array([[0, 0, 1, 2]], np.uint8), np.array([True, True, True, False]))
    assert cells.tolist() == [0, 0, 1, -1]
    for seed in range(20):
        assert table_rounded(cells, 3, streams(4, seed))[3] == 3


@given(codes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20))
@EXAMPLES
def test_cells_are_numbered_in_order_of_their_codes(codes):
    table = np.array(codes, np.uint8).reshape(-1, 2).T
    places = {one: place for place, one in enumerate(sorted(set(codes)))}
    cells = cells_of(table, np.ones(len(codes), np.bool_))
    assert cells.tolist() == [places[one] for one in codes]


@pytest.mark.parametrize("draw", ["uniform", "normal"])
def test_a_number_belongs_to_its_record_wherever_the_record_stands(draw):
    one = getattr(Streams(seed=3, action="a", places=np.arange(6)), draw)("x")
    order = np.array([4, 1, 5, 0, 2, 3])
    other = getattr(Streams(seed=3, action="a", places=order), draw)("x")
    assert (other == one[order]).all()


def test_streams_of_other_seeds_actions_and_names_are_others():
    def first(seed, action, name):
        return Streams(seed=seed, action=action, places=np.arange(2)).uniform(name)[0]

    drawn = {first(0, "a", "x"), first(1, "a", "x"), first(0, "b", "x"), first(0, "a", "y")}
    assert len(drawn | {first(0, "ax", "")}) == 5
