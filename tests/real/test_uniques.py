"""Unique records of real persons: counts against plain grouping, minimal sets within their time."""

import polars as pl
import pytest

import reident as ri

VARIABLES = [
    *("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P"),
    *("NOC", "OWN_RENT", "EDU", "PINCP_DECILE"),
]
SETS = {3: (0, 412, 27529), 4: (0, 412, 27529, 112011)}
"""Minimal sets by size, as found when the search agreed with the definition on small files."""


@pytest.fixture(scope="module")
def persons(data):
    return data / "nist-acs" / "national2019.csv"


@pytest.mark.parametrize("method", ["auto", "sort", "stream", "t1", "t2"])
def test_counts_are_those_of_grouping(persons, method):
    frame = pl.read_csv(persons, infer_schema=False)
    sizes = frame.group_by(VARIABLES).len("n")["n"]
    found = ri.uniques(persons, VARIABLES, k=3, method=method, jobs=2)
    assert (found.records, found.cells) == (len(frame), len(sizes))
    assert [row["cells"] for row in found.by_count] == [(sizes == c).sum() for c in (1, 2, 3)]


@pytest.mark.parametrize("size", SETS)
def test_minimal_sets_of_ten_variables(persons, size):
    found = ri.minimal_uniques(persons, VARIABLES, size=size, jobs=2)
    assert found.by_size == SETS[size]
    unique = ri.uniques(persons, VARIABLES, k=1).unique_records
    assert found.records + found.beyond == unique


def test_household_income_survey_with_weights(data):
    path = data / "sdcmicro" / "testdata.csv"
    names = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    found = ri.uniques(path, names, weight="sampling_weight", household="ori_hid")
    risk = found.to_dict()["risk"]
    assert risk["rated"] == 4580
    assert 0 < risk["mean"] <= risk["largest"] < 1
    assert risk["household"]["expected"] <= risk["expected"]
