"""Looking pairs up finds what meeting every pair finds, whatever the index is made to do."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reident.attacks import index
from strategies import Case, cases, large_case

EXAMPLES = int(os.environ.get("REIDENT_EXAMPLES", "2000")) // 5
KNOBS = st.fixed_dictionaries(
    {
        "NEIGHBOURS": st.sampled_from([0, 1, 3, 1000]),
        "MOST_READ": st.sampled_from([0.3, 1e9]),
        "SAMPLE": st.just(50),
        "STRIP": st.sampled_from([1, 3, 16_384]),
        "ROOM": st.sampled_from([6, 200, 2**62]),
    }
)


def found(case: Case):
    result = case.study().run()
    return result.to_dict(), {label: result[label].pairs for label in result}


def assert_index_agrees(case: Case, knobs: dict) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "WORTHWHILE", 1 << 62)
        met, met_pairs = found(case)
        patch.setattr(index, "WORTHWHILE", 0)
        for name, value in knobs.items():
            patch.setattr(index, name, value)
        looked_up, pairs = found(case)
    assert looked_up == met
    assert all(pairs[label].equals(met_pairs[label]) for label in pairs)


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(cases(), KNOBS)
def test_lookups_equal_the_cartesian_product(case, knobs):
    assert_index_agrees(case, knobs)


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), KNOBS)
def test_lookups_equal_the_cartesian_product_on_larger_studies(seed, knobs):
    assert_index_agrees(large_case(seed, callables=True), knobs)
