"""What is known before any work is done: the seconds of a job and of those that follow it."""

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reident as ri
from reident.attacks.spread import Spread
from reident.engine.forecast import (
    FINER,
    LOADING,
    PLACES,
    ROUNDS,
    SECONDS,
    SHARE,
    SPARED,
    UNNOTICED,
    Forecasted,
    forecast,
    forecasting,
    held,
    laws,
    made,
    noting,
    slices,
)
from reident.engine.job import Tile
from reident.engine.local import local


@dataclass
class Clock:
    """A clock that moves only where work is done."""

    now: float = 0.0
    done: list[int] = field(default_factory=list)

    def job(self, *, rows, each, work=lambda _: 1, width=1, prepares=False):
        weights = np.array([work(row) for row in range(rows)], np.int64)

        def do(first, last):
            self.now += each * int(weights[first:last].sum())
            self.done.append(first)
            return first

        return Spread(how="job", rows=rows, width=width, do=do, weights=weights, prepares=prepares)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", lambda: clock.now)
    return clock


@dataclass(frozen=True)
class Leading(Spread):
    also: object = tuple


def leading(job, also):
    parts = {name: getattr(job, name) for name in ("how", "rows", "width", "do", "weights")}
    return Leading(**parts, also=lambda: also)


def test_jobs_that_follow_a_job_count_too(clock):
    fold = forecasting(1, 1)
    job = leading(clock.job(rows=100, each=0.01), [clock.job(rows=50, each=0.02)])
    with pytest.raises(Forecasted) as found:
        fold(job, "")
    assert found.value.forecast.seconds == pytest.approx(100 * 0.01 + 50 * 0.02)
    assert len(clock.done) < 20


def test_the_same_is_noted_before_a_run_which_then_goes_its_way(clock):
    told = []
    clock.now = 3.0
    fold = noting(local(1), 1, 1, told.append)
    before = clock.job(rows=3, each=1.0, prepares=True)
    assert list(fold(before, "")) == [0, 1, 2]
    assert told == []
    job = leading(clock.job(rows=100, each=0.01), [clock.job(rows=50, each=0.02)])
    clock.done.clear()
    assert list(fold(job, "attack")) == list(range(100))
    assert [one.seconds for one in told] == [pytest.approx(3.0 + 100 * 0.01 + 50 * 0.02)]
    # It was done in full all the same, after slices of both jobs had been timed.
    assert clock.done[-100:] == list(range(100))
    assert 100 < len(clock.done) < 120
    # What follows is part of what was told.
    assert list(fold(clock.job(rows=50, each=0.02), "")) == list(range(50))
    assert len(told) == 1


def test_a_second_search_of_an_attack_is_noted_too_but_nothing_beside_it(clock):
    """Records that found nobody among their own class search once more, by the same label."""
    told = []
    fold = noting(local(1), 1, 1, told.append)
    clock.now = 2.0
    assert len(list(fold(clock.job(rows=100, each=0.01), "attack"))) == 100
    assert list(fold(clock.job(rows=10, each=1.0), "")) == list(range(10))
    assert len(list(fold(clock.job(rows=100, each=0.02), "attack"))) == 100
    assert [one.seconds for one in told] == [pytest.approx(2.0 + 1.0), pytest.approx(2.0)]
    both = told[0].then(told[1])
    assert (both.seconds, both.left) == (pytest.approx(5.0), pytest.approx(3.0))
    assert both.work == 200


def test_what_is_left_is_the_tiles_alone(clock):
    """Kernels that were loaded for the forecast need not be loaded again."""
    job = clock.job(rows=100, each=0.01)
    sound = job.do

    def do(first, last):
        clock.now += 0.0 if clock.done else 0.5
        return sound(first, last)

    told = []
    clock.now = 2.0
    noting(local(1), 1, 1, told.append)(replace(job, do=do), "attack")
    (one,) = told
    assert (one.prepared, one.loading) == (pytest.approx(0.0), pytest.approx(0.5))
    assert one.seconds == pytest.approx(1.5)
    assert one.left == pytest.approx(1.0)


