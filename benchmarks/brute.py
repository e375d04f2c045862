"""Brute force against tuned NumPy: taxicab and euclidean, 20,000 x 20,000 records, 10 variables.

Times run from coded columns to kept pairs. The product decides all 400 million pairs, with one
thread and with one thread per core. NumPy decides PUF records, in order and round again, for at
least five seconds and is scaled by pairs. Repeats take turns; medians are compared. Before any
clock starts, both sides must keep the same pairs of a small case.

The NumPy side is pinned and tuned: a column at a time, uint8 codes, `not_equal` into a buffer and
sums in place; for euclidean float64 z-scores made beforehand and every step in place. It decides
ties on float sums, which the product does not; the small case has none that this could change.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numba
import numpy as np
import polars as pl

import reident as ri
from reident.attacks import euclidean, taxicab
from reident.attacks.pairwise import RankedJob, meetings
from reident.engine.local import local
from reident.io.intake import take_in
from reident.kernels.shortlist import Shortlist

if TYPE_CHECKING:
    from collections.abc import Callable

    from reident.attacks.pairwise import Metric
    from reident.encode.files import Files

RECORDS = 20_000
SMALL = 600
VARIABLES = 10
CATEGORIES = 5
MISSING_SHARE = 0.03
SLICE_SECONDS = 5.0
REPEATS = 3
KEEP = 5
ALPHA = 0.5
CAP = 6.0
BLOCK = 8
"""PUF records that NumPy scores at a time: a buffer of 8 x 20,000 bytes stays in the cache."""
RESULTS = Path(__file__).parent / "results" / "brute.json"
Pairs = set[tuple[int, int]]


# The files ----------------------------------------------------------------------------------


def table(records: int, numeric: int, seed: int) -> dict[str, np.ndarray]:
    """Columns c0.. of codes and x0.. of numbers; NaN where missing."""
    stream = np.random.default_rng(seed)
    columns = {}
    for j in range(VARIABLES - numeric):
        # Unequal categories, as in a census: the first is about ten times the last.
        codes = np.minimum(stream.geometric(0.45, records) - 1, CATEGORIES - 1)
        columns[f"c{j}"] = codes.astype(np.float64)
    for j in range(numeric):
        columns[f"x{j}"] = stream.lognormal(10, 1, records)
    for column in columns.values():
        column[stream.random(records) < MISSING_SHARE] = np.nan
    return columns


def frame(columns: dict[str, np.ndarray], key: str) -> pl.DataFrame:
    """The same as a file; keys sort as rows do, so that positions are rows."""
    rows = len(next(iter(columns.values())))
    return pl.DataFrame({key: [f"{row:08}" for row in range(rows)], **columns}).fill_nan(None)


def ready(method: str, records: int, numeric: int) -> tuple[Metric, Files, list[dict]]:
    """A metric with its coded columns, and the raw columns for NumPy."""
    raw = [table(records, numeric, seed) for seed in (1, 2)]
    study = ri.Study(
        puf=ri.PublicFile(frame(raw[0], "p"), key="p"),
        eif=ri.IntruderFile(frame(raw[1], "e"), key="e"),
        variables=[ri.categorical(n) if n[0] == "c" else ri.numeric(n) for n in raw[0]],
        attacks={"taxicab": ri.Taxicab(), "euclidean": ri.Euclidean()},
    )
    files = take_in(study).files
    attack = study.attacks[method]
    module = taxicab if method == "taxicab" else euclidean
    return module.metric(attack, files, study.variables), files, raw


# The product --------------------------------------------------------------------------------


def product(metric: Metric, files: Files, jobs: int) -> np.ndarray:
    """Kept pairs by the brute kernel, as rows (PUF position, EIF position)."""
    job = RankedJob(metric=metric, meets=meetings(files.layout))
    strips = list(local(jobs)(job, "bench"))
    short = Shortlist(*(np.concatenate(arrays) for arrays in zip(*strips, strict=True)))
    inside = np.arange(short.eif.shape[1]) < short.size[:, None]
    rows = np.nonzero(inside)[0]
    return np.stack([files.layout.puf[rows], files.layout.eif[short.eif[inside]]], axis=1)


# Tuned NumPy --------------------------------------------------------------------------------


def kept(total: np.ndarray, bound: float) -> np.ndarray:
    """The rank rule: below the threshold and below the sixth best score."""
    found = np.flatnonzero(total < bound)
    if len(found) > KEEP:
        scores = total[found]
        found = found[scores < np.partition(scores, KEEP)[KEEP]]
    return found


class Taxicab:
    """Units 2 x mismatches + missings, as the product's with a missing score of 1/2."""

    bound = VARIABLES / 2

    def __init__(self, raw: list[dict[str, np.ndarray]]) -> None:
        # 254 and 255 differ from every code and from each other: a missing value counts as a
        # mismatch first and gives one unit back.
        self.puf, self.eif = (
            np.array([np.where(np.isnan(c), gone, c).astype(np.uint8) for c in side.values()])
            for side, gone in zip(raw, (254, 255), strict=True)
        )
        self.gone = (self.eif == 255).astype(np.uint8)
        self.gone_by_record = self.gone.sum(axis=0, dtype=np.uint8)
        shape = (BLOCK, self.eif.shape[1])
        self.differ = np.empty(shape, np.bool_)
        self.total = np.empty(shape, np.uint8)

    def score(self, start: int) -> np.ndarray:
        """Units of a block of PUF records with every EIF record."""
        mine = self.puf[:, start : start + BLOCK]
        total, differ = self.total[: mine.shape[1]], self.differ[: mine.shape[1]]
        total[:] = 0
        for codes, column in zip(mine, self.eif, strict=True):
            np.not_equal(codes[:, None], column, out=differ)
            np.add(total, differ.view(np.uint8), out=total)
        np.add(total, total, out=total)
        np.subtract(total, self.gone_by_record, out=total)
        for j, row in zip(*np.nonzero(mine == 254), strict=True):
            # Missing on both sides counts once.
            total[row] -= 1 - self.gone[j]
        return total


