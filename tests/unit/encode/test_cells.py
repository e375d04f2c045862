"""Cells: missing, not applicable, or a value. One line per combination, one test per line."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from reident.encode.cells import MISSING, PRESENT, cells
from reident.errors import DataError
from reident.model.files import PublicFile
from reident.model.variables import Variable

FRAME = pl.DataFrame({"p": ["1"]})


def made(values, kind="numeric", file=None, **details):
    return cells(
        pl.Series("x", values),
        Variable(name="x", kind=kind, **details),
        PublicFile(FRAME, key="p", **(file or {})),
    )


@pytest.mark.parametrize("kind", ["categorical", "numeric", "date"])
@pytest.mark.parametrize("value", [None, "", " ", "\t", "-9"])
def test_null_blank_and_declared_codes_are_missing(kind, value):
    assert made(pl.Series([value], dtype=pl.String), kind, missing=["-9"]).state.tolist() == [
        MISSING
    ]


@pytest.mark.parametrize("text", ["NA", ".", "-9", "999", "nan", "NULL"])
def test_a_text_of_a_category_is_missing_only_if_it_is_declared(text):
    assert made([text], "categorical").state.tolist() == [PRESENT]
    assert made([text], "categorical", missing=[text]).state.tolist() == [MISSING]


def test_codes_of_the_file_are_missing_in_every_column():
    assert made(["-8", "1"], file={"missing": ["-8"]}).state.tolist() == [MISSING, PRESENT]


@pytest.mark.parametrize("text", ["-9", "-9.0", " -9 ", "-9e0", "-09"])
def test_a_code_of_a_number_is_met_however_it_is_spelled(text):
    assert made([text], missing=["-9"]).state.tolist() == [MISSING]
    assert made([text], not_applicable=["-9"]).state.tolist() == [1]


def test_a_code_of_a_category_is_met_as_text_alone():
    assert made(["-9", "-9.0"], "categorical", missing=["-9"]).state.tolist() == [MISSING, PRESENT]


def test_codes_of_numbers_stored_as_numbers_are_met():
    assert made([-9, 3], missing=["-9"]).state.tolist() == [MISSING, PRESENT]
    assert made([-9.0, 3.5], missing=["-9"]).state.tolist() == [MISSING, PRESENT]


def test_missing_wins_over_not_applicable_and_the_first_code_over_the_second():
    found = made(["-6", "-7", "-9"], missing=["-9"], not_applicable=["-6", "-7", "-9", "-6.0"])
    assert found.state.tolist() == [1, 2, MISSING]


def test_numbers_are_read_with_blanks_signs_and_exponents():
    found = made([" 1 ", "+2", "-3.5", ".5", "4.", "1e3", "1E-2", "-0.0"])
    assert found.number.tolist() == [1, 2, -3.5, 0.5, 4, 1000, 0.01, 0]
    assert not np.signbit(found.number[-1])


@pytest.mark.parametrize("value", [float("nan"), None])
def test_nan_is_missing(value):
    assert made(pl.Series([value, 1.0])).state.tolist() == [MISSING, PRESENT]
    assert made(["nan", "NaN", "1"]).state.tolist() == [MISSING, MISSING, PRESENT]


@pytest.mark.parametrize(
    "text", ["x", "1,234", "1 2", "0x10", "inf", "-Infinity", "1_000", "1e999"]
)
def test_a_text_that_is_no_finite_number_is_refused_with_count_and_record_not_value(text):
    with pytest.raises(DataError) as caught:
        made(["1", text, "2", text])
    [fault] = caught.value.faults
    assert "column 'x'" in fault.where
    assert fault.found == "2 values that are not a finite number, the first in record 2"
    assert text not in fault.remedy


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinities_are_refused(value):
    with pytest.raises(DataError, match="not a finite number"):
        made([value, 1.0])


def test_thousands_and_decimal_signs_may_be_declared():
    found = made(["1.234,5", "-7"], file={"decimal": ",", "thousands": "."})
    assert found.number.tolist() == [1234.5, -7.0]


def test_a_point_is_not_a_number_where_the_comma_is_declared():
    with pytest.raises(DataError):
        made(["1.234"], file={"decimal": ","})


def test_dates_are_days_since_1970():
    texts = made(["1970-01-02", "1969-12-31", "2020-02-29", ""], "date")
    assert texts.number[:3].tolist() == [1, -1, 18321]
    assert texts.state.tolist() == [PRESENT, PRESENT, PRESENT, MISSING]
    assert made([dt.date(1970, 1, 3)], "date").number.tolist() == [2.0]
    assert made([dt.datetime.fromisoformat("1970-01-03T06:00")], "date").number.tolist() == [2.25]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1970-01-03T06:00", 2.25),
        ("1970-01-03 06:00:00", 2.25),
        (" 1970-01-03T06:00:00.000000 ", 2.25),
        ("1969-12-31T18:00", -0.25),
        ("1970-01-01T00:00:00.5", 0.5 / 86400),
        ("1970-01-03T06:00Z", 2.25),
        ("1970-01-03T06:00:00+05:30", 2.25),
        ("0001-01-01T12:00", -719161.5),
        ("9999-12-31T12:00", 2932896.5),
    ],
)
def test_a_moment_is_its_day_and_the_part_of_the_day(text, number):
    assert made([text], "date").number.tolist() == [number]


@pytest.mark.parametrize("text", ["18:00", "18:00:00", "18:00:00.000000"])
def test_a_time_of_day_is_the_part_of_a_day(text):
    assert made(["6:00", text], "date").number.tolist() == [0.25, 0.75]
    typed = [dt.time(6), dt.time.fromisoformat(text), None]
    assert made(typed, "date").number[:2].tolist() == [0.25, 0.75]
    assert made(typed, "date").state.tolist() == [PRESENT, PRESENT, MISSING]


def test_a_zone_is_not_converted():
    typed = pl.Series([dt.datetime.fromisoformat("2020-07-01T12:00")]).dt.replace_time_zone(
        "Europe/Berlin"
    )
    assert made(typed, "date").number == made(["2020-07-01T12:00:00+02:00"], "date").number
    assert made(typed, "date").number == made(["2020-07-01T12:00"], "date").number


@pytest.mark.parametrize(
    "text",
    [
        "2020-02-30", "2021-02-29", "2021-02-29T12:00", "01/02/2020", "2020-1-1", "20200101", "x",
        "0000-01-01", "10000-01-01", "nan", "2020-02-29T", "2020-02-29T12", "2020-02-29T25:00",
        "2020-02-29T24:00", "2020-02-29T12:60", "2020-02-29T23:59:60", "2020-02-29T1:00",
        "2020-02-29T12:00:00.", "2020-02-29T12:00:00.1234567", "2020-02-29T12:00:00,5",
        "2020-02-29  12:00", "2020-02-29T12:00 Z", "2020-02-29T12:00+1", "2020-02-29Z",
        "24:00", "12:60", "12", "12:00Z", "-1:00", "100:00",
    ],
)  # fmt: skip
def test_a_text_that_is_no_iso_date_is_refused(text):
    with pytest.raises(DataError, match="not an ISO date"):
        made([text], "date")


@pytest.mark.parametrize("times", [["12:00"], ["12:00", "13:00"]])
def test_times_of_day_among_dates_are_refused(times):
    with pytest.raises(DataError, match=f"{len(times)} values? that (is|are) not an ISO date"):
        made(["2020-01-01", *times], "date")


@pytest.mark.parametrize("values", [[7.5, 8.0], [7, 8], [True]])
def test_a_type_that_holds_no_dates_is_refused_as_date(values):
    with pytest.raises(DataError, match="not an ISO date"):
        made(values, "date")


@pytest.mark.parametrize("code", ["1900-01-01", "1900-01-01T00:00", "1900-01-01 00:00:00.000"])
def test_a_code_of_a_date_is_met_however_it_is_spelled(code):
    texts = ["1900-01-01", "1900-01-01T00:00:00", " 1900-01-01 00:00", "1900-01-01T00:01"]
    assert made(texts, "date", missing=[code]).state.tolist() == [MISSING] * 3 + [PRESENT]
    for typed in (dt.date(1900, 1, 1), dt.datetime.fromisoformat("1900-01-01")):
        assert made([typed], "date", not_applicable=[code]).state.tolist() == [1]


def test_a_time_of_day_is_no_code_of_a_date_nor_the_other_way_round():
    assert made(["1970-01-01"], "date", missing=["0:00"]).state.tolist() == [PRESENT]
    assert made(["0:00", "1:00"], "date", missing=["1970-01-01"]).state.tolist() == [PRESENT] * 2
    assert made([dt.time(0)], "date", missing=["1970-01-01"]).state.tolist() == [PRESENT]
    assert made([dt.time(0)], "date", missing=["0:00"]).state.tolist() == [MISSING]


@pytest.mark.parametrize("values", [[True], [dt.date(2020, 1, 1)]])
def test_a_type_that_holds_no_numbers_is_refused_as_numeric(values):
    with pytest.raises(DataError, match="not a finite number"):
        made(values)


def test_cells_can_be_taken_in_another_order():
    order = np.array([2, 0])
    found = made(["1", "", "3"]).take(order)
    assert (found.state.tolist(), found.number.tolist()) == ([PRESENT, PRESENT], [3, 1])
    texts = made(["a", "", "c"], "categorical").take(order)
    assert texts.text.to_list() == ["c", "a"]
    assert texts.present.tolist() == [True, True]
