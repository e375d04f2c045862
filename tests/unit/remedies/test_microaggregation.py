"""Micro-aggregation: groups of k, what is refused, what it costs."""

import numpy as np
import polars as pl
import pytest

import reident as ri
from reident.remedies.microaggregation import group_means, information_loss, mdav, microaggregate


def test_groups_of_three_and_the_remainder_joined_to_the_last():
    values = np.array([8.0, 1.0, 2.0, 9.0, 3.0, 7.0, 10.0, 11.0])
    assert microaggregate(values, 3).tolist() == [9, 2, 2, 9, 2, 9, 9, 9]


def test_a_run_of_equal_values_may_be_cut_and_keeps_its_order():
    values = np.array([5.0, 5.0, 1.0, 5.0, 2.0, 5.0])
    assert microaggregate(values, 3).tolist() == [8 / 3, 5, 8 / 3, 5, 8 / 3, 5]


def test_the_median_of_an_even_group_lies_half_way():
    assert microaggregate(np.array([1.0, 2.0, 4.0, 9.0]), 4, "median").tolist() == [3.0] * 4


def test_missing_values_stay_missing_and_take_no_part():
    found = microaggregate(np.array([np.nan, 1.0, 3.0, np.nan]), 2)
    assert np.array_equal(found, [np.nan, 2.0, 2.0, np.nan], equal_nan=True)
    assert np.isnan(microaggregate(np.array([np.nan, np.nan]), 3)).all()


def test_a_mean_lies_among_its_values_and_large_ones_do_not_overflow():
    third = 0.1
    assert microaggregate(np.full(3, third), 3).tolist() == [third] * 3
    found = microaggregate(np.array([1.7e308, 1.7e308, -1.7e308, -1.7e308]), 4)
    assert found.tolist() == [0.0] * 4


def test_fewer_values_than_k_are_refused_without_telling_any():
    with pytest.raises(ri.DataError, match="2 values, fewer than k = 3") as error:
        microaggregate(np.array([4242.0, 4243.0, np.nan]), 3, where="income")
    assert "424" not in str(error.value)
    assert "income" in str(error.value)


def test_mdav_does_not_depend_on_units_and_refuses_missing_values():
    table = np.random.default_rng(1).lognormal(size=(60, 3))
    groups = mdav(table, 4)
    assert mdav(table * np.array([1.0, 1024.0, 2.0**-20]), 4).tolist() == groups.tolist()
    with pytest.raises(ri.DataError, match="1 records with a missing value"):
        mdav(np.where(table == table.max(), np.nan, table), 4)


def test_mdav_of_constants_and_of_large_values_makes_groups():
    table = np.stack([np.full(7, 3.0), np.array([1e308, -1e308, 1, 2, 3, 4, 5])], axis=1)
    sizes = np.bincount(mdav(table, 3))
    assert sorted(sizes.tolist()) == [3, 4]


def test_means_of_groups_and_the_loss_they_cost():
    table = np.array([[0.0, 10.0], [2.0, 10.0], [10.0, 30.0], [12.0, 30.0]])
    released = group_means(table, np.array([0, 0, 1, 1]))
    assert released.tolist() == [[1, 10], [1, 10], [11, 30], [11, 30]]
    # One column loses 4 of 104, the other nothing; both weigh alike.
    assert information_loss(table, released) == pytest.approx(100 * (4 / 104) / 2)
    assert information_loss(np.ones((3, 1)), np.ones((3, 1))) is None


def test_the_api_keeps_rows_and_other_columns_and_tells_the_cost():
    frame = pl.DataFrame({"id": ["a", "b", "c", "d"], "x": [1.0, None, 5.0, 3.0]})
    found = ri.microaggregate(frame, ["x"], k=3)
    assert found.to_polars()["id"].to_list() == ["a", "b", "c", "d"]
    assert found.frame["x"].to_list() == [3.0, None, 3.0, 3.0]
    assert found.to_dict() == {
        "records": 4,
        "variables": ["x"],
        "k": 3,
        "statistic": "mean",
        "method": "single",
        "information_loss": 100.0,
    }


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"k": 1}, "k: not valid"),
        ({"statistic": "mode"}, "statistic: not valid"),
        ({"method": "mdav", "statistic": "median"}, "which MDAV takes"),
        ({"kk": 3}, "unknown name. Did you mean 'k'"),
    ],
)
def test_wrong_options_are_told(options, told):
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0]})
    with pytest.raises(ri.SpecError, match=told):
        ri.microaggregate(frame, ["x"], **options)


def test_a_column_that_is_not_there_and_texts_are_told():
    frame = pl.DataFrame({"x": ["a", "b"]})
    with pytest.raises(ri.DataError, match="no column 'y'"):
        ri.microaggregate(frame, ["y"], k=2)
    with pytest.raises(ri.DataError, match="not a finite number"):
        ri.microaggregate(frame, ["x"], k=2)
