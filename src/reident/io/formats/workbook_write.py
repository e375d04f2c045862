"""Writing Excel workbooks: one sheet, names in its first row, dates as dates.

Data files keep data exact: a text that begins with = + - @ is a text cell, never a formula, and is
not guarded as in tables made for people. Labels and kinds of missing have no place; a missing cell
is empty.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import polars as pl
import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from reident.io.formats.moments import DAY, MICRO, UNIX

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reident.io.labels import Table

CREATED = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
"""The same table makes the same bytes, whenever it is written."""
DAY_0 = dt.date(1899, 12, 31).toordinal() - UNIX
LEAP = dt.date(1900, 3, 1).toordinal() - UNIX
"""Excel takes 1900 for a leap year: from here on its days are one more."""
FORMATS: dict[Any, str] = {
    pl.Date: "yyyy-mm-dd",
    pl.Datetime: "yyyy-mm-dd hh:mm:ss.000",
    pl.Time: "hh:mm:ss.000",
}


class _ExactWorksheet(Worksheet):  # type: ignore[misc]  # published without types
    """A sheet whose numbers are written so that the same double is read back."""

    def _xml_number_element(self, number: float, attributes: Any = ()) -> None:
        # The library writes 16 digits; some doubles need 17.
        marks = "".join(f' {key}="{value}"' for key, value in attributes)
        self.fh.write(f"<c{marks}><v>{number!r}</v></c>")


def write_xlsx(table: Table, path: Path) -> None:
    """Write a workbook with one sheet."""
    frame = table.frame
    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as book:
        book.set_properties({"created": CREATED})
        sheet = book.add_worksheet("data", _ExactWorksheet)
        writers = [_writer(book, sheet, dtype) for dtype in frame.dtypes]
        for place, name in enumerate(frame.columns):
            sheet.write_string(0, place, name)
        # Without their names, which polars might take for patterns.
        cells = pl.DataFrame(
            [_cells(frame.to_series(at).alias(str(at))) for at in range(frame.width)]
        )
        for row, values in enumerate(cells.iter_rows(), start=1):
            for place, value in enumerate(values):
                if value is not None:
                    writers[place](row, place, value)


def _writer(book: Any, sheet: Any, dtype: pl.DataType) -> Callable[[int, int, Any], Any]:
    kind = dtype.base_type()
    if kind in FORMATS:
        form = book.add_format({"num_format": FORMATS[kind]})
        return lambda row, place, value: sheet.write_number(row, place, value, form)
    plain: Callable[[int, int, Any], Any] = sheet.write_string
    if dtype == pl.Boolean:
        plain = sheet.write_boolean
    elif dtype.is_numeric():
        plain = sheet.write_number
    return plain


def _cells(column: pl.Series) -> pl.Series:
    """Numbers as doubles, dates and times as Excel's days, texts with blank as null."""
    if column.dtype == pl.Date:
        return _serial(column.cast(pl.Int32).cast(pl.Float64))
    if isinstance(column.dtype, pl.Datetime):
        micros = column.cast(pl.Datetime("us")).cast(pl.Int64)
        rest = (micros % (DAY * MICRO)).cast(pl.Float64) / (DAY * MICRO)
        return _serial((micros // (DAY * MICRO)).cast(pl.Float64)) + rest
    if column.dtype == pl.Time:
        return column.cast(pl.Int64).cast(pl.Float64) / (DAY * MICRO * 1000)
    if column.dtype.is_numeric():
        return column.cast(pl.Float64).fill_nan(None)
    if column.dtype == pl.Boolean:
        return column
    texts = column.cast(pl.String)
    return texts.set(texts == "", None)


def _serial(days: pl.Series) -> pl.Series:
    return days - DAY_0 + (days >= LEAP).cast(pl.Float64)
