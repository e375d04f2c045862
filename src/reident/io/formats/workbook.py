"""Excel workbooks: one sheet, names in its first row.

A cell is a text, a number, a truth value or a moment; a column of mixed cells is text, each cell
by the one rule for the text of a value. Excel knows neither dates nor times of day apart from
moments: a column of midnights is read as dates, one of moments of its day 0 as times. A cell with
an error, such as #N/A, is missing.
"""

from __future__ import annotations

import datetime as dt
import logging
import zipfile
from typing import TYPE_CHECKING, Any

import polars as pl

from reident.encode.text import text_of
from reident.errors import DataError, Fault
from reident.io.formats.broken import told_as
from reident.io.formats.compressed import BOMB_BYTES, BOMB_RATIO

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reident.model.files import SourceFile

BROKEN = "not a whole xlsx file"
SAVE_AGAIN = "Save it again, or correct its extension"
MOMENT = r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"
TEXT_OF_A_MOMENT = r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}"
"""As dates before 1900 must be written."""
DAY_0 = dt.date(1899, 12, 31)
LOGGERS = ("fastexcel", "_fastexcel")
"""They talk about empty columns on stderr, where it means nothing to a user."""


def names(path: Path, file: SourceFile) -> list[str]:
    """The names in the first row of the sheet; a blank or a doubled name raises DataError."""
    reader, sheet = _open(path, file)
    return _names(reader, sheet, file)


def frame(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read the named columns of a sheet."""
    reader, sheet = _open(path, file)
    held = _names(reader, sheet, file)
    wanted = [place for place, name in enumerate(held) if columns is None or name in columns]
    if not wanted:
        return pl.DataFrame()
    typed = _load(reader, sheet, wanted, None, file)
    texts = _load(reader, sheet, wanted, "string", file)
    # A truth value among numbers would be read as 1 or 0.
    mixed = [
        one.dtype == pl.String or (one.dtype.is_numeric() and text.is_in(["true", "false"]).any())
        for one, text in zip(typed, texts, strict=True)
    ]
    looks_timed = texts.select(pl.all().str.contains(MOMENT).any()).row(0)
    places = [
        at
        for at, is_mixed, timed in zip(wanted, mixed, looks_timed, strict=True)
        if is_mixed and timed
    ]
    moments = _moments(reader, sheet, places, texts, file)
    return pl.DataFrame(
        [
            _text(text, moments.get(place)).alias(held[place])
            if is_mixed
            else _typed(one).alias(held[place])
            for place, one, text, is_mixed in zip(wanted, typed, texts, mixed, strict=True)
        ]
    )


def _open(path: Path, file: SourceFile) -> tuple[Any, str]:
    """The workbook and the name of the sheet to read."""
    import fastexcel  # noqa: PLC0415  # only who reads a workbook waits for it

    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.ERROR)
    with told_as(file.name, BROKEN, SAVE_AGAIN):
        with zipfile.ZipFile(path) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > max(BOMB_BYTES, BOMB_RATIO * path.stat().st_size):
            raise _fault(
                file,
                f"compressed content of more than {BOMB_RATIO} times its size and over 1 GB",
                "Save the sheet as csv, if this is meant",
            )
        reader = fastexcel.read_excel(path)
    sheets = reader.sheet_names
    if file.sheet in sheets or (not file.sheet and len(sheets) == 1):
        return reader, file.sheet or sheets[0]
    found = "no sheet of the declared name" if file.sheet else "several sheets"
    listed = ", ".join(repr(name) for name in sheets)
    raise _fault(file, found, f"Declare one of them by sheet = ...: {listed}")


def _names(reader: Any, sheet: str, file: SourceFile) -> list[str]:
    with told_as(file.name, BROKEN, SAVE_AGAIN):
        first = reader.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
    if not len(first):
        raise _fault(file, "an empty sheet", "Give a row of names and records")
    held = list(first.row(0))
    if any(name is None or not name.strip() for name in held):
        raise _fault(
            file, "a column without a name in the first row", "Name it, or delete the column"
        )
    twice = sorted({name for name in held if held.count(name) > 1})
    if twice:
        raise _fault(
            file, f"columns of the same name: {', '.join(map(repr, twice))}", "Rename one of them"
        )
    return held


def _load(
    reader: Any, sheet: str, wanted: list[int], kind: str | None, file: SourceFile
) -> pl.DataFrame:
    """Columns by their places; types are found from all rows, or as given."""
    with told_as(
        file.name,
        "a column that mixes dates or durations with other cells",
        "Format its cells alike",
    ):
        loaded: pl.DataFrame = reader.load_sheet(
            sheet, use_columns=wanted, schema_sample_rows=None, dtypes=kind
        ).to_polars()
    # Places in place of names, which polars might take for patterns.
    loaded.columns = [str(place) for place in wanted]
    return loaded


def _typed(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.Duration):
        seconds = column.cast(pl.Duration("us")).cast(pl.Int64)
        return seconds.cast(pl.Float64) / 1e6
    if not isinstance(column.dtype, pl.Datetime):
        return column
    moments = column.cast(pl.Datetime("us"))
    if not moments.is_null().all() and (moments.drop_nulls().dt.date() == DAY_0).all():
        return moments.dt.time()
    if (moments.drop_nulls().dt.time() == dt.time()).all():
        return moments.dt.date()
    return moments


def _moments(
    reader: Any, sheet: str, places: list[int], texts: pl.DataFrame, file: SourceFile
) -> dict[int, pl.Series]:
    """The moments among the mixed cells of columns, as texts; null where a cell is none."""
    if not places:
        return {}
    # Read as durations only cells with a moment have a value: that is how they are told apart.
    timed = _load(reader, sheet, places, "duration", file)
    moments = _load(reader, sheet, places, "datetime", file)
    return {
        place: _iso(
            when.set(is_timed.is_null(), None), texts[str(place)].filter(is_timed.is_null())
        )
        for place, when, is_timed in zip(places, moments, timed, strict=True)
    }


def _text(texts: pl.Series, moments: pl.Series | None) -> pl.Series:
    """Mixed cells as texts; blank is null."""
    plain = texts.set(texts == "", None)
    return plain if moments is None else moments.zip_with(moments.is_not_null(), plain)


def _iso(moments: pl.Series, others: pl.Series) -> pl.Series:
    """Moments by the rule for the text of a value; midnights beside texts of moments are such."""
    if others.str.contains(TEXT_OF_A_MOMENT).any():
        return text_of(moments.cast(pl.Datetime("us")))
    return text_of(_typed(moments))


def _fault(file: SourceFile, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=file.name, found=found, remedy=remedy))
