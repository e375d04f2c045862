"""scenario microagg: three situations, the claims of the paper, and studies that are wrong."""

import json
import xml.etree.ElementTree as ET

import polars as pl
import pytest

import reident as ri
from read_page import Page
from reident.api import save_study
from reident.cli import main


def made(folder, *flags):
    code = main(["scenario", "microagg", "--out", str(folder), "--records", "400", *flags])
    return code, folder / "study.toml"


@pytest.mark.parametrize(
    ("situation", "labels", "released"),
    [
        ("basic", ["microagg_interval", "half_gap", "midpoint"], 400),
        ("sample", ["microagg_nearest"], 40),
        ("deviating", ["printed", "microagg_windows", "microagg_trimmed"], 40),
    ],
)
def test_a_situation_is_written_planned_run_and_audited(
    tmp_path, capsys, situation, labels, released
):
    code, study = made(tmp_path, "--situation", situation, "--share", "0.1")
    assert code == 0
    assert pl.read_csv(tmp_path / "puf.csv").height == released
    capsys.readouterr()
    assert main(["plan", str(study), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["attacks"]
    assert [row["attack"] for row in rows] == labels
    assert all(row["bytes"] > 0 for row in rows)
    assert main(["run", str(study), "--audit", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["attacks"]
    assert found[labels[-1]]["confirmed_rate"] > 75
    page = (tmp_path / "study.run" / "report.html").read_text(encoding="utf-8")
    assert "Winkler 2002" in page
    assert ("after each variable" in page) is (situation != "deviating")


def test_the_same_seed_gives_the_same_bytes_and_mdav_other_values(tmp_path):
    folders = [tmp_path / name for name in "abc"]
    for folder, more in zip(folders, ([], [], ["--method", "mdav", "--k", "5"]), strict=True):
        assert made(folder, *more)[0] == 0
    one, same, other = ((folder / "puf.csv").read_bytes() for folder in folders)
    assert one == same != other
    groups = pl.read_csv(folders[2] / "puf.csv").group_by("x1", "x2").len()["len"]
    assert groups.min() >= 5


def test_claims_are_measured_told_and_drawn(tmp_path, capsys):
    flags = ["--claims", "--k", "3,5", "--seeds", "2", "--share", "0.1"]
    assert made(tmp_path, *flags)[0] == 0
    table = capsys.readouterr().out
    assert "half_gap" in table
    assert "k = 5" in table
    told = json.loads((tmp_path / "claims.json").read_text())["claims"]
    assert {row["k"] for row in told} == {3, 5}
    assert {row["situation"] for row in told} == {"basic", "sample", "deviating", "curve"}
    assert all(len(row["measured"]) == 2 for row in told)
    root = ET.fromstring((tmp_path / "claims.svg").read_text())  # noqa: S314  # our own picture
    assert [child.tag.rpartition("}")[2] for child in root[:2]] == ["title", "desc"]
    assert "MDAV" in root[1].text
    page = Page((tmp_path / "report.html").read_text())
    means = {(row["situation"], row["way"], row["k"]): row["mean"] for row in told}
    shown = [value for row in page.values("claims") for value in row if value is not None]
    assert sorted(shown) == sorted(means.values())
    assert "svg" in page.tags
    assert main(["report", str(tmp_path)]) == 0
    assert made(tmp_path, *flags)[0] == 2  # an earlier one is not replaced
    assert "--force" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--situation", "third"], "situation"),
        (["--k", "1"], "k"),
        (["--k", "three"], "whole numbers"),
        (["--k", "500"], "more than the records"),
        (["--off", "11"], "more than the variables"),
        (["--share", "0"], "share"),
    ],
)
def test_a_wrong_flag_is_told_and_nothing_is_written(tmp_path, capsys, flags, told):
    assert made(tmp_path / "out", *flags)[0] == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def study_with(attack, **options):
    frame = pl.DataFrame({"x": [1.0], "y": [2.0], "c": ["a"]})
    return ri.Study(
        puf=ri.PublicFile(frame.with_columns(p=1), key="p"),
        eif=ri.IntruderFile(frame.with_columns(e=1), key="e"),
        variables=[ri.numeric("x"), ri.categorical("c"), ri.numeric("y")],
        attacks={"a": attack(**options)},
    )


def test_categories_are_left_out_unless_named_and_order_is_that_of_the_names():
    study = study_with(ri.MicroaggNearest)
    assert [one.name for one in study.linking(study.attacks["a"])] == ["x", "y"]
    study = study_with(ri.MicroaggNearest, variables=["y", "x"])
    assert [one.name for one in study.linking(study.attacks["a"])] == ["y", "x"]


@pytest.mark.parametrize(
    ("attack", "options", "told"),
    [
        (ri.MicroaggInterval, {"variables": ["x", "c"]}, "'c' is categorical"),
        (ri.MicroaggInterval, {"variables": ["z"]}, "'z' is not a linking variable"),
        (ri.MicroaggInterval, {"radius": "half"}, "radius"),
        (ri.MicroaggInterval, {"keep": 5}, "unknown name"),
        (ri.MicroaggNearest, {"threshold": 1}, "unknown name"),
        (ri.MicroaggNearest, {"k": 0}, "k: not valid"),
        (ri.MicroaggWindows, {"agree": 3}, "2 variables that it can compare. It needs 3"),
        (ri.MicroaggWindows, {"agree": 1, "window": 0}, "window"),
        (ri.MicroaggWindows, {"agree": 1, "deviation": 1}, "deviation"),
        (ri.MicroaggTrimmed, {}, "It needs 7"),
    ],
)
def test_a_wrong_option_is_told(attack, options, told):
    with pytest.raises(ri.SpecError, match=told):
        study_with(attack, **options)


def test_a_word_for_the_variables_stays_a_word():
    assert ri.MicroaggInterval().options()["variables"] == "uncorrelated"
    assert ri.MicroaggWindows().options()["variables"] == "all"
    assert ri.MicroaggInterval(variables=["x"]).options()["variables"] == ["x"]


def test_a_saved_study_says_the_same_words_and_names(tmp_path):
    frame = pl.DataFrame({"id": [1, 2], "x": [1.0, 2.0], "y": [2.0, 3.0]})
    for key, name in (("p", "puf.csv"), ("e", "eif.csv")):
        frame.rename({"id": key}).write_csv(tmp_path / name)
    study = ri.Study(
        puf=ri.PublicFile(tmp_path / "puf.csv", key="p"),
        eif=ri.IntruderFile(tmp_path / "eif.csv", key="e"),
        variables=[ri.numeric("x"), ri.numeric("y")],
        attacks={
            "microagg_interval": ri.MicroaggInterval(),
            "named": ri.MicroaggWindows(agree=2, variables=["y", "x"], deviation=0.05),
            "few": ri.MicroaggTrimmed(agree=1, variables="uncorrelated"),
            "all": ri.MicroaggNearest(variables="all", k=5),
        },
    )
    save_study(study, tmp_path / "study.toml")
    assert ri.Study.read(tmp_path / "study.toml").attacks == study.attacks
    study.run_to(tmp_path / "out")
    assert ri.Study.read(tmp_path / "out" / "study.toml").attacks == study.attacks
