"""Sheets as people make them: mixed cells, several sheets, odd first rows."""

import datetime as dt

import polars as pl
import pytest
import xlsxwriter

from reident.errors import DataError
from reident.io.tables import read, read_table
from reident.model.files import SourceFile


def make(path, sheets):
    with xlsxwriter.Workbook(str(path)) as book:
        date = book.add_format({"num_format": "yyyy-mm-dd"})
        elapsed = book.add_format({"num_format": "[h]:mm:ss"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for row, values in enumerate(rows):
                for place, value in enumerate(values):
                    if isinstance(value, dt.timedelta):
                        sheet.write_number(row, place, value / dt.timedelta(1), elapsed)
                    elif isinstance(value, dt.date | dt.time):
                        sheet.write_datetime(row, place, value, date)
                    elif isinstance(value, str):
                        sheet.write_string(row, place, value)
                    elif value is not None:
                        sheet.write(row, place, value)
    return SourceFile(path)


def test_mixed_cells_are_texts_by_the_one_rule(tmp_path):
    cells = ["A", 7, 0.1, True, dt.date(2020, 1, 1), "007", None, 1e5]
    file = make(tmp_path / "t.xlsx", {"s": [["x"], *([cell] for cell in cells), ["end"]]})
    assert read(file, ["x"])["x"].to_list() == [
        "A", "7", "0.1", "true", "2020-01-01", "007", None, "100000", "end",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "cells",
    [
        ["1880-05-06", "2020-01-01"],
        ["x", "2020-01-01T00:00:00", "2020-01-01T06:00:00"],
        ["1880-05-06T10:10:10", "2020-01-01T00:00:00"],
        ["x", "00:00:00", "06:00:00"],
    ],
)
def test_moments_among_texts_are_told_as_in_a_column_of_their_own(cells, tmp_path):
    rows = [["x"], [cells[0]], *([_typed(text)] for text in cells[1:])]
    file = make(tmp_path / "t.xlsx", {"s": rows})
    assert read(file, ["x"])["x"].to_list() == cells


def _typed(text):
    kind = dt.time if text[2] == ":" else dt.datetime
    return kind.fromisoformat(text)


def test_truth_values_among_numbers_are_no_numbers(tmp_path):
    file = make(tmp_path / "t.xlsx", {"s": [["x", "y"], [True, 1], [7, 0]]})
    assert read(file, ["x", "y"]).to_dict(as_series=False) == {"x": ["true", "7"], "y": [1, 0]}


def test_types_are_found_in_all_rows(tmp_path):
    rows = [["x"], *([float(n)] for n in range(1500)), ["late text"]]
    file = make(tmp_path / "t.xlsx", {"s": rows})
    assert read(file, ["x"])["x"].to_list()[-2:] == ["1499", "late text"]


def test_several_sheets_need_a_name(tmp_path):
    path = tmp_path / "t.xlsx"
    file = make(path, {"about": [["a"], ["b"]], "data": [["x"], [5]]})
    with pytest.raises(DataError, match=r"several sheets.*'about', 'data'"):
        read(file, ["x"])
    assert read(SourceFile(path, sheet="data"), ["x"])["x"].to_list() == [5]
    with pytest.raises(DataError, match="no sheet of the declared name"):
        read(SourceFile(path, sheet="Data"), ["x"])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["a", "a"], [1, 2]], "columns of the same name: 'a'"),
        ([["a", None], [1, 2]], "a column without a name"),
        ([["a", " "], [1, 2]], "a column without a name"),
        ([], "an empty sheet"),
        ([["a"]], "a table without records"),
        ([["a"], [dt.timedelta(hours=30)], [5]], "mixes dates or durations"),
    ],
)
def test_odd_sheets_are_refused(rows, said, tmp_path):
    with pytest.raises(DataError, match=said):
        read_table(make(tmp_path / "t.xlsx", {"s": rows}))


def test_only_the_needed_columns_are_read(tmp_path):
    rows = [["a", "odd", "b"], [1, dt.timedelta(hours=30), "x"], [2, 5, "y"]]
    file = make(tmp_path / "t.xlsx", {"s": rows})
    frame = read(file, ["b", "a"])
    assert frame.to_dict(as_series=False) == {"b": ["x", "y"], "a": [1, 2]}


def test_durations_are_seconds(tmp_path):
    file = make(
        tmp_path / "t.xlsx", {"s": [["h"], [dt.timedelta(hours=30)], [None], [dt.timedelta(0)]]}
    )
    assert read(file, ["h"])["h"].to_list() == [108_000.0, None, 0.0]


def test_quiet_on_empty_columns(tmp_path, capfd):
    file = make(tmp_path / "t.xlsx", {"s": [["a", "none"], [1, None], [2, None]]})
    assert read(file, ["none"])["none"].to_list() == [None, None]
    assert read(file, ["none"])["none"].dtype == pl.String
    assert capfd.readouterr() == ("", "")
