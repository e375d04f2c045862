"""Formats in a study file: sheet, catalog and paths of every kind."""

import polars as pl
import pytest

from reident.api import Study
from reident.errors import SpecError
from reident.io.labels import Table
from reident.io.spec import parse_study, study_dict, study_text
from reident.io.writing import write_table
from reident.model.files import SourceFile

STUDY = """
schema = 1
[puf]
path = "puf.sav"
key = "id"
[eif]
path = "eif.xlsx"
sheet = "data"
key = "id"
[iuf]
path = "iuf.dta"
puf_key = "puf"
eif_key = "eif"
[variables]
sex = "categorical"
age = "numeric"
"""
PUF = pl.DataFrame({"id": ["007", "7", "8"], "sex": ["f", "m", None], "age": [31.0, 64.0, 20.0]})
EIF = pl.DataFrame({"id": ["x", "y"], "sex": ["f", "m"], "age": [31, 50]})
IUF = pl.DataFrame({"puf": ["007"], "eif": ["x"]})


def test_a_study_over_three_formats(tmp_path):
    for name, frame in (("puf.sav", PUF), ("eif.xlsx", EIF), ("iuf.dta", IUF)):
        write_table(Table(frame=frame), tmp_path / name)
    (tmp_path / "study.toml").write_text(STUDY)
    study = Study.read(tmp_path / "study.toml")
    assert study.eif.sheet == "data"
    mixed = study.run().to_dict()
    frames = study.model_copy(
        update={
            "puf": study.puf.model_copy(update={"source": PUF}),
            "eif": study.eif.model_copy(update={"source": EIF}),
            "truth": study.truth.model_copy(update={"source": IUF}),
        }
    )
    assert frames.run().to_dict() == mixed


def test_a_catalogue_is_found_from_the_study_file(tmp_path):
    text = STUDY.replace('path = "puf.sav"', 'path = "puf.sas7bdat"\ncatalog = "formats.sas7bcat"')
    study = parse_study(text, folder=tmp_path)
    assert study.puf.catalog == str(tmp_path / "formats.sas7bcat")
    assert study_dict(study)["puf"]["catalog"] == study.puf.catalog
    assert parse_study(study_text(study), folder=tmp_path / "elsewhere") == study


def test_sheet_and_catalogue_are_texts():
    for name in ("sheet", "catalog"):
        with pytest.raises(SpecError, match=name):
            SourceFile("a.xlsx", **{name: 1})
