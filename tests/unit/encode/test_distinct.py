"""Which of some distinct values each cell holds, against a dictionary."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reident.encode.distinct import distinct_values, places_of

WHOLE = st.one_of(st.integers(-5, 5), st.integers(-(2**63), 2**63 - 1))


@pytest.mark.parametrize(
    ("values", "kind"),
    [(WHOLE, pl.Int64), (st.integers(0, 9), pl.Int16), (st.text(max_size=2), pl.String)],
)
@given(data=st.data())
def test_cells_find_their_value_and_others_find_none(values, kind, data):
    held = data.draw(st.lists(values, unique=True, max_size=8))
    cells = data.draw(st.lists(st.one_of(values, st.none()), max_size=20))
    places = places_of(pl.Series("^a.*$", cells, kind), pl.Series(held, dtype=kind))
    known = {value: place for place, value in enumerate(held)}
    assert places.tolist() == [known.get(cell, len(held)) for cell in cells]


def test_numbers_too_large_for_the_table_are_none_of_it():
    column = pl.Series([3, 2**64 - 1, None], dtype=pl.UInt64)
    assert places_of(column, pl.Series([2, 3], dtype=pl.UInt64)).tolist() == [1, 2, 2]


def test_distinct_values_hold_each_once_and_no_null():
    found = distinct_values(pl.Series("^a.*$", [2, None, 1, 2]))
    assert sorted(found.to_list()) == [1, 2]
