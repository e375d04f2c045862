"""The nearest rows: boxes, blocks and short floats lose nobody, rational numbers decide."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.attacks import nearest
from reident.attacks.nearest import Measure, distances, nearest_rows
from reident.attacks.one_sa import nearest_numbers
from reident.attacks.sums import same_places
from reident.attacks.ties import guesses
from reident.engine.local import local
from reident.kernels import nearest as kernel
from reident.model.truth import truth_of

SAME = np.zeros(1, np.int64)


def measured(puf, eif):
    both = np.concatenate([puf, eif])
    scale = int(np.frexp(np.nanmax(np.abs(both), initial=0))[1])
    v = puf.shape[1]
    return Measure(puf, eif, np.ones(v), np.zeros(v, np.int64), np.full(v, scale))


def plain(puf, eif, mine, theirs):
    """For each point all rows of its group at the least distance, by rational numbers."""
    out = []
    for point, group in zip(puf.tolist(), mine.tolist(), strict=True):
        squares = {}
        for place, (row, other) in enumerate(zip(eif.tolist(), theirs.tolist(), strict=True)):
            parts = [
                (Fraction(a) - Fraction(b)) ** 2
                for a, b in zip(point, row, strict=True)
                if not math.isnan(a) and not math.isnan(b)
            ]
            if group == other and parts:
                squares[place] = sum(parts) * Fraction(len(point), len(parts))
        best = min(squares.values(), default=None)
        out.append({place for place, square in squares.items() if square == best})
    return out


def found(ties):
    """The tie groups of all points; nobody is in one twice."""
    groups = [set() for _ in ties.puf]
    links = list(zip(ties.left.tolist(), ties.right.tolist(), strict=True))
    assert len(set(links)) == len(links)
    for left, right in links:
        for point in np.flatnonzero(ties.puf == left).tolist():
            groups[point] |= set(np.flatnonzero(ties.eif == right).tolist())
    return groups


numbers = st.sampled_from([0.0, 1.0, 2.0, 0.1, 0.2, 0.3, -1.5, 1e-160, 1e150, math.nan])


@settings(max_examples=60)
@given(data=st.data(), v=st.integers(2, 5), n=st.integers(1, 6), m=st.integers(1, 30))
def test_nearest_rows_are_the_nearest(data, v, n, m):
    draw = st.lists(st.lists(numbers, min_size=v, max_size=v), min_size=n, max_size=n)
    puf = np.array(data.draw(draw))
    eif = np.array(
        data.draw(st.lists(st.lists(numbers, min_size=v, max_size=v), min_size=m, max_size=m))
    )
    mine = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    theirs = np.array(data.draw(st.lists(st.integers(0, 2), min_size=m, max_size=m)))
    ties = nearest_rows(measured(puf, eif), (mine, theirs), local(budget=2), "test")
    assert found(ties) == plain(puf, eif, mine, theirs)


@pytest.mark.parametrize("kind", ["whole", "decimal", "gaps", "far"])
def test_boxes_and_blocks_lose_nobody(kind):
    """Rows enough for many leaves: what is found is what meeting every row finds."""
    stream = np.random.default_rng(5)
    eif = stream.integers(0, 9, (1500, 6)).astype(float)
    puf = eif[stream.integers(0, 1500, 20)] + stream.integers(-1, 2, (20, 6))
    if kind != "whole":
        eif, puf = eif * 0.1 + stream.normal(size=eif.shape) * (kind == "far"), puf * 0.1
    if kind == "far":
        eif[:, 0] += 1e7
        puf[:, 0] += 1e7
    if kind == "gaps":
        eif[stream.random(eif.shape) < 0.05] = np.nan
        puf[stream.random(puf.shape) < 0.05] = np.nan
    groups = np.zeros(20, np.int64), np.zeros(1500, np.int64)
    ties = nearest_rows(measured(puf, eif), groups, local(), "test")
    assert found(ties) == plain(puf, eif, *groups)


@pytest.mark.parametrize("v", range(1, 7))
def test_what_fills_up_the_block_of_a_group_is_nobody(v):
    """Groups of rows that are enough for a block, and not for a whole one."""
    stream = np.random.default_rng(v)
    puf, eif = stream.normal(size=(3, v)), stream.normal(size=(90, v))
    groups = np.arange(3), np.arange(90) % 3
    ties = nearest_rows(measured(puf, eif), groups, local(), "test")
    assert found(ties) == plain(puf, eif, *groups)


@pytest.mark.parametrize("v", range(1, 5))
def test_rows_that_short_floats_hardly_tell_apart_are_measured(v):
    """One row is so far away that all others round to almost the same."""
    stream = np.random.default_rng(v)
    puf, eif = stream.normal(size=(9, v)), stream.normal(size=(60, v))
    eif[0] = 1e6
    groups = np.zeros(9, np.int64), np.zeros(60, np.int64)
    ties = nearest_rows(measured(puf, eif), groups, local(), "test")
    assert found(ties) == plain(puf, eif, *groups)


def test_rows_whose_squares_no_float_can_hold_are_told_apart_once():
    """Numbers in units of the PUF may be large in the EIF; each group has such rows alone."""
    puf = np.array([[0.0, 1.0], [1.0, 0.0]])
    eif = np.array([[1e250, 0.0], [-2e250, 0.0], [3e250, 1.0], [2e250, 1.0]])
    groups = np.array([0, 1]), np.array([0, 0, 1, 1])
    nothing = np.zeros(2, np.int64)
    ties = nearest_rows(Measure(puf, eif, np.ones(2), nothing, nothing), groups, local(), "test")
    assert found(ties) == plain(puf, eif, *groups) == [{0}, {3}]


def test_all_leaves_of_rows_that_lack_a_number_are_looked_into():
    """Their boxes keep nobody away, and there are more of them than a point looks into first."""
    stream = np.random.default_rng(1)
    puf, eif = stream.normal(size=(3, 2)), stream.normal(size=(1500, 2))
    groups = np.array([0, 1, 1]), (np.arange(1500) >= 300).astype(np.int64)
    eif[300:, 1] = np.nan
    ties = nearest_rows(measured(puf, eif), groups, local(), "test")
    assert found(ties) == plain(puf, eif, *groups)


def test_a_crowd_of_equally_near_rows_is_found_whole():
    """More rows at one distance than are kept for a point."""
    rows = np.array([[a, b] for a in (-5.0, 5.0) for b in (-12.0, 12.0)])
    rows = np.concatenate(
        [rows, rows[:, ::-1], [[13.0, 0.0], [0.0, 13.0], [-13.0, 0.0], [20.0, 1.0]]]
    )
    assert len(rows) - 1 > kernel.KEEP
    groups = np.zeros(1, np.int64), np.zeros(len(rows), np.int64)
    ties = nearest_rows(measured(np.zeros((1, 2)), rows), groups, local(), "test")
    assert found(ties) == [set(range(len(rows) - 1))]


def test_a_nearer_row_after_a_crowd_stands_alone():
    near = kernel.nobody(1)
    for row in range(kernel.KEEP + 3):
        kernel.keep(near, 0, row, 4.0)
    assert near.size[0] == kernel.KEEP + 1
    kernel.keep(near, 0, 99, 1.0)
    assert (near.size[0], near.rows[0, 0], near.best[0]) == (1, 99, 1.0)


def test_a_square_as_near_but_for_rounding_is_kept():
    near = kernel.nobody(1)
    for row, square in ((1, 1.0 + 1e-13), (2, 1.0), (3, 1.0 + 1e-13), (4, 1.5)):
        if square <= kernel.limit_of(near.best[0]):
            kernel.keep(near, 0, row, square)
    assert sorted(near.rows[0, : near.size[0]].tolist()) == [1, 2, 3]


def test_what_a_nearer_square_leaves_behind_is_dropped_and_a_crowd_stays_one():
    """Kept within rounding of the best: the new best may leave out some of them, and not others."""
    near = kernel.nobody(1)
    close = kernel.limit_of(1.0) - 1.0
    for row, square in ((1, 1.0), (2, 1.0 + close * 0.9), (3, 1.0 - close * 0.5)):
        kernel.keep(near, 0, row, square)
    assert near.rows[0, : near.size[0]].tolist() == [1, 3]
    for row in range(4, 4 + kernel.KEEP):
        kernel.keep(near, 0, row, 1.0 - close * 0.5)
    assert near.size[0] == kernel.KEEP + 1
    kernel.keep(near, 0, 99, 1.0 - close * 0.7)
    assert near.size[0] == kernel.KEEP + 1


def test_nothing_in_common_is_no_candidate():
    nan = math.nan
    puf, eif = np.array([[1.0, nan]]), np.array([[nan, 5.0], [nan, nan]])
    ties = nearest_rows(measured(puf, eif), (SAME, np.zeros(2, np.int64)), local(), "test")
    assert found(ties) == [set()]


def test_a_missing_number_rescales_the_distance():
    """1 apart on one of two SAs is as far as 1 apart on both."""
    puf, eif = np.array([[0.0, 0.0]]), np.array([[1.0, math.nan], [1.0, 1.0], [2.0, math.nan]])
    ties = nearest_rows(measured(puf, eif), (SAME, np.zeros(3, np.int64)), local(), "test")
    assert found(ties) == [{0, 1}]
    shown = distances(measured(puf, eif), np.array([0, 0]), np.array([0, 1]))
    assert shown.tolist() == [math.sqrt(2), math.sqrt(2)]


@settings(max_examples=60)
@given(
    puf=st.lists(numbers, min_size=1, max_size=6),
    eif=st.lists(numbers, min_size=1, max_size=12),
)
def test_nearest_numbers_are_the_nearest(puf, eif):
    mine, theirs = np.zeros(len(puf), np.int64), np.zeros(len(eif), np.int64)
    ties = nearest_numbers(np.array(puf), np.array(eif), (mine, theirs))
    table = np.array(puf).reshape(-1, 1), np.array(eif).reshape(-1, 1)
    assert found(ties) == plain(*table, mine, theirs)


def test_differences_that_only_rounding_makes_equal_do_not_tie():
    """1 - 2**-60 rounds to 1, as far as 2 is; and yet it is nearer."""
    ties = nearest_numbers(
        np.array([1.0]), np.array([2.0**-60, 2.0]), (SAME, np.zeros(2, np.int64))
    )
    assert found(ties) == [{0}]


def test_sums_that_only_rounding_makes_equal_do_not_tie():
    puf = np.array([[1e16, 1.0, -1e16], [1.0, 2.0**-60, 0.0], [1.0, 0.0, 0.0]])
    eif = np.array([[3.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    groups = np.zeros(3, np.int64), np.zeros(3, np.int64)
    assert found(same_places(puf, eif, groups)) == [{1, 2}, {0}, {1, 2}]


def test_chances_add_up_to_one_where_there_is_a_place_for_each():
    stream = np.random.default_rng(3)
    puf, eif = (stream.integers(0, 4, (20, 2)).astype(float) for _ in range(2))
    groups = np.zeros(20, np.int64), np.zeros(20, np.int64)
    everybody = truth_of(
        np.repeat(np.arange(20), 20), np.tile(np.arange(20), 20),
        unknown_puf=0, unknown_eif=0, eif_records=20,
    )  # fmt: skip
    for ties in (
        same_places(puf, eif, groups),
        nearest_rows(measured(puf, eif), groups, local(), ""),
    ):
        chances = guesses(ties, everybody).truth_chance.reshape(20, 20)
        assert chances.sum(axis=1) == pytest.approx(np.ones(20))


def test_whole_numbers_are_decided_without_fractions(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr(nearest, "_rationals", never)
    puf, eif = np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [5.0, 0.0], [4.0, 4.0]])
    ties = nearest_rows(measured(puf, eif), (SAME, np.zeros(3, np.int64)), local(), "test")
    assert found(ties) == [{0, 1}]


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(*[numbers] * 3), min_size=1, max_size=7),
    weight=st.tuples(*[st.sampled_from([1.0, 0.5, 4.0])] * 3),
    data=st.data(),
)
def test_rows_are_cut_across_the_variable_they_lie_farthest_apart_on(rows, weight, data):
    own = data.draw(st.lists(st.sampled_from(range(len(rows))), min_size=1, unique=True))
    wide = []
    for j in range(3):
        held = [rows[place][j] for place in own if not math.isnan(rows[place][j])]
        wide.append((max(held) - min(held)) ** 2 * weight[j] if held else 0.0)
    table = np.array(rows)
    found = kernel.widest(table, np.array(own), np.array(weight))
    assert found == wide.index(max(wide))
    corners = np.array([[0.0, 0.0], [1.0, 2.0]])
    assert kernel.widest(corners, np.arange(2), np.array([9.0, 1.0])) == 0
    assert kernel.widest(corners, np.arange(2), np.array([1.0, 1.0])) == 1


def test_records_that_the_last_number_tells_apart_are_cells_of_their_own():
    """Few distinct numbers: no column but all together tell the records apart."""
    table = np.array(np.meshgrid([0.0, 1.0, math.nan], [5.0, 6.0], [7.0, 8.0])).reshape(3, -1).T
    rows = np.concatenate([table, table[:4]])
    ties = nearest_rows(measured(rows, rows), (np.zeros(16, np.int64),) * 2, local(1), "x")
    assert len(np.unique(ties.puf)) == 12
    assert ties.puf[12:].tolist() == ties.puf[:4].tolist()
    alone = (np.arange(16) // 12,) * 2  # the copies stand in a group of their own
    assert len(np.unique(nearest_rows(measured(rows, rows), alone, local(1), "x").puf)) == 16