class Euclidean:
    """Sums of squared scores; categories first, because their sums are exact in floats."""

    bound = VARIABLES**2 * ALPHA**2 / 4

    def __init__(self, raw: list[dict[str, np.ndarray]]) -> None:
        names = list(raw[0])
        self.codes = [n for n in names if n[0] == "c"]
        self.numbers = [n for n in names if n[0] == "x"]
        self.puf, self.eif = (dict(side) for side in raw)
        for name in self.numbers:
            mean, sd = np.nanmean(raw[0][name]), np.nanstd(raw[0][name], ddof=1)
            for side in (self.puf, self.eif):
                side[name] = (side[name] - mean) / sd
        self.gone = {name: np.flatnonzero(np.isnan(self.eif[name])) for name in names}
        self.buffer = np.empty(len(raw[1][names[0]]))
        self.total = np.empty_like(self.buffer)
        self.differ = np.empty(len(self.buffer), np.bool_)

    def score(self, row: int) -> np.ndarray:
        """Sums of one PUF record with every EIF record, as a block of one."""
        total, buffer = self.total, self.buffer
        total[:] = 0
        for name in self.codes:
            mine = self.puf[name][row]
            if np.isnan(mine):
                np.add(total, ALPHA**2, out=total)
                continue
            np.not_equal(self.eif[name], mine, out=self.differ)
            np.add(total, self.differ, out=total)
            total[self.gone[name]] += ALPHA**2 - 1
        for name in self.numbers:
            mine = self.puf[name][row]
            if np.isnan(mine):
                np.add(total, ALPHA**2, out=total)
                continue
            np.subtract(self.eif[name], mine, out=buffer)
            np.abs(buffer, out=buffer)
            np.minimum(buffer, CAP, out=buffer)
            np.multiply(buffer, 0.5, out=buffer)
            np.tanh(buffer, out=buffer)
            np.multiply(buffer, buffer, out=buffer)
            buffer[self.gone[name]] = ALPHA**2
            np.add(total, buffer, out=total)
        return total[None]


