"""Winkler (2002): small cases by hand, and a quick look at what the paper claims.

The whole evidence, 20 seeds at 100,000 records, is `reident scenario microagg --claims`; its
figures stand in docs/papers/winkler.md.
"""

import polars as pl
import pytest

import reident as ri
from reident.claims import claims
from reident.scenario.microagg import Situation


def linked(released, held, attack, truth=None, **columns):
    """(PUF place, EIF place) of each guess; columns are given as lists of values."""
    names = [f"x{place}" for place in range(len(released))]
    puf = pl.DataFrame(dict(zip(names, released, strict=True)), schema=dict.fromkeys(names, float))
    eif = pl.DataFrame(dict(zip(names, held, strict=True)), schema=dict.fromkeys(names, float))
    study = ri.Study(
        puf=ri.PublicFile(puf.with_row_index("p"), key="p"),
        eif=ri.IntruderFile(eif.with_row_index("e"), key="e"),
        truth=truth,
        variables=[ri.numeric(name, **columns) for name in names],
    )
    result = study.run(attack)[attack.method]
    guesses = {int(p): int(e) for p, e in result.pairs.select("puf_p", "eif_e").rows()}
    return guesses, result


ORIGINALS = [1.0, 2.0, 3.0, 10.0, 11.0, 30.0]
RELEASED = [2.0, 2.0, 2.0, 17.0, 17.0, 17.0]


@pytest.mark.parametrize(
    ("radius", "inside"),
    [
        # Half the gap to the only neighbour is 7.5: from -5.5 to 9.5 and from 9.5 to 24.5.
        ("half_gap", [3, 3, 3, 2, 2, 2]),
        # The midpoint is 9.5, and nothing is in the way beyond the ends.
        ("midpoint", [3, 3, 3, 3, 3, 3]),
        # Three values each: ranks 1 to 3 and 4 to 6.
        ("rank", [3, 3, 3, 3, 3, 3]),
    ],
)
def test_intervals_of_one_variable(radius, inside):
    attack = ri.MicroaggInterval(variables=["x0"], radius=radius)
    guesses, result = linked([RELEASED], [ORIGINALS], attack)
    assert guesses == {}
    (step,) = result.steps
    assert step["candidates"] == sum(inside) / 6


def test_two_variables_leave_one_candidate():
    other = [5.0, 90.0, 40.0, 6.0, 95.0, 41.0]
    released = [5.5, 92.5, 40.5, 5.5, 92.5, 40.5]
    attack = ri.MicroaggInterval(variables=["x0", "x1"])
    guesses, result = linked([RELEASED, released], [ORIGINALS, other], attack)
    assert guesses == {place: place for place in range(6)}
    assert [step["candidates"] for step in result.steps] == [3.0, 1.0]
    assert [step["suspected"] for step in result.steps] == [0, 6]
    assert result.pairs["score"].to_list() == [2.0] * 6


def test_ranks_where_a_tie_lies_across_the_end_of_a_group():
    """The second and the third value are equal; each may have been in either group."""
    attack = ri.MicroaggInterval(variables=["x0"], radius="rank")
    _, result = linked([[1.5, 1.5, 3.0, 3.0]], [[1.0, 2.0, 2.0, 4.0]], attack)
    assert result.steps[0]["candidates"] == 3.0


def test_a_missing_value_agrees_with_nothing_and_a_code_with_itself():
    attack = ri.MicroaggInterval(variables=["x0"], radius="midpoint")
    released, held = [None, 5.0, -9.0], [-9.0, 6.0, None]
    guesses, result = linked([released], [held], attack, not_applicable=["-9"])
    assert guesses == {1: 1, 2: 0}
    assert result.set_aside == (("nothing_present", 1),)


def test_auto_takes_ranks_only_where_every_value_is_released():
    attack = ri.MicroaggInterval(variables=["x0"])
    _, whole = linked([RELEASED], [ORIGINALS], attack)
    _, sample = linked([RELEASED[:3]], [ORIGINALS], attack)
    assert 'radius = "rank"' in whole.notes[0].text
    assert 'radius = "midpoint"' in sample.notes[0].text


def test_variables_are_the_first_three_that_vary_and_are_uncorrelated():
    x = [1.0, 2.0, 3.0, 4.0]
    columns = [[7.0] * 4, x, [2.0, 4.0, 6.0, 9.0], [1.0, 3.0, 3.0, 1.0], [1.0, 9.0, 1.0, 5.0]]
    _, result = linked(columns, columns, ri.MicroaggInterval())
    assert "x1, x3, x4" in result.notes[0].text


