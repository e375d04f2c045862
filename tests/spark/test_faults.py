"""What goes wrong on a cluster: workers are lost or differ, runs are stopped, nothing is there."""

import os
import stat

import numpy as np
import polars as pl
import pytest

import reident as ri
from laws.test_running import as_bytes
from reident.attacks import index
from reident.engine import spark
from reident.engine.checkpoint import Checkpoints
from reident.io.intake import take_in
from reident.run import run

pytestmark = pytest.mark.xdist_group("spark")
GROUPS = 48
"""Six waves on two cores."""
BUDGET = 10
"""Pairs a tile: strips of ten records, and every tile a column of one."""
CANARY = "CANARYBIRD"


def small_study(records=120):
    """Taxicab alone: many tiles, and nothing else to do."""
    puf = pl.DataFrame(
        {"id": [f"{CANARY}p{i}" for i in range(records)]}
        | {f"v{j}": [f"{CANARY}{i * (j + 3) % 7}" for i in range(records)] for j in range(6)}
    )
    return ri.Study(
        puf=ri.PublicFile(puf, key="id"),
        eif=ri.IntruderFile(puf.rename({"id": "number"}), key="number"),
        variables=[ri.categorical(f"v{j}") for j in range(6)],
        attacks={"taxicab": ri.Taxicab(keep=50)},
    )


def on_cluster(study, session, folder, **how):
    engine = ri.Spark(session, shared=folder, partitions=GROUPS)
    return run(study, take_in(study), budget=BUDGET, engine=engine, **how)


class Watch:
    """Do something once, when so much of the work is done."""

    def __init__(self, share, action):
        self.share, self.action, self.events = share, action, []

    def __call__(self, event):
        self.events.append(event)
        if self.action is not None and event.done >= self.share * event.total:
            action, self.action = self.action, None
            action()


def test_a_worker_that_is_killed_changes_nothing(cluster, session, knobs, tmp_path):
    study = small_study()
    here = run(study, take_in(study), budget=BUDGET)
    knobs(sleep=0.4)
    watch = Watch(0.3, cluster.kill_worker)
    result = on_cluster(study, session, tmp_path, watch=watch)
    assert as_bytes(result) == as_bytes(here)
    assert watch.action is None
    assert 0.3 <= next(e.done / e.total for e in watch.events if e.done >= 0.3 * e.total) <= 0.7
    # Every tile was entered once, and those that were under way have been done again.
    assert result.manifest["ledger"] == here.manifest["ledger"]
    assert watch.events[-1].done == watch.events[-1].total == 120 * 120
    retried = result.manifest["retried_tiles"]["taxicab"]
    assert retried
    assert len(set(retried)) == len(retried)
    cluster.add_worker()


def test_a_run_that_is_stopped_goes_on_on_either_engine(session, knobs, tmp_path):
    study = small_study()
    expected = as_bytes(run(study, take_in(study), budget=BUDGET))
    kept, shared = tmp_path / "kept", tmp_path / "shared"
    kept.mkdir()
    shared.mkdir()

    def stop():
        raise KeyboardInterrupt

    knobs(sleep=0.1)
    with pytest.raises(KeyboardInterrupt), Checkpoints(kept, 0.0) as keep:
        on_cluster(study, session, shared, watch=Watch(0.4, stop), keep=keep)
    assert not list(shared.iterdir())
    assert not session.sparkContext.statusTracker().getActiveJobsIds()
    knobs()
    for engine in (None, ri.Spark(session, shared=shared, partitions=5)):
        watch = Watch(1.0, None)
        with Checkpoints(kept, 0.0) as keep:
            result = run(
                study, take_in(study), budget=BUDGET, keep=keep, watch=watch, engine=engine
            )
        assert as_bytes(result) == expected
        # What was done before is told first, in whole strips, and not done again; on this machine
        # a forecast comes before it.
        first = next(event for event in watch.events if event.seconds is None)
        assert first.done == 10 * 120
        assert (watch.events[0].seconds is None) == (engine is not None)
    assert len(list(kept.glob("*.parts"))) == 12


