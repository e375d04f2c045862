"""`reident uniques` answers bad input as every verb does, in the language of its flags."""

import json
import re
import stat

import polars as pl
import pytest

import reident as ri
from bad_input.study_folder import (
    CANARY,
    CANARY_NUMBER,
    assert_nothing_leaks,
    command,
    folder_of,
    leaks,
)


def _flags(folder, **changed):
    flags = {"--vars": "age,sex,county"} | {
        f"--{name.replace('_', '-')}": value for name, value in changed.items()
    }
    given = [part for flag, value in flags.items() if value is not None for part in (flag, value)]
    return ["uniques", folder.files["puf"], *given]


FLAGS = {
    "no variable": ({"vars": ","}, ("--vars: ",)),
    "a variable twice": ({"vars": "sex,sex"}, ("--vars: a variable named twice",)),
    "an absent variable": ({"vars": "sex,conty"}, ("no column 'conty'", "Did you mean 'county'")),
    "a key among the variables": ({"key": "sex"}, ("--key: a key that is also a variable",)),
    "k = 0": ({"k": "0"}, ("--k: ", "greater than or equal to 1")),
    "an unknown reading of missing": ({"missing": "skip"}, ("--missing: ", "'wildcard'")),
    "an unknown method": ({"method": "hash"}, ("--method: ", "'catalogue'")),
    "households without weights": ({"household": "sex"}, ("--household: ", "Name the weight")),
    "a method for a wildcard": (
        {"missing": "wildcard", "method": "sort"},
        ("--method: ", "Leave the method out"),
    ),
    "weights with a wildcard": ({"missing": "wildcard", "weight": "age"}, ("--weight: ",)),
    "a stream with minimal sets": ({"method": "stream", "minimal": "2"}, ("--method: stream",)),
    "weights that are texts": ({"weight": "sex"}, (r"puf\.csv, column 'sex'", "12 values")),
    "a key that is not one": ({"vars": "age", "key": "sex"}, ("share a key", "name more key")),
    "another separator": ({"separator": "xy"}, ("a separator that cannot be one",)),
}


@pytest.mark.parametrize("name", FLAGS)
def test_wrong_flags_are_told_by_name_and_nothing_is_written(tmp_path, capsys, name):
    changed, says = FLAGS[name]
    folder = folder_of(tmp_path, "csv")
    before = folder.content()
    said = command(capsys, *_flags(folder, out=tmp_path / "out", **changed))
    assert said.code == 2, said
    for piece in says:
        assert re.search(piece, said.err), (piece, said.err)
    assert leaks(said.out + said.err) == []
    assert folder.content() == before


def test_all_faults_of_the_flags_are_told_at_once(tmp_path, capsys):
    folder = folder_of(tmp_path, "csv")
    said = command(capsys, *_flags(folder, vars="sex,sex", household="age", key="sex"))
    assert said.code == 2
    assert len(said.err.splitlines()) == 3


@pytest.mark.parametrize("method", ["auto", "stream"])
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "arrow", "dta", "xlsx"])
def test_no_value_is_seen_outside_restricted(tmp_path, capsys, kind, method):
    folder = folder_of(tmp_path, kind)
    before = folder.content()
    flags = {"key": "pid", "out": tmp_path / "out", "method": method}
    if method == "auto":
        flags |= {"weight": "age", "household": "st", "minimal": "2"}
    said = command(capsys, *_flags(folder, vars="age,income,sex,county", **flags))
    assert said.code == 0, said
    assert_nothing_leaks(folder, before, said)
    listed = pl.read_parquet(tmp_path / "out" / "restricted" / "uniques.parquet")
    assert len(listed) == 12
    assert listed["key_pid"].str.starts_with(CANARY).all()
    for path in (tmp_path / "out").rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600)


BAD_FILES = {
    "a ragged line": (b"a,b\n1,2\n1,2,3\n", "line 3"),
    "header only": (b"a,b\n", "without records"),
    "empty": (b"", "an empty file"),
    "a NUL byte": (b"a,b\n1,\x00\n", "NUL byte"),
    "no UTF-8": (b"a,b\n1,\xff\n", "not utf-8"),
    "names twice": (b"a,a\n1,2\n", "same name"),
}


@pytest.mark.parametrize("method", ["auto", "stream"])
@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_by_every_way(tmp_path, capsys, name, method):
    content, says = BAD_FILES[name]
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    said = command(capsys, "uniques", path, "--vars", "a,b", "--method", method)
    assert said.code == 2, said
    assert says in said.err
    assert "bug" not in said.err


@pytest.mark.parametrize("method", ["auto", "stream"])
def test_a_broken_parquet_file_is_refused_by_every_way(tmp_path, capsys, method):
    path = tmp_path / "file.parquet"
    pl.DataFrame({"a": [CANARY] * 9, "b": [CANARY_NUMBER] * 9}).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    said = command(capsys, "uniques", path, "--vars", "a,b", "--method", method)
    assert said.code == 2, said
    assert leaks(said.out + said.err) == []
    assert "not a whole parquet file" in said.err


def test_lists_are_no_values(tmp_path, capsys):
    path = tmp_path / "file.parquet"
    pl.DataFrame({"a": [[1], [2]]}).write_parquet(path)
    for method in ("auto", "stream"):
        said = command(capsys, "uniques", path, "--vars", "a", "--method", method)
        assert said.code == 2, said
        assert "neither texts nor numbers" in said.err


WEIGHTS = {"none": None, "zero": 0.0, "negative": -1.0}


@pytest.mark.parametrize("name", WEIGHTS)
def test_every_weight_is_above_zero(name):
    frame = pl.DataFrame({"a": ["x", "y", "y"], "w": [1.0, WEIGHTS[name], 2.0]})
    with pytest.raises(ri.DataError, match="column 'w': 1 weight missing or not above zero, the"):
        ri.uniques(frame, ["a"], weight="w")


def test_every_record_has_a_household():
    frame = pl.DataFrame({"a": ["x", "y"], "w": [1.0, 2.0], "h": ["1", " "]})
    with pytest.raises(ri.DataError, match="'h'"):
        ri.uniques(frame, ["a"], weight="w", household="h")


def test_an_earlier_search_is_not_replaced_unless_forced(tmp_path, capsys):
    folder = folder_of(tmp_path, "csv")
    flags = _flags(folder, out=tmp_path / "out")
    assert command(capsys, *flags).code == 0
    first = (tmp_path / "out" / "results.json").read_bytes()
    assert command(capsys, *flags).code == 2
    assert command(capsys, *flags, "--k", "3", "--force").code == 0
    assert (tmp_path / "out" / "results.json").read_bytes() != first
    assert json.loads((tmp_path / "out" / "results.json").read_text())["k"] == 3


def test_unknown_options_of_the_function_are_told():
    with pytest.raises(ri.SpecError, match=r"methd: unknown name\. Did you mean 'method'"):
        ri.uniques(pl.DataFrame({"a": ["x"]}), ["a"], methd="sort")


def test_sizes_below_one_are_refused():
    with pytest.raises(ri.SpecError, match="size: less than one"):
        ri.minimal_uniques(pl.DataFrame({"a": ["x"]}), ["a"], size=0)
