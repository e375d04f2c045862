"""Unique records of one file: small cases by hand, plans, notes, formats and types."""

import json

import numpy as np
import polars as pl
import pytest

import reident as ri
from reident.cli import main
from reident.encode.categories import coded, survey
from reident.haystack import Haystack, look
from reident.io import batches
from reident.model.files import SourceFile
from reident.model.uniques import UniquesOptions
from reident.needles.costs import ways
from reident.needles.transforms import bits_of

METHODS = ("auto", "sort", "stream", "catalogue", "t1", "t2")


def codes_of(result):
    return [note.code for note in result.notes]


def test_the_small_case_of_the_readings_of_missing():
    frame = pl.DataFrame({"a": ["a", "a", "b"], "b": ["x", None, ""]})
    assert ri.uniques(frame, ["a", "b"]).counts.tolist() == [1, 1, 1]
    dropped = ri.uniques(frame, ["a", "b"], missing="drop")
    assert dropped.counts.tolist() == [1, 0, 0]
    assert dropped.to_dict()["set_aside"] == [{"rule": "missing", "records": 2}]
    assert dropped.notes[0].code == "set_aside"
    wild = ri.uniques(frame, ["a", "b"], missing="wildcard")
    assert wild.counts.tolist() == [2, 2, 1]
    assert "wildcard" in codes_of(wild)


def test_all_records_may_be_set_aside():
    frame = pl.DataFrame({"a": [None, None]}, schema={"a": pl.String})
    for method in METHODS:
        found = ri.uniques(frame, ["a"], missing="drop", method=method)
        assert (found.cells, found.smallest, found.mean, found.unique_records) == (0, None, None, 0)


@pytest.mark.parametrize("method", ["auto", "sort", "stream", "t1", "t2"])
def test_the_small_case_of_long_keys(method):
    ten = pl.Enum([str(c) for c in range(10)])
    rows = {f"v{j}": pl.Series(["0", "0", "9" if j == 63 else "0"], dtype=ten) for j in range(64)}
    assert (bits_of([10] * 64, "t2"), bits_of([10] * 64, "t1")) == (213, 576)
    found = ri.uniques(pl.DataFrame(rows), list(rows), k=1, method=method)
    assert found.listed["record"].to_list() == [3]


def test_one_variable_has_minimal_sets():
    found = ri.minimal_uniques(pl.DataFrame({"a": ["a", "a", "b"]}), ["a"], size=3)
    assert (found.size, found.by_size) == (1, (1,))
    assert found.scores.tolist() == [0, 0, 1]
    assert found.contributions == {"a": 100.0}


@pytest.mark.parametrize("method", METHODS)
def test_one_record(method):
    found = ri.uniques(pl.DataFrame({"a": ["a"]}), ["a"], method=method)
    assert (found.unique_records, found.cells, found.smallest) == (1, 1, 1)


def test_small_categories_are_noted():
    frame = pl.DataFrame({"a": ["x"] * 99 + ["y"] * 100, "b": ["z"] * 199})
    found = ri.uniques(frame, ["a", "b"])
    assert [row["smallest_category"] for row in found.variables] == [99, 199]
    [note] = [note for note in found.notes if note.code == "small_category"]
    assert "is in a:" in note.text
    assert "small_category" not in codes_of(ri.uniques(frame[99:], ["a", "b"]))


def test_records_that_could_collude_are_noted():
    frame = pl.DataFrame({"a": list("xxyzzz")})
    [note] = [note for note in ri.uniques(frame, ["a"]).notes if note.code == "collusion"]
    assert note.count == 2
    assert "collusion" not in codes_of(ri.uniques(frame, ["a"], k=1))


def test_weights_below_the_records_are_noted():
    frame = pl.DataFrame({"a": ["x", "x", "y"], "w": [0.5, 0.5, 9.0]})
    found = ri.uniques(frame, ["a"], weight="w")
    [note] = [note for note in found.notes if note.code == "weights_below_count"]
    assert note.count == 1
    assert found.risk.records[0] == 0.5


def test_a_household_is_found_if_a_member_is():
    frame = pl.DataFrame({"a": list("xyz"), "w": [2.0, 4.0, 8.0], "h": [1, 1, 2]})
    found = ri.uniques(frame, ["a"], weight="w", household="h")
    one, two, three = found.risk.records.tolist()
    assert found.risk.households.tolist() == pytest.approx([1 - (1 - one) * (1 - two), three])
    assert found.to_dict()["risk"]["household"]["rated"] == 2


def test_unique_beyond_the_size_is_counted_and_noted():
    frame = pl.DataFrame({"a": list("xxyy"), "b": list("xyxy")})
    found = ri.uniques(frame, ["a", "b"], minimal=1)
    assert (found.minimal.records, found.minimal.beyond) == (0, 4)
    assert "beyond_size" in codes_of(found)


