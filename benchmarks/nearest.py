"""Nearest records on mixed data by other packages, each in its own environment.

    python nearest.py FOLDER PACKAGE SEED SECONDS

reads mixed.npz (codes and numbers of both files, nothing missing), looks for the five nearest EIF
records of PUF records for at least so many seconds, prints the figures as JSON and writes
PACKAGE.npz (records decided, their nearest EIF records, empty where the package does not tell).

None of them does the product's task. They measure another distance, keep five records where the
product keeps whole ranks, have no threshold and check nothing against a truth; see DIFFERENCE.
"""

import importlib
import importlib.metadata
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

NEIGHBOURS = 5
Search = Callable[[np.ndarray], np.ndarray]
"""PUF rows in, nearest EIF rows of each out."""
Built = tuple[Search, float]
"""A search, and seconds of building what it looks in, which count as those of our index do."""
TRIED, TRIES = 4096, 3
"""PUF rows that tell which algorithm is the fastest, by the best of so many tries."""

DIFFERENCE = {
    "anonymeter": "Gower distance: numbers by range, sums of absolute differences",
    "sdmetrics": "Gower distance to the closest record only; does not say which record it is",
    "recordlinkage": "similarities of all pairs, added up; numbers by a Gaussian of the sd",
    "scikit-learn": "Euclidean distance of z-scores and indicators; best of three algorithms",
}


SAME = "the same distance and one record; ties are not told"
"""Of numbers alone, which is what euc2 compares where it has no category."""


def main(folder: Path, package: str, seed: int, least: float) -> None:
    """Search for at least so many seconds, in batches that double."""
    data = dict(np.load(folder / "mixed.npz"))
    records = len(data["puf_codes"])
    search, built = SEARCHES[package](data)
    order = np.random.default_rng(seed).permutation(records)
    search(order[:2])  # compiles, imports and warms up
    decided, batch, took = 0, FIRST_BATCH.get(package, 64), 0.0
    rows, nearest = [], []
    start, cpu = time.perf_counter(), time.process_time()
    while took < least:
        first = decided % records
        some = order[first : first + batch]
        nearest.append(search(some))
        rows.append(some)
        decided += len(some)
        batch = min(2 * batch, MOST_BATCH.get(package, records))
        took = time.perf_counter() - start
    cpu = time.process_time() - cpu
    np.savez(
        folder / f"{package}.npz", decided=np.concatenate(rows), nearest=np.concatenate(nearest)
    )
    figures = {
        "seconds": built + took * records / decided,
        "cpu_seconds": built + cpu * records / decided,
        "built_seconds": built,
        "slice_seconds": took,
        "slice": f"{decided:,} of {records:,} PUF records",
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "version": importlib.metadata.version(package),
        "difference": DIFFERENCE[package] if data["eif_codes"].shape[1] else SAME,
    }
    print(json.dumps(figures))


FIRST_BATCH = {"sdmetrics": 100}
MOST_BATCH = {"recordlinkage": 512}
"""All pairs of a batch are held at once, a column a variable."""


def _frames(data: dict[str, np.ndarray]) -> tuple:  # two frames of pandas, which not all have
    import pandas as pd  # noqa: PLC0415  # as above

    return tuple(
        pd.DataFrame(
            {f"x{j}": column for j, column in enumerate(data[f"{side}_numbers"].T)}
            | {f"c{j}": column.astype(str) for j, column in enumerate(data[f"{side}_codes"].T)}
        )
        for side in ("puf", "eif")
    )


def anonymeter(data: dict[str, np.ndarray]) -> Built:
    """MixedTypeKNeighbors, the search behind its linkability evaluator, on all cores."""
    # Its evaluators and its neighbours import each other; only this order works.
    importlib.import_module("anonymeter.evaluators")
    from anonymeter.neighbors.mixed_types_kneighbors import MixedTypeKNeighbors  # noqa: PLC0415

    puf, eif = _frames(data)
    kinds = {
        "num": [name for name in puf if name[0] == "x"],
        "cat": [name for name in puf if name[0] == "c"],
    }
    model = MixedTypeKNeighbors(n_neighbors=NEIGHBOURS, n_jobs=-1).fit(eif, ctypes=kinds)
    return lambda rows: model.kneighbors(puf.iloc[rows]), 0.0


