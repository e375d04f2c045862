"""On real files, looking pairs up finds exactly what meeting every pair finds."""

import polars as pl
import pytest

import reident as ri
from reident.attacks import boxes, index, unicity

ROWS = 10_000
FEWER = 3_000
"""For the readings of unicity that share their search with the first."""
FILES = {
    "adult": (
        "adult/adult_uci_48842.csv.gz",
        ["workclass", "education", "marital-status", "occupation", "race", "sex"],
        ["age", "hours-per-week", "fnlwgt"],
    ),
    "nist-acs": (
        "nist-acs/national2019.csv",
        ["SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "DEYE"],
        ["AGEP", "PINCP", "POVPIP"],
    ),
    "eusilc": (
        "eusilc/eusilcP.csv.gz",
        ["region", "gender", "citizenship", "ecoStat"],
        ["age", "eqIncome"],
    ),
    "ahs": ("ahs/ahs2021.csv.gz", ["INTSTATUS", "TENURE"], ["MARKETVAL", "HINCP", "TOTHCAMT"]),
}


def study(data, name, blanked, rows=ROWS):
    path, categories, numbers = FILES[name]
    frame = pl.read_csv(data / path, infer_schema=False).sample(fraction=1.0, shuffle=True, seed=1)
    frame = frame.select(*categories, *numbers).with_columns(
        pl.all().replace(["N", "NA", "?", "", "-9", "-6"], None)
    )
    # A share of the values is blanked, so that wildcards are met on both sides.
    for place, column in enumerate(frame.columns):
        keep = pl.int_range(pl.len()).hash(seed=place) % 100 >= blanked
        frame = frame.with_columns(pl.when(keep).then(pl.col(column)).alias(column))
    frame = frame.with_columns(pl.int_range(pl.len()).cast(pl.String).alias("id"))
    rules = {c: {"equal": 5} for c in categories}
    rules |= {n: {"ratio": [["0.01", 5], ["0.1", 3]]} for n in numbers}
    return ri.Study(
        puf=ri.PublicFile(frame.head(rows), key="id"),
        eif=ri.IntruderFile(frame.slice(rows // 2, rows), key="id"),
        variables=[
            *(ri.categorical(c) for c in categories),
            *(ri.numeric(n) for n in numbers),
        ],
        attacks={
            "taxicab": ri.Taxicab(),
            "euclidean": ri.Euclidean(),
            "adhoc": ri.AdHoc(rules),
        },
    )


NEVER, ALWAYS = {"FEW": -1.0}, {"FEW": 1e9, "SPARED": 1e-9}
"""Boxes of EIF records, or blocks and bitmaps, whatever would be quicker."""


@pytest.mark.parametrize("blanked", [0, 20, 50])
@pytest.mark.parametrize("name", FILES)
def test_lookups_equal_the_cartesian_product_on_real_files(data, monkeypatch, name, blanked):
    asked = study(data, name, blanked)
    monkeypatch.setattr(index, "WORTHWHILE", 1 << 62)
    met = asked.run(jobs=2)
    monkeypatch.setattr(index, "WORTHWHILE", 0)
    monkeypatch.setattr(index, "MOST_READ", 1e9)
    assert set(met.manifest["methods"].values()) == {"brute"}
    for knobs, ways in ((NEVER, {"index", "bitmaps"}), (ALWAYS, {"boxes"})):
        for knob, value in knobs.items():
            monkeypatch.setattr(boxes, knob, value)
        looked_up = asked.run(jobs=2)
        methods = looked_up.manifest["methods"]
        assert methods["euclidean"] in ways
        assert {methods["taxicab"], methods["adhoc"]} <= {"index", "bitmaps"}
        assert looked_up.to_dict() == met.to_dict()
        assert all(looked_up[label].pairs.equals(met[label].pairs) for label in met)


@pytest.mark.parametrize("reading", ["all", "consistent", "highest"])
@pytest.mark.parametrize("blanked", [0, 20, 50])
@pytest.mark.parametrize("name", FILES)
def test_small_cells_equal_meeting_every_record_on_real_files(
    data, monkeypatch, name, blanked, reading
):
    rows = ROWS if reading == "all" else FEWER
    asked, attack = study(data, name, blanked, rows), ri.Unicity(interactions=reading)
    monkeypatch.setattr(unicity, "WORTHWHILE", 1 << 62)
    met = asked.run(attack, jobs=2)
    monkeypatch.setattr(unicity, "WORTHWHILE", 0)
    settled = asked.run(attack, jobs=2)
    assert met.manifest["methods"] == {"unicity": "masks"}
    assert settled.manifest["methods"] == {"unicity": "cells"}
    assert settled.to_dict() == met.to_dict()
    assert settled["unicity"].pairs.equals(met["unicity"].pairs)
