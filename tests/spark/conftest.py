"""One cluster and one session for all tests of Spark: they take seconds to start."""

import os

import pytest

from spark.cluster import Cluster, environment, settings, why_not


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    reason = why_not()
    if reason and os.environ.get("REIDENT_REQUIRE_SPARK") != "1":
        pytest.skip(f"{reason}: make test installs it where it may")
    with Cluster(tmp_path_factory.mktemp("cluster")) as own:
        yield own


@pytest.fixture(scope="session")
def session(cluster, tmp_path_factory):
    from pyspark.sql import SparkSession

    os.environ.update(environment())
    builder = SparkSession.builder.master(cluster.master)
    local = str(tmp_path_factory.mktemp("local"))
    for name, value in settings(**{"spark.local.dir": local}).items():
        builder = builder.config(name, value)
    own = builder.getOrCreate()
    yield own
    own.stop()
