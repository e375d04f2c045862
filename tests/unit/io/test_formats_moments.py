"""Dates and times of the packages, where their readers go wrong."""

import datetime as dt

import polars as pl
import polars_readstat
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reident.errors import DataError
from reident.io.formats.moments import SAS, SPSS, STATA, moments, numbers, stata_kind
from reident.io.tables import read, read_table
from reident.model.files import SourceFile


@pytest.mark.parametrize(
    ("display", "kind"),
    [
        ("%td", "date"),
        ("%tdCCYY-NN-DD", "date"),
        ("%d", "date"),
        ("%-td", "date"),
        ("%tc", "datetime"),
        ("%tC", "datetime"),
        ("%tcCCYY-NN-DD_HH:MM:SS", "datetime"),
        ("%tcHH:MM:SS", "time"),
        ("%tcHH:MM:SS.sss", "time"),
        ("%tchh:MM_am", "time"),
        ("%tcDD_Mon", "datetime"),
        ("%tm", None),
        ("%ty", None),
        ("%tbcalendar", None),
        ("%9.0g", None),
        ("%-9s", None),
        ("", None),
    ],
)
def test_kinds_of_stata_columns(display, kind):
    assert stata_kind(display) == kind


@pytest.mark.parametrize("clock", [SAS, STATA, SPSS])
@given(st.lists(st.none() | st.datetimes(), min_size=1, max_size=8))
def test_moments_to_the_millisecond_are_exact(clock, given_moments):
    whole = [
        one and one.replace(microsecond=one.microsecond // 1000 * 1000) for one in given_moments
    ]
    column = pl.Series("t", whole, pl.Datetime("us"))
    assert moments(numbers(column, clock), "datetime", clock, "t").equals(column)
    days = column.dt.date()
    assert moments(numbers(days, clock), "date", clock, "t").equals(days)
    times = column.dt.time()
    assert moments(numbers(times, clock), "time", clock, "t").equals(times)


def test_stata_months_years_and_own_display_formats(tmp_path):
    path = tmp_path / "t.dta"
    frame = pl.DataFrame(
        {"m": [720.0, None], "y": [2014.0, None], "t": [1.9e12, None], "h": [0.0, 90e6]}
    )
    formats = {"m": "%tm", "y": "%ty", "t": "%tcCCYY-NN-DD_HH:MM", "h": "%tcHH:MM:SS"}
    pyreadstat.write_dta(frame, path, variable_format=formats)
    back = read(SourceFile(path), ["m", "y", "t", "h"])
    assert back["m"].to_list() == [720, None]
    assert back["y"].to_list() == [2014, None]
    assert back["t"].to_list() == [dt.datetime(2020, 3, 16, 17, 46, 40), None]  # noqa: DTZ001
    # Beyond a day it is a moment that is shown without its date.
    assert back["h"].dtype == pl.Datetime("us")


def test_sas_times_beyond_a_day_stay_seconds(tmp_path):
    path = tmp_path / "t.xpt"
    frame = pl.DataFrame({"h": [90_000.0, -5.0, 3.25, None], "k": [0.0, 1.5, 86_399.0, None]})
    polars_readstat.write_xpt(frame, path, version=5, variable_format={"h": "TIME8", "k": "TIME8"})
    back = read(SourceFile(path), ["h", "k"])
    assert back["h"].to_list() == [90_000.0, -5.0, 3.25, None]
    assert back["k"].to_list() == [dt.time(0), dt.time(0, 0, 1, 500_000), dt.time(23, 59, 59), None]


def test_spss_fractions_of_seconds_and_months(tmp_path):
    path = tmp_path / "t.sav"
    second = float((dt.date(2020, 1, 1) - dt.date(1582, 10, 14)).days * 86_400)
    frame = pl.DataFrame({"t": [second + 0.456, None], "m": [second, None], "w": [3.0, None]})
    formats = {"t": "DATETIME23.3", "m": "MOYR8", "w": "WKDAY9"}
    pyreadstat.write_sav(frame, path, variable_format=formats)
    back = read(SourceFile(path), ["t", "m", "w"])
    assert back["t"].to_list() == [dt.datetime(2020, 1, 1, 0, 0, 0, 456_000), None]  # noqa: DTZ001
    assert back["m"].to_list() == [dt.date(2020, 1, 1), None]
    assert back["w"].to_list() == [3.0, None]


def test_user_missing_dates_of_spss_keep_their_kind(tmp_path):
    path = tmp_path / "t.sav"
    frame = pl.DataFrame({"d": [86_400.0 * 1000, 1.0]})
    pyreadstat.write_sav(frame, path, variable_format={"d": "DATE11"}, missing_ranges={"d": [1]})
    table = read_table(SourceFile(path))
    assert table.frame["d"].to_list() == [dt.date(1585, 7, 10), None]
    assert table.labels.missing["d"].to_list() == [None, "1"]


def test_dates_that_no_calendar_has_are_refused(tmp_path):
    path = tmp_path / "t.xpt"
    frame = pl.DataFrame({"d": [0.0, 1e9, -1e9]})
    polars_readstat.write_xpt(frame, path, version=5, variable_format={"d": "DATE9"})
    with pytest.raises(
        DataError, match="2 dates outside of the years 1 to 9999, the first in record 2"
    ):
        read(SourceFile(path), ["d"])
