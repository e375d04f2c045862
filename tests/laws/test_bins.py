"""Binning: numeric values become codes 1..5 by the cut points of the PUF (Primer 2.1 step 1)."""

import math
from bisect import bisect_left
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident.encode.bins import codes_of, cut_points, rank_codes
from small_study import LISTS_ALL, NUMERIC, Small

few = settings(max_examples=25)
whole = st.lists(st.integers(-30, 30).map(float), min_size=1, max_size=12)
anything = st.lists(
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0), min_size=1, max_size=12
)
CUTS = ("puf", "pooled", "each")
MAPS = {
    "stretch": lambda x: 1000 * x - 7,
    "cube": lambda x: x**3,
    "exponential": lambda x: math.exp(x / 4),
    "kink": lambda x: x if x < 0 else 50 * x + 1,
}


def study(puf, eif):
    return Small(kinds=(NUMERIC,), puf=tuple((x,) for x in puf), eif=tuple((x,) for x in eif))


def same_code(puf, eif, **options):
    """Which pairs of values fall in the same bin: of one variable, these score 0."""
    found = study(puf, eif).scores(ri.Taxicab(**LISTS_ALL, **options))
    assert set(found.values()) <= {0.0, 1.0}, "a value without a code"
    return {pair for pair, score in found.items() if score == 0}


def reported_cuts(puf, eif, side="puf", **options):
    result = study(puf, eif).run(ri.Taxicab(**options))
    [cuts] = result.encoding["taxicab"]["v0"]["cuts"]
    return cuts[side]


def code(x, cuts):
    return 1 + sum(cut < x for cut in cuts)


@few
@given(puf=anything, eif=anything, bins=st.integers(2, 7))
def test_a_code_is_one_more_than_the_number_of_cuts_strictly_below(puf, eif, bins):
    cuts = reported_cuts(puf, eif, bins=bins)
    assert len(cuts) == bins - 1
    assert cuts == sorted(cuts)
    expected = {
        (p, e)
        for (p, a), (e, b) in product(enumerate(puf), enumerate(eif))
        if code(a, cuts) == code(b, cuts)
    }
    assert same_code(puf, eif, bins=bins) == expected


@few
@given(puf=whole, eif=anything)
def test_every_eif_value_gets_a_code_also_outside_the_range_of_the_puf(puf, eif):
    met = same_code(puf, [*eif, 1e308, -1e308])
    cuts = reported_cuts(puf, eif)
    codes = [code(x, cuts) for x in puf]
    top, bottom = len(eif), len(eif) + 1
    assert {p for p, e in met if e == top} == {p for p, one in enumerate(codes) if one == 5}
    assert {p for p, e in met if e == bottom} == {p for p, one in enumerate(codes) if one == 1}


@few
@given(puf=whole, eif=whole, cuts=st.sampled_from(["puf", "pooled"]))
def test_equal_values_get_equal_codes(puf, eif, cuts):
    met = same_code(puf, eif, cuts=cuts)
    assert {(p, e) for (p, a), (e, b) in product(enumerate(puf), enumerate(eif)) if a == b} <= met


@settings(max_examples=200)
@given(values=anything, others=anything, bins=st.integers(2, 12))
def test_codes_lie_in_1_to_bins_and_never_decrease(values, others, bins):
    cuts = cut_points(np.array(values), bins)
    ordered = np.sort(np.array(values + others))
    codes = codes_of(ordered, cuts)
    assert codes.min() >= 1
    assert codes.max() <= bins
    assert (np.diff(codes) >= 0).all()


@settings(max_examples=200)
@given(values=whole, bins=st.integers(2, 12))
def test_rank_codes_lie_in_1_to_bins_never_decrease_and_are_equal_for_equal_values(values, bins):
    codes = rank_codes(np.array(values), bins)
    assert 1 <= codes.min() <= codes.max() <= bins
    for (a, x), (b, y) in product(zip(values, codes, strict=True), repeat=2):
        assert (x <= y) if a <= b else (x >= y)


@settings(max_examples=200)
@given(values=st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=60))
def test_quintiles_are_the_averaged_inverted_cdf_of_numpy(values):
    expected = np.quantile(values, [0.2, 0.4, 0.6, 0.8], method="averaged_inverted_cdf")
    # numpy takes the mean as lower + (upper - lower) / 2; of whole numbers both are exact.
    assert cut_points(np.array(values), 5).tolist() == expected.tolist()


