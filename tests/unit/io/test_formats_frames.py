"""Frames of polars, pandas, pyarrow and DuckDB at the door."""

import subprocess
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from reident.errors import DataError
from reident.io.tables import all_columns, read, read_table
from reident.model.files import SourceFile

FRAME = pl.DataFrame({"id": ["007", "7", None], "x": [1, None, 3], "y": [0.5, None, 2.0]})


def _frames():
    return {
        "polars": FRAME,
        "lazy": FRAME.lazy(),
        "pandas": pd.DataFrame({name: FRAME[name].to_list() for name in FRAME.columns}),
        "pyarrow": pa.table({name: FRAME[name].to_list() for name in FRAME.columns}),
        "duckdb": duckdb.sql("select * from frame_of_test"),
    }


@pytest.fixture(scope="module", autouse=True)
def table():
    duckdb.sql(
        "create or replace temp table frame_of_test as select * from "
        "(values ('007', 1, 0.5::double), ('7', null, null), (null, 3, 2.0)) v(id, x, y)"
    )


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "pyarrow", "duckdb"])
def test_every_frame_gives_the_same_columns(kind):
    file = SourceFile(_frames()[kind])
    assert all_columns(file) == FRAME.columns
    frame = read(file, ["y", "id"])
    assert frame.equals(FRAME.select("y", "id"))
    assert read_table(file).frame.columns == FRAME.columns


def test_a_lazy_frame_computes_only_what_is_asked_for():
    def fail(_):
        raise AssertionError

    lazy = FRAME.lazy().with_columns(bad=pl.col("x").map_batches(fail, return_dtype=pl.Int64))
    assert read(SourceFile(lazy), ["id"]).equals(FRAME.select("id"))


def test_what_is_no_frame_is_told():
    with pytest.raises(DataError, match="neither a path nor a frame"):
        read(SourceFile({"id": ["a"]}), ["id"])


def test_absent_columns_are_told_with_the_nearest_name():
    with pytest.raises(DataError, match="no column 'idd'") as error:
        read(SourceFile(FRAME.lazy()), ["idd"])
    assert error.value.faults[0].remedy == "Did you mean 'id'"


WITHOUT = """
import sys
sys.modules["pyarrow"] = None
import duckdb, pandas
from reident.io.tables import read
from reident.model.files import SourceFile
print(read(SourceFile(duckdb.sql("select 'b' as id")), ["id"])["id"].to_list())
read(SourceFile(pandas.DataFrame({"id": ["a", None]})), ["id"])
"""


def test_without_pyarrow_the_error_names_the_extra():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False
    )
    assert done.stdout == "['b']\n"
    assert "reident[arrow]" in done.stderr


def test_a_frame_that_fails_to_compute_shows_no_value():
    lazy = pl.LazyFrame({"id": ["canary-4711"]}).select(pl.col("id").str.to_integer(strict=True))
    with pytest.raises(DataError, match="cannot be computed") as error:
        read(SourceFile(lazy), ["id"])
    assert "canary" not in str(error.value)


def test_columns_of_the_same_name_are_refused():
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(DataError, match="columns of the same name"):
        read(SourceFile(frame), ["a"])
