"""Rates: counts become percentages here, and nowhere else."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from reident.model.rates import Rates, baseline, chance_of_a_hit, percent, wilson


def test_a_percentage_of_nothing_is_unknown():
    assert percent(1, 0) is None
    assert percent(None, 5) is None
    assert percent(1, None) is None
    assert percent(0, 5) == 0.0
    assert percent(1, 8) == 12.5


def test_each_rate_has_its_own_counts():
    rates = Rates(
        records=200,
        suspected_records=50,
        confirmed_records=10,
        pairs=80,
        confirmed_pairs=16,
        overlap=40,
    )
    assert rates.suspected == 25.0
    assert rates.confirmed == 5.0
    assert rates.conditional == 20.0
    assert rates.pair_precision == 20.0 == 100 * 16 / 80
    assert rates.recall == 25.0
    assert rates.conditional_interval == wilson(10, 50)


def test_without_truth_or_suspicion_rates_are_unknown_not_zero():
    unknown = Rates(records=10, suspected_records=4)
    assert (unknown.confirmed, unknown.conditional, unknown.recall) == (None, None, None)
    assert (unknown.pair_precision, unknown.conditional_interval) == (None, None)
    nothing = Rates(records=10, suspected_records=0, confirmed_records=0, pairs=0)
    assert (nothing.suspected, nothing.confirmed) == (0.0, 0.0)
    assert (nothing.conditional, nothing.conditional_interval) == (None, None)


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_wilson_as_scipy_has_it(k, more):
    n = k + more or 1
    known = binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert wilson(k, n) == pytest.approx((100 * known.low, 100 * known.high), rel=1e-9, abs=1e-12)


def test_wilson_of_known_cases():
    # By hand for 10 of 50: (0.2384 -+ 0.1173) / 1.0768.
    assert wilson(10, 50) == pytest.approx((11.24, 33.04), abs=0.005)
    for n in range(1, 200):
        assert wilson(0, n)[0] == 0.0
        assert wilson(n, n)[1] == 100.0


@settings(max_examples=60)
@given(st.integers(0, 40), st.integers(0, 40))
def test_wilson_holds_the_rate_and_is_symmetric(k, more):
    n = k + more
    if n == 0:
        return
    low, high = wilson(k, n)
    assert 0 <= low <= 100 * k / n + 1e-9
    assert 100 * k / n - 1e-9 <= high <= 100 + 1e-9
    assert wilson(n - k, n) == pytest.approx((100 - high, 100 - low), abs=1e-9)


@settings(max_examples=200)
@given(st.integers(1, 40), st.data())
def test_the_blind_guesser_hits_as_often_as_combinations_say(others, data):
    true = data.draw(st.integers(0, others))
    guesses = data.draw(st.integers(0, others))
    missed = Fraction(math.comb(others - true, guesses), math.comb(others, guesses))
    assert chance_of_a_hit(others, true, guesses) == float(1 - missed)


def test_the_blind_guesser_of_a_large_file_is_exact_to_the_last_bit():
    missed = Fraction(math.comb(10**6 - 3, 5), math.comb(10**6, 5))
    assert chance_of_a_hit(10**6, 3, 5) == float(1 - missed)


def test_the_baseline_adds_records_up():
    assert baseline([(4, 1, 2, 1), (4, 2, 1, 3), (9, 0, 5, 7)]) == 2.0
    assert baseline([]) == 0.0
