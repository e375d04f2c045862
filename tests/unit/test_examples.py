"""The examples say what a run says: every number of examples/first is worked out again."""

import ast
import contextlib
import csv
import html
import importlib.util
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from reident.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FIRST = EXAMPLES / "first"
LIMIT_EXCEEDED = 3


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    for name in ("puf.csv", "eif.csv", "iuf.csv", "study.toml"):
        shutil.copy(FIRST / name, folder)
    assert (
        main(["run", str(folder / "study.toml"), "--jobs", "1", "--audit", "6"]) == LIMIT_EXCEEDED
    )
    return json.loads((folder / "study.run" / "results.json").read_text())


@pytest.fixture(scope="module")
def text():
    return (FIRST / "README.md").read_text()


def _tables(text):
    """The tables of a page, by the first heading of each: rows by their first cell."""
    tables = {}
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines()]
        head, _, *body = rows
        tables[head[0]] = {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in body}
    return tables


def _records(name):
    with (FIRST / name).open() as stream:
        rows = list(csv.DictReader(stream))
    return {next(iter(row.values())): row for row in rows}


PUF, EIF = _records("puf.csv"), _records("eif.csv")


def _bin(age):
    ages = sorted(int(row["age"]) for row in PUF.values())
    cuts = [ages[math.ceil(len(ages) * i / 5) - 1] for i in range(1, 5)]
    return 1 + sum(cut < int(age) for cut in cuts)


def _agreement(p, e):
    agree = "a" * (_bin(p["age"]) == _bin(e["age"]))
    for letter, name in (("s", "sex"), ("t", "town"), ("j", "job")):
        agree += letter * (p[name] != "" and p[name] == e[name])
    return agree or "-"


def _points(p, e):
    different = _bin(p["age"]) != _bin(e["age"])
    missing = sum(not (p[name] and e[name]) for name in ("sex", "town", "job"))
    for name in ("sex", "town", "job"):
        different += bool(p[name] and e[name] and p[name] != e[name])
    return 2 * different + missing


def _sum(p, e):
    apart = abs(int(p["age"]) - int(e["age"]))
    rules = tomllib.loads((FIRST / "study.toml").read_text())["attacks"]["adhoc"]["rules"]
    total = next((score for most, score in rules["age"]["difference"] if apart <= most), 0)
    for name in ("sex", "town", "job"):
        total += rules[name]["equal"] * (p[name] != "" and p[name] == e[name])
    return total


@pytest.mark.parametrize(("name", "key"), [("puf.csv", "id"), ("eif.csv", "number")])
def test_the_page_shows_the_files_as_they_are(text, name, key):
    shown = {place: {key: place} | row for place, row in _tables(text)[key].items()}
    assert shown == _records(name)


def test_the_page_tells_the_truth_file(text):
    with (FIRST / "iuf.csv").open() as stream:
        pairs = [(row["id"], row["number"]) for row in csv.DictReader(stream)]
    told = text.replace("\n", " ")
    assert all(re.search(rf"{p} is {e}\b", told) for p, e in pairs)


def test_the_bins_of_the_page_are_those_of_the_rule(text):
    shown = _tables(text)["record"]["bin"]
    everybody = PUF | EIF
    assert shown == {name: str(_bin(row["age"])) for name, row in everybody.items()}


@pytest.mark.parametrize(
    ("table", "value"), [("agree", _agreement), ("points", _points), ("sum", _sum)]
)
def test_every_cell_of_the_tables_of_pairs_is_right(text, table, value):
    shown = _tables(text)[table]
    assert shown == {p: {e: str(value(PUF[p], EIF[e])) for e in EIF} for p in PUF}


@pytest.mark.parametrize("attack", ["unicity", "taxicab", "adhoc"])
def test_every_rate_of_the_page_is_that_of_the_run(text, results, attack):
    rates = {name: row for name, row in _tables(text)["figure"].items() if name in PLACES}
    assert set(rates) == set(PLACES)
    for name, row in rates.items():
        assert row[attack] == f"{results['attacks'][attack][name]:.{PLACES[name]}f}", name


