"""Windows, relative differences and stepwise candidates against plain loops."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reident.kernels import groups, stepwise, trimmed, windows

few = settings(max_examples=40)
VALUES = st.lists(st.integers(-8, 8).map(float), min_size=1, max_size=25).map(sorted)


@few
@given(
    values=VALUES,
    beside=st.lists(st.integers(-9, 9).map(float), max_size=4),
    y=st.integers(-9, 9),
    count=st.integers(1, 6),
    reach=st.integers(0, 5),
)
@example(values=[0.0, 3.0], beside=[], y=1, count=1, reach=0)
def test_spans_hold_what_is_near_with_ties(values, beside, y, count, reach):
    places = np.array([*beside, *values, *beside])
    begin, end = len(beside), len(beside) + len(values)
    away = abs(places - y)
    first, last = windows.span_within(places, begin, end, float(y), float(reach))
    assert [i for i in range(begin, end) if away[i] <= reach] == list(range(first, last))
    farthest = sorted(away[begin:end])[min(count, len(values)) - 1]
    first, last = windows.span_of_nearest(places, begin, end, float(y), count)
    assert [i for i in range(begin, end) if away[i] <= farthest] == list(range(first, last))


def orders_of(table):
    """The rows of a table in the order of each column."""
    rows = np.argsort(table, axis=0, kind="stable").T.astype(np.int32)
    place = np.empty(table.shape, np.int32)
    for j, order in enumerate(rows):
        place[order, j] = np.arange(len(table))
    return windows.Orders(np.sort(table, axis=0).T.copy(), rows.copy(), place)


@few
@given(seed=st.integers(0, 2**32 - 1))
def test_the_row_in_most_spans_is_found_in_lists(seed):
    draw = np.random.default_rng(seed)
    rows, v = int(draw.integers(1, 40)), int(draw.integers(1, 6))
    orders = orders_of(draw.integers(0, 12, size=(rows, v)).astype(float))
    spans = np.sort(draw.integers(0, rows + 1, size=(v, 2)), axis=1).astype(np.int32)
    out = np.zeros((1, 1, 3), np.int64)
    windows.count_windows(orders, spans[None], np.array([v]), 1, out)
    counts = ((orders.place >= spans[:, 0]) & (orders.place < spans[:, 1])).sum(axis=1)
    best = counts.max()
    best_rows = np.flatnonzero(counts == best)
    if not best:
        assert out[0, 0].tolist() == [0, 0, -1]
    else:
        assert out[0, 0, :2].tolist() == [best, len(best_rows)]
        assert out[0, 0, 2] in best_rows


@few
@given(x=st.floats(-1e9, 1e9), more=st.floats(0, 1e9), y=st.floats(-1e6, 1e6))
def test_a_relative_difference_grows_with_the_distance(x, more, y):
    away = more if x >= y else -more
    assert trimmed.difference(x, y) <= trimmed.difference(x + away, y) <= trimmed.CAP


@pytest.mark.parametrize(
    ("x", "y", "units"),
    [
        (3.0, 2.0, trimmed.UNIT // 2),
        (2.0, 2.0, 0),
        (0.0, 0.0, 0),
        (1e-9, 0.0, trimmed.CAP),
        (-2.0, 2.0, 2 * trimmed.UNIT),
        (1e9, 1.0, trimmed.CAP),
    ],
)
def test_relative_differences_in_units(x, y, units):
    assert trimmed.difference(x, y) == units


def test_a_value_of_another_state_is_as_far_away_as_can_be():
    blocks = np.array([[0, 3], [0, 3], [-1, -1]], np.int32)
    numbers, values = np.array([3.0, 2.0, 1.0]), np.array([2.0, 2.0, 1.0])
    units = np.full(3, 3 * trimmed.CAP)
    for place, agree, least in (
        ((0, 2, 0), 2, trimmed.UNIT // 2),
        ((0, 3, 0), 1, trimmed.UNIT // 2),
        ((0, 3, 0), 2, trimmed.UNIT // 2 + trimmed.CAP),
        ((0, -1, 0), 2, -1),
    ):
        where = np.array(place, np.int32)
        assert trimmed.trimmed_sum(numbers, where, values, blocks, agree, units) == least


def two_states():
    """Two spans of candidates: the first has numbers, the second a state of its own."""
    states = np.array([[0, 0, 1, 1]], np.int32)
    values = np.array([[1.0, 2.0, 1.0, 5.0]])
    return stepwise.Sorted(np.array([7, 6, 5, 4], np.int32), states, values)


@pytest.mark.parametrize(
    ("state", "value", "left"),
    [
        (0, 1.6, [[1, 2]]),
        (0, 1.5, [[0, 1], [1, 2]]),
        (0, 9.0, [[1, 2]]),
        (1, 0.0, [[2, 3]]),
        (-1, 1.0, [[0, 1], [1, 2], [2, 3], [3, 4]]),
        (2, 1.0, [[0, 1], [1, 2], [2, 3], [3, 4]]),
    ],
)
def test_a_variable_leaves_the_nearest_of_its_state_or_all(state, value, left):
    spans, out = np.array([[0, 2], [2, 4]], np.int32), np.zeros((4, 2), np.int32)
    count = stepwise.narrow(two_states(), 0, state, value, spans, 2, out)
    assert out[:count].tolist() == left


def test_the_first_variable_takes_the_nearest_numbers_or_all_of_a_state():
    blocks = np.array([[0, 2], [2, 4], [-1, -1]], np.int32)
    values, states = np.array([[1.9], [0.0], [0.0]]), np.array([[0], [1], [-1]], np.int32)
    out = np.zeros((3, 1, 2), np.int64)
    stepwise.nearest_stepwise(two_states(), values, states, blocks, 1, out)
    assert out.tolist() == [[[1, 6]], [[2, 5]], [[0, -1]]]


@few
@given(codes=st.lists(st.integers(0, 3), min_size=1, max_size=60).map(sorted))
def test_runs_of_equal_values_are_cut_where_the_value_changes(codes):
    states = np.array([[code // 2 for code in codes]], np.int32)
    values = np.array([[float(code) for code in codes]])
    table = stepwise.Sorted(np.arange(len(codes), dtype=np.int32), states, values)
    spans = np.empty((len(codes), 2), np.int32)
    count = stepwise.cut_runs(table, 0, 0, len(codes), spans, 0)
    expected = [(codes.index(code), len(codes) - codes[::-1].index(code)) for code in set(codes)]
    assert [tuple(span) for span in spans[:count].tolist()] == sorted(expected)


@few
@given(
    points=st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=30),
    k=st.integers(1, 3),
)
def test_the_nearest_points_are_the_first_of_the_nearest(points, k):
    table = np.array(points, float)
    target = table[0]
    held = np.empty(k, np.int64)
    groups.nearest(table, len(table), target, k, held)
    distances = ((table - target) ** 2).sum(axis=1)
    assert held.tolist() == np.argsort(distances, kind="stable")[:k].tolist()
