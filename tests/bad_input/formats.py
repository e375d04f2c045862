"""Every format that a test can write, by programs other than reident's own writers."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import polars as pl


def _csv(frame: pl.DataFrame) -> bytes:
    return frame.write_csv().encode()


def _csv_gz(frame: pl.DataFrame) -> bytes:
    return gzip.compress(_csv(frame), mtime=0)


def _parquet(frame: pl.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


WRITERS: dict[str, Callable[[pl.DataFrame], bytes]] = {
    "csv": _csv,
    "csv.gz": _csv_gz,
    "parquet": _parquet,
}
"""Content by the ending of the file's name."""

FORMATS = tuple(WRITERS)
TEXT = ("csv", "csv.gz")
"""Formats whose cells are texts and nothing else."""
BINARY = tuple(kind for kind in FORMATS if kind != "csv")
"""Formats with a structure that a cut breaks."""


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame in the format that the name ends with."""
    ending = max((kind for kind in WRITERS if path.name.endswith(f".{kind}")), key=len)
    path.write_bytes(WRITERS[ending](frame))
