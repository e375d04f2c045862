"""One door per format: columns by name, and what is not a table refused."""

import gzip

import polars as pl
import pytest

from reident.errors import DataError
from reident.io.tables import all_columns, read
from reident.model.files import PublicFile

FRAME = pl.DataFrame({"a": ["1", "2"], "bee": ["x", None], "c": ["", "z"]})


def file_of(source):
    return PublicFile(source, key="a")


def test_a_parquet_file_keeps_its_types_and_gives_the_columns_asked_for(tmp_path):
    frame = FRAME.with_columns(n=pl.Series([1.5, None]))
    frame.write_parquet(tmp_path / "x.parquet")
    assert read(file_of(tmp_path / "x.parquet"), ["n", "a"]).equals(frame.select("n", "a"))
    assert all_columns(file_of(tmp_path / "x.parquet")) == ["a", "bee", "c", "n"]


def test_a_frame_in_memory_is_read_as_it_is():
    assert read(file_of(FRAME), ["c"]).equals(FRAME.select("c"))


@pytest.mark.parametrize("source", [7, {"a": [1]}, [("a", 1)]])
def test_what_is_neither_a_path_nor_a_frame_is_refused(source):
    with pytest.raises(DataError, match="neither a path nor a frame"):
        read(file_of(source), ["a"])


def test_an_absent_column_is_told_with_the_nearest_name(tmp_path):
    FRAME.write_csv(tmp_path / "x.csv")
    for source in (FRAME, tmp_path / "x.csv"):
        with pytest.raises(DataError) as caught:
            read(file_of(source), ["a", "be", "q"])
        told = [str(fault) for fault in caught.value.faults]
        assert len(told) == 2
        assert told[0].endswith("no column 'be'. Did you mean 'bee'.")
        assert told[1].endswith("no column 'q'. Check the names in the header.")


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("no.csv", None, "no such file"),
        ("folder.csv", "folder", "not a file"),
        ("x.doc", b"a\n1\n", "an extension of no known format"),
        ("x", b"a\n1\n", "an extension of no known format"),
        ("x.parquet", b"", "an empty file|not a whole parquet file"),
        ("x.parquet", b"a,b\n1,2\n", "not a whole parquet file"),
        ("x.csv.gz", b"a,b\n1,2\n", "not a whole gzip file"),
        ("x.csv", b"PAR1\0\0\0\0PAR1", "a NUL byte"),
        ("x.csv", gzip.compress(b"a\n1\n", mtime=0), "bytes that are not utf-8"),
    ],
)
def test_what_is_not_a_table_is_refused(tmp_path, name, content, found):
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=found) as caught:
        read(file_of(path), ["a"])
    assert name in str(caught.value)


@pytest.mark.parametrize("keep", [4, 100, -5])
def test_a_truncated_parquet_file_is_refused(tmp_path, keep):
    FRAME.write_parquet(tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(whole[:keep])
    with pytest.raises(DataError, match="not a whole parquet file"):
        read(file_of(tmp_path / "x.parquet"), ["a"])


def test_a_table_without_records_is_refused():
    with pytest.raises(DataError, match="a table without records"):
        read(file_of(FRAME.clear()), ["a"])


def test_ten_thousand_columns_are_no_trouble_when_few_are_asked_for(tmp_path):
    names = ["a", *(f"x{place}" for place in range(10_000))]
    text = ",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"
    (tmp_path / "x.csv").write_text(text)
    assert read(file_of(tmp_path / "x.csv"), ["a", "x9999"]).rows() == [("1", "1")]
