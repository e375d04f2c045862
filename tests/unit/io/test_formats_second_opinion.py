"""Other programs read what reident writes: the same values, labels and kinds of missing."""

import csv
import datetime as dt
import gzip

import fastexcel
import polars as pl
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import pytest

from reident.io.labels import Labels, Span, Table
from reident.io.writing import write_table

FRAME = pl.DataFrame(
    {
        "id": ["007", "7", "é日本"],
        "x": [1, None, None],
        "y": [0.1, 0.30000000000000004, None],
        "d": [dt.date(2018, 5, 6), None, dt.date(1583, 1, 1)],
        "t": [dt.datetime(2018, 5, 6, 10, 10, 10, 456000), None, None],  # noqa: DTZ001
    }
)
MARKS = pl.Series([None, None, ".b"], dtype=pl.String)


def test_stata(tmp_path):
    labels = Labels(
        variables={"x": "Äge"}, values={"x": {"1": "one", ".b": "refused"}}, missing={"x": MARKS}
    )
    write_table(Table(frame=FRAME, labels=labels), tmp_path / "t.dta")
    back, seen = pyreadstat.read_dta(tmp_path / "t.dta", user_missing=True, output_format="polars")
    assert back["id"].to_list() == FRAME["id"].to_list()
    assert back["x"].to_list() == [1, None, "b"]
    assert back["y"].to_list() == FRAME["y"].to_list()
    assert back["d"].to_list() == FRAME["d"].to_list()
    assert back["t"].to_list() == FRAME["t"].to_list()
    assert seen.column_names_to_labels["x"] == "Äge"
    assert seen.variable_value_labels == {"x": {1: "one", "b": "refused"}}


def test_spss(tmp_path):
    labels = Labels(
        variables={"x": "Äge"},
        values={"x": {"1": "one", "-9": "refused"}, "id": {"007": "Bond"}},
        missing={"x": pl.Series([None, None, "-9"], dtype=pl.String)},
        declared={"x": (Span(-10.0, -5.0), "99")},
    )
    write_table(Table(frame=FRAME, labels=labels), tmp_path / "t.sav")
    back, seen = pyreadstat.read_sav(tmp_path / "t.sav", user_missing=True, output_format="polars")
    assert back["id"].to_list() == FRAME["id"].to_list()
    assert back["x"].to_list() == [1, None, -9]
    assert back["y"].to_list() == FRAME["y"].to_list()
    assert back["d"].to_list() == FRAME["d"].to_list()
    assert seen.column_names_to_labels["x"] == "Äge"
    assert seen.variable_value_labels == {"x": {1: "one", -9: "refused"}, "id": {"007": "Bond"}}
    assert seen.missing_ranges["x"] == [{"lo": -10.0, "hi": -5.0}, {"lo": 99.0, "hi": 99.0}]


def test_sas_transport(tmp_path):
    labels = Labels(variables={"x": "Age"}, missing={"x": MARKS})
    write_table(Table(frame=FRAME, labels=labels), tmp_path / "t.xpt")
    back, seen = pyreadstat.read_xport(tmp_path / "t.xpt", output_format="polars")
    assert back["id"].to_list() == FRAME["id"].to_list()
    assert back["x"].to_list() == [1, None, None]
    assert back["y"].to_list() == FRAME["y"].to_list()
    assert back["d"].to_list() == FRAME["d"].to_list()
    assert seen.column_names_to_labels["x"] == "Age"
    # SAS writes a missing number as its letter and zeros.
    content = (tmp_path / "t.xpt").read_bytes()
    assert content.count(b"B" + bytes(7)) == 1
    assert content.count(b"." + bytes(7)) == 5


@pytest.mark.parametrize(
    ("kind", "reader"),
    [
        ("parquet", pyarrow.parquet.read_table),
        ("arrow", pyarrow.feather.read_table),
        ("feather", pyarrow.feather.read_table),
    ],
)
def test_columnar(kind, reader, tmp_path):
    write_table(Table(frame=FRAME), tmp_path / f"t.{kind}")
    assert pl.from_arrow(reader(tmp_path / f"t.{kind}")).equals(FRAME)


def test_csv(tmp_path):
    frame = FRAME.with_columns(
        s=pl.Series(['=cmd|"', "-1\n,", None]), b=pl.Series([True, False, None])
    )
    write_table(Table(frame=frame), tmp_path / "t.csv.gz")
    with gzip.open(tmp_path / "t.csv.gz", "rt", newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert rows == [
        ["id", "x", "y", "d", "t", "s", "b"],
        ["007", "1", "0.1", "2018-05-06", "2018-05-06T10:10:10.456000", '=cmd|"', "true"],
        ["7", "", "0.30000000000000004", "", "", "-1\n,", "false"],
        ["é日本", "", "", "1583-01-01", "", "", ""],
    ]


def test_workbook(tmp_path):
    frame = FRAME.with_columns(d=pl.Series([dt.date(2018, 5, 6), None, dt.date(1900, 1, 1)]))
    frame = frame.with_columns(s=pl.Series(["=1+1", "@x", "-1"]))
    write_table(Table(frame=frame), tmp_path / "t.xlsx")
    back = fastexcel.read_excel(tmp_path / "t.xlsx").load_sheet("data").to_polars()
    assert back["id"].to_list() == FRAME["id"].to_list()
    assert back["s"].to_list() == ["=1+1", "@x", "-1"]
    assert back["y"].to_list() == FRAME["y"].to_list()
    assert back["d"].dt.date().to_list() == frame["d"].to_list()
    assert back["t"].to_list() == FRAME["t"].to_list()
