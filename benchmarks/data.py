"""The files of a measurement: a population, a PUF drawn from it, an EIF that knows some of it.

Synthetic populations look like a census. A categorical variable has 2 to 15 categories, the first
far more common than the last; a numeric one is lognormal, whole hundreds. Variables are drawn
independently, which real ones are not: therefore the real populations beside them.

Real populations are read from the data folder (REIDENT_DATA) and left out where it is absent.
`microagg` files are those of `reident scenario microagg`, every record released.
`nist-acs` holds 27,253 persons and is resampled to the size asked for: persons drawn with
replacement, one cell in ten redrawn from its column so that few are exact twins. `eusilc` is a
synthetic population of 58,654 persons as it is. `ahs` is the study of examples/ahs, unchanged.

Both files are samples of a population half as large again, so that about two thirds of the PUF's
records are in the EIF. The EIF's copies are noisy: a category is redrawn from its column for one
cell in twenty, a number is moved by some percent for three cells in ten. Then cells of both files
are blanked at random. The IUF says who is who.

    python benchmarks/data.py FOLDER SHAPE SEED      (SHAPE as JSON, see rows.Shape)

writes puf.parquet, eif.parquet, iuf.parquet and study.toml.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from rows import Shape

import reident as ri
from reident.api import save_study
from reident.claims import made_up
from reident.model.options import METHODS
from reident.scenario.microagg import Situation

ROOT = Path(__file__).resolve().parents[1]
REAL = Path(os.environ.get("REIDENT_DATA", ROOT.parent / "shared" / "data"))
SIZES = (2, 5, 3, 9, 7, 15, 4, 12, 6, 10)
"""Categories of the synthetic variables, in turn."""
SKEW = 1.3
"""The k-th category is k**SKEW times rarer than the first."""
UNIT = 100.0
"""Synthetic amounts are whole multiples of this."""
POPULATION = 1.5
"""Persons of the population for each record of a file."""
REDRAWN_TWINS = 0.10
REDRAWN = 0.05
MOVED = 0.30
MOVE = 0.03
"""Standard deviation of the logarithm of a move."""

NIST_CATEGORICAL = (
    "SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "INDP_CAT", "EDU", "DREM", "DPHY",
)  # fmt: skip
NIST_NUMERIC = ("AGEP", "PINCP", "POVPIP")
EUSILC_CATEGORICAL = ("region", "hsize", "gender", "ecoStat", "citizenship")
EUSILC_NUMERIC = ("age", "eqIncome", "py010n", "py090n", "hy050n")
AHS_WAVES = ("ahs2021.csv.gz", "ahs2019.csv.gz")

SHARES = {
    "even": {"ratio": [[0.02, 5], [0.10, 3], [0.25, 1]]},
    "odd": {"difference": [[100, 5], [500, 4], [2000, 2]]},
}
"""Adhoc rules of numeric variables, in turn."""


STRATUM = "s"
"""The column of strata, where there are any."""


def is_here(data: str) -> bool:
    """Whether the population can be had on this machine."""
    return data in {"synthetic", "microagg", "guesses"} or (REAL / data).is_dir()


def write(folder: Path, shape: Shape, seed: int) -> None:
    """Write the three files and the study."""
    folder.mkdir(parents=True, exist_ok=True)
    if shape.data == "ahs":
        for wave in AHS_WAVES:
            (folder / wave).symlink_to((REAL / "ahs" / wave).resolve())
        shutil.copy(ROOT / "examples" / "ahs" / "study.toml", folder)
        return
    if shape.data in MADE:
        MADE[shape.data](folder, shape, seed)
        return
    stream = np.random.default_rng(seed)
    people = POPULATIONS[shape.data](shape, stream)
    puf, eif, iuf = drawn(people, shape, stream)
    for name, frame in (("puf", puf), ("eif", eif), ("iuf", iuf)):
        frame.write_parquet(folder / f"{name}.parquet")
    save_study(study(folder, people, shape), folder / "study.toml")


def _microaggregated(folder: Path, shape: Shape, seed: int) -> None:
    """All records released; for windows and trimmed the intruder's values deviate."""
    far = shape.attack in {"microagg_windows", "microagg_trimmed"}
    asked = Situation(
        situation="deviating" if far else "basic",
        records=shape.records,
        variables=shape.numeric,
        share=1,
        seed=seed,
    )
    made = made_up(asked)
    for name, frame in (("puf", made.puf), ("eif", made.eif), ("iuf", made.iuf)):
        frame.write_parquet(folder / f"{name}.parquet")
    study = ri.Study(
        title=f"Benchmark: {shape.attack}",
        puf=ri.PublicFile(folder / "puf.parquet", key="pufid"),
        eif=ri.IntruderFile(folder / "eif.parquet", key="eifid"),
        truth=ri.TruthFile(folder / "iuf.parquet"),
        variables=[ri.numeric(name) for name in asked.names],
        attacks={shape.attack: METHODS[shape.attack](variables=["all"])},
    )
    save_study(study, folder / "study.toml")