def test_the_plan_names_every_way(tmp_path, capsys):
    path = tmp_path / "file.csv"
    path.write_text("a,b\n1,2\n1,3\n")
    for method in ("auto", "stream"):
        flags = ["--vars", "a,b", "--method", method, "--plan", "--json"]
        assert main(["uniques", str(path), *flags]) == 0
        told = json.loads(capsys.readouterr().out)["methods"]
        assert [row["method"] for row in told] == ["sort", "stream", "catalogue", "t1", "t2"]
        assert all(row["possible"] for row in told)
    assert main(["uniques", str(path), "--vars", "a,b", "--plan"]) == 0
    assert "catalogue" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == [path]


def test_costs_grow_and_impossible_ways_are_marked():
    small = {way.method: way for way in ways(1000, [10] * 5, 1)}
    large = {way.method: way for way in ways(10**7, [10] * 20, 1)}
    assert all(large[name].seconds > small[name].seconds for name in small)
    assert not large["catalogue"].possible
    assert large["t1"].key_bits == 180
    assert large["t2"].key_bits == 67
    assert large["t2"].seconds < large["sort"].seconds


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.zst", "parquet", "arrow"])
def test_a_file_that_outgrows_memory_is_streamed_with_the_same_answer(
    tmp_path, ending, monkeypatch
):
    from bad_input.formats import WRITERS

    monkeypatch.setattr(batches, "ROWS", 7)
    draw = np.random.default_rng(3)
    frame = pl.DataFrame(
        {"id": [f"p{i}" for i in range(100)]}
        | {f"v{j}": draw.integers(0, 3, 100).astype(str).tolist() for j in range(4)}
    )
    path = tmp_path / f"file.{ending}"
    path.write_bytes(WRITERS[ending](frame))
    asked = UniquesOptions(variables=["v0", "v1", "v2", "v3"], key="id", k=3)
    answers = [
        look(Haystack(file=SourceFile(path), asked=asked, memory=memory)) for memory in (1, 1 << 40)
    ]
    assert [found.method == "stream" for found in answers] == [True, False]
    assert answers[0].to_dict() == answers[1].to_dict()
    assert answers[0].listed.equals(answers[1].listed)


COLUMNS = {
    "texts": pl.Series(["b", "a", None, "", "b"]),
    "whole": pl.Series([-5, 3, None, 3, -5], dtype=pl.Int8),
    "wide": pl.Series([2**63, 1, None, 1, 2**63], dtype=pl.UInt64),
    "floats": pl.Series([1.0, 0.5, None, float("nan"), -0.0]),
    "truth": pl.Series([True, False, None, False, True]),
    "days": pl.Series(["2020-01-02", "1999-01-01", None, None, "2020-01-02"]).str.to_date(),
    "enum": pl.Series(["b", "a", None, "b", "b"], dtype=pl.Enum(["c", "b", "a"])),
    "none": pl.Series([None] * 5, dtype=pl.String),
}
CODES = {
    "texts": ([1, 0, 2, 2, 1], 3, 2),
    "whole": ([0, 1, 2, 1, 0], 3, 2),
    "wide": ([1, 0, 2, 0, 1], 3, 2),
    "floats": ([2, 1, 3, 3, 0], 4, 3),
    "truth": ([1, 0, 2, 0, 1], 3, 2),
    "days": ([1, 0, 2, 2, 1], 3, 2),
    "enum": ([1, 2, 3, 1, 1], 4, 3),
    "none": ([0] * 5, 1, 0),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_categories_of_every_type_in_order_of_text(name):
    frame = pl.DataFrame({"v": COLUMNS[name]})
    want, size, missing = CODES[name]
    for parts in ([frame], [frame[:2], frame[2:]], [frame[i : i + 1] for i in range(5)]):
        books = survey(parts, ["v"], SourceFile(frame))
        made = [coded(part, ["v"], books) for part in parts]
        assert np.concatenate([one.codes[0] for one in made]).tolist() == want
        assert made[0].sizes == (size,)
        assert made[0].missing == (missing,)


def test_codes_declared_as_missing_are_and_others_are_noted():
    frame = pl.DataFrame({"a": ["-9", "x", "x"]})
    declared = ri.uniques(frame, ["a"], missing="drop", missing_codes=["-9"])
    assert declared.compared == 2
    assert "undeclared_code" not in codes_of(declared)
    for method in ("auto", "stream"):
        not_declared = ri.uniques(frame, ["a"], missing="drop", method=method)
        assert "undeclared_code" in codes_of(not_declared)
    assert "undeclared_code" not in codes_of(ri.uniques(frame, ["a"]))


def test_a_result_shows_itself():
    found = ri.uniques(pl.DataFrame({"a": ["x", "y"]}), ["a"], minimal=1)
    assert "<th>unique_records</th><td>2</td>" in found._repr_html_()
    assert "<th>records</th><td>2</td>" in found.minimal._repr_html_()
    assert "counts" not in repr(found)
