"""Dates, moments and times of day as SAS, Stata and SPSS store them: numbers since some day.

The readers' own conversions lose what a study needs: fractions of seconds in SPSS files, times
beyond a day in SAS files, whole columns of Stata files with a display format of their own, and
Stata months and years come back as days. So the stored numbers are converted here, and nowhere
else; the same numbers are made from dates when a file is written.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.errors import DataError, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["date", "datetime", "time"]
Floats = npt.NDArray[np.float64]

DAY = 86_400
MICRO = 1_000_000
UNIX = dt.date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = (day.toordinal() - UNIX for day in (dt.date.min, dt.date.max))


@dataclass(frozen=True, kw_only=True)
class Clock:
    """How a package counts: from which day, how much a day is, and how much a second."""

    epoch: dt.date
    day: int
    second: int

    @property
    def offset(self) -> int:
        """Days from 1970-01-01 to the first day of the count."""
        return self.epoch.toordinal() - UNIX


SAS = Clock(epoch=dt.date(1960, 1, 1), day=1, second=1)
STATA = Clock(epoch=dt.date(1960, 1, 1), day=1, second=1000)
SPSS = Clock(epoch=dt.date(1582, 10, 14), day=DAY, second=1)

SPSS_FORMATS: Mapping[Kind, tuple[int, ...]] = {
    "date": (20, 23, 24, 28, 29, 30, 38, 39),
    "datetime": (22, 41),
    "time": (21, 40),
}
"""SPSS format codes: DATE ADATE JDATE MOYR QYR WKYR EDATE SDATE; DATETIME YMDHMS; TIME MTIME."""
SPSS_KINDS = {code: kind for kind, codes in SPSS_FORMATS.items() for code in codes}

STATA_CLOCK_ONLY = re.compile(r"(HH|Hh|hH|hh|MM|mm|SS|ss|\.s+|[aA]\.?[mM]\.?|[\W_])+")


def sas_kind(dtype: pl.DataType) -> Kind | None:
    """What a SAS column holds, by the type that the reader takes its format for."""
    if dtype == pl.Date:
        return "date"
    if isinstance(dtype, pl.Datetime):
        return "datetime"
    return "time" if dtype == pl.Time else None


def stata_kind(display: str) -> Kind | None:
    """What a Stata column holds, by its display format; weeks, months and years are numbers.

    >>> stata_kind("%td"), stata_kind("%tcHH:MM:SS"), stata_kind("%tcCCYY-NN-DD"), stata_kind("%tm")
    ('date', 'time', 'datetime', None)
    """
    form = display.replace("-", "", 1) if display.startswith("%-") else display
    if form.startswith(("%td", "%d")):
        return "date"
    if form.startswith(("%tc", "%tC")):
        return "time" if STATA_CLOCK_ONLY.fullmatch(form[3:]) else "datetime"
    return None


def moments(stored: pl.Series, kind: Kind, clock: Clock, where: str) -> pl.Series:
    """Stored numbers as dates, moments or times of day; null where there is none.

    Times of a day or more are no time of day: Stata means moments by them, SAS and SPSS
    durations, which stay numbers of seconds. Dates outside of the years 1 to 9999 raise DataError.
    """
    raw = stored.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if kind == "date":
        days = np.floor(raw / clock.day) + clock.offset
        return _checked(stored.name, days, where).cast(pl.Int32).cast(pl.Date)
    micros = _micros(raw, clock.second)
    if kind == "time":
        known = raw[~np.isnan(raw)]
        if ((known >= 0) & (known < DAY * clock.second)).all():
            return _series(stored.name, raw, micros * 1000).cast(pl.Time)
        if clock.second == 1:
            return pl.Series(stored.name, raw).fill_nan(None)
    _checked(stored.name, np.floor(raw / clock.second / DAY) + clock.offset, where)
    return _series(stored.name, raw, micros + clock.offset * DAY * MICRO).cast(pl.Datetime("us"))


def numbers(column: pl.Series, clock: Clock) -> pl.Series:
    """Dates, moments or times of day as the numbers that a package stores."""
    if column.dtype == pl.Date:
        return (column.cast(pl.Int32).cast(pl.Float64) - clock.offset) * clock.day
    if column.dtype == pl.Time:
        counted = column.cast(pl.Int64) // 1000
    else:
        counted = column.cast(pl.Datetime("us")).cast(pl.Int64) - clock.offset * DAY * MICRO
    micros = counted.fill_null(0).to_numpy()
    unit = MICRO // clock.second
    # A thousandth of a second is divided in one step, and by numpy, which unlike polars divides
    # exactly: so it is the double nearest to it, and known again.
    thousandths = (micros // 1000) / (1000 // clock.second)
    finer = micros // unit + (micros % unit) / unit
    stored = pl.Series(column.name, np.where(micros % 1000 == 0, thousandths, finer))
    return stored.set(column.is_null(), None)


def _micros(raw: Floats, second: int) -> npt.NDArray[np.int64]:
    """Microseconds; of a number that is a thousandth of a second as near as can be, just that."""
    unit = MICRO // second
    # What no date reaches is refused by its days; here it must only not overflow.
    safe = np.where(np.abs(raw) < 9e18 / unit, raw, 0.0)
    whole = np.floor(safe)
    finer = whole.astype(np.int64) * unit + np.rint((safe - whole) * unit).astype(np.int64)
    per_second = 1000 // second
    thousandths = np.rint(safe * per_second)
    near = thousandths / per_second == safe
    micros: npt.NDArray[np.int64] = np.where(near, thousandths.astype(np.int64) * 1000, finer)
    return micros


def _checked(name: str, days: Floats, where: str) -> pl.Series:
    """Whole days since 1970-01-01; a day outside of the years 1 to 9999 raises DataError."""
    wrong = ~np.isnan(days) & ~((days >= FIRST_DAY) & (days <= LAST_DAY))
    if wrong.any():
        raise DataError(
            Fault(
                where=f"{where}, column {name!r}",
                found=f"{wrong.sum():,} dates outside of the years 1 to 9999, the first in record "
                f"{int(np.argmax(wrong)) + 1}",
                remedy="Correct them",
            )
        )
    return pl.Series(name, days).fill_nan(None)


def _series(name: str, raw: Floats, values: npt.NDArray[np.int64]) -> pl.Series:
    return pl.Series(name, values).set(pl.Series(np.isnan(raw)), None)
