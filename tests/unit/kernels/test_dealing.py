"""Keys dealt into partitions are counted and numbered as plain grouping does."""

from collections import Counter

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reident.kernels import dealing

keys_lists = st.lists(st.one_of(st.integers(0, 40), st.integers(2**63, 2**64 - 1)), max_size=60)
bits_of_partitions = st.integers(0, 3)


@pytest.fixture(scope="module", autouse=True)
def _small_rounds_and_tables():
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(dealing, "ROUND", 4)
            patch.setattr(dealing, "FIRST_SLOTS", 2)
            patch.setattr(dealing, "MOST_FIRST_SLOTS", 8)
        yield


class Hand:
    """Keys dealt, the later rounds first and the others then."""

    def __init__(self, keys, bits, deal):
        rounds = -(-len(keys) // dealing.ROUND)
        self.parts = np.empty(len(keys), np.uint16)
        self.bounds = np.empty((rounds, (1 << bits) + 1), np.int32)
        self.keys = np.empty(len(keys), np.uint64)
        self.bits = bits
        self.spans = (rounds // 2, rounds), (0, rounds // 2)
        for span in self.spans:
            deal(span, bits, self.parts, self.bounds, self.keys)

    def halves(self):
        half = (1 << self.bits) // 2
        return (0, half), (half, 1 << self.bits)

    def collected(self):
        out = np.empty(len(self.keys), np.uint64)
        for span in self.spans:
            dealing.collect(self.keys, self.parts, self.bounds, span, out)
        return out.tolist()


def dealt(keys, bits):
    held = np.array(keys, np.uint64)
    return Hand(held, bits, lambda *rest: dealing.deal(held, *rest))


@given(st.integers(0, 2**64 - 1), st.integers(0, 9))
def test_a_partition_is_the_first_bits_of_the_hash(key, bits):
    hashed = key * int(dealing.MIX) % 2**64
    assert dealing.part_of(np.uint64(key), bits) == hashed >> (64 - bits)


@given(keys_lists, bits_of_partitions)
def test_what_is_dealt_comes_back_to_its_record(keys, bits):
    hand = dealt(keys, bits)
    assert hand.collected() == keys
    for r, bounds in enumerate(hand.bounds.tolist()):
        mine = range(r * dealing.ROUND, min((r + 1) * dealing.ROUND, len(keys)))
        assert bounds[0] == 0
        assert bounds[-1] == len(mine)
        parts = Counter(int(hand.parts[i]) for i in mine)
        assert np.diff(bounds).tolist() == [parts[p] for p in range(1 << bits)]


@given(keys_lists, bits_of_partitions, st.integers(2, 5))
def test_the_count_of_equal_keys_takes_the_place_of_each(keys, bits, most):
    hand, tally = dealt(keys, bits), np.zeros(most, np.int64)
    for span in hand.halves():
        dealing.count_parts(hand.keys, hand.bounds, span, bits, tally)
    count = Counter(keys)
    assert hand.collected() == [count[key] for key in keys]
    sizes = Counter(min(c, most - 1) for c in count.values())
    assert tally.tolist() == [sizes[c] for c in range(most)]


@given(keys_lists, bits_of_partitions)
def test_cells_are_numbered_below_the_records_and_no_two_alike(keys, bits):
    hand = dealt(keys, bits)
    for span in hand.halves():
        dealing.number_parts(hand.keys, hand.bounds, span, bits)
    numbers = hand.collected()
    assert all(0 <= number < len(keys) for number in numbers)
    assert len(set(zip(keys, numbers, strict=True))) == len(set(keys)) == len(set(numbers))


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), max_size=60), bits_of_partitions)
def test_sums_are_dealt_as_keys_of_the_paper_are(rows, bits):
    codes = np.array(rows, np.uint8).reshape(-1, 3).T.copy()
    sums = [a + 5 * b + 25 * c for a, b, c in rows]
    radix = (np.array([5, 5, 5]), np.array([0, 2, 3]))
    hand = Hand(sums, bits, lambda *rest: dealing.deal_sums(codes, radix, *rest))
    assert hand.collected() == sums
    assert hand.parts.tolist() == dealt(sums, bits).parts.tolist()


def test_a_table_has_room_for_half_as_many_again_but_begins_small():
    bounds = np.array([[0, 3, 3], [0, 2, 12]], np.int32)
    table, slot = dealing.room(bounds, (0, 1))
    assert len(slot) == 5
    assert {len(column) for column in table} == {max(8, dealing.FIRST_SLOTS)}
    assert len(dealing.room(bounds, (0, 2))[1]) == 10
    crowd = np.array([[0, 100_000]], np.int32)
    assert len(dealing.room(crowd, (0, 1))[0].held) == dealing.MOST_FIRST_SLOTS


@given(keys_lists.filter(bool))
def test_a_table_tells_its_cells_and_grows_where_it_is_too_full(keys):
    hand, small = dealt(keys, 0), dealing.table_of(4)
    slot = np.empty(len(keys), np.uint32)
    cells, table = dealing.filled(hand.keys, hand.bounds, 0, 0, small, slot)
    taken = table.taken[:cells].tolist()
    count = Counter(keys)
    assert cells == len(set(taken)) == len(count)
    assert {int(table.held[at]): int(table.counts[at]) for at in taken} == count
    assert [int(table.held[at]) for at in slot] == [int(key) for key in hand.keys]
    # Three quarters of a table are the most that is in use; a smaller one had too few.
    slots = len(table.held)
    assert cells <= slots - slots // 4
    assert slots == 4 or cells > slots // 4 - slots // 16
