"""Results of a made-up run, by hand, in the shape of results.json and manifest.json."""

import copy

import pytest

from reident.report import drawing
from report_results import MANIFEST

HISTOGRAM = {
    "bins": 20,
    "top": 1.0,
    "threshold": 0.25,
    "truth": [30, *[0] * 18, 5],
    "suspected_false": [381, *[0] * 19],
    "random_other": [0] * 19 + [100000],
    "random_pairs": 100000,
}
TAXICAB = {
    "method": "taxicab",
    "options": {"variables": [], "bins": 5, "missing_score": 0.5, "threshold": "paper", "keep": 5},
    "compared": 1975,
    "set_aside": [
        {"rule": "missing_stratum", "records": 5},
        {"rule": "stratum_not_in_eif", "records": 20},
    ],
    "suspected": 412,
    "confirmed": 31,
    "recall": 100 * 31 / 1200,
    "give_ups": None,
    "pairs": 604,
    "confirmed_pairs": 32,
    "suspected_rate": 20.6,
    "confirmed_rate": 1.55,
    "conditional_rate": 100 * 31 / 412,
    "conditional_interval": [5.34930871, 10.48713259],
    "pair_precision": 100 * 32 / 604,
    "expected_confirmed": None,
    "expected_rate": None,
    "baseline_confirmed": 1.2345678,
    "lift": 31 / 1.2345678,
    "passing_records": 600,
    "tied_out": 188,
    "tied_out_true": 12,
    "first_rank_sizes": [{"size": 1, "records": 300}, {"size": None, "records": 188}],
    "by_rank": [
        {"rank": 1, "pairs": 500, "confirmed": 30},
        {"rank": 2, "pairs": 104, "confirmed": 2},
    ],
    "by_order": [],
    "readings": [],
    "steps": [],
    "uniques": None,
    "by_stratum": [
        {
            "stratum": {"state": "06"},
            "puf_records": 1500,
            "eif_records": 1800,
            "suspected": 300,
            "confirmed": 20,
            "pairs": 400,
            "suspected_rate": 20.0,
            "confirmed_rate": 100 * 20 / 1500,
            "conditional_rate": 100 * 20 / 300,
        },
        {
            "stratum": "other",
            "strata": 7,
            "puf_records": 500,
            "eif_records": 600,
            "suspected": 112,
            "confirmed": 11,
            "pairs": 204,
            "suspected_rate": 22.4,
            "confirmed_rate": 2.2,
            "conditional_rate": 100 * 11 / 112,
        },
    ],
    "histogram": HISTOGRAM,
    "notes": [
        {"code": "mismatches_pass", "text": "Up to 2 of 9 may differ.", "count": 2, "first": False}
    ],
}
UNICITY = TAXICAB | {
    "method": "unicity",
    "options": {"variables": ["age", "sex"], "interactions": "all", "orders": 3, "pairs": "auto"},
    "suspected": 0,
    "confirmed": 0,
    "recall": 0.0,
    "pairs": 0,
    "confirmed_pairs": 0,
    "suspected_rate": 0.0,
    "confirmed_rate": 0.0,
    "conditional_rate": None,
    "conditional_interval": None,
    "pair_precision": None,
    "baseline_confirmed": 0.0,
    "lift": None,
    "passing_records": None,
    "tied_out": None,
    "tied_out_true": None,
    "first_rank_sizes": [],
    "by_rank": [],
    "by_order": [
        {"order": 1, "suspected": 0, "confirmed": 0},
        {"order": None, "suspected": 0, "confirmed": 0},
    ],
    "readings": [{"reading": "all", "suspected": 0, "confirmed": 0}],
    "uniques": {"puf": 77, "eif": 88},
    "histogram": None,
    "notes": [],
}
RESULTS = {
    "schema": 1,
    "title": "Housing survey",
    "marking": "CONFIDENTIAL",
    "approval": "DRB-2026-17",
    "seed": 20261115,
    "puf_records": 2000,
    "eif_records": 2400,
    "truth_pairs": 1210,
    "truth_unknown": {"puf": 0, "eif": 40},
    "truth_pairs_split": 3,
    "overlap": 1200,
    "true_pair_agreement": [
        {"variable": "age", "equal": 900, "different": 200, "missing_puf": 100, "missing_eif": 10},
        {"variable": "sex", "equal": 1200, "different": 5, "missing_puf": 5, "missing_eif": 0},
    ],
    "variables": [{"name": "age", "kind": "numeric"}, {"name": "sex", "kind": "categorical"}],
    "strata": ["state"],
    "limits": [
        {
            "attack": "taxicab",
            "rate": "conditional_rate",
            "limit": 20.0,
            "value": 100 * 31 / 412,
            "exceeded": False,
        },
        {
            "attack": "unicity",
            "rate": "conditional_rate",
            "limit": 20.0,
            "value": None,
            "exceeded": False,
        },
    ],
    "attacks": {"unicity": UNICITY, "taxicab": TAXICAB},
    "utility": None,
    "notes": [
        {
            "code": "truth_unknown_eif",
            "text": "The IUF holds 40 unknown EIF keys.",
            "count": 40,
            "first": True,
        }
    ],
}


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures without their drawing, for tests that look at numbers of many pages."""
    monkeypatch.setattr(drawing, "svg", lambda spec: f"<svg><!--{len(spec)}--></svg>")


@pytest.fixture
def results():
    return copy.deepcopy(RESULTS)


@pytest.fixture
def manifest():
    return copy.deepcopy(MANIFEST)


TRUTH_ONLY = (
    "confirmed",
    "confirmed_pairs",
    "recall",
    "confirmed_rate",
    "conditional_rate",
    "conditional_interval",
    "pair_precision",
    "baseline_confirmed",
    "lift",
    "tied_out_true",
)


@pytest.fixture
def without_truth(results):
    """The same run without an IUF."""
    for attack in results["attacks"].values():
        attack.update(dict.fromkeys(TRUTH_ONLY))
        for part in ("by_rank", "by_order", "readings"):
            for row in attack[part]:
                row["confirmed"] = None
        for row in attack["by_stratum"]:
            row.update(dict.fromkeys(("confirmed", "confirmed_rate", "conditional_rate")))
        if attack["histogram"]:
            attack["histogram"] |= {"truth": None, "suspected_false": None}
    nothing = ("truth_pairs", "truth_unknown", "truth_pairs_split", "overlap")
    return (
        results
        | dict.fromkeys(nothing)
        | {
            "true_pair_agreement": [],
            "limits": [],
            "notes": [],
        }
    )
