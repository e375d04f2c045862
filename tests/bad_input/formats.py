"""Every format that a test can write, by programs other than reident's own writers."""

import gzip
import io
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl
import pyreadstat
import xlsxwriter
import zstandard


def _csv(frame: pl.DataFrame) -> bytes:
    return frame.write_csv().encode()


def _csv_gz(frame: pl.DataFrame) -> bytes:
    return gzip.compress(_csv(frame), mtime=0)


def _csv_zst(frame: pl.DataFrame) -> bytes:
    return zstandard.compress(_csv(frame))


def _parquet(frame: pl.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


def _arrow(frame: pl.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.write_ipc(stream)
    return stream.getvalue()


def _by_path(write: Callable[[pl.DataFrame, str], None]) -> Callable[[pl.DataFrame], bytes]:
    def content(frame: pl.DataFrame) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "table")
            write(frame, str(path))
            return path.read_bytes()

    return content


def _xlsx(frame: pl.DataFrame) -> bytes:
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    sheet = book.add_worksheet()
    for column, name in enumerate(frame.columns):
        sheet.write_string(0, column, name)
        for row, value in enumerate(frame[name], start=1):
            if isinstance(value, str):
                sheet.write_string(row, column, value)
            elif value is not None:
                sheet.write_number(row, column, value)
    book.close()
    return stream.getvalue()


def _duckdb(frame: pl.DataFrame, path: str) -> None:
    columns = ", ".join(_quoted(name) for name in frame.columns)
    holes = ", ".join("?" for _ in frame.columns)
    with duckdb.connect(path) as connection:
        kinds = ", ".join(
            f"{_quoted(name)} {DUCKDB_KINDS[kind.base_type()]}"
            for name, kind in frame.schema.items()
        )
        connection.execute(f"create table {TABLE} ({kinds})")
        if len(frame):
            query = f"insert into {TABLE} ({columns}) values ({holes})"  # noqa: S608
            connection.executemany(query, frame.rows())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


TABLE = "people"
DUCKDB = f"db::{TABLE}"
"""A table of a DuckDB file: messages name the file and the table."""
DUCKDB_KINDS = {
    pl.String: "varchar",
    pl.Int64: "bigint",
    pl.Float64: "double",
    pl.Null: "varchar",
}

WRITERS: dict[str, Callable[[pl.DataFrame], bytes]] = {
    "csv": _csv,
    "csv.gz": _csv_gz,
    "csv.zst": _csv_zst,
    "parquet": _parquet,
    "arrow": _arrow,
    "xlsx": _xlsx,
    "dta": _by_path(pyreadstat.write_dta),
    "sav": _by_path(pyreadstat.write_sav),
    "xpt": _by_path(pyreadstat.write_xport),
    DUCKDB: _by_path(_duckdb),
}
"""Content by the ending of the name that messages show. Nothing writes sas7bdat: see tests/real."""

FORMATS = tuple(WRITERS)
RUN_WHOLE = ("csv", "parquet")
"""Formats in which the whole study runs where a test looks for a note; in the others it is
checked, which finds the same notes of the files and takes less time."""
TEXT = ("csv", "csv.gz", "csv.zst")
"""Formats whose cells are texts and nothing else."""
TYPED = tuple(kind for kind in FORMATS if kind not in TEXT)
BINARY = tuple(kind for kind in FORMATS if kind != "csv")
"""Formats with a structure that a cut breaks."""
PADDED = ("sav", "xpt")
"""Formats that hold no blanks at the end of a text."""
ANY_NAME = tuple(kind for kind in FORMATS if kind not in {"dta", "sav", "xpt"})
"""Formats whose columns may have any name; see tests/real for what a sas7bdat file may hold."""


def file_name(side: str, kind: str) -> str:
    """The name of the file that holds a table in a format."""
    return f"{side}.{kind}".partition("::")[0]


def source(side: str, kind: str) -> str:
    """What a study file says of it."""
    return f"duckdb:{side}.{kind}" if kind == DUCKDB else file_name(side, kind)


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame in the format that the name ends with."""
    kinds = (kind for kind in WRITERS if path.name.endswith(file_name("", kind)))
    path.write_bytes(WRITERS[max(kinds, key=len)](frame))