def _guessed(folder: Path, shape: Shape, seed: int) -> None:
    """Everybody, in another order, with noise on the numbers; who is who is in the IUF."""
    stream = np.random.default_rng(seed)
    people = _synthetic(replace(shape, records=-(-2 * shape.records // 3)), stream)[: shape.records]
    order = stream.permutation(len(people))
    released = people[order].select(
        column + shape.noise * float(column.std()) * pl.Series(stream.standard_normal(len(people)))
        if column.dtype.is_float()
        else column
        for column in people
    )
    keys = pl.Series(np.arange(len(people))).cast(pl.String).str.zfill(8)
    files = {
        "puf": released.insert_column(0, keys.alias("p")),
        "eif": people.clone().insert_column(0, keys.alias("e")),
        "iuf": pl.DataFrame({"p": keys, "e": keys[order]}),
    }
    for name, frame in files.items():
        frame.write_parquet(folder / f"{name}.parquet")
    study = ri.Study(
        title=f"Benchmark: {shape.attack}",
        puf=ri.PublicFile(folder / "puf.parquet", key="p"),
        eif=ri.IntruderFile(folder / "eif.parquet", key="e"),
        truth=ri.TruthFile(folder / "iuf.parquet"),
        variables=[
            ri.numeric(column.name) if column.dtype.is_float() else ri.categorical(column.name)
            for column in people
        ],
        attacks={shape.attack: METHODS[shape.attack]()},
    )
    save_study(study, folder / "study.toml")


MADE = {"microagg": _microaggregated, "guesses": _guessed}


# Populations --------------------------------------------------------------------------------------


def _synthetic(shape: Shape, stream: np.random.Generator) -> pl.DataFrame:
    """Columns c0.. of categories and x0.. of numbers."""
    persons = int(shape.records * POPULATION)
    columns = {}
    for j in range(shape.categorical):
        weights = 1 / np.arange(1, SIZES[j % len(SIZES)] + 1) ** SKEW
        columns[f"c{j}"] = stream.choice(len(weights), persons, p=weights / weights.sum())
    for j in range(shape.numeric):
        amounts = stream.lognormal(10, 0.4 + 0.1 * (j % 5), persons)
        columns[f"x{j}"] = np.round(amounts / UNIT) * UNIT
    kinds = {name: pl.Int16 if name[0] == "c" else pl.Float64 for name in columns}
    return pl.DataFrame(columns, schema_overrides=kinds)


def _nist(shape: Shape, stream: np.random.Generator) -> pl.DataFrame:
    whole = pl.read_csv(REAL / "nist-acs" / "national2019.csv", infer_schema=False)
    whole = whole[[*NIST_CATEGORICAL, *NIST_NUMERIC]].with_columns(
        pl.col(NIST_NUMERIC).cast(pl.Float64, strict=False)
    )
    resampled = whole[stream.integers(len(whole), size=int(shape.records * POPULATION))]
    return resampled.select(_redrawn(column, REDRAWN_TWINS, stream) for column in resampled)


def _eusilc(shape: Shape, stream: np.random.Generator) -> pl.DataFrame:
    whole = pl.read_csv(REAL / "eusilc" / "eusilcP.csv.gz", infer_schema=False)
    some = stream.permutation(len(whole))[: int(shape.records * POPULATION)]
    return whole[some][[*EUSILC_CATEGORICAL, *EUSILC_NUMERIC]].with_columns(
        pl.col(EUSILC_NUMERIC).cast(pl.Float64)
    )


POPULATIONS = {"synthetic": _synthetic, "nist-acs": _nist, "eusilc": _eusilc}


# The files ----------------------------------------------------------------------------------------


def _redrawn(column: pl.Series, share: float, stream: np.random.Generator) -> pl.Series:
    """The column with a share of its cells taken from other persons."""
    places = np.arange(len(column))
    some = stream.random(len(column)) < share
    places[some] = stream.integers(len(column), size=int(some.sum()))
    return column[places]


def _moved(column: pl.Series, stream: np.random.Generator) -> pl.Series:
    """The column with a share of its numbers some percent larger or smaller, rounded as before."""
    some = stream.random(len(column)) < MOVED
    factor = np.where(some, np.exp(stream.normal(0, MOVE, len(column))), 1.0)
    unit = UNIT if column.name[0] == "x" else 1.0
    return (column * pl.Series(factor) / unit).round() * unit


def _blanked(frame: pl.DataFrame, share: float, stream: np.random.Generator) -> pl.DataFrame:
    return frame.select(
        column.set(pl.Series(stream.random(len(frame)) < share), None) for column in frame
    )


def drawn(
    people: pl.DataFrame, shape: Shape, stream: np.random.Generator
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """PUF, EIF and IUF; keys sort as rows do, so that a record's position is its row."""
    records = min(shape.records, int(len(people) / POPULATION))
    inside, known = (stream.permutation(len(people))[:records] for _ in range(2))
    copied = people[known]
    noisy = copied.select(
        _moved(column, stream) if column.dtype.is_float() else _redrawn(column, REDRAWN, stream)
        for column in copied
    )
    puf, eif = (_blanked(frame, shape.missing, stream) for frame in (people[inside], noisy))
    keys = pl.Series(np.arange(records)).cast(pl.String).str.zfill(8)
    who = pl.DataFrame({"person": inside, "p": keys})
    iuf = who.join(pl.DataFrame({"person": known, "e": keys}), on="person").select("p", "e")
    return puf.insert_column(0, keys.alias("p")), eif.insert_column(0, keys.alias("e")), iuf


def study(folder: Path, people: pl.DataFrame, shape: Shape) -> ri.Study:
    """The study of the files in a folder: everything is a linking variable but the stratum."""
    strata = [STRATUM] if STRATUM in people.columns else []
    people = people.drop(strata)
    codes = {"not_applicable": ["N"]} if shape.data == "nist-acs" else {}
    variables = [
        ri.numeric(column.name) if column.dtype.is_float() else ri.categorical(column.name, **codes)
        for column in people
    ]
    attacks = {
        "unicity": ri.Unicity,
        "taxicab": ri.Taxicab,
        "euclidean": ri.Euclidean,
        "adhoc": lambda: ri.AdHoc(rules=rules(people.columns)),
    }
    return ri.Study(
        title=f"Benchmark: {shape.data}, {shape.attack}",
        puf=ri.PublicFile(folder / "puf.parquet", key="p"),
        eif=ri.IntruderFile(folder / "eif.parquet", key="e"),
        truth=ri.TruthFile(folder / "iuf.parquet"),
        variables=variables,
        strata=strata,
        attacks={shape.attack: attacks[shape.attack]()},
    )


def rules(names: list[str]) -> dict[str, dict[str, object]]:
    """Adhoc rules of synthetic variables: equality, every third a table, numbers by steps."""
    near = [[str(code), str(code + 1), 3] for code in range(max(SIZES) - 1)]
    made: dict[str, dict[str, object]] = {}
    for name in names:
        number = int(name[1:])
        if name[0] == "x":
            made[name] = SHARES["odd" if number % 2 else "even"]
        else:
            made[name] = {"table": near} if number % 3 == 2 else {"equal": 5}
    return made


if __name__ == "__main__":
    write(Path(sys.argv[1]), Shape(**json.loads(sys.argv[2])), int(sys.argv[3]))
