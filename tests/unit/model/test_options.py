"""Options: every choice has a name, a default and a range."""

from decimal import Decimal

import pytest

import reident as ri
from reident.model.options import DEFAULT_ATTACKS, METHODS

DEFAULTS = {
    "unicity": {
        "variables": [],
        "bins": 5,
        "bins_method": "quantile",
        "cuts": "puf",
        "scale": "study",
        "interactions": "all",
        "orders": 3,
        "pairs": "auto",
    },
    "taxicab": {
        "variables": [],
        "bins": 5,
        "bins_method": "quantile",
        "cuts": "puf",
        "scale": "study",
        "missing_score": 0.5,
        "threshold": "paper",
        "keep": 5,
    },
    "euclidean": {
        "variables": [],
        "missing_score": 0.5,
        "threshold": "paper",
        "keep": 5,
        "scale": "study",
    },
}


@pytest.mark.parametrize("method", DEFAULTS)
def test_defaults_are_those_of_the_paper(method):
    assert METHODS[method]().options() == DEFAULTS[method]
    assert DEFAULT_ATTACKS[method] == METHODS[method]()


OTHERS = {
    "microagg_interval": {"variables": "uncorrelated", "radius": "auto"},
    "microagg_nearest": {"variables": "uncorrelated", "k": 3},
    "microagg_windows": {"variables": "all", "window": "auto", "agree": 7, "deviation": 0.03},
    "microagg_trimmed": {"variables": "all", "agree": 7},
}
GUESSES = {"identify_rand", "identify_sa", "identify_sort", "identify_sa21", "euc1", "euc2"}


@pytest.mark.parametrize("method", OTHERS)
def test_defaults_of_attacks_that_run_only_when_asked_for(method):
    assert METHODS[method]().options() == OTHERS[method]


def test_adhoc_guesses_and_micro_aggregation_run_only_when_they_are_named():
    assert set(METHODS) - set(DEFAULT_ATTACKS) == {"adhoc"} | GUESSES | set(OTHERS)


@pytest.mark.parametrize("method", sorted(GUESSES))
@pytest.mark.parametrize("option", ["keep", "threshold"])
def test_guesses_know_neither_ranks_nor_thresholds(method, option):
    with pytest.raises(ri.SpecError, match="unknown name"):
        METHODS[method](**{option: 1})


def test_adhoc_needs_its_rules():
    with pytest.raises(ri.SpecError, match="rules"):
        ri.AdHoc()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (ri.Taxicab, {"missing_score": 0}),
        (ri.Taxicab, {"missing_score": 1.01}),
        (ri.Taxicab, {"missing_score": "a"}),
        (ri.Taxicab, {"missing_score": float("nan")}),
        (ri.Taxicab, {"threshold": "consistent"}),
        (ri.Taxicab, {"threshold": float("inf")}),
        (ri.Taxicab, {"keep": 0}),
        (ri.Taxicab, {"keep": 2.5}),
        (ri.Taxicab, {"bins": 1}),
        (ri.Taxicab, {"cuts": "eif"}),
        (ri.Euclidean, {"bins": 5}),
        (ri.Euclidean, {"cuts": "puf"}),
        (ri.Euclidean, {"threshold": "papers"}),
        (ri.Unicity, {"keep": 5}),
        (ri.Unicity, {"threshold": 0.5}),
        (ri.Unicity, {"orders": -1}),
        (ri.Unicity, {"pairs": "some"}),
        (ri.Unicity, {"interactions": "lowest"}),
    ],
)
def test_an_option_that_is_unknown_or_out_of_range_is_refused(kind, options):
    with pytest.raises(ri.SpecError) as caught:
        kind(**options)
    assert len(caught.value.faults) >= 1


@pytest.mark.parametrize("kind", [ri.Taxicab, ri.Unicity])
def test_ranks_of_each_file_by_itself_leave_no_choice_of_cuts(kind):
    with pytest.raises(ri.SpecError):
        kind(bins_method="sas_rank", cuts="pooled")


def test_all_wrong_options_are_told_at_once_with_the_nearest_name():
    with pytest.raises(ri.SpecError) as caught:
        ri.Taxicab(keeep=3, missing_score=2, bins=0)
    told = str(caught.value)
    assert "Taxicab.keeep: unknown name. Did you mean 'keep'." in told
    assert "Taxicab.missing_score" in told
    assert "Taxicab.bins" in told


@pytest.mark.parametrize("value", [0.1, "0.1", Decimal("0.1")])
def test_a_decimal_is_the_one_that_was_written(value):
    assert ri.Taxicab(missing_score=value).missing_score == Decimal("0.1")


def test_options_are_recorded_as_plain_values():
    attack = ri.AdHoc(
        {"a": {"difference": [[0, 5], [0.5, 2.25]]}, "b": sorted},
        threshold=Decimal("2.50"),
    )
    assert attack.options() == {
        "variables": [],
        "rules": {"a": {"difference": [[0, 5], [0.5, 2.25]]}, "b": "callable sorted"},
        "threshold": 2.5,
        "keep": 5,
    }


def test_values_are_frozen():
    with pytest.raises(Exception, match="frozen"):
        ri.Taxicab().keep = 6


def test_a_missing_score_with_more_places_than_units_can_hold_is_refused():
    with pytest.raises(ri.SpecError, match="at most 9 decimal places"):
        ri.Taxicab(missing_score="0.5000000000000000001")
