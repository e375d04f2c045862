"""Every format that a test can write, by programs other than reident's own writers."""

import gzip
import io
import tempfile
from collections.abc import Callable
from pathlib import Path

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
}
"""Content by the ending of the file's name. Nothing writes sas7bdat."""

FORMATS = tuple(WRITERS)
RUN_WHOLE = ("csv", "parquet")
"""Formats in which the whole study runs where a test looks for a note; in the others it is
checked, which finds the same notes of the files and takes less time."""
TEXT = ("csv", "csv.gz", "csv.zst")
"""Formats whose cells are texts and nothing else."""
TYPED = tuple(kind for kind in FORMATS if kind not in TEXT)
BINARY = tuple(kind for kind in FORMATS if kind != "csv")
"""Formats with a structure that a cut breaks."""
STRIPPING = ("dta", "sav", "xpt")
"""Formats whose texts are read without blanks at their end."""
FLOATS = ("dta", "sav", "xpt", "xlsx")
"""Formats whose numbers are floats or small integers."""


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame in the format that the name ends with."""
    ending = max((kind for kind in WRITERS if path.name.endswith(f".{kind}")), key=len)
    path.write_bytes(WRITERS[ending](frame))
