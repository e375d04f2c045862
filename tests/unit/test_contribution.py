"""Leaving a variable out is the same attack on the others; a run's report shows what that did."""

import json
import re

import pytest

import reident as ri
from read_page import Page
from reident.cli import main
from reident.made_up import write_scenario

FIELDS = ("suspected", "confirmed", "suspected_rate", "confirmed_rate", "conditional_rate")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("contribution")
    write_scenario(home, records=120, seed=5)
    assert main(["run", str(home / "study.toml"), "--only", "taxicab,adhoc"]) in {0, 3}
    return home


@pytest.fixture(scope="module")
def found(folder):
    assert main(["contribution", str(folder / "study.toml"), "--only", "taxicab,adhoc"]) == 0
    return json.loads((folder / "study.run" / "contribution.json").read_text())["attacks"]


def test_each_row_is_the_attack_on_the_other_variables(folder, found):
    study = ri.Study.read(folder / "study.toml")
    names = [variable.name for variable in study.variables]
    assert list(found) == ["taxicab", "adhoc"]
    for label, rows in found.items():
        assert [row["variable"] for row in rows] == [None, *names]
        for left, row in zip([None, *names], rows, strict=True):
            rest = tuple(name for name in names if name != left)
            attack = study.attacks[label].model_copy(update={"variables": rest})
            told = study.run(attack)[label].to_dict()
            assert {name: row[name] for name in FIELDS} == {name: told[name] for name in FIELDS}


def test_with_all_variables_it_is_the_run(folder, found):
    results = json.loads((folder / "study.run" / "results.json").read_text())
    for label, rows in found.items():
        whole = results["attacks"][label]
        assert {name: rows[0][name] for name in FIELDS} == {name: whole[name] for name in FIELDS}


def test_the_report_shows_it_with_its_numbers(folder, found):
    text = (folder / "study.run" / "report.html").read_text()
    for label, rows in found.items():
        assert Page(text).values(f"contribution-{label}") == [
            [row["suspected"], row["confirmed"], row["conditional_rate"]] for row in rows
        ]
    rows = found["taxicab"]
    least = min(rows[1:], key=lambda row: row["conditional_rate"])
    assert (
        f"Taxicab: without {least['variable']} the conditional rate is "
        f"{least['conditional_rate']:.1f} %, with all variables" in text
    )


def test_the_cost_is_told_first_and_can_be_all(folder, capsys):
    before = (folder / "study.run" / "report.html").stat().st_mtime_ns
    assert main(["contribution", str(folder / "study.toml"), "--only", "taxicab", "--plan"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert re.fullmatch(r"9 attacks, (less than a second|about \d+ s)\.\n", told.err)
    assert (folder / "study.run" / "report.html").stat().st_mtime_ns == before


def test_contributions_to_another_run_are_refused(folder, found, tmp_path, capsys):
    assert found
    for name in ("results.json", "manifest.json", "contribution.json"):
        (tmp_path / name).write_bytes((folder / "study.run" / name).read_bytes())
    (tmp_path / "results.json").write_text((tmp_path / "results.json").read_text() + " ")
    assert main(["report", str(tmp_path)]) == 2
    assert "contributions to another run" in capsys.readouterr().err
    other = folder / "other.toml"
    text = (folder / "study.toml").read_text()
    other.write_text(text.replace("seed = 20261115", "seed = 1").replace("seed = 5", "seed = 1"))
    asked = ["contribution", str(other), "--only", "taxicab", "--run", str(folder / "study.run")]
    assert main(asked) == 2
    assert "a run of another study" in capsys.readouterr().err


def test_an_attack_on_one_variable_has_none_to_leave_out():
    import polars as pl

    from reident.contribution import left_out

    frame = pl.DataFrame({"id": [1, 2], "sex": ["f", "m"]})
    study = ri.Study(
        puf=ri.PublicFile(frame, key="id"),
        eif=ri.IntruderFile(frame.rename({"id": "number"}), key="number"),
        variables=[ri.categorical("sex")],
    )
    assert list(left_out(study)) == []