def test_the_nearest_on_the_second_variable_among_the_nearest_on_the_first():
    first, second = [10.0, 11.0, 12.0, 13.0], [100.0, 200.0, 300.0, 50.0]
    guesses, result = linked(
        [[10.4], [290.0]], [first, second], ri.MicroaggNearest(k=1, variables="all")
    )
    # Three nearest on the first: 10, 11 and 12; of these 300 is nearest to 290.
    assert guesses == {0: 2}
    assert [step["candidates"] for step in result.steps] == [3.0, 1.0]


def test_a_tie_is_settled_by_the_third_variable_or_left():
    first, second, third = [1.0, 1.0, 5.0], [7.0, 9.0, 8.0], [3.0, 4.0, 3.5]
    attack = ri.MicroaggNearest(k=1, variables="all")
    released = [[1.0], [8.0], [3.1]]
    # All three are among the nearest; the last alone is nearest on the second.
    assert linked(released, [first, second, third], attack)[0] == {0: 2}
    assert linked(released, [first[:2], second[:2], third[:2]], attack)[0] == {0: 0}
    assert linked(released, [first[:2], second[:2], [3.0, 3.125]], attack)[0] == {0: 1}
    assert linked(released, [first[:2], second[:2], [3.0, 3.0]], attack)[0] == {}


def test_windows_hold_the_nearest_with_ties_and_most_of_them_must_agree():
    held = [[10.0, 20.0, 21.0], [5.0, 5.0, 9.0], [1.0, 2.0, 3.0]]
    released = [[19.0], [5.0], [2.4]]
    attack = ri.MicroaggWindows(window=1, agree=2)
    guesses, result = linked(released, held, attack)
    assert guesses == {0: 1}
    assert result.pairs["score"].to_list() == [3.0]
    assert linked(released, held, ri.MicroaggWindows(window=3, agree=2))[0] == {}


def test_an_automatic_window_widens_the_midpoints_by_the_deviation():
    """105 is the midpoint: 109.2 deviates by 4 % from it, and 100.8 does on the other side."""
    attack = ri.MicroaggWindows(agree=1, deviation=0.04)
    released = [[100.0, 110.0]]
    assert linked(released, [[109.2, 300.0]], attack)[0] == {0: 0}
    assert linked(released, [[109.3, 300.0]], attack)[0] == {}
    assert linked(released, [[100.8, 50.0]], attack)[0] == {1: 0}


def test_the_trimmed_neighbour_forgives_what_fits_worst():
    held = [[100.0, 101.0], [200.0, 202.0], [900.0, 300.0]]
    released = [[100.0], [200.0], [300.0]]
    guesses, result = linked(released, held, ri.MicroaggTrimmed(agree=2))
    assert guesses == {0: 0}
    assert linked(released, held, ri.MicroaggTrimmed(agree=3))[0] == {0: 1}
    assert result.pairs["score"].to_list() == [0.0]


def test_a_released_zero_is_near_to_zero_alone():
    attack = ri.MicroaggTrimmed(agree=1)
    assert linked([[0.0]], [[0.0, 1e-9]], attack)[0] == {0: 0}
    assert linked([[0.0]], [[5.0, 1e-9]], attack)[0] == {}


@pytest.fixture(scope="module")
def measured():
    """Figures by way and k, of one seed and 10,000 records."""
    asked = Situation(records=10_000, seed=1)
    return {(row.way, row.k): row.mean for row in claims(asked, [3, 10], seeds=1, jobs=1)}


@pytest.mark.parametrize(
    ("way", "k", "low", "high"),
    [
        ("inside its own half-gap interval", 3, 75, 79),
        ("inside its own half-gap interval", 10, 83, 87),
        ("half_gap, as printed", 3, 84, 88),
        ("half_gap, as printed", 10, 91, 95),
        ("midpoint", 3, 91, 95),
        ("midpoint", 10, 95, 99),
        ("rank", 3, 99.9, 100),
        ("rank", 10, 99.9, 100),
        ("3k nearest", 3, 99.5, 100),
        ("window auto", 3, 95, 100),
        ("trimmed", 3, 99, 100),
        ("trimmed", 10, 99, 100),
        ("single", 3, 99.9, 100),
        ("single", 10, 99.9, 100),
        ("mdav", 3, 28, 36),
        ("mdav", 10, 6, 12),
    ],
)
def test_claims_measured_on_few_records_are_near_to_those_of_many(measured, way, k, low, high):
    assert low <= measured[way, k] <= high
