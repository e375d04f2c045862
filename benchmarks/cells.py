"""Unique records of one file, ours and the peers' in one process, from columns in memory.

    python benchmarks/cells.py RECORDS VARIABLES SEED JOBS

draws a file as data.py does, gives it to each in its own form before the clock starts, and prints
the figures as JSON. The product builds keys and counts, for each record, how many share its data.
DuckDB does the same by a window (`duckdb-flags`), and less: cells with their counts, no record
(`duckdb-cells`). Polars counts cells, by the better of its engines. Each runs three times, and up
to fifteen while it took less than two seconds; the figure is the median of the runs after the
first, in which kernels are loaded and pages touched.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars as pl
from data import SIZES, SKEW
from ours import enough

from reident.encode.categories import Coded
from reident.needles.costs import cheapest, ways
from reident.needles.find import find

if TYPE_CHECKING:
    from collections.abc import Callable

K = 2
COMMON = 0.8
"""Cells that have the first category whatever else is drawn: without it nobody shares a cell."""
Measured = tuple[float, float, int]
"""Seconds, CPU seconds, unique records."""


def drawn(records: int, variables: int, seed: int) -> Coded:
    """Categories of which the first is far more common than the last, so that many share cells."""
    stream = np.random.default_rng(seed)
    sizes = tuple(SIZES[j % len(SIZES)] for j in range(variables))
    codes = np.empty((variables, records), np.uint8)
    for row, size in zip(codes, sizes, strict=True):
        shares = 1.0 / np.arange(1, size + 1) ** SKEW
        edges = np.cumsum(shares / shares.sum())
        row[:] = np.searchsorted(edges[:-1], stream.random(records, np.float32))
        row[stream.random(records, np.float32) < COMMON] = 0
    return Coded(codes, sizes, (-1,) * variables)


def timed(step: Callable[[], int]) -> Measured:
    """Run a step several times; every run must count the same."""
    runs: list[Measured] = []
    while not enough(runs):
        begin, cpu = time.perf_counter(), time.process_time()
        found = step()
        runs.append((time.perf_counter() - begin, time.process_time() - cpu, found))
    assert len({found for _, _, found in runs}) == 1  # noqa: S101  # else nothing was measured
    later = runs[1:]
    return (
        statistics.median(one[0] for one in later),
        statistics.median(one[1] for one in later),
        runs[0][2],
    )


def ours(coded: Coded, jobs: int) -> tuple[Callable[[], int], str]:
    """From codes to the count of each record, by the way that the planner takes."""
    method, _ = cheapest(ways(coded.records, coded.sizes, jobs))
    return lambda: int(np.count_nonzero(find(coded, K, method, jobs).counts <= K)), method


def peers(frame: pl.DataFrame, jobs: int) -> dict[str, Callable[[], int]]:
    """What each peer is asked; all give the number of unique records."""
    base = duckdb.connect(config={"threads": jobs})
    base.register("given", frame.to_arrow())
    base.execute("CREATE TABLE file AS SELECT * FROM given")
    base.unregister("given")
    names = ", ".join(frame.columns)
    cells = f"SELECT sum(n) FROM (SELECT count(*) n FROM file GROUP BY {names}) WHERE n <= {K}"  # noqa: S608
    flags = f"SELECT count(*) OVER (PARTITION BY {names}) <= {K} AS flag FROM file"  # noqa: S608

    def by_polars(engine: Any) -> int:
        grouped = frame.lazy().group_by(frame.columns).len().filter(pl.col("len") <= K)
        return int(grouped.select(pl.col("len").sum()).collect(engine=engine).item())

    return {
        "duckdb-cells": lambda: int(base.execute(cells).fetchone()[0]),
        "duckdb-flags": lambda: int(np.count_nonzero(base.execute(flags).fetchnumpy()["flag"])),
        "polars-in-memory": lambda: by_polars("in-memory"),
        "polars-streaming": lambda: by_polars("streaming"),
    }


def measure(records: int, variables: int, seed: int, jobs: int) -> dict[str, Any]:
    """Ours and every peer's figures, and how many unique records each found."""
    coded = drawn(records, variables, seed)
    step, method = ours(coded, jobs)
    seconds, cpu, unique = timed(step)
    mine = {"seconds": seconds, "cpu_seconds": cpu, "how": method, "unique_records": unique}
    frame = pl.DataFrame({f"v{j}": column for j, column in enumerate(coded.codes)})
    found = {}
    for name, peer in peers(frame, jobs).items():
        took, cpu, count = timed(peer)
        answer = {
            "task": "the same" if name == "duckdb-flags" else "the same, without the records",
            "compared": f"{unique:,} unique records",
            "records_that_differ": abs(count - unique),
        }
        found[name] = {"seconds": took, "cpu_seconds": cpu, "answer": answer}
    engines = [found.pop(f"polars-{name}") for name in ("in-memory", "streaming")]
    found["polars"] = min(engines, key=lambda one: one["seconds"])
    return {"ours": mine | {"records": records, "jobs": jobs}, "peers": found}


if __name__ == "__main__":
    print(json.dumps(measure(*(int(argument) for argument in sys.argv[1:5]))))
