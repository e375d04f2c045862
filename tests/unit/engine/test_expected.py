"""What an attack is expected to take when its first tile is done."""

import time

import numpy as np
import polars as pl
import pytest

import reident as ri
from reident.attacks.spread import Spread, together
from reident.engine.expected import Expected
from reident.engine.local import local


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return now


def listened(expected, jobs=1):
    return expected.listening(local(jobs, watch=expected.watch))


def waiting(clock, seconds, rows=10):
    """A job whose rows take so long each."""

    def do(first, last):
        clock[0] += seconds * (last - first)
        return np.zeros(3)

    return Spread(how="job", rows=rows, width=1, do=do)


def test_the_first_tile_tells_of_all_and_what_came_before_counts(clock):
    seen = []
    expected = Expected(1, seen.append)
    expected.begin()
    assert expected.told() == {"seconds": None, "bytes": None}
    together(listened(expected), lambda: clock.__setitem__(0, 4.0))
    assert expected.told() == {"seconds": None, "bytes": None}
    fold = listened(expected)
    list(fold(waiting(clock, 0.5), "attack"))
    assert expected.told()["seconds"] == pytest.approx(4.0 + 10 * 0.5)
    # A job that follows adds what its own first tile says.
    list(fold(waiting(clock, 2.0, rows=3), "attack"))
    assert expected.told()["seconds"] == pytest.approx(4.0 + 10 * 0.5 + 3 * 2.0)
    assert [event.done for event in seen] == [*range(1, 11), 1, 2, 3]
    expected.begin()
    assert expected.told() == {"seconds": None, "bytes": None}


def test_what_other_threads_do_meanwhile_counts(clock):
    expected = Expected(4, None)
    expected.begin()
    list(listened(expected)(waiting(clock, 1.0, rows=8), "attack"))
    assert expected.told()["seconds"] == pytest.approx(2.0)
    list(listened(expected)(waiting(clock, 1.0, rows=2), "attack"))
    assert expected.told()["seconds"] == pytest.approx(2.0 + 1.0)


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
