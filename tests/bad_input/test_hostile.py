"""Bad input, Hostile: values and names of other hands are shown as what they are, or not at all."""

import ast
import csv
import html
import io
import re
import zipfile
from pathlib import Path

import pytest

from bad_input.formats import ANY_NAME
from bad_input.study_folder import (
    RECORDS,
    assert_nothing_leaks,
    assert_refused,
    command,
    folder_of,
)

SOURCE = Path(__file__).resolve().parents[2] / "src" / "reident"
FORMULAS = ["=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", " =1+1"]
MARKUP = [
    "<script>alert(1)</script>",
    "{{7*7}}",
    "{% for x in y %}",
    "\"' onmouseover='alert(1)",
    "<img src=x onerror=alert(1)>",
    "[bold red]markup[/]",
    ":warning:",
]
ESCAPES = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x1b[2J",
    "back\x08\x08space",
    "\u202eturned",
]
NAMES = [
    "age'; DROP TABLE puf; --",
    '"; SELECT 1; --',
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned #",
    "../../pwned",
    "/pwned",
    "a|b&c",
    "%s%n",
    "name with blanks",
    "\\",
    "*",
    "^age.*$",
]


def _run(capsys, folder):
    before = folder.content()
    said = command(capsys, "run", folder.study, "--jobs", "1")
    assert said.code == 0, said
    assert_nothing_leaks(folder, before, said)
    return said


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_stratum_that_looks_like_a_formula_is_guarded_in_every_table(tmp_path, capsys, formula):
    def change(inputs):
        inputs.strata()
        for side in ("puf", "eif"):
            inputs.fill(side, "st", [formula, "plain"] * (RECORDS // 2))

    folder = folder_of(tmp_path, "csv", change)
    _run(capsys, folder)
    tables = sorted((folder.run / "tables").glob("*.csv"))
    cells = [
        cell
        for table in tables
        for row in csv.reader(io.StringIO(table.read_bytes().decode(), newline=""))
        for cell in row
    ]
    assert f"'{formula}" in cells
    assert not [cell for cell in cells if cell.lstrip().startswith(("=", "+", "@", "\t", "\r"))]
    assert not [cell for cell in cells if re.match(r"\s*-\D", cell)]
    with zipfile.ZipFile(folder.run / "tables" / "results.xlsx") as book:
        sheets = [book.read(name).decode() for name in book.namelist() if "sheets/" in name]
    assert sheets
    assert not [sheet for sheet in sheets if re.search(r"<f[ >]", sheet)]


@pytest.mark.parametrize("text", MARKUP)
def test_markup_in_titles_names_and_values_is_inert(tmp_path, capsys, text):
    def change(inputs):
        inputs.strata()
        inputs.study |= {"title": text, "marking": text, "approval": text}
        inputs.study["variables"][text] = {"kind": "categorical", "puf": text, "eif": text}
        for side in ("puf", "eif"):
            inputs.fill(side, text, [text, "x"] * (RECORDS // 2))
            inputs.fill(side, "st", [text, "plain"] * (RECORDS // 2))
        inputs.put("eif", text, 0, None)
        inputs.fill("eif", text, "y")  # a note names the variable

    folder = folder_of(tmp_path, "csv", change)
    said = _run(capsys, folder)
    page = (folder.run / "report.html").read_text()
    assert "<script" not in page
    assert "<img" not in page
    assert html.escape(text) in page.replace("&#34;", "&quot;").replace("&#39;", "&#x27;")
    assert text in said.out
    assert folder.results["title"] == text


def test_markup_in_the_name_of_a_file_is_inert(tmp_path, capsys):
    name = "puf<script>alert(1)<script>{{7*7}}'.csv"
    folder = folder_of(tmp_path, "csv", lambda inputs: inputs.study["puf"].update(path=name))
    folder.files["puf"].rename(tmp_path / name)
    _run(capsys, folder)
    page = (folder.run / "report.html").read_text()
    assert "<script" not in page
    assert "{{7*7}}" in page


@pytest.mark.parametrize("kind", ANY_NAME)
@pytest.mark.parametrize("name", NAMES)
def test_names_of_columns_are_nothing_but_names(tmp_path, capsys, monkeypatch, name, kind):
    (tmp_path / "inner" / "most").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "inner" / "most")

    def change(inputs):
        inputs.study["variables"][name] = "categorical"
        inputs.study["puf"]["key"] = ["pid", f"{name} key"]
        inputs.study["iuf"] |= {"puf_key": ["pid", f"{name} key"], "eif_key": ["eid"]}
        inputs.study["strata"] = {"by": [f"{name} stratum"]}
        for side in ("puf", "eif"):
            inputs.fill(side, name, ["a", "b"] * (RECORDS // 2))
            inputs.fill(side, f"{name} stratum", ["n", "s"] * (RECORDS // 2))
        for side in ("puf", "iuf"):
            inputs.fill(side, f"{name} key", "k")

    folder = folder_of(tmp_path / "inner" / "most", kind, change)
    _run(capsys, folder)
    assert folder.results["truth_pairs"] == RECORDS
    assert folder.results["strata"] == [f"{name} stratum"]
    assert sorted(path.name for path in tmp_path.rglob("*pwned*")) == []
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
    assert [path.name for path in (tmp_path / "inner").iterdir()] == ["most"]


def _no_escape(text):
    return not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)


@pytest.mark.parametrize("text", ESCAPES)
def test_terminal_escapes_never_reach_the_terminal_of_a_good_study(tmp_path, capsys, text):
    def change(inputs):
        inputs.strata()
        inputs.study |= {"title": text, "marking": text}
        inputs.study["variables"][text] = "categorical"
        for side in ("puf", "eif"):
            inputs.fill(side, text, f"{side}")
            inputs.fill(side, "st", [text, "plain"] * (RECORDS // 2))

    folder = folder_of(tmp_path, "csv", change)
    said = _run(capsys, folder)
    assert _no_escape(said.out + said.err)
    assert _no_escape((folder.run / "report.html").read_text())
    said = command(capsys, "check", folder.study)
    assert said.code == 0
    assert _no_escape(said.out + said.err)


@pytest.mark.parametrize("text", ESCAPES)
def test_terminal_escapes_never_reach_the_terminal_of_a_bad_study(tmp_path, capsys, text):
    def change(inputs):
        inputs.study[text] = 1
        inputs.study["variables"][text] = "categorical"
        inputs.study["puf"]["path"] = f"{text}.csv".replace("/", "")
        inputs.study["attacks"][text] = {"method": "taxicab"}

    folder = folder_of(tmp_path, "csv", change)
    before = folder.content()
    for verb in ("run", "check"):
        said = command(capsys, verb, folder.study)
        assert said.code == 2
        assert _no_escape(said.out + said.err)
    assert folder.content() == before


def test_a_flag_with_terminal_escapes_is_refused_without_them(tmp_path, capsys):
    folder = folder_of(tmp_path, "csv")
    for flag in ("--\x1b[31mjobs", "--jobs=\x1b[31m"):
        said = command(capsys, "run", folder.study, flag)
        assert said.code == 2
        assert _no_escape(said.err)


@pytest.mark.parametrize("label", ["../../x", "a b", "<script>", "a/b", ""])
def test_a_label_is_a_plain_word(tmp_path, capsys, label):
    def change(inputs):
        inputs.study["attacks"][label] = {"method": "taxicab"}

    says = ("attacks", "a label with other signs", "Rename it")
    assert_refused(capsys, folder_of(tmp_path, "csv", change), says)


def test_nothing_is_ever_unpickled_evaluated_or_read_as_yaml():
    banned = {"pickle", "cPickle", "dill", "marshal", "shelve", "yaml", "joblib", "ruamel"}
    calls = {"eval", "exec", "__import__", "compile"}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert not {alias.name.partition(".")[0] for alias in node.names} & banned, path
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").partition(".")[0] not in banned, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in calls, path