def rows_by(clock, cost, rows):
    """A job of one strip, whose rows cost so much together wherever they are."""

    def do(first, last):
        clock.now += cost(last - first)
        clock.done.append(last - first)
        return first

    return Spread(how="job", rows=rows, width=rows, do=do)


@pytest.mark.parametrize("power", [0.8, 0.9, 1.0])
@pytest.mark.parametrize("fixed", [0.0, 0.002])
def test_rows_that_share_what_they_look_up_cost_less_together(clock, power, fixed):
    """Whatever few rows cost alone, what many take is told within a factor of two."""
    rows = 50_000

    def cost(n):
        return fixed + 1e-4 * n**power

    with pytest.raises(Forecasted) as found:
        forecasting(1, 1)(rows_by(clock, cost, rows), "")
    assert 0.5 <= found.value.forecast.seconds / cost(rows) <= 2.0
    assert sum(clock.done) <= rows / SHARE * 1.5


def test_timing_ends_where_it_takes_a_part_of_what_is_expected(clock):
    """Slices that cost nearly as much as all of it are few."""
    with pytest.raises(Forecasted):
        forecasting(1, 1)(rows_by(clock, lambda n: 1.0 + 1e-6 * n, 10_000), "")
    assert len(clock.done) == 1 + PLACES
    clock.done.clear()
    with pytest.raises(Forecasted):
        forecasting(1, 1)(rows_by(clock, lambda n: 1e-6 * n, 10_000), "")
    assert len(clock.done) == 1 + ROUNDS * PLACES
    assert sum(clock.done) < 10_000 / SPARED


@given(st.floats(1e-7, 1.0), st.floats(0.3, 1.0), st.integers(2, 10**6))
def test_a_run_is_held_up_by_a_small_part_of_what_it_may_take(each, power, rows):
    """More than the first round is timed only within a part of what rows cost as few as there."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "perf_counter", lambda: clock.now)
        forecast(rows_by(clock, lambda n: each * n**power, rows), 1, 1, 0.0)
    smallest = clock.done[0]
    first = each * smallest**power
    most = max(UNNOTICED, first * rows / smallest / SPARED)
    assert clock.now <= (1 + PLACES) * first + min(SECONDS, most) * (1 + 1e-9)


@st.composite
def tiles_of_rows(draw):
    sizes = draw(st.lists(st.integers(1, 700), min_size=1, max_size=6))
    starts = [0, *accumulate(sizes)]
    return [
        Tile(k, k, first, first + size, 0, 9, draw(st.integers(1, 10**6)))
        for k, (first, size) in enumerate(zip(starts, sizes, strict=False))
    ]


@given(tiles_of_rows())
def test_slices_lie_in_their_tiles_with_their_part_of_the_work(tiles):
    rounds = slices(tiles)
    rows = tiles[-1].last
    assert rounds
    for own in chain(*rounds):
        whole = tiles[own.number]
        assert whole.first <= own.first < own.last <= whole.last
        share = (own.last - own.first) / (whole.last - whole.first)
        assert own.work == pytest.approx(max(1, whole.work * share), abs=0.51)
        assert own._replace(first=0, last=0, work=0) == whole._replace(first=0, last=0, work=0)
    if rows < SHARE * PLACES:
        singles = [own for (own,) in rounds]
        assert all(own.last - own.first == 1 for own in singles)
        assert all(more.work >= FINER * less.work for less, more in pairwise(singles))
        return
    assert len(rounds) <= ROUNDS
    assert {len(some) for some in rounds} == {PLACES}
    for less, more in pairwise(rounds):
        assert less != more
        for small, large in zip(less, more, strict=True):
            assert large.first <= small.first < small.last <= large.last
            assert large.last - large.first < 2 * FINER * (small.last - small.first)
    assert sum(own.last - own.first for own in rounds[-1]) <= rows / SHARE


@given(tiles_of_rows(), st.randoms(use_true_random=False))
def test_places_are_spread_over_the_work_where_rows_differ_in_it(tiles, draw):
    weights = np.array([draw.choice((0, 1, 50)) for _ in range(tiles[-1].last)], np.int64)
    weights[[tile.first for tile in tiles]] = 1
    tiles = [tile._replace(work=int(weights[tile.first : tile.last].sum())) for tile in tiles]
    rounds = slices(tiles, weights)
    for own in chain(*rounds):
        assert own.work == max(1, weights[own.first : own.last].sum())
    if len(weights) < SHARE * PLACES:
        return
    done = np.cumsum(weights)
    for k, own in enumerate(rounds[0]):
        middle = done[-1] * (2 * k + 1) // (2 * PLACES)
        before = done[own.first] - weights[own.first]
        assert before <= middle < done[own.last - 1]


@pytest.mark.parametrize("width", [100_000, 512])
def test_a_stratum_that_most_pairs_lie_in_is_timed_wherever_it_stands(clock, width):
    """Few rows of small strata would tell little of it."""
    job = clock.job(
        rows=100_000,
        width=width,
        each=1e-7,
        work=lambda row: 40_000 if 30_000 <= row < 70_000 else 10,
    )
    told = forecast(job, 1, 1, 0.0)
    assert told.seconds == pytest.approx(1e-7 * (40_000 * 40_000 + 10 * 60_000))


@given(st.integers(2, 60))
def test_few_rows_with_much_work_each_are_timed_from_the_least_on(rows):
    """Interactions by their first variable: the first has nearly all of them."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "perf_counter", lambda: clock.now)
        job = clock.job(rows=rows, each=1e-3, work=lambda row: 2 ** (rows - row))
        told = forecast(job, 1, 1, 0.0)
    whole = 1e-3 * (2 ** (rows + 1) - 2)
    assert told.seconds == pytest.approx(whole)
    assert clock.now <= 2 * 2e-3 + min(SECONDS, max(UNNOTICED, whole / SPARED))


