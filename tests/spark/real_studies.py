"""Two studies of real persons and homes, for engines to agree on."""

import shutil
from pathlib import Path

import polars as pl

import reident as ri

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ahs" / "study.toml"
CATEGORIES = ("PUMA", "SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "DVET")
NUMBERS = ("AGEP", "NPF", "PINCP", "POVPIP")
PERSONS = 20_000
"""Of each file; the two share about half of them."""


def ahs(data, folder):
    """Two waves of the American Housing Survey."""
    for wave in ("ahs2019.csv.gz", "ahs2021.csv.gz"):
        (folder / wave).symlink_to(data / "ahs" / wave)
    return ri.Study.read(shutil.copy(EXAMPLE, folder))


def nist_acs(data, *attacks):
    """Persons of the American Community Survey against others and themselves, some numbers off."""
    path = data / "nist-acs" / "national2019.csv"
    persons = pl.read_csv(path, infer_schema=False).with_row_index("id")
    off = (pl.col("PINCP").cast(pl.Float64, strict=False) * 1.01).cast(pl.String).fill_null("N")
    known = persons.tail(PERSONS).with_columns(off.alias("PINCP")).rename({"id": "number"})
    puf = persons.head(PERSONS)
    truth = puf.select("id").join(known.select("number"), left_on="id", right_on="number")
    return ri.Study(
        puf=ri.PublicFile(puf, key="id", missing=["N"]),
        eif=ri.IntruderFile(known, key="number", missing=["N"]),
        truth=ri.TruthFile(truth.with_columns(pl.col("id").alias("number"))),
        variables=[
            *(ri.categorical(name) for name in CATEGORIES),
            *(ri.numeric(name) for name in NUMBERS),
        ],
        seed=7,
        attacks={attack.method: attack for attack in attacks},
    )
