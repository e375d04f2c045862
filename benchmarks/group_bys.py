"""Unicity by Polars group-bys, one a set of variables and file (Primer 2.1, steps 2-5).

    python group_bys.py FOLDER VARIABLES SEED SECONDS      (in Polars' own environment)

reads coded.npz, takes sets of variables at random for at least so many seconds, then, as a check,
every set of the first few variables. Prints the figures as JSON; polars.npz holds the suspected
records of the sample and those of the check. The sample is scaled to all 2^v - 1 sets; Polars uses
all cores.
"""

import json
import resource
import sys
import time
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import polars as pl


def frame(codes: np.ndarray) -> pl.DataFrame:
    """A column a variable, the smallest integers, null where missing, and the row."""
    columns = {f"v{j}": pl.Series(column).cast(pl.Int16) for j, column in enumerate(codes.T)}
    table = pl.DataFrame(columns).with_columns(pl.all().replace(-1, None))
    return table.with_row_index("row")


def uniques(table: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Records alone in their cell, with nothing missing."""
    cells = table.drop_nulls(names).group_by(names).agg(pl.len(), pl.col("row").first())
    return cells.filter(pl.col("len") == 1)


def suspected(puf: pl.DataFrame, eif: pl.DataFrame, names: list[str]) -> np.ndarray:
    """PUF records that share a cell of their uniques with a unique of the EIF."""
    both = uniques(puf, names).join(uniques(eif, names), on=names)
    return both["row"].to_numpy()


def main(folder: Path, checked: int, seed: int, least: float) -> None:
    """Measure, then check."""
    coded = np.load(folder / "coded.npz")
    puf, eif = frame(coded["puf"]), frame(coded["eif"])
    names = [name for name in puf.columns if name != "row"]
    v = len(names)
    stream = np.random.default_rng(seed)
    sample = np.zeros(len(puf), np.bool_)
    sets = 0
    start, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - start < least:
        drawn = int(stream.integers(1, 2**v))
        chosen = [name for j, name in enumerate(names) if drawn >> j & 1]
        sample[suspected(puf, eif, chosen)] = True
        sets += 1
    took, cpu = time.perf_counter() - start, time.process_time() - cpu
    few = names[:checked]
    whole = np.zeros(len(puf), np.bool_)
    for chosen in chain.from_iterable(combinations(few, k) for k in range(1, len(few) + 1)):
        whole[suspected(puf, eif, list(chosen))] = True
    np.savez(folder / "polars.npz", sample=sample, whole=whole)
    figures = {
        "seconds": took * (2**v - 1) / sets,
        "cpu_seconds": cpu * (2**v - 1) / sets,
        "slice_seconds": took,
        "slice": f"{sets:,} of {2**v - 1:,} sets of variables",
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "version": pl.__version__,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
