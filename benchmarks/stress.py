"""Unicity on awkward files: what each takes for a pair of records, beside a plain file.

    python benchmarks/stress.py [RECORDS]        (100,000 in either file unless told)

prints one line a shape: seconds of processor time from coded columns to results, pairs of records
that meet, and how many times as long a pair takes as it does on the plain file. Default options.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import data
import numpy as np
import ours
import polars as pl
from rows import Shape

import reident as ri
from reident.api import save_study

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]

PLAIN = Shape(attack="unicity", categorical=13)


def _column(name: str, values: np.ndarray) -> pl.Series:
    return pl.Series(name, values.astype(np.int32))


def _binary(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
    return pl.DataFrame(
        [_column(f"c{j}", stream.random(len(people)) < (j + 2) / 42) for j in range(20)]
    )


def _constant(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
    del stream
    return people.with_columns(pl.lit(0, pl.Int16).alias(f"c{j}") for j in range(0, 13, 2))


def _fine(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
    return people.with_columns(_column("c0", stream.integers(5000, size=len(people))))


def _stratum(strata: int, first: float) -> Change:
    """A stratum for each person, a share of all in the first."""

    def change(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
        stratum = stream.integers(strata, size=len(people))
        stratum[stream.random(len(people)) < first] = 0
        return people.with_columns(_column("s", stratum))

    return change


def _same(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
    del stream
    return people


SHAPES: dict[str, tuple[Change, float, int | None]] = {
    "plain": (_same, 0.03, None),
    "20 % missing": (_same, 0.20, None),
    "20 binary variables": (_binary, 0.03, None),
    "one giant stratum": (_stratum(50, 0.9), 0.03, None),
    "100,000 tiny strata": (_stratum(100_000, 0.0), 0.03, None),
    "constant variables": (_constant, 0.03, None),
    "a variable of 5,000 categories": (_fine, 0.03, None),
    "1 EIF record": (_same, 0.03, 1),
}
"""What is changed, the share of missing cells, and how many EIF records there are."""


def write(folder: Path, name: str, records: int) -> None:
    """The files and the study of a shape."""
    change, missing, known = SHAPES[name]
    stream = np.random.default_rng(1)
    shape = Shape(attack="unicity", categorical=13, records=records, missing=missing)
    people = change(data.POPULATIONS["synthetic"](shape, stream), stream)
    columns = [column for column in people.columns if column != "s"]
    puf, eif, iuf = data.drawn(people, shape, stream)
    eif = eif.head(known or len(eif))
    for file, frame in (
        ("puf", puf),
        ("eif", eif),
        ("iuf", iuf.filter(pl.col("e").is_in(eif["e"].implode()))),
    ):
        frame.write_parquet(folder / f"{file}.parquet")
    study = ri.Study(
        title=f"Stress: {name}",
        puf=ri.PublicFile(folder / "puf.parquet", key="p"),
        eif=ri.IntruderFile(folder / "eif.parquet", key="e"),
        truth=ri.TruthFile(folder / "iuf.parquet"),
        strata=["s"] if "s" in people.columns else [],
        variables=[ri.categorical(column) for column in columns],
        attacks={"unicity": ri.Unicity()},
    )
    save_study(study, folder / "study.toml")


def main(records: int) -> None:
    """A line for each shape."""
    plain = None
    for name in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), name, records)
            found = ours.measure(Path(folder), "unicity", 2)
        each = found["cpu_seconds"] / max(1, found["compared"])
        plain = plain or each
        line = {key: found[key] for key in ("cpu_seconds", "compared", "how", "suspected", "pairs")}
        print(
            json.dumps({"shape": name, **line, "times_plain": round(each / plain, 2)}), flush=True
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PLAIN.records)
