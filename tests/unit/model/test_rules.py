"""Adhoc rules: known by their key, scores from 0 to 5, bounds in order."""

import pytest

import reident as ri
from reident.model.rules import rule_of, units


@pytest.mark.parametrize(
    "rule",
    [
        {"equal": 5.1},
        {"equal": -0.1},
        {"equal": 1.0000001},
        {"equal": "x"},
        {"difference": []},
        {"difference": [[1, 5], [1, 4]]},
        {"difference": [[2, 5], [1, 4]]},
        {"difference": [[-1, 5]]},
        {"difference": [[1, 6]]},
        {"ratio": [[0.5, 5], [0.1, 4]]},
        {"days": [[31, 5], [0, 4]]},
        {"prefix": [[2, 2], [5, 5]]},
        {"prefix": [[2, 2], [2, 1]]},
        {"similarity": "soundex", "steps": [[0.9, 5]]},
        {"similarity": "jaro"},
        {"similarity": "jaro", "steps": [[0.8, 5], [0.9, 4]]},
        {"table": [["a", "b", 6]]},
        {"table": [["a", "b"]]},
        {"equal": 5, "otherwise": 1},
        {"nothing": 1},
        {},
        7,
    ],
)
def test_a_rule_that_is_unknown_out_of_range_or_out_of_order_is_refused(rule):
    with pytest.raises(ri.SpecError):
        rule_of(rule)
    with pytest.raises(ri.SpecError):
        ri.AdHoc({"x": rule})


@pytest.mark.parametrize(
    "rule",
    [
        {"table": [["a", "b", 3], ["b", "a", 2]]},
        {"table": [["a", "b", 3], ["a", "b", 2]], "ordered": True},
    ],
)
def test_a_table_that_contradicts_itself_is_refused(rule):
    with pytest.raises(ri.SpecError):
        rule_of(rule)


@pytest.mark.parametrize(
    "rule",
    [
        {"equal": 0},
        {"equal": 4.999999},
        {"difference": [[0, 0]]},
        {"table": [["a", "b", 3], ["b", "a", 3]]},
        {"table": [["a", "b", 3], ["b", "a", 2]], "ordered": True},
        {"table": [["a", "b", 3], ["a", "b", 3]]},
        {"table": [[1, 2, 3]], "equal": 4, "otherwise": 1},
        {"similarity": "osa", "steps": [[1, 5], [0.5, 1]]},
    ],
)
def test_a_rule_within_its_range_is_accepted(rule):
    assert rule_of(rule_of(rule)) == rule_of(rule)


def test_the_faults_of_all_rules_are_told_at_once():
    with pytest.raises(ri.SpecError) as caught:
        ri.AdHoc({"one": {"equal": 9}, "two": {"difference": [[0, 7]]}})
    told = str(caught.value)
    assert "rules.one" in told
    assert "rules.two" in told


def test_scores_are_whole_numbers_of_millionths():
    assert units(rule_of({"equal": 4.75}).equal) == 4_750_000
    assert units(rule_of({"equal": 0.000001}).equal) == 1


def test_whole_numbers_in_a_table_stand_for_their_texts():
    assert set(rule_of({"table": [[1, 2, 3]]}).entries()) == {("1", "2"), ("2", "1")}
