"""The cost of a cluster: two workers of one core each against two threads of this machine.

    python benchmarks/clusters.py 100000 300000 1000000 1000000x20
    python benchmarks/clusters.py drivers 500000 1000000 2000000

For each number of records a taxicab study of ten categories, or as many as told, is made up, read
once, and run in turn by both engines on a cluster on loopback, several times. Printed as lines of
JSON: medians of all rounds but the first, then for each round seconds, bytes of the job and of what
comes back, and what the driver's memory grew by while the engine was at work.
The second command tells what the driver of a cluster takes, in a process of its own for each size.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import data
from ours import peak_mb, reset_peak
from rows import Shape

import reident as ri
from reident.engine import remote, spark
from reident.engine.memory import taken as held
from reident.io.intake import take_in
from reident.run import run
from spark.cluster import Cluster, descendants, environment, session_on

ROUNDS = 6
VARIABLES = 10
TICKS = os.sysconf("SC_CLK_TCK")


def measure(folder: Path, records: int, variables: int, session: object) -> dict[str, object]:
    """Both engines in turn on files of so many records."""
    data.write(folder, Shape(attack="taxicab", records=records, categorical=variables), 1)
    study = ri.Study.read(folder / "study.toml")
    files = take_in(study)
    seen: dict[str, int] = {"shipped": 0, "returned": 0}
    _count_bytes(seen)
    rounds = []
    for _ in range(ROUNDS):
        row: dict[str, float] = {}
        for name, engine in (("local", None), ("spark", ri.Spark(session, shared=folder))):
            reset_peak()
            before, start = held() / 2**20, time.perf_counter()
            processor = worked()
            done = run(study, files, jobs=2, engine=engine)
            row[f"{name}_seconds"] = time.perf_counter() - start
            for what, now in worked().items():
                row[f"{name}_{what}_cpu"] = now - processor.get(what, 0.0)
            row[f"{name}_attack"] = sum(done.manifest["timings"]["attacks"].values())
            row[f"{name}_grew_mb"] = peak_mb() - before
        rounds.append(row)
    medians = {
        f"{name}_again": statistics.median(row[f"{name}_seconds"] for row in rounds[1:])
        for name in ("local", "spark")
    }
    return {"records": records, "variables": variables} | medians | {"rounds": rounds} | seen


def worked() -> dict[str, float]:
    """Seconds of processor so far: of this process, of workers' Python, of Spark's Java.

    Unlike seconds of a clock these hardly depend on what else the machine does.
    """
    own = dict.fromkeys(("driver", "workers", "java"), 0.0)
    for pid in [os.getpid(), *descendants(os.getpid())]:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
        except FileNotFoundError:  # it has just ended
            continue
        name, _, rest = stat.rpartition(") ")
        kind = "java" if name.endswith("java") else "workers" if pid != os.getpid() else "driver"
        own[kind] += sum(map(int, rest.split()[11:13])) / TICKS
    return own


def _count_bytes(seen: dict[str, int]) -> None:
    """Note the size of a job's file, and of the parts that come back."""
    dispatch, heard = remote.dispatch, spark._heard  # noqa: SLF001  # looked at from outside

    def sized(*given: object) -> remote.Errand:
        errand = dispatch(*given)  # type: ignore[arg-type]  # passed on
        seen["shipped"] = Path(errand.job.path).stat().st_size
        seen["returned"] = 0
        return errand

    def counted(table: object) -> object:
        for row in heard(table):  # type: ignore[arg-type]  # passed on
            seen["returned"] += row[-1].size
            yield row

    spark.dispatch, spark._heard = sized, counted  # type: ignore[assignment]  # noqa: SLF001  # as above


def driver(records: int) -> None:
    """What the driver takes, in a process that has done nothing else.

    `begun_mb` is what it holds before any file is read, with the session open; `files_mb` what it
    holds when all are read, and `reading_mb` the most that this took; `peak_mb` the most that the
    whole run took, from the files to the folder with its report and its pairs. Its workers are on
    this machine, in processes of their own.
    """
    os.environ.update(environment())
    told: dict[str, float] = {"records": records}
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        subprocess.run([sys.executable, data.__file__, folder, shape(records), "1"], check=True)
        study = ri.Study.read(folder / "study.toml")
        with Cluster(folder) as cluster, session_on(cluster.master, folder) as session:
            told["begun_mb"] = held() / 2**20
            reset_peak()
            files = take_in(study)
            told["files_mb"], told["reading_mb"] = held() / 2**20, peak_mb()
            del files
            study.run_to(folder / "run", jobs=2, engine=ri.Spark(session, shared=folder))
            told["peak_mb"] = peak_mb()
    print(json.dumps(told), flush=True)


def drivers(sizes: list[str]) -> None:
    """The driver for several numbers of records, and what each record more takes.

    All but the largest step between two sizes is a base that does not grow.
    """
    rows = []
    for size in sizes:
        asked = [sys.executable, __file__, "driver", size]
        rows.append(json.loads(subprocess.run(asked, check=True, stdout=subprocess.PIPE).stdout))
        print(json.dumps(rows[-1]), flush=True)
    steps = {
        f"{what}_bytes_for_each_record_more": max(
            (more[f"{what}_mb"] - less[f"{what}_mb"]) * 2**20 / (more["records"] - less["records"])
            for less, more in itertools.pairwise(rows)
        )
        for what in ("files", "reading", "peak")
    }
    print(json.dumps(steps), flush=True)


def shape(records: int) -> str:
    """Ten categories, as data.py takes it."""
    asked = Shape(attack="taxicab", records=records, categorical=VARIABLES)
    return json.dumps(dataclasses.asdict(asked))


def main(sizes: list[str]) -> None:
    """Start a cluster, measure, print."""
    os.environ.update(environment())
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        start = time.perf_counter()
        with Cluster(folder) as cluster, session_on(cluster.master, folder) as session:
            ready = time.perf_counter() - start
            print(json.dumps({"ready_seconds": ready}))
            for size in sizes:
                records, _, variables = size.partition("x")
                shaped = int(records), int(variables or VARIABLES)
                print(json.dumps(measure(folder / size, *shaped, session)), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "driver":
        driver(int(sys.argv[2]))
    elif sys.argv[1] == "drivers":
        drivers(sys.argv[2:])
    else:
        main(sys.argv[1:])
