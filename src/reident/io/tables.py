"""One door per format: a file or a frame becomes a polars frame with the columns asked for."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

import narwhals as nw
import polars as pl

from reident.errors import DataError, Fault
from reident.io.csv import read_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reident.model.files import SourceFile

    Door = Callable[[Path, SourceFile, Sequence[str] | None], pl.DataFrame]


def read(file: SourceFile, columns: Sequence[str]) -> pl.DataFrame:
    """Read the named columns of a file or frame; a table without records is an error."""
    frame = _read_path(file, columns) if file.path else _read_frame(file)
    absent = [name for name in columns if name not in frame.columns]
    if absent:
        raise DataError(*(_absent(file, name, all_columns(file)) for name in absent))
    if not len(frame):
        raise DataError(
            Fault(where=file.name, found="a table without records", remedy="Give at least one")
        )
    return frame.select(columns)


def all_columns(file: SourceFile) -> list[str]:
    """The names of all columns of a file or frame."""
    return (_read_path(file, None) if file.path else _read_frame(file)).columns


def _read_path(file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    path = file.path
    assert path is not None  # noqa: S101  # the caller asked file.path
    if not path.exists():
        raise DataError(Fault(where=file.name, found="no such file", remedy="Check the path"))
    if not path.is_file():
        raise DataError(Fault(where=file.name, found="not a file", remedy="Name a file"))
    name = path.name.removesuffix(".gz")
    for ending, door in DOORS.items():
        if name.endswith(ending):
            return door(path, file, columns)
    raise DataError(
        Fault(
            where=file.name,
            found="an extension of no known format",
            remedy=f"Known are: {', '.join(DOORS)}, and csv.gz",
        )
    )


def _read_parquet(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    try:
        held = pl.read_parquet_schema(path)
        wanted = [name for name in held if columns is None or name in columns]
        return pl.read_parquet(path, columns=wanted)
    except (pl.exceptions.PolarsError, OSError):
        raise DataError(
            Fault(
                where=file.name,
                found="not a whole parquet file",
                remedy="Write it again, or correct its extension",
            )
        ) from None


def _read_frame(file: SourceFile) -> pl.DataFrame:
    try:
        frame: pl.DataFrame = nw.from_native(file.source, eager_only=True).to_polars()
    except (TypeError, ModuleNotFoundError):
        raise DataError(
            Fault(
                where=file.name,
                found="neither a path nor a frame",
                remedy="Give a path or a polars, pandas or pyarrow frame (these need pyarrow)",
            )
        ) from None
    return frame


def _absent(file: SourceFile, name: str, known: list[str]) -> Fault:
    near = get_close_matches(name, known, n=1)
    return Fault(
        where=file.name,
        found=f"no column {name!r}",
        remedy=f"Did you mean {near[0]!r}" if near else "Check the names in the header",
    )


DOORS: dict[str, Door] = {".csv": read_csv, ".parquet": _read_parquet}
"""Formats by extension."""