@settings(max_examples=100)
@given(values=whole, bins=st.integers(2, 12))
def test_cut_points_are_sas_definition_5_in_whole_numbers(values, bins):
    x = [math.nan, *sorted(values)]  # counted from 1, as the definition does
    expected = []
    for i in range(1, bins):
        j, r = divmod(i * len(values), bins)
        expected.append((x[max(j, 1)] + x[j + 1]) / 2 if r == 0 and j > 0 else x[j + 1])
    assert cut_points(np.array(values), bins).tolist() == expected


@few
@given(puf=whole, name=st.sampled_from(sorted(MAPS)))
def test_a_strictly_increasing_map_leaves_the_codes_of_the_puf_as_they_are(puf, name):
    changed = [MAPS[name](x) for x in puf]
    assert same_code(changed, changed) == same_code(puf, puf)


@few
@given(
    puf=whole,
    eif=whole,
    name=st.sampled_from(sorted(MAPS)),
    cuts=st.sampled_from(["pooled", "each"]),
)
def test_a_strictly_increasing_map_of_both_files_leaves_all_codes_as_they_are(puf, eif, name, cuts):
    change = MAPS[name]
    changed = same_code([change(x) for x in puf], [change(x) for x in eif], cuts=cuts)
    assert changed == same_code(puf, eif, cuts=cuts)


@few
@given(puf=whole, eif=whole, name=st.sampled_from(sorted(MAPS)))
def test_a_strictly_increasing_map_leaves_rank_codes_as_they_are(puf, eif, name):
    change = MAPS[name]
    option = {"bins_method": "sas_rank"}
    changed = same_code([change(x) for x in puf], [change(x) for x in eif], **option)
    assert changed == same_code(puf, eif, **option)


@few
@given(puf=whole, eif=whole)
def test_cuts_come_from_the_file_or_files_that_the_option_names(puf, eif):
    made = {name: reported_cuts(puf, eif, cuts=name) for name in CUTS}
    assert made["puf"] == made["each"] == cut_points(np.array(puf), 5).tolist()
    assert made["pooled"] == cut_points(np.array(puf + eif), 5).tolist()
    own = cut_points(np.array(eif), 5).tolist()
    assert reported_cuts(puf, eif, side="eif", cuts="each") == own
    expected = {
        (p, e)
        for (p, a), (e, b) in product(enumerate(puf), enumerate(eif))
        if code(a, made["puf"]) == code(b, own)
    }
    assert same_code(puf, eif, cuts="each") == expected


@few
@given(puf=whole, eif=whole)
def test_the_codes_of_a_stratum_are_those_of_a_study_of_that_stratum_alone(puf, eif):
    other = [x + 100 for x in puf]
    both = Small(
        kinds=(NUMERIC,),
        puf=tuple((x,) for x in puf + other),
        eif=tuple((x,) for x in eif),
        puf_strata=("A",) * len(puf) + ("B",) * len(other),
        eif_strata=("A",) * len(eif),
    )
    apart = both.scores(ri.Taxicab(scale="stratum", **LISTS_ALL))
    assert {pair for pair, score in apart.items() if score == 0} == same_code(puf, eif)


def test_a_value_equal_to_a_cut_falls_in_the_lower_bin():
    # Of ten values two fall in each bin; the first cut is the mean of the second and the third.
    puf = [1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]
    assert reported_cuts(puf, puf)[0] == 3.0
    met = same_code(puf, [3.0, math.nextafter(3.0, 4.0)])
    assert {(p, e) for p, e in met if p in (0, 1)} == {(0, 0), (1, 0)}
    assert (2, 1) in met


def test_the_mean_of_two_huge_values_does_not_overflow():
    puf = [-1.7e308, 1.6e308, 1.7e308, 1.7e308, 1.7e308]
    cuts = reported_cuts(puf, puf)
    assert all(math.isfinite(cut) for cut in cuts)
    assert cuts[1] == 1.6e308 / 2 + 1.7e308 / 2
    assert bisect_left(cuts, 1.6e308) == 1


def test_a_file_without_any_value_makes_no_cuts_and_every_code_is_1():
    cuts = reported_cuts([None, None], [1.0, 2.0])
    assert cuts == []
    found = study([None, 5.0], [1.0, 9.0]).scores(ri.Taxicab(cuts="each", **LISTS_ALL))
    assert found == {(0, 0): 0.5, (0, 1): 0.5, (1, 0): 0.0, (1, 1): 1.0}


@pytest.mark.parametrize(("values", "used"), [([1.0] * 9, 1), ([1.0, 2.0] * 4, 2)])
def test_fewer_codes_in_use_than_bins_are_noted(values, used):
    result = study(values, values).run(ri.Taxicab(), ri.Unicity())
    for label in result:
        notes = {note.code: note.count for note in result[label].notes}
        assert notes["few_codes"] == used
