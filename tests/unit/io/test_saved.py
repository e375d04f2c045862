"""A saved study says the same as the study, and no more than it must."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from reident.io.saved import saved_text, seen_from
from reident.io.spec import parse_study, read_study, study_dict
from reident.model.files import SourceFile
from strategies import cases

FULL = """
schema = 1
title = "Survey"
seed = 7
marking = "SECRET"
[puf]
path = "a/puf.csv"
key = ["household", "person"]
separator = ";"
catalog = "a/formats.sas7bcat"
[eif]
path = "duckdb:b/eif.db::people"
key = "e"
[iuf]
path = "env:TRUTH::pairs"
[variables]
age = "numeric"
county = { kind = "categorical", eif = "CNTY", missing = ["-9"] }
[strata]
by = ["state", { puf = "ST", eif = "st" }]
[attacks.unicity]
[attacks.strict]
method = "euclidean"
threshold = "consistent"
missing_score = 0.25
[limits]
suspected_rate = 20
[limits.strict]
conditional_rate = 5
use = "upper"
[report]
small_cell = 3
"""


@pytest.mark.parametrize(("folder", "a", "b"), [("", "a", "b"), ("deep/er", "../../a", "../../b")])
def test_what_a_person_wrote_is_what_is_saved(tmp_path, folder, a, b):
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    saved = saved_text(parse_study(FULL, folder=tmp_path), tmp_path / folder)
    written = FULL.replace('"a/', f'"{a}/').replace(":b/", f":{b}/")
    assert tomllib.loads(saved) == tomllib.loads(written)


def test_a_link_among_the_folders_does_not_lead_astray(tmp_path):
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "near").symlink_to(tmp_path / "far" / "away")
    (tmp_path / "puf.csv").write_text("x")
    said = seen_from(tmp_path / "near", SourceFile(tmp_path / "puf.csv"))
    assert (tmp_path / "near" / said).read_text() == "x"


def test_a_path_of_the_working_folder_is_seen_from_the_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert seen_from(tmp_path / "studies", SourceFile("puf.csv")) == "../puf.csv"
    assert seen_from(Path("studies"), SourceFile("duckdb:x.db::t")) == "duckdb:../x.db::t"


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases(callables=False))
def test_any_drawn_study_survives_being_saved(tmp_path_factory, case):
    folder = tmp_path_factory.mktemp("study")
    study = read_study(case.write(folder))
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    again = parse_study(saved_text(study, elsewhere), folder=elsewhere)
    for read in (again, study):
        for file in (read.puf, read.eif, read.truth):
            assert file is None or file.path.resolve().is_file()
    assert _without_paths(again) == _without_paths(study)


def _without_paths(study):
    told = study_dict(study)
    for section in ("puf", "eif", "iuf"):
        told.get(section, {}).pop("path", None)
    return told
