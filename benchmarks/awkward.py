"""Awkward files: what an attack takes there for a pair of records, beside a plain file.

    python benchmarks/awkward.py ATTACK RECORDS SEED JOBS

makes files of so many records in each shape, and prints as JSON, shape by shape, seconds from coded
columns to kept pairs, pairs of records that meet, and the way that was taken.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import data
import numpy as np
import ours
import polars as pl
from rows import GROWING, Shape

from reident.api import save_study

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]

TOLD = ("seconds", "cpu_seconds", "compared", "how", "suspected")


def _column(name: str, values: np.ndarray) -> pl.Series:
    return pl.Series(name, values.astype(np.int32))


def _same(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
    del stream
    return people


def _binary(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
    return pl.DataFrame(
        [_column(f"c{j}", stream.random(len(people)) < (j + 2) / 42) for j in range(20)]
    )


def _constant(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
    del stream
    return people.with_columns(pl.lit(0, people.dtypes[j]).alias(people.columns[j]) for j in (0, 2))


def _fine(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
    return people.with_columns(_column("c0", stream.integers(5000, size=len(people))))


def _strata(number: int, first: float) -> Change:
    """A stratum for each person, a share of all in the first."""

    def change(people: pl.DataFrame, stream: np.random.Generator) -> pl.DataFrame:
        stratum = stream.integers(number, size=len(people))
        stratum[stream.random(len(people)) < first] = 0
        return people.with_columns(_column(data.STRATUM, stratum))

    return change


class Awkward(NamedTuple):
    """How plain files are changed, the share of missing cells, and EIF records."""

    change: Change = _same
    missing: float = 0.03
    eif: int | None = None


SHAPES = {
    "plain": Awkward(),
    "20 % missing": Awkward(missing=0.2),
    "20 binary variables": Awkward(_binary),
    "one giant stratum": Awkward(_strata(50, 0.9)),
    "two constant variables": Awkward(_constant),
    "a variable of 5,000 categories": Awkward(_fine),
    "100,000 tiny strata": Awkward(_strata(100_000, 0.0)),
    "1 EIF record": Awkward(eif=1),
}


def write(folder: Path, name: str, shape: Shape, seed: int) -> None:
    """The files and the study of a shape."""
    one, stream = SHAPES[name], np.random.default_rng(seed)
    shape = replace(shape, missing=one.missing)
    people = one.change(data.POPULATIONS[shape.data](shape, stream), stream)
    puf, eif, iuf = data.drawn(people, shape, stream)
    # Those with a partner first, because the truth of a study may not be empty.
    eif = eif.sort(~pl.col("e").is_in(iuf["e"].implode()), maintain_order=True)
    eif = eif.head(one.eif or len(eif))
    iuf = iuf.filter(pl.col("e").is_in(eif["e"].implode()))
    for file, frame in (("puf", puf), ("eif", eif), ("iuf", iuf)):
        frame.write_parquet(folder / f"{file}.parquet")
    save_study(data.study(folder, people, shape), folder / "study.toml")


def measure(attack: str, records: int, seed: int, jobs: int) -> dict[str, object]:
    """Figures of each shape, and whether any of them had to compile a kernel."""
    shapes, compiled = {}, False
    for name in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), name, replace(GROWING[attack], records=records), seed)
            found = ours.measure(Path(folder), attack, jobs)
        compiled |= bool(found["compiled"])
        shapes[name] = {key: found[key] for key in TOLD}
    return {"shapes": shapes, "compiled": compiled}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], *map(int, sys.argv[2:5]))))
