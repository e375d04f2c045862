"""Protective actions on real files: what SAS, Stata and SPSS wrote comes back; real persons."""

import pytest

import reident as ri
from reident.io.tables import read_table
from reident.model.files import SourceFile

VENDOR = (
    "dates.sas7bdat",
    "hebrews.sav",
    "missing_char.sav",
    "missing_test.dta",
    "missing_test.sav",
    "sample.dta",
    "sample.sas7bdat",
    "sample.xpt",
    "sample_missing.sav",
)
WRITTEN_AS = {"sas7bdat": "xpt"}
PERSONS = ["PUMA", "AGEP", "SEX", "MSP", "RAC1P", "EDU"]


@pytest.mark.parametrize("name", VENDOR)
def test_files_of_statistical_packages_are_encrypted_and_restored(tmp_path, data, name):
    path, key = data / "formats" / name, tmp_path / "key"
    kind = name.rpartition(".")[2]
    mine = read_table(SourceFile(path))
    for ending in (WRITTEN_AS.get(kind, kind), "parquet"):
        out, back = tmp_path / f"sealed.{ending}", tmp_path / f"back.{ending}"
        ri.protect(path, mine.frame.columns, k=1, action="encrypt", key_file=key, out=out)
        found = ri.decrypt(out, key_file=key, out=back)
        assert found.schema == mine.frame.schema
        assert found.equals(mine.frame)
        assert read_table(SourceFile(back)).labels == mine.labels


@pytest.fixture(scope="module")
def persons(data):
    return data / "nist-acs" / "national2019.csv"


def test_destroying_and_blanking_leave_nobody_unique(persons):
    gone = ri.protect(persons, PERSONS, action="destroy", domains=["PUMA"], jobs=2)
    lost = gone.before.unique_records
    assert gone.records_in - gone.records_out == lost == len(gone.changes) > 1000
    assert gone.after.unique_records == 0
    told = gone.to_dict()["by_domain"]
    assert sum(row["records_in"] - row["records_out"] for row in told) == lost
    blank = ri.protect(persons, PERSONS, action="blank", jobs=2)
    assert blank.after.protected == lost
    assert blank.after.cells == gone.after.cells
    assert blank.after.violations == gone.after.violations


def test_a_rounded_table_leaves_only_multiples_of_three(persons):
    found = ri.protect(persons, PERSONS, action="perturb", how="table_round", seed=3, jobs=2)
    sizes = found.frame.group_by(PERSONS).len("n")["n"]
    assert (sizes % 3 != 0).sum() <= 1
    assert found.after.unique_records == 0
    assert sizes.sum() == found.records_in