@given(
    st.floats(1e-6, 1e3),
    st.floats(0.0, 1.0),
    st.integers(2, 50),
    st.integers(2, 1000),
)
def test_a_line_and_a_power_go_through_both_pieces(few, bend, finer, larger):
    small, large = (1.0, few), (float(finer), few * finer**bend)
    for piece in (small, large):
        assert laws(small, large, piece[0]) == pytest.approx((piece[1], piece[1]))
    line, power = laws(small, large, finer * larger)
    assert power <= line * (1 + 1e-9)
    assert power == pytest.approx(few * (finer * larger) ** bend)
    assert line == pytest.approx(
        large[1] + (finer * larger - finer) * (large[1] - few) / (finer - 1)
    )
    # Where rows share nothing both are proportional.
    assert laws((1.0, few), (2.0, 2 * few), 8.0) == pytest.approx((8 * few, 8 * few))
    # Two times that no law goes through: the larger piece decides.
    assert laws((1.0, few), (2.0, few / 2), 8.0) == pytest.approx((2 * few, 2 * few))
    assert laws((2.0, few), (2.0, 2 * few), 8.0) == pytest.approx((8 * few, 8 * few))


def test_the_manifest_holds_forecast_and_outcome_of_each_attack():
    draw = np.random.default_rng(4)

    def frame(key):
        numbers = {name: draw.integers(9, size=50) for name in ("age", "rent")}
        return pl.DataFrame({key: [str(k) for k in range(50)], "sex": ["a", "b"] * 25} | numbers)

    study = ri.Study(
        puf=ri.PublicFile(frame("p"), key="p"),
        eif=ri.IntruderFile(frame("e"), key="e"),
        variables=[ri.categorical("sex"), ri.numeric("age"), ri.numeric("rent")],
    )
    result = study.run(ri.Unicity(), ri.Taxicab(), ri.Euclidean(), ri.IdentifySort())
    told = result.manifest["forecast"]
    assert told["pairs"] == 2500
    assert list(told["attacks"]) == list(result.manifest["timings"]["attacks"])
    for label in ("unicity", "taxicab", "euclidean"):
        assert told["attacks"][label]["seconds"] > 0
        assert told["attacks"][label]["bytes"] > 0
    assert told["attacks"]["identify_sort"] == {"seconds": None, "bytes": None}


