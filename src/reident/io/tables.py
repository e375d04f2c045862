"""One door per format: a file, a table of a database or a frame becomes a polars frame.

`read` is the study's door: the columns asked for, every kind of missing as null. `read_table` keeps
labels and kinds of missing as well, for who writes the table again.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from reident.encode.text import text_of
from reident.errors import DataError, Fault
from reident.io.csv import csv_names, read_csv
from reident.io.formats import apart, columnar, database, frames, workbook
from reident.io.formats.presence import refuse_unless_there
from reident.io.labels import Table
from reident.model.files import DATABASES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reident.io.formats.columnar import Shape
    from reident.model.files import SourceFile


class Door(NamedTuple):
    """How a format is read: names of columns, values, and values with labels if it has any.

    A format whose columns lie apart tells their kinds and the number of records beforehand.
    """

    names: Callable[[Path, SourceFile], list[str]]
    frame: Callable[[Path, SourceFile, Sequence[str] | None], pl.DataFrame]
    table: Callable[[Path, SourceFile, Sequence[str] | None], Table] | None = None
    shape: Callable[[Path, SourceFile], Shape] | None = None


CSV = Door(csv_names, read_csv)
ARROW = Door(columnar.arrow_names, columnar.arrow_frame, None, columnar.arrow_shape)
STATISTICAL = Door(apart.names, apart.frame, apart.table)
DOORS = {
    ".csv": CSV,
    ".csv.gz": CSV,
    ".csv.zst": CSV,
    ".parquet": Door(
        columnar.parquet_names,
        columnar.parquet_frame,
        columnar.parquet_table,
        columnar.parquet_shape,
    ),
    ".arrow": ARROW,
    ".feather": ARROW,
    ".ipc": ARROW,
    ".xpt": STATISTICAL,
    ".dta": STATISTICAL,
    ".sav": STATISTICAL,
    ".sas7bdat": STATISTICAL,
    ".xlsx": Door(workbook.names, workbook.frame),
}
"""Formats by extension."""


def read(file: SourceFile, columns: Sequence[str]) -> pl.DataFrame:
    """Read the named columns of a file or frame; a table without records is an error."""
    # In brackets, because in a select a name like "*" would stand for all columns.
    frame = _whole(file, _frame(file, columns), columns)[list(columns)]
    return pl.DataFrame(
        [_plain(one) if isinstance(one.dtype, pl.Decimal) else one for one in frame]
    )


def read_table(file: SourceFile, columns: Sequence[str] | None = None) -> Table:
    """Read a table with its labels and kinds of missing; all columns where none are named."""
    if file.path is None:
        table = Table(frame=_frame(file, columns))
    else:
        door = _door(file, file.path)
        if door.table is None:
            table = Table(frame=door.frame(file.path, file, columns))
        else:
            table = door.table(file.path, file, columns)
    _whole(file, table.frame, columns or [])
    return table if columns is None else table.select(columns)


def all_columns(file: SourceFile) -> list[str]:
    """The names of all columns of a file or frame."""
    if file.database is not None:
        return database.names(file, file.database)
    if file.path is None:
        return frames.names(file)
    return _door(file, file.path).names(file.path, file)


def shape_of(file: SourceFile) -> Shape | None:
    """The kinds of columns and the number of records of a file whose columns lie apart."""
    if file.path is None or file.database is not None:
        return None
    door = _door(file, file.path)
    return None if door.shape is None else door.shape(file.path, file)


def ending_of(name: str) -> str:
    """The ending of a file's name that decides its format; empty where none is known.

    >>> ending_of("survey.2024.csv.gz"), ending_of("survey.SAV"), ending_of("survey.txt")
    ('.csv.gz', '.sav', '')
    """
    return next((ending for ending in DOORS if name.lower().endswith(ending)), "")


def _frame(file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    if file.database is not None:
        return database.frame(file, file.database, columns)
    if file.path is None:
        return frames.frame(file, columns)
    return _door(file, file.path).frame(file.path, file, columns)


def _door(file: SourceFile, path: Path) -> Door:
    """The door of a file that is there and not empty."""
    if str(file.source).startswith(tuple(f"{door}:" for door in DATABASES)):
        raise _fault(
            file,
            "a database without a table",
            'Name both: "duckdb:file.db::table" or "env:NAME::table"',
        )
    refuse_unless_there(path, file)
    ending = ending_of(path.name)
    if not ending:
        raise _fault(file, "an extension of no known format", f"Known are: {', '.join(DOORS)}")
    return DOORS[ending]


def _whole(file: SourceFile, frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The frame, if it has the columns and at least one record."""
    refuse_absent(file, frame.columns, columns)
    if not len(frame):
        raise no_records(file)
    return frame


def refuse_absent(file: SourceFile, held: Sequence[str], columns: Sequence[str]) -> None:
    """Raise DataError for the columns that a file does not hold."""
    absent = [name for name in columns if name not in held]
    if absent:
        known = all_columns(file)
        raise DataError(*(_absent(file, name, known) for name in absent))


def no_records(file: SourceFile) -> DataError:
    """What is wrong with a table that has names of columns and nothing else."""
    return _fault(file, "a table without records", "Give at least one")


def _plain(column: pl.Series) -> pl.Series:
    """Decimals as whole numbers or floats where these are the same numbers, else as texts."""
    texts = text_of(column)
    whole = texts.cast(pl.Int64, strict=False)
    if whole.null_count() == texts.null_count():
        return whole
    floats = texts.cast(pl.Float64)
    return floats if text_of(floats).equals(texts, null_equal=True) else texts


def _absent(file: SourceFile, name: str, known: list[str]) -> Fault:
    near = get_close_matches(name, known, n=1)
    return Fault(
        where=file.name,
        found=f"no column {name!r}",
        remedy=f"Did you mean {near[0]!r}" if near else "Check the names in the header",
    )


def _fault(file: SourceFile, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=file.name, found=found, remedy=remedy))
