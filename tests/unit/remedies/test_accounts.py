"""The account of an action: one line for each changed cell, numbers where columns hold them."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.model.files import SourceFile
from reident.remedies.accounts import FEW, by_domain, changed, log, numbers, statistics

FILE = SourceFile(pl.DataFrame())


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=8))
@settings(max_examples=80)
def test_the_log_has_a_line_for_each_mark_by_record_and_then_variable(marks):
    names = ["b", "a"]
    first, second, gone = (np.array([row[j] for row in marks], np.bool_) for j in range(3))
    keys = pl.DataFrame({"^k$": [f"r{r}" for r in range(len(marks))]}, schema={"^k$": pl.String})
    found = log(dict(zip(names, (first, second), strict=True)), keys, "swap", gone)
    expected = [
        (r + 1, f"r{r}", variable, "swap")
        for r, row in enumerate(marks)
        for variable, hit in zip([*names, None], row, strict=True)
        if hit
    ]
    assert found.rows() == expected


def test_changed_tells_values_and_what_is_missing_on_one_side():
    one, other = pl.Series("*", [1, 2, None, None]), pl.Series("*", [1, 3, None, 4])
    assert changed(one, other).tolist() == [False, True, False, True]


NUMBERS = {
    "whole": (pl.Series([1, None]), [1.0, None]),
    "texts that are numbers": (pl.Series(["1.5", " "]), [1.5, None]),
    "texts": (pl.Series(["1", "x"]), None),
    "nothing": (pl.Series([None, None], dtype=pl.String), None),
    "dates": (pl.Series([dt.date(2020, 1, 1)]), None),
    "truth values": (pl.Series([True]), None),
    "lists": (pl.Series([[1]]), None),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_told_from_other_values(name):
    column, expected = NUMBERS[name]
    found = numbers(column, FILE)
    if expected is None:
        assert found is None
    else:
        assert pl.Series(found).fill_nan(None).to_list() == expected


def test_no_mean_of_few_values_and_none_beyond_doubles():
    few = pl.DataFrame({"x": [float(v) for v in range(FEW - 1)]})
    [row] = statistics(few, few, FILE)
    assert row["mean"] == {"before": None, "after": None}
    assert row["present"] == {"before": FEW - 1, "after": FEW - 1}
    large = pl.DataFrame({"x": [1.79e308, -1.79e308] * FEW})
    [row] = statistics(large, large, FILE)
    assert row["mean"]["before"] == 0.0
    assert row["sd"]["before"] is None


def test_many_domains_are_told_together_from_the_thousandth_on():
    frame = pl.DataFrame({"d": [f"{place:04}" for place in range(1203)]})
    kept = np.arange(1203) != 1202
    rows = by_domain(frame, frame.filter(pl.Series(kept)), kept, ~kept, ["d"], FILE)
    assert len(rows) == 1001
    assert rows[-1]["domain"] == {"d": "other"}
    assert (rows[-1]["records_in"], rows[-1]["records_out"]) == (203, 202)
    assert rows[-1]["unique_records"] == 1