PLACES = {
    "compared": 0, "suspected": 0, "confirmed": 0, "pairs": 0, "confirmed_pairs": 0,
    "suspected_rate": 1, "confirmed_rate": 1, "conditional_rate": 1, "pair_precision": 1,
    "recall": 1, "baseline_confirmed": 2, "lift": 2,
}  # fmt: skip


def test_the_counts_of_the_files_are_those_of_the_run(text, results):
    for name in ("puf_records", "eif_records", "truth_pairs", "overlap"):
        assert f"`{name}` {results[name]}" in text
    shown = _tables(text)["variable"]
    assert shown == {
        row["variable"]: {name: str(value) for name, value in row.items() if name != "variable"}
        for row in results["true_pair_agreement"]
    }


def test_orders_readings_ranks_and_intervals_are_those_of_the_run(text, results):
    unicity, taxicab, adhoc = (results["attacks"][n] for n in ("unicity", "taxicab", "adhoc"))
    orders = {row["order"]: (row["suspected"], row["confirmed"]) for row in unicity["by_order"]}
    assert orders == {1: (4, 4), 2: (2, 0), 3: (0, 0), None: (0, 0)}
    told = " ".join(text.split())
    assert "order 1 exposes 4 records (4 confirmed) and order 2 exposes 2 (0 confirmed)" in told
    readings = {row["reading"]: (row["suspected"], row["confirmed"]) for row in unicity["readings"]}
    assert readings == {"all": (6, 4), "consistent": (5, 3), "highest": (4, 2)}
    assert "which leaves 5, of which 3 are confirmed" in told
    assert "which leaves 4, of which 2 are confirmed" in told
    assert taxicab["by_rank"] == [{"rank": 1, "pairs": 5, "confirmed": 3}]
    assert "rank 1, 5 pairs, 3 confirmed" in told
    assert [(row["pairs"], row["confirmed"]) for row in adhoc["by_rank"]] == [(6, 4), (1, 1)]
    assert "rank 1 holds 6 pairs (4 confirmed) and rank 2 holds 1 pair (1 confirmed)" in told
    for attack in (unicity, taxicab, adhoc):
        low, high = attack["conditional_interval"]
        assert f"{low:.1f} to {high:.1f} %" in told


def test_the_limit_is_exceeded_by_the_attack_that_the_page_names(results):
    exceeded = {row["attack"]: row["exceeded"] for row in results["limits"]}
    assert exceeded == {"unicity": False, "taxicab": False, "adhoc": True}


# American Housing Survey --------------------------------------------------------------------------


def test_the_figures_of_the_housing_survey_are_those_that_its_test_pins():
    source = (EXAMPLES.parent / "tests" / "real" / "test_ahs.py").read_text()
    pinned = next(
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "FIGURES"
    )
    page = (EXAMPLES / "ahs" / "README.md").read_text()
    shown = {
        attack: [int(cell.replace(",", "")) if cell else None for cell in row.values()]
        for attack, row in _tables(page)["attack"].items()
    }
    assert shown == {
        attack: [suspected, confirmed, pairs, passing, tied]
        for attack, (suspected, confirmed, pairs, _, passing, tied, _) in pinned.items()
    }
    assert f"{pinned['taxicab'][6]:,} of these" in page
    assert f"{64141 * 63185:,} pairs" in page


# The notebook -------------------------------------------------------------------------------------


