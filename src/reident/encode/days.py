"""Dates, moments and times of day as numbers: days since 1970-01-01.

A moment is its day plus the part of the day that has passed, a time of day that part alone. A text
gives the same double as the type of its own that another format has. A zone is not converted: what
the clock showed counts, in texts as in types.
"""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl

DAY = 86_400_000_000
"""Microseconds; nothing finer counts."""
FIRST_DAY = dt.date.min

DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
PAST_THE_HOUR = r"[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
ZONE = r"(Z|[+-][0-9]{2}:[0-9]{2}(:[0-9]{2})?)$"
MOMENT = rf"^{DATE}([T ]([01][0-9]|2[0-3]):{PAST_THE_HOUR}({ZONE})?)?$"
TIME = rf"^([01]?[0-9]|2[0-3]):{PAST_THE_HOUR}$"
"""Unlike a moment's, the hour of a time of day may have one digit."""


def days(column: pl.Series) -> pl.Series:
    """The days of a column's values; NaN where a value is no date, moment or time of day.

    >>> days(pl.Series(["1970-01-03", "1970-01-03T06:00", None])).to_list()
    [2.0, 2.25, nan]
    """
    if column.dtype == pl.String:
        return days_beside(column, column)
    if column.dtype == pl.Date:
        return column.cast(pl.Int32).cast(pl.Float64).fill_null(float("nan"))
    if isinstance(column.dtype, pl.Datetime):
        return _parts(column.dt.replace_time_zone(None).cast(pl.Datetime("us")).cast(pl.Int64))
    if column.dtype == pl.Time:
        return _parts(column.cast(pl.Int64) // 1000)
    return pl.Series(column.name, [float("nan")] * len(column), pl.Float64)


def days_beside(texts: pl.Series, column: pl.Series) -> pl.Series:
    """The days of texts that stand in a column, or are codes for it.

    A time of day among dates is no date, nor a date a time of day.
    """
    texts = texts.str.strip_chars()
    if _holds_times(column):
        return _parts(_clock(texts.set(~_has_form(texts, TIME), None)))
    texts = texts.set(~_has_form(texts, MOMENT), None)
    day = texts.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    day = day.set((day < FIRST_DAY).fill_null(value=False), None)
    clock = _clock(texts.str.slice(11).str.replace(ZONE, "")).fill_null(0)
    return _parts(day.cast(pl.Int32).cast(pl.Int64) * DAY + clock)


def _holds_times(column: pl.Series) -> bool:
    """Whether a column holds times of day, and no date."""
    if column.dtype == pl.String:
        texts = column.str.strip_chars()
        return not _has_form(texts, MOMENT).any() and _has_form(texts, TIME).any()
    return column.dtype == pl.Time


def _has_form(texts: pl.Series, form: str) -> pl.Series:
    return texts.str.contains(form).fill_null(value=False)


def _clock(texts: pl.Series) -> pl.Series:
    """Microseconds since midnight."""
    time = texts.str.to_time("%H:%M:%S%.f", strict=False)
    short = texts.str.to_time("%H:%M", strict=False)
    return time.zip_with(time.is_not_null(), short).cast(pl.Int64) // 1000


def _parts(micros: pl.Series) -> pl.Series:
    """Microseconds as days. By numpy, which unlike polars divides exactly."""
    whole, rest = np.divmod(micros.fill_null(0).to_numpy(), DAY)
    return pl.Series(micros.name, whole + rest / DAY).set(micros.is_null(), float("nan"))
