"""Writing SAS transport, Stata and SPSS files with labels, dates and kinds of missing.

Dates and times are written as the numbers of each package with its format. Kinds of missing are
letters in Stata and SAS transport files; in SPSS files they are the declared values themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from reident.io.formats import xpt
from reident.io.formats.moments import SAS, SPSS, STATA, Clock, numbers
from reident.io.labels import Span

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reident.io.labels import Labels, Table

LONG = 2_147_483_620
"""The largest whole number of Stata's type long."""

SAS_FORMATS = ("DATE9", "DATETIME22.3", "TIME12.3")
STATA_FORMATS = ("%td", "%tc", "%tcHH:MM:SS")
SPSS_FORMATS = ("DATE11", "DATETIME23.3", "TIME12.3")
WHOLE_SPSS = "F16.0"


def write_xpt(table: Table, path: Path) -> None:
    """Write a SAS transport file of version 5, the one that every reader knows."""
    import polars_readstat as library  # noqa: PLC0415  # only who writes such a file waits for it

    stored = _stored(table.frame, SAS)
    library.write_xpt(
        stored.with_columns(pl.col(pl.Int32).cast(pl.Float64)),
        str(path),
        version=5,
        variable_labels=dict(table.labels.variables) or None,
        variable_format=_formats(table.frame, SAS_FORMATS) or None,
    )
    if table.labels.missing:
        at = xpt.layout(path, library.ScanReadstat(str(path)).metadata, path.name)
        xpt.write_kinds(path, at, table.labels.missing, len(stored))


def write_dta(table: Table, path: Path) -> None:
    """Write a Stata file of version 118 (Stata 14 and later)."""
    import pyreadstat as library  # noqa: PLC0415  # as above

    stored, labels = _stored(table.frame, STATA), table.labels
    letters = {
        name: sorted({*_letters(labels.missing.get(name)), *_labelled_letters(labels, name)})
        for name in stored.columns
    }
    marked = [
        _with_letters(column, labels.missing.get(column.name))
        for column in stored
        if letters[column.name]
    ]
    library.write_dta(
        stored.with_columns(marked),
        str(path),
        column_labels=dict(labels.variables) or None,
        variable_value_labels=_value_labels(stored, labels) or None,
        missing_user_values={name: found for name, found in letters.items() if found} or None,
        variable_format=_formats(table.frame, STATA_FORMATS) or None,
    )


def write_sav(table: Table, path: Path) -> None:
    """Write an SPSS file."""
    import pyreadstat as library  # noqa: PLC0415  # as above

    labels = table.labels
    stored = _stored(table.frame, SPSS)
    whole = {one.name: WHOLE_SPSS for one in table.frame if one.dtype.is_integer()}
    library.write_sav(
        stored.with_columns(
            _with_codes(stored[name], kinds) for name, kinds in labels.missing.items()
        ),
        str(path),
        column_labels=dict(labels.variables) or None,
        variable_value_labels=_value_labels(stored, labels) or None,
        missing_ranges={
            name: [_range(one, stored[name]) for one in declared]
            for name, declared in labels.declared.items()
        }
        or None,
        variable_format=whole | _formats(table.frame, SPSS_FORMATS) or None,
    )


def _stored(frame: pl.DataFrame, clock: Clock) -> pl.DataFrame:
    """The columns as texts, long integers or doubles."""
    return pl.DataFrame([_column(column, clock) for column in frame])


def _column(column: pl.Series, clock: Clock) -> pl.Series:
    if column.dtype.is_temporal():
        return numbers(column, clock)
    if column.dtype.is_float() or isinstance(column.dtype, pl.Decimal):
        return column.cast(pl.Float64).fill_nan(None)
    if column.dtype.is_integer():
        fits = not (column.cast(pl.Int128).abs() > LONG).any()
        return column.cast(pl.Int32 if fits else pl.Float64)
    if column.dtype == pl.Null:
        return column.cast(pl.Float64)
    return column.cast(pl.String).fill_null("")


def _formats(frame: pl.DataFrame, formats: tuple[str, str, str]) -> dict[str, str]:
    date, moment, time = formats
    kinds: dict[Any, str] = {pl.Date: date, pl.Datetime: moment, pl.Time: time}
    return {
        name: kinds[dtype.base_type()]
        for name, dtype in frame.schema.items()
        if dtype.base_type() in kinds
    }


def _value_labels(stored: pl.DataFrame, labels: Labels) -> dict[str, dict[Any, str]]:
    """Labels by the value itself, or by the letter of a kind of missing."""
    return {
        name: {
            value if stored[name].dtype == pl.String else _value(value): label
            for value, label in values.items()
        }
        for name, values in labels.values.items()
    }


def _value(text: str) -> float | int | str:
    if text.startswith(".") and text[1:].isalpha():
        return text[1:].lower()
    number = float(text)
    return int(number) if number.is_integer() else number


def _letters(kinds: pl.Series | None) -> list[str]:
    if kinds is None:
        return []
    return kinds.drop_nulls().unique().str.slice(1).str.to_lowercase().to_list()


def _labelled_letters(labels: Labels, name: str) -> list[str]:
    values: Mapping[str, str] = labels.values.get(name, {})
    found = [_value(value) for value in values if value.startswith(".")]
    return [one for one in found if isinstance(one, str)]


def _with_letters(column: pl.Series, kinds: pl.Series | None) -> pl.Series:
    """Values, and letters where they are missing of some kind: what the library asks for."""
    if kinds is None:
        return pl.Series(column.name, column.to_list(), pl.Object)
    letters = kinds.str.slice(1).str.to_lowercase()
    mixed = [
        value if letter is None else letter for value, letter in zip(column, letters, strict=True)
    ]
    return pl.Series(column.name, mixed, pl.Object)


def _with_codes(column: pl.Series, kinds: pl.Series) -> pl.Series:
    """Values, and the declared code where one is missing."""
    return kinds.cast(column.dtype).zip_with(kinds.is_not_null(), column).alias(column.name)


def _range(one: str | Span, column: pl.Series) -> Any:
    if isinstance(one, Span):
        return {"lo": one.low, "hi": one.high}
    return one if column.dtype == pl.String else float(one)