def sdmetrics(data: dict[str, np.ndarray]) -> Built:
    """calculate_dcr, the function behind its DCR metrics."""
    from sdmetrics.single_table.privacy.dcr_utils import calculate_dcr  # noqa: PLC0415

    puf, eif = _frames(data)
    kinds = {"x": {"sdtype": "numerical"}, "c": {"sdtype": "categorical"}}
    metadata = {"columns": {name: kinds[name[0]] for name in puf}}

    def search(rows: np.ndarray) -> np.ndarray:
        calculate_dcr(puf.iloc[rows].reset_index(drop=True), eif, metadata)
        return np.zeros((len(rows), 0), np.int64)

    return search, 0.0


def recordlinkage(data: dict[str, np.ndarray]) -> Built:
    """A full index, a comparison a variable, the five largest sums."""
    import pandas as pd  # noqa: PLC0415
    import recordlinkage as rl  # noqa: PLC0415

    puf, eif = _frames(data)
    compare = rl.Compare()
    for name in puf:
        if name[0] == "x":
            spread = float(puf[name].std())
            compare.numeric(name, name, method="gauss", offset=0.0, scale=spread)
        else:
            compare.exact(name, name)

    def search(rows: np.ndarray) -> np.ndarray:
        pairs = pd.MultiIndex.from_product([rows, eif.index])
        total = compare.compute(pairs, puf, eif).sum(axis=1).to_numpy().reshape(len(rows), -1)
        return np.argpartition(-total, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]

    return search, 0.0


def scikit_learn(data: dict[str, np.ndarray]) -> Built:
    """NearestNeighbors on all cores, by the fastest of its algorithms."""
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415

    # Numbers alone: the task of euc2, one record by distance of the numbers as they are.
    alone = not data["eif_codes"].shape[1]
    if alone:
        return _fastest(NearestNeighbors, data["puf_numbers"], data["eif_numbers"], 1)
    mean, sd = data["puf_numbers"].mean(axis=0), data["puf_numbers"].std(axis=0, ddof=1)
    levels = [np.unique(column) for column in data["eif_codes"].T]

    def points(side: str) -> np.ndarray:
        codes = data[f"{side}_codes"]
        # Two categories that differ are one apart: each indicator adds a half.
        shown = [codes[:, [j]] == level for j, level in enumerate(levels)]
        z = (data[f"{side}_numbers"] - mean) / sd
        return np.hstack([z, np.hstack(shown) * np.sqrt(0.5)])

    return _fastest(NearestNeighbors, points("puf"), points("eif"), NEIGHBOURS)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _fastest(kind: type, puf: np.ndarray, eif: np.ndarray, neighbours: int) -> Built:
    """The fastest of its algorithms for the whole file, by some records of it."""
    timed = {}
    some = puf[:: max(1, len(puf) // TRIED)]
    for algorithm in ("brute", "kd_tree", "ball_tree"):
        model = kind(n_neighbors=neighbours, algorithm=algorithm, n_jobs=-1)
        model.fit(eif[:64]).kneighbors(puf[:8])  # imports and warms up
        start = time.perf_counter()
        model.fit(eif)
        built = time.perf_counter() - start
        took = min(_seconds(lambda model=model: model.kneighbors(some)) for _ in range(TRIES))
        timed[built + took * len(puf) / len(some)] = model, built
    best, built = timed[min(timed)]
    return lambda rows: best.kneighbors(puf[rows], return_distance=False), built


SEARCHES = {
    "anonymeter": anonymeter,
    "sdmetrics": sdmetrics,
    "recordlinkage": recordlinkage,
    "scikit-learn": scikit_learn,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
