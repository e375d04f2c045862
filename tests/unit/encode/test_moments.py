"""Moments: exactly rounded sums, so that the order of rows cannot matter."""

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.encode.moments import moments

finite = st.floats(allow_nan=False, allow_infinity=False)


def sd(values):
    found = moments(np.array(values, np.float64))
    return math.ldexp(found.sd, found.exponent)


@settings(max_examples=100)
@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=20))
def test_the_standard_deviation_is_that_of_n_minus_1(values):
    exact = math.sqrt(statistics.variance([Fraction(x) for x in values]))
    assert sd(values) == pytest.approx(exact, rel=1e-12)


@settings(max_examples=100)
@given(st.lists(finite, min_size=1, max_size=12), st.randoms())
def test_the_order_of_the_values_does_not_matter(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    assert moments(np.array(shuffled)) == moments(np.array(values))


@settings(max_examples=100)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9), st.integers(-200, 200))
def test_a_power_of_two_moves_the_exponent_alone(values, power):
    values = [x for x in values if x == 0 or abs(x) > 1e-6] or [0.0]
    plain = moments(np.array(values))
    scaled = moments(np.ldexp(np.array(values), power))
    assert (scaled.mean, scaled.sd) == (plain.mean, plain.sd)
    if any(values):
        assert scaled.exponent == plain.exponent + power


@pytest.mark.parametrize("values", [[], [3.0], [3.0, 3.0, 3.0], [0.0, 0.0], [0.1] * 10])
def test_fewer_than_two_different_values_have_no_spread(values):
    assert moments(np.array(values, np.float64)).sd == 0.0


def test_the_largest_floats_have_a_finite_spread():
    found = moments(np.array([1.7e308, -1.7e308, 1.7e308]))
    assert 0 < found.sd < 1.2
    assert found.exponent == 1024
    assert sd([5e-324, 0.0]) > 0


def test_values_of_another_file_may_lie_beyond_the_scale():
    found = moments(np.array([1e-300, 2e-300]))
    far, near = found.scale(np.array([1e308, 1.5e-300])).tolist()
    assert far == math.inf
    assert near == math.ldexp(1.5e-300, -found.exponent)