def test_what_a_run_has_kept_here_goes_on_there(session, tmp_path):
    study = small_study()
    expected = as_bytes(run(study, take_in(study), budget=BUDGET))

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Checkpoints(tmp_path, 0.0) as keep:
        run(study, take_in(study), budget=BUDGET, keep=keep, watch=Watch(0.5, stop))
    watch = Watch(1.0, None)
    with Checkpoints(tmp_path, 0.0) as keep:
        assert as_bytes(on_cluster(study, session, tmp_path, keep=keep, watch=watch)) == expected
    assert watch.events[-1].done == watch.events[-1].total


def distinct_study(records=240):
    """Records that are hardly ever alike, so that an index has as many rows."""
    draw = np.random.default_rng(3)
    frames = [
        pl.DataFrame(
            {"id": [f"{CANARY}{i}" for i in range(records)]}
            | {f"v{j}": draw.integers(5, size=records).astype(str) for j in range(7)}
        )
        for _ in range(2)
    ]
    return ri.Study(
        puf=ri.PublicFile(frames[0], key="id"),
        eif=ri.IntruderFile(frames[1], key="id"),
        variables=[ri.categorical(f"v{j}") for j in range(7)],
        attacks={"taxicab": ri.Taxicab()},
    )


@pytest.mark.parametrize("begun", ["here", "there"])
def test_an_index_that_a_worker_made_goes_on_on_either_engine(
    session, tmp_path, monkeypatch, begun
):
    monkeypatch.setattr(index, "WORTHWHILE", 0)
    study = distinct_study()
    expected = as_bytes(run(study, take_in(study), budget=BUDGET))
    kept, shared = tmp_path / "kept", tmp_path / "shared"
    kept.mkdir()
    shared.mkdir()
    engines = {"here": None, "there": ri.Spark(session, shared=shared, partitions=5)}

    def stop():
        raise KeyboardInterrupt

    def go_on(name, watch):
        with Checkpoints(kept, 0.0) as keep:
            files = take_in(study)
            return run(study, files, budget=BUDGET, keep=keep, watch=watch, engine=engines[name])

    with pytest.raises(KeyboardInterrupt):
        go_on(begun, Watch(0.3, stop))
    done = len(list(kept.glob("*.parts")))
    assert 0 < done < 24
    for name in engines:
        result = go_on(name, None)
        assert as_bytes(result) == expected
        assert result.manifest["methods"] == {"taxicab": "index"}
    # The second of them found everything, and neither did again what had been done.
    assert len(list(kept.glob("*.parts"))) == 24
    assert not list(shared.iterdir())


def test_a_machine_that_computes_otherwise_is_refused(session, knobs, tmp_path):
    knobs(differ=True)
    with pytest.raises(ri.ClusterError, match="computes tanh otherwise"):
        on_cluster(small_study(), session, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_error_of_a_worker_tells_its_kind_and_no_value(session, knobs, tmp_path):
    knobs(fail=CANARY)
    with pytest.raises(ri.ClusterError, match="gave up") as error:
        on_cluster(small_study(30), session, tmp_path)
    assert error.value.__cause__ is None
    assert CANARY not in str(error.value)


def test_a_folder_that_workers_do_not_see_is_told(session, tmp_path, monkeypatch):
    def hidden(folder, *rest):
        errand = dispatch(folder, *rest)
        (folder / "own.job").unlink()
        return errand

    dispatch = spark.dispatch
    monkeypatch.setattr(spark, "dispatch", hidden)
    with pytest.raises(ri.ClusterError, match="does not see the folder"):
        on_cluster(small_study(30), session, tmp_path)


def test_work_in_progress_is_private_and_goes_at_the_end(session, tmp_path):
    modes = {}

    def look():
        for path in tmp_path.rglob("*"):
            modes[path.suffix or "folder"] = stat.S_IMODE(path.stat().st_mode)

    before = os.umask(0)
    try:
        on_cluster(small_study(), session, tmp_path, watch=Watch(0.1, look))
    finally:
        os.umask(before)
    assert modes == {"folder": 0o700, ".job": 0o600, ".tiles": 0o600}
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("session")
def test_no_value_is_in_a_log_or_a_plan(cluster, tmp_path_factory):
    """Runs last: the logs of workers and of events hold all that these tests have done."""
    homes = [cluster.folder, tmp_path_factory.getbasetemp() / "session0" / "events"]
    seen = 0
    for path in (path for home in homes for path in home.rglob("*") if path.is_file()):
        seen += 1
        assert CANARY.encode() not in path.read_bytes(), path
    assert seen > 5
