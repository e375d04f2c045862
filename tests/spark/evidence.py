"""Many studies on a cluster, each compared byte by byte with the engine of one machine.

PYTHONPATH=tests .venv/bin/python -m spark.evidence          100 random studies (make spark)
PYTHONPATH=tests .venv/bin/python -m spark.evidence 10
"""

import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import reident as ri
from laws.test_running import as_bytes
from real.conftest import DATA
from reident.attacks import index, unicity
from reident.engine import spark
from reident.io.intake import take_in
from reident.run import run
from spark.cluster import Cluster, environment, session_on
from spark.real_studies import ahs, nist_acs
from strategies import large_case

PARTITIONS = (1, 2, 7, 64)
SEEN = Counter()


def counted(way, job, label):
    """Note which jobs went to the cluster."""
    SEEN[f"{type(job).__name__}, {job.how}"] += 1
    return FOLDED(way, job, label)


FOLDED, spark._folded = spark._folded, counted


def compared(name, study, session, folder, budget):
    """Run a study on both engines; every byte must be the same."""
    start = time.perf_counter()
    taken = take_in(study)
    expected = as_bytes(run(study, taken, jobs=2, budget=budget))
    middle = time.perf_counter()
    for partitions in PARTITIONS:
        engine = ri.Spark(session, shared=folder, partitions=partitions)
        found = as_bytes(run(study, taken, jobs=2, budget=budget, engine=engine))
        assert found == expected, (name, partitions)
    end = time.perf_counter()
    print(
        f"{name}: same bytes on {PARTITIONS} partitions; {middle - start:.1f} s here, "
        f"{(end - middle) / len(PARTITIONS):.1f} s each on the cluster",
        flush=True,
    )


def main(studies):
    os.environ.update(environment())
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        (folder / "shared").mkdir()
        with Cluster(folder) as cluster, session_on(cluster.master, folder) as session:
            shared = folder / "shared"
            if DATA.is_dir():
                attacks = (ri.Unicity(), ri.Taxicab(), ri.Euclidean(), ri.EUC2())
                compared("nist-acs", nist_acs(DATA, *attacks), session, shared, 1 << 24)
                compared("ahs", ahs(DATA, folder), session, shared, 1 << 24)
            usual = index.WORTHWHILE, unicity.WORTHWHILE
            for seed in range(studies):
                # Every other study takes the ways that only large files take.
                index.WORTHWHILE, unicity.WORTHWHILE = (0, 0) if seed % 2 else usual
                case = large_case(seed, callables=False)
                compared(f"study {seed}", case.study(), session, shared, 1000)
    for name, jobs in sorted(SEEN.items()):
        print(f"{jobs:6} jobs of {name}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