def shown(source, names, count):
    """The outputs of a code cell as a notebook holds them: what it prints, then its last value."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102  # cells of our own
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    outputs = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        outputs.append(
            {
                "data": data,
                "execution_count": count,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return outputs


def test_the_notebook_is_valid_and_its_cells_give_the_outputs_it_shows():
    book = json.loads((EXAMPLES / "notebook.ipynb").read_text())
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    names = {}
    count = 0
    for cell in book["cells"]:
        assert set(cell) >= {"cell_type", "id", "metadata", "source"}
        if cell["cell_type"] == "code":
            count += 1
            assert cell["execution_count"] == count
            assert shown("".join(cell["source"]), names, count) == cell["outputs"]
    assert count > 5
    assert (EXAMPLES / "notebook.ipynb").stat().st_size < 20_000


# Recipes ------------------------------------------------------------------------------------------


def _recipes():
    """Commands of the page for users of SAS, Stata and R, as a shell would run them."""
    page = (EXAMPLES.parent / "docs" / "from-sas-stata-r.md").read_text()
    quoted = re.findall(r"(?:^x |pipe )'(reident [^']*)'", page, re.MULTILINE)
    plain = re.findall(r"^shell (reident .*)$", page, re.MULTILINE)
    flags = dict(re.findall(r"^(\w+) <- c\((.*)\)$", page, re.MULTILINE))
    joined = []
    for call in re.findall(r"system2\(\"reident\", c\((.*)\)\)", page):
        parts = [flags.get(part, part) for part in call.split(", ")]
        words = re.findall(r'"([^"]*)"', ", ".join(parts))
        joined.append(" ".join(["reident", *words]))
    return [*quoted, *plain, *joined]


def test_the_commands_of_the_recipes_run_and_leave_what_the_recipes_read(tmp_path):
    recipes = _recipes()
    assert len(recipes) == 6
    for name in ("puf.csv", "eif.csv", "iuf.csv", "study.toml"):
        shutil.copy(FIRST / name, tmp_path)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for recipe in dict.fromkeys(recipes):
        done = subprocess.run(  # noqa: S602  # the recipes are made for a shell
            recipe, shell=True, cwd=tmp_path, env=os.environ | {"PATH": path}, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        wanted = {0} if "link" in recipe or "echo" in recipe else {LIMIT_EXCEEDED}
        assert done.returncode in wanted, (recipe, done.stderr)
    assert (tmp_path / "exit_code.txt").read_text().strip() == str(LIMIT_EXCEEDED)
    with (tmp_path / "study.run" / "tables" / "rates.csv").open() as stream:
        rates = {row["attack"]: row for row in csv.DictReader(stream)}
    assert float(rates["taxicab"]["conditional_rate"]) == 60
    results = json.loads((tmp_path / "study.run" / "results.json").read_text())
    assert results["attacks"]["taxicab"]["conditional_rate"] == 60
    assert (tmp_path / "link.run" / "results.json").exists()


# Pictures of the terminal -------------------------------------------------------------------------


TIME = r"(?<= pairs), (less than a second|about \d+ \w+)$"


def _lines(picture):
    """The lines of a picture, but for what tells how long something takes."""
    rows = {}
    for y, text in re.findall(r'<text [^>]*?y="([\d.]+)"[^>]*>(.*?)</text>', picture):
        rows.setdefault(float(y), []).append(html.unescape(text))
    lines = [re.sub(TIME, "", "".join(rows[y])) for y in sorted(rows)]
    return [line for line in lines if not re.search(r"\b(second|minute)s?\b", line)]


def test_the_pictures_of_the_terminal_show_what_the_commands_say_today():
    docs = EXAMPLES.parent / "docs"
    spec = importlib.util.spec_from_file_location("make_screens", docs / "make_screens.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    made = maker.screens()
    page = (docs / "terminal.md").read_text()
    for name, picture in made.items():
        assert f"img/{name}.svg" in page
        shown = (docs / "img" / f"{name}.svg").read_text(encoding="utf-8")
        assert _lines(shown) == _lines(picture), "run docs/make_screens.py, look at the pictures"
        assert set(re.findall(r"https?://[^\"\s]*", shown)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"/(tmp|home|root|work|usr)\b", shown)
    nine = [line for line in made["check"].split("<text") if "error:" in line]
    assert len(nine) == 9
