"""Values blanked, rounded without bias, blurred: small cases, exact expectations, every type."""

from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.remedies.values import blanked, exchanged, noised, rounded, stored_as

EXAMPLES = settings(max_examples=150)
BASES = st.sampled_from([Decimal(text) for text in ("1", "2", "5", "10", "0.1", "0.25", "3")])
VALUES = st.lists(st.integers(-1000, 1000), min_size=1, max_size=6)


@given(values=VALUES, base=st.integers(1, 12))
@EXAMPLES
def test_random_rounding_has_the_value_itself_as_its_expectation(values, base):
    """Draws in the middle of `base` equal parts of [0, 1): each whole number is met exactly."""
    numbers = np.array(values, np.float64)
    total = np.zeros_like(numbers)
    for part in range(base):
        draws = np.full(len(numbers), (part + 0.5) / base)
        total += rounded(numbers, Decimal(base), draws)
    assert (total == base * numbers).all()


def test_random_rounding_of_decimals_is_unbiased_in_the_long_run():
    """A million draws: the mean lies within six standard errors, 0.25 * 0.5 / 1000 each."""
    draws = np.random.default_rng(5).random(1_000_000)
    found = rounded(np.full(1_000_000, 0.9), Decimal("0.25"), draws)
    assert set(found.tolist()) == {0.75, 1.0}
    assert abs(found.mean() - 0.9) < 6 * 0.25 * 0.5 / 1000


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1), base=BASES, draw=st.floats(0, 1 - 1e-9))
@EXAMPLES
def test_what_is_rounded_is_a_multiple_less_than_a_base_away(values, base, draw):
    numbers = np.array(values)
    for found, most in (
        (rounded(numbers, base), float(base) / 2),
        (rounded(numbers, base, np.full(len(numbers), draw)), float(base)),
    ):
        assert (np.abs(found - numbers) <= most * (1 + 1e-9)).all()
        for number in found.tolist():
            times = round(number / float(base))
            assert number == float(times * base)


@given(times=st.integers(-(10**6), 10**6), base=BASES, draw=st.floats(0, 1 - 1e-9))
@EXAMPLES
def test_a_multiple_of_the_base_stays(times, base, draw):
    number = np.array([float(times * base)])
    assert rounded(number, base)[0] == number[0]
    assert rounded(number, base, np.array([draw]))[0] == number[0]


@pytest.mark.parametrize("number", [1e308, -1e308, 2.0**60])
def test_numbers_too_large_to_have_such_a_multiple_stay(number):
    assert rounded(np.array([number]), Decimal("0.1"))[0] == number


def test_noise_has_its_scale_and_does_not_show():
    """Standard deviation 10, scale 0.5: noise of sd 5, within two percent for 100,000 draws."""
    draw = np.random.default_rng(7)
    values = np.round(draw.normal(100, 10, 100_000), 2)
    found = noised(values, np.ones(len(values), np.bool_), 0.5, draw.standard_normal(100_000))
    assert np.std(found - values) == pytest.approx(0.5 * values.std(), rel=0.02)
    assert (np.round(found, 2) == found).all()
    assert (np.round(found, 1) != found).any()


def test_noise_of_whole_numbers_is_whole_and_of_constants_none():
    draws = np.random.default_rng(1).standard_normal(50)
    some = np.ones(50, np.bool_)
    found = noised(np.arange(50.0), some, 0.3, draws)
    assert (found == np.rint(found)).all()
    assert (noised(np.full(50, 7.5), some, 0.3, draws) == 7.5).all()


TYPES = {
    pl.Int8: ([127.6, -200.0, 3.0], [127, -128, 3]),
    pl.UInt8: ([-4.0, 300.0, 7.0], [0, 255, 7]),
    pl.Int64: ([1e300, -1e300, 5.0], [2**63 - 1024, -(2**63), 5]),
    pl.Float32: ([0.5, 1.0, -2.0], [0.5, 1.0, -2.0]),
    pl.Float64: ([0.1, 1e300, -2.0], [0.1, 1e300, -2.0]),
    pl.String: ([0.1, 35.0, -2.0], ["0.1", "35", "-2"]),
    pl.Decimal(10, 2): ([0.25, 35.0, -2.0], [Decimal("0.25"), Decimal(35), Decimal(-2)]),
}


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_numbers_go_back_into_the_type_of_their_column(kind):
    numbers, stored = TYPES[kind]
    column = pl.Series("^x.*$", [], kind)
    found = stored_as(np.array(numbers), column)
    assert found.dtype == kind
    assert found.to_list() == stored


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("*", ["a", "b", None]),
        pl.Series("x", ["a", "b", None], pl.Categorical),
        pl.Series("x", ["a", "b", None], pl.Enum(["b", "a"])),
        pl.Series("x", [1, 2, None], pl.Decimal(5, 2)),
        pl.Series("x", [True, False, None]),
        pl.Series("x", [1, 2, None], pl.Date),
    ],
    ids=lambda column: str(column.dtype),
)
def test_only_the_chosen_cells_are_blanked(column):
    found = blanked(column, np.array([True, False, True]))
    assert (found.dtype, found.name) == (column.dtype, column.name)
    assert found.to_list() == [None, column[1], None]
    back = exchanged(found, np.array([True, False, False]), column)
    assert back.equals(column, null_equal=True)