def by_numpy(method: str, raw: list[dict], least_seconds: float = 0) -> tuple[Pairs, int, float]:
    """Kept pairs, PUF records decided and seconds: every record once, or for so long.

    Where the last record comes too soon it starts again with the first.
    """
    peer = Taxicab(raw) if method == "taxicab" else Euclidean(raw)
    records = len(next(iter(raw[0].values())))
    found: Pairs = set()
    start = time.perf_counter()
    row = decided = 0
    while time.perf_counter() - start < least_seconds or (not least_seconds and decided < records):
        for total in peer.score(row):
            found.update((row, e) for e in kept(total, peer.bound).tolist())
            row += 1
            decided += 1
        row %= records
    return found, decided, time.perf_counter() - start


# The run ------------------------------------------------------------------------------------


def check(method: str, numeric: int) -> int:
    """Both sides must keep the same pairs of a small case; returns how many."""
    metric, files, raw = ready(method, SMALL, numeric)
    mine = set(map(tuple, product(metric, files, 1).tolist()))
    theirs, _, _ = by_numpy(method, raw)
    if mine != theirs or not mine:
        sys.exit(f"{method}: {len(mine ^ theirs)} kept pairs differ on the small case")
    return len(mine)


def seconds(work: Callable[[], object]) -> float:
    """Wall time of a call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(method: str, numeric: int, cores: int) -> dict[str, object]:
    """Pairs per second of each side, by turns."""
    checked = check(method, numeric)
    metric, files, raw = ready(method, RECORDS, numeric)
    speeds: dict[str, list[float]] = {"one_thread": [], "all_cores": [], "numpy": []}
    sliced = []
    for _ in range(REPEATS):
        for name, jobs in (("one_thread", 1), ("all_cores", cores)):
            took = seconds(lambda jobs=jobs: product(metric, files, jobs))
            speeds[name].append(RECORDS**2 / took)
        _, rows, took = by_numpy(method, raw, SLICE_SECONDS)
        speeds["numpy"].append(rows * RECORDS / took)
        sliced.append(took)
    medians = {name: statistics.median(found) for name, found in speeds.items()}
    return {
        "method": method,
        "variables": {"numeric": numeric, "categorical": VARIABLES - numeric},
        "puf_records": RECORDS,
        "eif_records": RECORDS,
        "missing_share": MISSING_SHARE,
        "checked_pairs": checked,
        "repeats": REPEATS,
        "numpy_slice_seconds": [round(took, 2) for took in sliced],
        "pairs_per_second": {name: round(value) for name, value in medians.items()},
        "spread": {
            name: round(max(found) / min(found), 2) for name, found in speeds.items()
        },
        "ratio_one_thread": round(medians["one_thread"] / medians["numpy"], 2),
        "ratio_all_cores": round(medians["all_cores"] / medians["numpy"], 2),
    }  # fmt: skip


def machine(cores: int) -> dict[str, object]:
    """What the figures were measured on; nothing that names it."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": cores,
        "memory_gb": round(pages / 2**30, 1),
        "load_before": round(os.getloadavg()[0], 2),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def main() -> None:
    """Measure, print, write."""
    cores = len(os.sched_getaffinity(0))
    told = machine(cores)
    print(json.dumps(told))
    jobs = []
    for method, numeric in (("taxicab", 0), ("euclidean", 5)):
        job = measure(method, numeric, cores)
        jobs.append(job)
        speed = job["pairs_per_second"]
        print(
            f"{method}, v = {VARIABLES}: one thread {speed['one_thread']:.3g} pairs/s, "
            f"{cores} cores {speed['all_cores']:.3g}, NumPy {speed['numpy']:.3g}: "
            f"{job['ratio_one_thread']} and {job['ratio_all_cores']} times as fast"
        )
    # A load above the number of cores means that others were at work, and the figures are too low.
    told["load_after"] = round(os.getloadavg()[0], 2)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"machine": told, "jobs": jobs}, indent=2) + "\n")
    print(f"Written: {RESULTS.relative_to(Path(__file__).parent.parent)}")


if __name__ == "__main__":
    main()
