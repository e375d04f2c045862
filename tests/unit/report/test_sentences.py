"""Sentences say what the numbers say, in every case that a run can end in."""

import pytest

from reident.report import sentences
from reident.report.figures import beside, count, decimal, percentage
from reident.report.plain import plain


def test_a_finding_with_truth(results):
    told = sentences.finding("taxicab", results["attacks"]["taxicab"], 2000)
    assert told == (
        "Taxicab suspects 412 of 2,000 records (20.6 %); 31 of them are right, 7.5 % "
        "(95 % interval 5.3 to 10.5 %); blind guessing would be right for 1.2."
    )


def test_a_finding_without_truth_claims_nothing_about_right_or_wrong(without_truth):
    told = sentences.finding("taxicab", without_truth["attacks"]["taxicab"], 2000)
    assert told == (
        "Taxicab suspects 412 of 2,000 records (20.6 %); how many of them are right is not known, "
        "because no truth file was given."
    )


def test_nothing_suspected_gives_no_rate(results):
    told = sentences.finding("unicity", results["attacks"]["unicity"], 2000)
    assert told == ("Unicity suspects none of 2,000 records, so a conditional rate is not defined.")


def test_one_and_none_right(results):
    attack = results["attacks"]["taxicab"]
    attack |= {"confirmed": 1, "conditional_rate": 100 / 412}
    assert "; 1 of them is right, 0.2 %" in sentences.finding("taxicab", attack, 2000)
    attack |= {"confirmed": 0, "conditional_rate": 0.0, "baseline_confirmed": 0.0}
    told = sentences.finding("taxicab", attack, 2000)
    assert "; none of them is right, 0.0 %" in told
    assert told.endswith("blind guessing would be right for none.")


def test_pairs_that_are_not_listed_leave_no_baseline(results):
    attack = results["attacks"]["taxicab"] | {"baseline_confirmed": None}
    assert "because pairs are not listed" in sentences.finding("taxicab", attack, 2000)


def test_a_label_of_its_own_is_shown_with_its_method(results):
    told = sentences.finding("strict", results["attacks"]["taxicab"], 2000)
    assert told.startswith("strict (taxicab) suspects")


def test_limits_met_undefined_and_exceeded(results):
    attacks = results["attacks"]
    met, undefined = results["limits"]
    assert sentences.limit(met, attacks["taxicab"]) == (
        "Met: the conditional rate of Taxicab is 7.5 %, within the agreed limit of 20 %."
    )
    assert "not defined" in sentences.limit(undefined, attacks["unicity"])
    assert sentences.limits(results) == "None of 2 agreed limits is exceeded."
    met |= {"limit": 7.5, "exceeded": True}
    assert sentences.limit(met, attacks["taxicab"]) == (
        "Exceeded: the conditional rate of Taxicab is 7.52 %, above the agreed limit of 7.5 %."
    )
    assert sentences.limits(results) == "1 of 2 agreed limits is exceeded."


def test_a_limit_on_the_end_of_the_interval_says_so(results):
    check = results["limits"][0] | {"value": 10.48713259}
    told = sentences.limit(check, results["attacks"]["taxicab"])
    assert "the upper end of the interval of the conditional rate of Taxicab is 10.5 %" in told


def test_ties_and_records_set_aside(results):
    attacks = results["attacks"]
    assert sentences.ties("unicity", attacks["unicity"]) is None
    assert "188 of these are not suspected" in sentences.ties("taxicab", attacks["taxicab"])
    assert "among the tied for 12" in sentences.ties("taxicab", attacks["taxicab"])
    untied = attacks["taxicab"] | {"tied_out": 0, "tied_out_true": 0}
    assert sentences.ties("taxicab", untied) == (
        "Taxicab: 600 records have a pair within the threshold; for none of these do more than 5 "
        "intruder records tie for the closest."
    )
    assert sentences.set_aside("taxicab", attacks["taxicab"], 2000) == (
        "Taxicab compares 1,975 of 2,000 records; set aside, and counted as not suspected: "
        "5 have a missing stratum; 20 lie in a stratum without intruder records."
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.0 %"),
        (0.04, "0.04 %"),
        (0.00004, "4e-05 %"),
        (99.97, "99.97 %"),
        (100.0, "100.0 %"),
        (7.524271844660194, "7.5 %"),
        (None, "-"),
    ],
)
def test_rounding_never_makes_none_of_some_or_all_of_most(value, shown):
    assert percentage(value) == shown


def test_other_figures():
    assert [count(1234567), count(None), decimal(0.031), decimal(0.0), decimal(1234.56)] == [
        "1,234,567", "-", "0.03", "0.0", "1,234.6",
    ]  # fmt: skip
    assert [beside(20.0, 20.0), beside(19.99, 20.0), beside(20.00001, 20.0)] == [
        "20.0 %", "19.99 %", "20.00001 %",
    ]  # fmt: skip


def test_plain_texts_stay_and_hostile_ones_lose_their_power():
    assert plain("Enquête «Logement» 2026, 住宅") == "Enquête «Logement» 2026, 住宅"
    assert plain("\x1b[2J\x1b]0;owned\x07a\x9b31mb\x00\x07\u202ec\ud800\r\nd") == "abc d"
    assert "\x1b" not in plain("\x1b]8;;http://never.ends")
