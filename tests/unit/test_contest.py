"""The pattern of Identify-euc 4.2 on the made-up file, and its tables."""

import json

import pytest

from page import Page
from reident import contest, masking
from reident.cli import main
from reident.model.utility import INDICES
from reident.scenario.pwscup import QI, SA, ZERO, pwscup_file, sample

TRIALS = contest.trials(contest.INSIDE, contest.OUTSIDE)


@pytest.fixture(scope="module")
def small():
    frame = pwscup_file(600, 4)
    return frame, contest.untouched(frame, contest.ROLES, variable=ZERO)


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_the_expected_pattern_holds(small, trial):
    frame, base = small
    values = contest.hold(frame, contest.ROLES, trial, seed=4, variable=ZERO)
    signs = contest.pattern(values, base)
    differ = contest.differences(trial, signs)
    assert all((trial.name, name) in contest.EXPLAINED for name in differ), differ
    if trial.name != "Dh":
        assert trial.name in contest.fits(signs, TRIALS)


def test_the_file_has_the_shape_of_the_competition():
    frame = pwscup_file(8333, 1)
    assert frame.shape == (8333, 26)
    assert (len(QI), len(SA)) == (13, 12)
    assert (frame[ZERO] == 0).mean() == pytest.approx(0.76, abs=0.02)
    assert all(frame[name].skew() > 1 for name in SA)
    assert 1.5 < 8333 / frame.select(QI).n_unique() < 2
    assert 93 <= sample(frame, 100, 1).select(QI).n_unique() <= 100
    assert pwscup_file(50, 3).equals(pwscup_file(50, 3))


def test_one_command_writes_releases_and_prints_the_tables(tmp_path, capsys):
    out = tmp_path / "contest"
    assert main(["scenario", "pwscup", "--out", str(out), "--records", "120", "--seed", "2"]) == 0
    printed = capsys.readouterr().out
    for name in ("Table 12", "Table 13", "Table 16", "agree", "standard deviation"):
        assert name in printed
    found = json.loads((out / "tables.json").read_text(encoding="utf-8"))
    assert [part["name"] for part in found["parts"]] == ["sample", "whole"]
    assert (out / "sample" / "Da-kanonymise" / "study.toml").exists()
    page = Page((out / "report.html").read_text())
    for part in found["parts"]:
        assert page.values(f"table-13-{part['name']}") == [
            [value, *(trial["measured"][name] for trial in part["trials"])]
            for name, value in part["original"].items()
        ]
    assert "safe" not in " ".join(page.texts).lower()
    assert main(["scenario", "pwscup", "--out", str(out), "--records", "120"]) == 2


def test_too_few_records_are_refused(tmp_path):
    assert main(["scenario", "pwscup", "--out", str(tmp_path), "--records", "10"]) == 2


def test_compare_names_the_single_methods_that_fit(tmp_path, capsys):
    frame = pwscup_file(300, 4)
    folders = []
    for name, methods in (("original", ("delete",)), ("noisy", ("noise",)), ("swapped", ("swap",))):
        asked = {"methods": methods, "seed": 1, **contest.ROLES, "share": 0.0}
        made = masking.anonymise_file(frame, asked, {})
        path = masking.write_study(made, tmp_path / name, asked, against="truth")
        folders.append(str(tmp_path / f"{name}.run"))
        assert main(["run", str(path), "--out", folders[-1]]) == 0
    capsys.readouterr()
    assert main(["compare", *folders, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    runs = found["runs"]
    assert runs[1]["fits"] == ["Db"]
    assert "Dg" in runs[2]["fits"]
    assert main(["compare", *folders]) == 0
    assert "single methods that fit: noise (Db)" in capsys.readouterr().out.replace("\n", " ")
    out = tmp_path / "beside.html"
    assert main(["compare", *folders, "--out", str(out)]) == 0
    _is_told(Page(out.read_text()), found)
    assert main(["compare", *folders, "--out", str(out)]) == 2
    assert main(["compare", folders[0]]) == 2
    assert main(["compare", folders[0], str(tmp_path)]) == 2


def _is_told(page, found):
    """The page holds the numbers of the comparison."""
    placed = found["map"]
    assert [row["run"] for row in placed] == ["original.run", "noisy.run", "swapped.run"]
    assert {row["index"] for row in placed} == {"U5"}
    assert [row[:2] for row in page.values("map")] == [[row["risk"], row["loss"]] for row in placed]
    for row, name in zip(page.values("utility"), INDICES, strict=True):
        assert row == [run["utility"][name] for run in found["runs"]]
    signs = {row[0]["text"]: row[1]["text"] for row in page.tables["signs"][1:]}
    marks = {"worse": "-", "better": "+", "safer": "+", "less safe": "-", "same": "="}
    assert signs == {name: marks[way] for name, way in found["runs"][1]["signs"].items()}
    assert "svg" in page.tags
    rates = [run["rates"]["euc1"]["conditional_rate"] for run in found["runs"]]
    assert rates in page.values("rates")
    assert len(page.tables["notes"]) > 1
