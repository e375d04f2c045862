"""One cluster and one session for all tests of Spark: they take seconds to start."""

import os

import pytest

from spark.cluster import Cluster, environment, session_on, why_not

SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.quantile": "0.5",
}
"""Tasks that take longer than others are begun again elsewhere, and the faster one counts."""


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    reason = why_not()
    if reason and os.environ.get("REIDENT_REQUIRE_SPARK") != "1":
        pytest.skip(f"{reason}: make test installs it where it may")
    before = os.environ.copy()
    os.environ.update(environment())
    with Cluster(tmp_path_factory.mktemp("cluster"), sessions=2) as own:
        yield own
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def session(cluster, tmp_path_factory):
    folder = tmp_path_factory.mktemp("session")
    (folder / "events").mkdir()
    logged = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{folder}/events"}
    with session_on(cluster.master, folder, **logged, **SPECULATION) as own:
        yield own


@pytest.fixture
def knobs(cluster):
    """Turn knobs of the workers, and turn them back."""
    yield cluster.turn
    cluster.turn()