def test_a_second_search_is_announced_when_it_comes_and_added_in_the_manifest():
    """Half of the PUF has nobody in its class, and searches everybody."""
    draw = np.random.default_rng(5)

    def frame(key, other):
        return pl.DataFrame(
            {
                key: [str(k) for k in range(300)],
                "class": ["a", other] * 150,
                "income": draw.normal(size=300),
                "rent": draw.normal(size=300),
            }
        )

    study = ri.Study(
        puf=ri.PublicFile(frame("p", "b"), key="p"),
        eif=ri.IntruderFile(frame("e", "c"), key="e"),
        variables=[ri.categorical("class"), ri.numeric("income"), ri.numeric("rent")],
    )
    events = []
    result = study.run(ri.EUC2(), ri.Unicity(pairs="none"), watch=events.append)
    begun = {label: [] for label in result}
    for event in events:
        if event.seconds is not None:
            assert event.done == 0
            begun[event.label].append(event)
    assert [event.total for event in begun["euc2"]] == [150 * 150, 150 * 300]
    assert len(begun["unicity"]) == 1
    told = result.manifest["forecast"]["attacks"]["euc2"]
    assert told["seconds"] >= sum(event.seconds for event in begun["euc2"])


def test_tiles_count_by_their_work(clock):
    """Large tiles first: wherever slices are timed, they tell what all take."""
    job = clock.job(rows=40, each=0.001, work=lambda row: (40 - row) ** 2)
    with pytest.raises(Forecasted) as found:
        forecasting(2, 1)(job, "")
    working = found.value.forecast.seconds - found.value.forecast.loading
    assert working == pytest.approx(0.001 * sum(k * k for k in range(1, 41)) / 2)


def test_a_job_that_prepares_another_is_done_in_full(clock):
    fold = forecasting(1, 1)
    assert list(fold(clock.job(rows=30, each=0.1, prepares=True), "")) == list(range(30))
    with pytest.raises(Forecasted) as found:
        fold(clock.job(rows=10, each=0.1), "")
    assert found.value.forecast.seconds == pytest.approx(30 * 0.1 + 10 * 0.1)


def test_a_job_without_work_takes_no_time(clock):
    clock.now = 5.0
    with pytest.raises(Forecasted) as found:
        forecasting(1, 1)(clock.job(rows=0, each=1.0), "")
    assert found.value.forecast.seconds == 0.0


@pytest.mark.parametrize(("load", "counted"), [(0.6, 0.6), (40.0, LOADING)])
def test_loading_kernels_counts_once_and_compiling_them_does_not(clock, load, counted):
    job = clock.job(rows=100, each=0.01)
    sound = job.do

    def do(first, last):
        clock.now += 0 if clock.done else load
        return sound(first, last)

    with pytest.raises(Forecasted) as found:
        forecasting(2, 1)(replace(job, do=do), "")
    assert found.value.forecast.loading == pytest.approx(counted)
    assert found.value.forecast.seconds == pytest.approx(counted + 100 * 0.01 / 2)


def test_what_a_job_makes_of_its_arrays_is_told_apart_from_them():
    @dataclass(frozen=True)
    class Rows:
        codes: np.ndarray
        parts: tuple[np.ndarray, ...]

        @cached_property
        def wide(self):
            return self.codes.astype(np.int64)

    job = Rows(np.zeros(100, np.int8), (np.zeros(7), np.zeros(3)))
    assert (held(job), made(job)) == (180, 0)
    assert job.wide.nbytes == 800
    assert (held(job), made(job)) == (180, 800)
