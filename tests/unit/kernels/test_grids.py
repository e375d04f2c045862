"""Grids lose no row, and what they find equals plain counting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import grids, trimmed, windows

few = settings(max_examples=40)
SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed):
    """Values with ties and zeros, some missing (nan); up to a few thousand rows."""
    draw = np.random.default_rng(seed)
    rows, v = int(draw.choice([1, 130, 700, 4000, 4000])), int(draw.integers(1, 8))
    table = np.floor(draw.lognormal(2, 1, size=(rows, v)) * draw.choice([1, 20]))
    table[draw.random(table.shape) < draw.choice([0, 0.4], size=v)] = 0
    table[draw.random(table.shape) < draw.choice([0, 0.2], size=v)] = np.nan
    return draw, table


def orders_of(table):
    """Rows in the order of each column, missing values left out."""
    rows, v = table.shape
    place = np.full((rows, v), -1, np.int32)
    values = np.zeros((v, rows))
    for j in range(v):
        order = np.argsort(table[:, j], kind="stable")[: int((~np.isnan(table[:, j])).sum())]
        place[order, j] = np.arange(len(order))
        values[j, : len(order)] = table[order, j]
    return windows.Orders(values, np.zeros((v, 0), np.int32), place)


def random_spans(draw, place):
    """More than half of each order, sometimes a tenth, sometimes nothing."""
    spans = []
    for size in place.max(axis=0) + 1:
        width = int(size * draw.choice([0, 0.1, 0.6, 0.6, 0.6]))
        first = int(draw.integers(0, size - width + 1))
        spans.append([first, first + width])
    return np.array(spans, np.int32)


def counted(place, spans):
    """In how many spans each row lies."""
    return ((place >= spans[:, 0]) & (place < spans[:, 1])).sum(axis=1)


def rounded(spans, part):
    """Spans rounded out to whole parts."""
    wider = np.stack([spans[:, 0] // part * part, -(-spans[:, 1] // part) * part], axis=1)
    wider[spans[:, 0] == spans[:, 1]] = 0
    return wider


@pytest.mark.parametrize("v", range(1, 12))
def test_blocks_are_more_than_variables_that_may_disagree(v):
    for agree in range(1, v + 1):
        pairs = grids.blocks_of(v, agree)
        assert sorted({j for pair in pairs.tolist() for j in pair}) == list(range(v))
        assert len(pairs) > v - agree
        assert agree == 1 or (pairs[0] == [0, 1]).all()


@pytest.mark.parametrize("rows", [1, 254, 255, 256, 257, 510, 511, 512])
def test_the_row_at_the_last_place_is_given(rows):
    held = grids.grids_of(np.arange(rows, dtype=np.int32)[:, None], 1)
    spans = np.array([[rows - 1, rows]], np.int32)
    sieve = grids.sieve_for(held)
    grids.set_sieve(held, spans, sieve)
    assert rows - 1 in sieve.rows[: grids.rows_inside(held, 0, spans, sieve, 1)]


@few
@given(seed=SEEDS)
def test_a_block_gives_each_row_inside_that_may_lie_in_enough_spans_once(seed):
    draw, table = drawn(seed)
    place = orders_of(table).place
    v = table.shape[1]
    agree = int(draw.integers(1, v + 1))
    held, spans = grids.grids_of(place, agree), random_spans(draw, place)
    sieve = grids.sieve_for(held)
    grids.set_sieve(held, spans, sieve)
    wider = rounded(spans, held.part)
    for b, pair in enumerate(held.pairs):
        found = sieve.rows[: grids.rows_inside(held, b, spans, sieve, agree)].tolist()
        assert len(set(found)) == len(found)
        assert not found or (spans[pair, 0] < spans[pair, 1]).all()
        columns, needed = held.columns[b], agree - (v - held.columns.shape[1])
        enough = counted(place[:, columns], wider[columns]) >= needed
        asked = np.flatnonzero(enough & (counted(place[:, pair], spans[pair]) == 2))
        assert set(asked.tolist()) <= set(found)
        assert enough[found].all()


@few
@given(seed=SEEDS)
def test_a_row_inside_is_given_unless_it_lacks_as_many_steps_as_there_are_levels(seed):
    draw, table = drawn(seed)
    place = orders_of(table[:300]).place
    v = table.shape[1]
    agree, levels = int(draw.integers(1, v + 1)), 4
    held, spans = grids.grids_of(place, agree), random_spans(draw, place)
    sieve = grids.sieve_for(held)
    grids.set_sieve(held, spans, sieve)
    inner, taken = spans, []
    for _ in range(levels):
        grids.add_step(held, inner, sieve.steps)
        taken.append(rounded(inner, held.part))
        inner = np.sort(draw.integers(inner[:, :1], inner[:, 1:] + 1, size=(v, 2))).astype(np.int32)
    for b, pair in enumerate(held.pairs):
        found = sieve.rows[: grids.rows_inside(held, b, spans, sieve, agree, levels)].tolist()
        columns, needed = held.columns[b], agree - (v - held.columns.shape[1])
        steps = sum(counted(place[:, columns], one[columns]) for one in taken)
        enough = counted(place[:, columns], taken[0][columns]) >= needed
        enough &= levels * needed - steps < levels
        asked = np.flatnonzero(enough & (counted(place[:, pair], spans[pair]) == 2))
        assert set(asked.tolist()) <= set(found)
        assert enough[found].all()


@few
@given(seed=SEEDS)
def test_each_block_has_its_turn_once_that_with_less_to_read_first(seed):
    draw, table = drawn(seed)
    place = orders_of(table[:300]).place
    held = grids.grids_of(place, int(draw.integers(1, table.shape[1] + 1)))
    work, turn = np.empty((2, len(held.pairs)), np.int64)
    grids.by_work(held, random_spans(draw, place), work, turn)
    assert sorted(turn.tolist()) == list(range(len(turn)))
    assert (np.diff(work[turn]) >= 0).all()


@few
@given(seed=SEEDS)
def test_the_row_in_most_spans_is_found_in_grids(seed):
    draw, table = drawn(seed)
    orders = orders_of(table)
    v = table.shape[1]
    agree = int(draw.integers(1, v + 1))
    spans = np.stack([random_spans(draw, orders.place) for _ in range(5)])
    out = np.full((5, 3), 9)
    held = grids.grids_of(orders.place, agree)
    windows.count_in_grids(orders.place, held, spans, agree, out)
    for mine, (best, size, row) in zip(spans, out.tolist(), strict=True):
        counts = counted(orders.place, mine)
        if counts.max() < agree:
            assert (best, size, row) == (0, 0, -1)
        else:
            assert (best, size) == (counts.max(), (counts == counts.max()).sum())
            assert counts[row] == best


def plain_sums(table, values, agree):
    """The sum of the smallest differences of each row, None where too few are known."""
    sums = []
    for row in table:
        known = [
            trimmed.difference(x, y)
            for x, y in zip(row, values, strict=True)
            if not np.isnan(x) and not np.isnan(y)
        ]
        sums.append(sum(sorted(known)[:agree]) if len(known) >= agree else None)
    return sums


def assert_smallest_sums_are_found(table, values, agree):
    """For each released row the smallest sum, whether one row or more have it, one of these."""
    orders = orders_of(table)
    rows, v = table.shape
    ends = np.stack([np.zeros(v, np.int32), orders.place.max(axis=0) + 1], axis=1)
    blocks = np.where(np.isnan(values)[:, :, None], -1, ends).astype(np.int32)
    out = np.full((len(values), 3), 9)
    held = grids.grids_of(orders.place, agree)
    met = np.array([[0, rows]] * len(values), np.int32)
    asked = windows.Asked(np.nan_to_num(values), blocks)
    trimmed.nearest_trimmed(orders, np.nan_to_num(table), held, asked, met, agree, out)
    for mine, (least, size, row) in zip(values, out.tolist(), strict=True):
        sums = plain_sums(table, mine, agree)
        known = [one for one in sums if one is not None]
        if not known:
            assert (least, size, row) == (0, 0, -1)
        else:
            assert least == min(known)
            assert size == min(2, sums.count(least))
            assert sums[row] == least


@few
@given(seed=SEEDS)
def test_the_smallest_trimmed_sum_is_found_in_grids(seed):
    draw, table = drawn(seed)
    rows, v = table.shape
    agree = int(draw.integers(1, v + 1))
    values = table[draw.integers(0, rows, size=2)] * draw.choice([1, 0.98, 1.3, 5], size=(2, v))
    assert_smallest_sums_are_found(table, values, agree)


@few
@given(seed=SEEDS)
def test_sums_of_a_few_units_are_told_apart(seed):
    draw = np.random.default_rng(seed)
    rows, v = int(draw.integers(1, 12)), int(draw.integers(1, 4))
    table = trimmed.UNIT + draw.integers(0, 3, size=(rows, v)).astype(float)
    values = np.full((1, v), float(trimmed.UNIT))
    assert_smallest_sums_are_found(table, values, int(draw.integers(1, v + 1)))


def test_values_as_far_away_as_can_be_are_compared_too():
    assert_smallest_sums_are_found(np.array([[5.0]]), np.array([[0.0]]), 1)
    assert_smallest_sums_are_found(np.array([[5.0, 2.0], [5.0, 1.0]]), np.array([[0.0, 1.0]]), 2)


@pytest.mark.parametrize(
    ("held", "released"), [((np.nan, 1.0), (1.0, 1.0)), ((1.0, 1.0), (np.nan, 1.0))]
)
def test_nobody_is_nearest_where_too_few_values_can_be_compared(held, released):
    assert_smallest_sums_are_found(np.array([held, held]), np.array([released]), 2)
    assert_smallest_sums_are_found(np.array([held, held]), np.array([released]), 1)


@few
@given(
    y=st.floats(-1e300, 1e300),
    more=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30),
    reach=st.integers(0, trimmed.CAP - 1),
    part=st.integers(1, 9),
)
def test_a_span_in_parts_holds_every_value_within_reach(y, more, reach, part):
    values = np.sort(np.array([y + y * share * reach / trimmed.UNIT for share in more]))
    first, end = trimmed.span_of_parts(values, 0, len(values), y, reach, part)
    near = [i for i, x in enumerate(values) if trimmed.difference(x, y) <= reach]
    assert set(near) <= set(range(first, end))
    assert first >= 0
    assert end <= len(values)
