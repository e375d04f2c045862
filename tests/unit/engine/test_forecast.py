"""What plan knows before any work is done: the seconds of a job and of those that follow it."""

import time
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pytest

from reident.attacks.spread import Spread
from reident.engine.forecast import LOADING, Forecast, forecasting, held, made


@dataclass
class Clock:
    """A clock that moves only where work is done."""

    now: float = 0.0
    done: list[int] = field(default_factory=list)

    def job(self, *, rows, each, work=lambda _: 1, prepares=False):
        def do(first, _):
            self.now += each * work(first)
            self.done.append(first)
            return first

        return Spread(how="job", rows=rows, width=1, do=do, work=work, prepares=prepares)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", lambda: clock.now)
    return clock


@dataclass(frozen=True)
class Leading(Spread):
    also: object = tuple


def leading(job, also):
    parts = {name: getattr(job, name) for name in ("how", "rows", "width", "do", "work")}
    return Leading(**parts, also=lambda: also)


def test_jobs_that_follow_a_job_count_too(clock):
    fold = forecasting(1, 1)
    job = leading(clock.job(rows=100, each=0.01), [clock.job(rows=50, each=0.02)])
    with pytest.raises(Forecast) as found:
        fold(job, "")
    assert found.value.seconds == pytest.approx(100 * 0.01 + 50 * 0.02)
    assert len(clock.done) < 20


def test_tiles_count_by_their_work(clock):
    """Large tiles first: five of them tell what all take."""
    job = clock.job(rows=40, each=0.001, work=lambda row: (40 - row) ** 2)
    with pytest.raises(Forecast) as found:
        forecasting(2, 1)(job, "")
    assert found.value.seconds == pytest.approx(0.001 * sum(k * k for k in range(1, 41)) / 2)


def test_a_job_that_prepares_another_is_done_in_full(clock):
    fold = forecasting(1, 1)
    assert list(fold(clock.job(rows=30, each=0.1, prepares=True), "")) == list(range(30))
    with pytest.raises(Forecast) as found:
        fold(clock.job(rows=10, each=0.1), "")
    assert found.value.seconds == pytest.approx(30 * 0.1 + 10 * 0.1)


def test_a_job_without_work_takes_no_time(clock):
    clock.now = 5.0
    with pytest.raises(Forecast) as found:
        forecasting(1, 1)(clock.job(rows=0, each=1.0), "")
    assert found.value.seconds == 0.0


@pytest.mark.parametrize(("load", "counted"), [(0.6, 0.6), (40.0, LOADING)])
def test_loading_kernels_counts_once_and_compiling_them_does_not(clock, load, counted):
    job = clock.job(rows=100, each=0.01)
    sound = job.do

    def do(first, last):
        clock.now += 0 if clock.done else load
        return sound(first, last)

    with pytest.raises(Forecast) as found:
        forecasting(2, 1)(replace(job, do=do), "")
    assert found.value.loading == pytest.approx(counted)
    assert found.value.seconds == pytest.approx(counted + 100 * 0.01 / 2)


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
