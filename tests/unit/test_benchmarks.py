"""The benchmark cannot rot: a row of each family runs on tiny files, the page tells the results.

Nothing here looks at a clock's figure; peers that need an environment of their own stay out.
"""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

# One worker runs the rows once for all tests of this file.
pytestmark = pytest.mark.xdist_group("benchmarks")
ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
ONE_EACH = (
    "taxicab-1e5-v10",
    "euclidean-1e5-6",
    "adhoc-1e5",
    "unicity-1e5-v10",
    "microagg-interval-1e5",
    "identify_rand",
)
LINE = "growth-taxicab-n"
SEARCH = "uniques-1e7-v20"
KEEPING = "keeping-taxicab-1e6-v20"
AWKWARD = "awkward-taxicab"
SIDES = ("ours", "peers", "plan", "command")


@pytest.fixture(scope="module")
def scripts():
    """The scripts as modules: they find each other beside themselves."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield {name: importlib.import_module(name) for name in ("rows", "page", "child", "run")}
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What the runner writes for one row a family, a line of growth and the start."""
    folder = tmp_path_factory.mktemp("results")
    command = [sys.executable, str(BENCHMARKS / "run.py"), *ONE_EACH, SEARCH, LINE, KEEPING]
    command += [AWKWARD, "start-help"]
    options = ["--records", "120", "--repeats", "1", "--slice", "0.05", "--no-environments"]
    done = subprocess.run(
        [*command, *options, "--jobs", "1", "--results", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}


def test_every_measurement_of_every_family_finishes(results):
    assert len(results) == len(ONE_EACH) + 5
    for result in results.values():
        (repeat,) = result["repeats"]
        for side in SIDES:
            assert "failed" not in repeat.get(side, {}), (result["row"]["name"], side)
        assert not any("failed" in point for point in repeat.get("points", []))


def test_awkward_files_stand_beside_the_plain_one_by_pair_or_where_few_meet_as_a_whole(scripts):
    shapes = {
        "plain": {"seconds": 2.0, "compared": 1000},
        "half the pairs": {"seconds": 3.0, "compared": 500},
        "few pairs": {"seconds": 1.0, "compared": 5},
    }
    told = scripts["page"].oddities([{"ours": {"shapes": shapes}}])
    assert [times for *_, times in told] == [1.0, 3.0, 0.5]
    failed = [{"ours": {"failed": "not finished in time"}}]
    assert scripts["page"].oddities(failed) == []
    found = {AWKWARD: {"repeats": [{"ours": {"shapes": shapes}}]}}
    lines = scripts["page"].awkward(found | {"awkward-adhoc": {"repeats": failed}}).splitlines()
    assert "3 s, 3x" in lines[3]
    assert lines[-1] == "`awkward-adhoc`: not finished."


@pytest.mark.parametrize("name", ["taxicab-1e5-v10", "euclidean-1e5-6+6", "adhoc-1e5-v10"])
def test_tuned_numpy_keeps_the_same_pairs_as_the_product(results, name):
    (repeat,) = results[name]["repeats"]
    answer = repeat["peers"]["numpy"]["answer"]
    assert answer["records_that_differ"] == 0
    assert not answer["compared"].startswith("0 ")


def test_peers_find_the_same_unique_records(scripts, results):
    (repeat,) = results[SEARCH]["repeats"]
    assert repeat["ours"]["unique_records"] > 0
    assert set(repeat["peers"]) == {"duckdb-cells", "duckdb-flags", "polars"}
    for peer in repeat["peers"].values():
        assert peer["answer"]["records_that_differ"] == 0
    lines = scripts["page"].uniques({SEARCH: results[SEARCH]}).splitlines()
    assert len(lines) == 2 + 3
    assert "Not measured" in scripts["page"].uniques({})


def test_results_describe_the_machine_and_name_neither_it_nor_a_place_on_it(results):
    for result in results.values():
        assert {"processor", "cores", "memory_gb", "versions"} <= set(result["machine"])
        text = json.dumps(result)
        assert not re.search(r"/(tmp|home|root|work|usr|dev)\b", text)


def test_committed_results_are_of_whole_rows(scripts):
    by_name = {row.name: row for row in scripts["rows"].ROWS}
    for path in (BENCHMARKS / "results").glob("*.json"):
        result = json.loads(path.read_text())
        failed = "failed" in result["repeats"][-1].get("ours", {})
        assert failed or len(result["repeats"]) >= 3
        as_in_the_table = json.loads(json.dumps(scripts["page"].as_written(by_name[path.stem])))
        assert result["row"] == as_in_the_table


def test_page_and_pictures_say_what_the_results_say(scripts):
    assert scripts["page"].faults() == [], "run benchmarks/page.py"


def test_a_table_of_the_page_follows_the_results(scripts, results):
    page = scripts["page"]
    found = {row.name: results[row.name] for row in scripts["rows"].ROWS if row.name in results}
    text = page.filled(page.PAGE.read_text(), found)
    ours = found["taxicab-1e5-v10"]["repeats"][0]["ours"]["seconds"]
    assert f"| `taxicab-1e5-v10` | {page.number(ours)} | numpy |" in text
    assert page.filled(text, {}) == page.filled(page.PAGE.read_text(), {})
    assert set(page.drawings(found)) == {"benchmarks", "growth"}


def test_a_ratio_is_made_within_a_repeat_and_a_failure_leaves_none(scripts):
    page = scripts["page"]
    both = [
        {"ours": {"seconds": a}, "peers": {"numpy": {"seconds": b}}}
        for a, b in ((1, 10), (2, 60), (4, 44))
    ]
    assert page.medians(both)["ratios"] == {"numpy": 11}
    assert page.medians([*both, {"ours": {"failed": "x"}, "peers": {}}]) == {
        "seconds": None,
        "peer_seconds": {"numpy": None},
        "ratios": {},
        "peak_mb": None,
    }


def test_a_row_that_fails_is_not_repeated_and_a_line_stops_growing_there(scripts, monkeypatch):
    run, rows = scripts["run"], scripts["rows"]
    settings = run.Settings(repeats=3, slice_seconds=0.1, seed=1, jobs=1, environments=False)
    asked = []

    def ours(folder, label, jobs, limit):
        del label, jobs, limit
        asked.append(folder)
        if len(asked) > 1:
            raise scripts["child"].ChildUnfinishedError
        return {"seconds": 1.0}

    monkeypatch.setattr(run, "_made", lambda *_: None)
    monkeypatch.setattr(run, "_ours", ours)
    (line,) = (one for one in rows.GROWTH if one.name == LINE)
    points = scripts["page"].points(line, run.grown(line, settings))
    assert [seconds for _, seconds in points] == [None] * len(line.shapes)
    assert len(asked) == 3  # two points of the first repeat, one of the second, then none
    (repeat,) = run.measured(rows.MEASURED[0], settings)
    assert repeat["ours"] == {"failed": "not finished in time"}
    assert repeat["peers"] == repeat["plan"] == repeat["command"] == {}


@pytest.mark.parametrize(
    ("need", "figures", "verdict"),
    [
        ({"ratio": 200}, {"ratios": {"numpy": 201}}, "met"),
        ({"ratio": 200}, {"ratios": {"numpy": 199}}, "**not met**"),
        ({"ratio": 200}, {}, "**not met**"),
        ({"ratio": 9, "against": ("a",)}, {"ratios": {"a": 10, "b": 1}}, "met"),
        ({"ratio": 9, "against": ("a", "c")}, {"ratios": {"a": 10}}, "**not met**"),
        ({"seconds": 10, "gigabytes": 1.5}, {"seconds": 9, "peak_mb": 1400}, "met"),
        ({"seconds": 10, "gigabytes": 1.5}, {"seconds": 9, "peak_mb": 1600}, "**not met**"),
        ({"seconds": 10}, {"seconds": None}, "**not met**"),
        ({}, {"seconds": 1}, "-"),
    ],
)
def test_the_verdict_is_met_only_when_all_that_is_asked_for_is_reached(
    scripts, need, figures, verdict
):
    whole = {"ratios": {}, "seconds": None, "peak_mb": None} | figures
    assert scripts["page"].verdict(scripts["rows"].Need(**need), whole) == verdict


@pytest.mark.parametrize(
    ("forecast", "came", "good"),
    [
        (4, 2, True),
        (2, 4, True),
        (4.1, 2, False),
        (2, 4.1, False),
    ],
)
def test_a_forecast_is_good_within_a_factor_of_two(scripts, forecast, came, good):
    assert scripts["page"].within(forecast, came) is good


def test_a_process_that_takes_too_long_is_stopped_and_one_that_fails_says_why(scripts):
    child = scripts["child"]
    with pytest.raises(child.ChildUnfinishedError):
        child.run([sys.executable, "-c", "import time; time.sleep(60)"], limit=0.2)
    with pytest.raises(child.ChildFailedError, match="no such luck"):
        child.run([sys.executable, "-c", "import sys; sys.exit('no such luck')"], limit=60)


def test_results_of_files_cut_down_cannot_replace_the_committed_ones():
    command = [sys.executable, str(BENCHMARKS / "run.py"), "taxicab", "--records", "100"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "--results" in done.stderr
