"""The pattern of Identify-euc 4.2 on the made-up file, and its tables."""

import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reident as ri
from read_page import Page
from reident import contest, masking
from reident.beside import compare_runs
from reident.cli import main
from reident.io.outputs import FINISHED, as_json
from reident.model.utility import INDICES
from reident.scenario.pwscup import (
    AMOUNTS,
    MARGINS,
    PERSON,
    QI,
    SA,
    ZERO,
    ZERO_SHARE,
    pwscup_file,
    sample,
)

TRIALS = contest.trials(contest.INSIDE, contest.OUTSIDE)
SEEDS = max(2, int(os.environ.get("REIDENT_EXAMPLES", "1000")) // 50)
"""20 in the whole suite."""
PAGE = Path(__file__).parents[2] / "docs" / "pwscup.md"


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_the_expected_pattern_holds(seed):
    """Every sign of section 4.2, and the true method is among those that fit (Table 15)."""
    frame = pwscup_file(400, seed)
    base = contest.untouched(frame, contest.ROLES, variable=ZERO)
    for trial in TRIALS:
        values = contest.hold(frame, contest.ROLES, trial, seed=seed, variable=ZERO)
        signs = contest.pattern(values, base)
        assert contest.differences(trial, signs) == [], trial.name
        assert trial.name in contest.fits(signs, TRIALS)


@pytest.mark.parametrize("seed", [1, 2])
def test_cheating_protects_nothing_and_reproduces_the_paper_against_its_declaration(seed):
    frame = pwscup_file(300, seed)
    base = contest.untouched(frame, contest.ROLES, variable=ZERO)
    [cheat] = [trial for trial in TRIALS if trial.methods == ("cheat",)]
    by_truth, by_declaration = (
        contest.hold(frame, contest.ROLES, trial, seed=seed, variable=ZERO)
        for trial in (replace(cheat, against="truth"), cheat)
    )
    assert {name: by_truth[name] for name in contest.ATTACKS} == {
        name: base[name] for name in contest.ATTACKS
    }
    # Table 13, column Dc: U5 0.12, every other U as it was, every rate 0.
    assert all(by_declaration[name] < 0.02 for name in contest.ATTACKS)
    assert 0.02 < by_declaration["U5"] < 0.3
    assert {name for name in contest.INDICES if by_declaration[name] != base[name]} == {"U5"}


def test_after_deletion_both_rates_are_told():
    """Section 2.3 divides by the original, Table 13 by the release; U5 counts who is gone."""
    frame = pwscup_file(300, 3)
    base = contest.untouched(frame, contest.ROLES, variable=ZERO)
    [delete] = [trial for trial in TRIALS if trial.methods == ("delete",)]
    found = contest.hold(frame, contest.ROLES, delete, seed=3, variable=ZERO)
    for name, other in contest.OF_ORIGINAL.items():
        assert found[other] == pytest.approx(0.9 * found[name])
        assert base[other] == base[name]
    assert found["U5"] == pytest.approx(0.1)
    # Who was left out had been found by nobody: a rate by the original that stays is explained.
    signs = contest.pattern(found | {"E4 of X": base["E4 of X"]}, base)
    assert contest.differences(delete, signs) == ["E4 of X"]
    assert "left out" in contest.explained(delete, "E4 of X", found)


# The file -----------------------------------------------------------------------------------------


def test_the_page_states_the_tables_that_the_file_is_made_from():
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines()]
    shares = {row[0]: row[-1] for row in rows if row[0] in QI}
    assert shares == {
        name: " ".join(f"{share * 100:.0f}" for share in own) for name, own in MARGINS.items()
    }
    amounts = {row[0]: tuple(map(float, row[1:])) for row in rows if row[0] in SA}
    assert amounts == AMOUNTS
    text = PAGE.read_text("utf-8")
    assert f"{ZERO_SHARE:.0%}".replace("%", " % of a21") in text
    assert f"{PERSON} more for each person" in text


def test_the_file_is_as_the_page_states():
    """Shares, moments and correlations of 50,000 records, within four standard errors."""
    records = 50_000
    frame = pwscup_file(records, 1)
    for name, shares in MARGINS.items():
        found = np.bincount(frame[name].cast(int).to_numpy(), minlength=len(shares) + 1)
        assert found[0] == 0
        assert len(found) == len(shares) + 1
        assert found[1:] / records == pytest.approx(shares, abs=4 * np.sqrt(0.25 / records))
    some = frame[ZERO].to_numpy() > 0
    assert 1 - some.mean() == pytest.approx(ZERO_SHARE, abs=4 * np.sqrt(0.25 / records))
    persons = np.arange(1, len(MARGINS["a1"]) + 1)
    mean = np.average(persons, weights=MARGINS["a1"])
    spread = PERSON**2 * np.average((persons - mean) ** 2, weights=MARGINS["a1"])
    logs = {name: np.log(frame[name].to_numpy()[some]) for name in SA}
    near = 4 / np.sqrt(some.sum())
    for name, (level, sd, _) in AMOUNTS.items():
        total = np.sqrt(sd**2 + spread)
        assert logs[name].mean() == pytest.approx(level + PERSON * (mean - 2), abs=near * total)
        assert logs[name].std() == pytest.approx(total, rel=near)
    for one, other in itertools.combinations(SA, 2):
        (_, a, p), (_, b, q) = AMOUNTS[one], AMOUNTS[other]
        stated = (a * b * p * q + spread) / np.sqrt((a**2 + spread) * (b**2 + spread))
        assert np.corrcoef(logs[one], logs[other])[0, 1] == pytest.approx(stated, abs=near)
    for one, other in itertools.combinations(QI, 2):
        codes = [frame[name].cast(int).to_numpy() for name in (one, other)]
        assert abs(np.corrcoef(*codes)[0, 1]) < 4.5 / np.sqrt(records)


def test_the_file_has_the_shape_of_the_competition():
    frame = pwscup_file(8333, 1)
    assert frame.shape == (8333, 26)
    assert (len(QI), len(SA)) == (13, 12)
    assert all(frame[name].skew() > 1 for name in SA)
    assert 1.5 < 8333 / frame.select(QI).n_unique() < 2
    assert 93 <= sample(frame, 100, 1).select(QI).n_unique() <= 100
    assert pwscup_file(50, 3).equals(pwscup_file(50, 3))


# Commands -----------------------------------------------------------------------------------------


def test_one_command_writes_releases_and_prints_the_tables(tmp_path, capsys):
    out = tmp_path / "contest"
    assert main(["scenario", "pwscup", "--out", str(out), "--records", "120", "--seed", "2"]) == 0
    printed = capsys.readouterr().out
    for name in ("Table 12", "Table 13", "Table 16", "agree", "standard deviation", "E4 of X"):
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


def test_compare_names_the_true_method_of_every_release(tmp_path):
    """Every release of the scenario, as its study says, beside the original (Table 15)."""
    contest.write_releases(tmp_path, records=300, seed=5, force=False)
    folders = []
    for name in ("original", *(f"{trial.name}-{trial.methods[0]}" for trial in TRIALS)):
        folders.append(tmp_path / f"{name}.run")
        folders[-1].mkdir()
        told = ri.Study.read(tmp_path / "whole" / name / "study.toml").run().to_dict()
        (folders[-1] / FINISHED).write_text(as_json(told), encoding="utf-8")
    first, *runs = compare_runs(folders)["runs"]
    assert set(first["signs"].values()) == {"same"}
    for trial, run in zip(TRIALS, runs, strict=True):
        assert trial.name in run["fits"], trial.name
        assert contest.differences(trial, run["signs"]) == [], trial.name


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
