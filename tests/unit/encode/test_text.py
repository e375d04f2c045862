"""The text of a value: one function behind keys, categories, strata and codes."""

import datetime as dt
from decimal import Decimal

import polars as pl
import pytest

from reident.encode.text import float_beyond_whole_numbers, text_of


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (["01", " a ", "", None], ["01", " a ", "", None]),
        ([1, -7, None], ["1", "-7", None]),
        (
            [1.0, 0.5, -0.0, 1e20, 1e-7, None],
            ["1", "0.5", "0", "100000000000000000000", "1e-07", None],
        ),
        ([float("nan"), 2.0], [None, "2"]),
        ([True, False, None], ["true", "false", None]),
        ([dt.date(2020, 2, 3), None], ["2020-02-03", None]),
        ([dt.datetime.fromisoformat("2020-02-03T04:05")], ["2020-02-03T04:05:00"]),
        ([Decimal("1.50"), Decimal("2.00")], ["1.5", "2"]),
        ([None, None], [None, None]),
        ([2**63 - 1, -(2**63)], ["9223372036854775807", "-9223372036854775808"]),
    ],
)
def test_a_value_has_one_text_whatever_its_type(values, texts):
    assert text_of(pl.Series(values)).to_list() == texts


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["a", "01"])])
def test_a_category_is_its_label(kind):
    assert text_of(pl.Series(["a", "01", None], dtype=kind)).to_list() == ["a", "01", None]


def test_floats_beyond_the_whole_numbers_are_counted():
    assert float_beyond_whole_numbers(pl.Series([2.0**53, 2.0**53 + 2, -1e300, 0.5])) == 2
    assert float_beyond_whole_numbers(pl.Series([2**60, 1])) == 0
    assert float_beyond_whole_numbers(pl.Series(["9" * 30])) == 0


def test_a_missing_float_is_not_beyond_the_whole_numbers():
    assert float_beyond_whole_numbers(pl.Series([float("nan"), None, 1.0])) == 0


def test_single_precision_floats_have_the_shortest_text_that_reads_back():
    assert text_of(pl.Series([0.1, 0.25, 3.0], dtype=pl.Float32)).to_list() == ["0.1", "0.25", "3"]


def test_single_precision_floats_beyond_the_whole_numbers_are_counted():
    values = pl.Series([2.0**24, 2.0**24 + 2, 5.0], dtype=pl.Float32)
    assert float_beyond_whole_numbers(values) == 1


def test_long_decimals_stay_apart():
    values = [Decimal(9007199254740993), Decimal(1234567890123456789)]
    assert text_of(pl.Series(values)).to_list() == [str(value) for value in values]


@pytest.mark.parametrize("values", [[b"a"], [dt.timedelta(1)], [[1, 2]]])
def test_a_type_without_a_text_is_refused_as_a_fault_of_the_file(values):
    import reident as ri

    frame = pl.DataFrame({"p": ["1"], "x": values})
    study = ri.Study(
        puf=ri.PublicFile(frame, key="p"),
        eif=ri.IntruderFile(frame.rename({"p": "e"}), key="e"),
        variables=[ri.categorical("x")],
    )
    with pytest.raises(ri.DataError):
        study.run(ri.Taxicab())
