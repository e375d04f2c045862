"""Scores: what a pair of records can score, and what leaves scores as they are."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from small_study import CATEGORICAL, LISTS_ALL, NUMERIC, TEXTS, Small, ranks, scores, smalls

EXAMPLES = 25
ALPHAS = (0.5, 0.3, 0.1, 1, 0.75)
CAP = math.tanh(3)
"""The score of two numbers that are six standard deviations apart, or more."""

few = settings(max_examples=EXAMPLES)


def one_variable(kind, puf, eif):
    return Small(kinds=(kind,), puf=tuple((x,) for x in puf), eif=tuple((x,) for x in eif))


@few
@given(small=smalls(kinds=(CATEGORICAL,), variables=1), alpha=st.sampled_from(ALPHAS))
def test_taxicab_scores_a_variable_0_if_equal_alpha_if_missing_and_1_if_different(small, alpha):
    found = small.scores(ri.Taxicab(missing_score=alpha, **LISTS_ALL))
    assert len(found) == len(small.puf) * len(small.eif)
    for (p, e), score in found.items():
        (a,), (b,) = small.puf[p], small.eif[e]
        expected = alpha if a is None or b is None else float(a != b)
        assert score == expected


@few
@given(small=smalls(kinds=(CATEGORICAL,)), alpha=st.sampled_from(ALPHAS))
def test_taxicab_is_the_mean_of_the_scores_of_the_variables(small, alpha):
    found = small.scores(ri.Taxicab(missing_score=alpha, **LISTS_ALL))
    whole = Fraction(repr(alpha)) if isinstance(alpha, float) else Fraction(alpha)
    for (p, e), score in found.items():
        total = sum(
            whole if a is None or b is None else Fraction(a != b)
            for a, b in zip(small.puf[p], small.eif[e], strict=True)
        )
        assert score == float(total / len(small.kinds))


@pytest.mark.parametrize("metric", [ri.Taxicab, ri.Euclidean])
@pytest.mark.parametrize("kind", [CATEGORICAL, NUMERIC])
def test_a_variable_missing_on_both_sides_counts_once(metric, kind):
    value = "a" if kind == CATEGORICAL else 1.0
    small = one_variable(kind, [None, value], [None, value])
    found = small.scores(metric(**LISTS_ALL))
    assert found == {(0, 0): 0.5, (0, 1): 0.5, (1, 0): 0.5, (1, 1): 0.0}


@pytest.mark.parametrize("v", [2, 4, 6, 8])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_taxicab_does_not_suspect_half_equal_and_half_missing(v, alpha):
    row = ("a",) * v
    half = ("a",) * (v // 2) + (None,) * (v // 2)
    small = Small(kinds=(CATEGORICAL,) * v, puf=(row,), eif=(half,))
    assert small.pairs(ri.Taxicab(missing_score=alpha)) == set()
    one_less = ("a", *half[: v // 2], *half[v // 2 + 1 :])
    assert replace(small, eif=(one_less,)).pairs(ri.Taxicab(missing_score=alpha)) == {(0, 0)}


@pytest.mark.parametrize("v", [2, 4, 6, 8])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_consistent_euclidean_does_not_suspect_half_equal_and_half_missing(v, alpha):
    row = ("a",) * v
    half = ("a",) * (v // 2) + (None,) * (v // 2)
    small = Small(kinds=(CATEGORICAL,) * v, puf=(row,), eif=(half,))
    attack = ri.Euclidean(missing_score=alpha, threshold="consistent")
    assert small.pairs(attack) == set()
    one_less = ("a", *half[: v // 2], *half[v // 2 + 1 :])
    assert replace(small, eif=(one_less,)).pairs(attack) == {(0, 0)}


@pytest.mark.parametrize("v", [1, 2, 3, 4])
def test_adhoc_does_not_suspect_a_sum_of_exactly_half(v):
    row = ("a",) * v
    small = Small(kinds=(CATEGORICAL,) * v, puf=(row,), eif=(row,))
    exactly = {name: {"equal": 2.5} for name in small.names}
    assert small.pairs(ri.AdHoc(exactly)) == set()
    above = exactly | {"v0": {"equal": 2.500001}}
    assert small.pairs(ri.AdHoc(above)) == {(0, 0)}


@pytest.mark.parametrize(
    ("attack", "score"),
    [
        (ri.Taxicab(threshold=0.25), 0.25),
        (ri.Euclidean(threshold=0.25), 0.25),
        (ri.AdHoc({f"v{place}": {"equal": 5} for place in range(4)}, threshold=15), 15.0),
    ],
    ids=["taxicab", "euclidean", "adhoc"],
)
def test_a_threshold_given_as_a_number_is_strict(attack, score):
    small = Small(
        kinds=(CATEGORICAL,) * 4,
        puf=(("a", "a", "a", "a"),),
        eif=(("a", "a", "a", "b"), ("a", "a", "a", "a")),
    )
    lenient = attack.model_copy(update={"threshold": -1 if attack.method == "adhoc" else 2})
    assert small.scores(lenient)[0, 0] == score
    assert small.pairs(attack) == {(0, 1)}


@few
@given(small=smalls(), alpha=st.sampled_from(ALPHAS))
def test_taxicab_is_symmetric_in_the_two_records(small, alpha):
    attack = ri.Taxicab(missing_score=alpha, cuts="pooled", **LISTS_ALL)
    there, back = small.scores(attack), small.swapped().scores(attack)
    assert back == {(e, p): score for (p, e), score in there.items()}


@few
@given(small=smalls(least=2), data=st.data())
def test_euclidean_is_symmetric_in_the_two_records(small, data):
    # The PUF gives the standard deviations, so both files must hold the same numbers.
    columns = [
        data.draw(st.permutations([row[place] for row in small.puf]))
        for place in range(len(small.kinds))
    ]
    small = replace(small, eif=tuple(zip(*columns, strict=True)))
    attack = ri.Euclidean(**LISTS_ALL)
    there, back = small.scores(attack), small.swapped().scores(attack)
    assert back == {(e, p): score for (p, e), score in there.items()}


numbers = st.lists(st.integers(-50, 50).map(float), min_size=2, max_size=8)


@few
@given(puf=numbers, eif=numbers)
def test_a_numeric_score_does_not_decrease_with_distance_and_is_flat_from_six(puf, eif):
    far = [x + shift for x in puf for shift in (-1e9, 1e12)]
    small = one_variable(NUMERIC, puf, [*eif, *far])
    found = small.scores(ri.Euclidean(**LISTS_ALL))
    for p in range(len(puf)):
        row = sorted((abs(puf[p] - b), found[p, e]) for e, (b,) in enumerate(small.eif))
        in_order = [score for _, score in row]
        assert in_order == sorted(in_order)
        assert row[0][1] <= CAP + 1e-11
        for distance, score in row:
            if distance == 0:
                assert score == 0
            if distance >= 1e8:
                assert score == pytest.approx(CAP, abs=1e-11)


def test_a_numeric_score_is_flat_from_six_standard_deviations_and_not_before():
    puf = [1.0, -1.0, 1.0, -1.0, 0.0]  # its standard deviation is 1
    eif = [5.9, 6.0, 6.1, 60.0, -6.0]
    found = one_variable(NUMERIC, puf, eif).scores(ri.Euclidean(**LISTS_ALL))
    near, six, above, far, other_side = (found[4, e] for e in range(5))
    assert near < six == above == far == other_side == pytest.approx(CAP, abs=1e-11)
    assert near == pytest.approx(math.tanh(2.95), abs=1e-11)


@few
@given(puf=numbers, eif=numbers, power=st.integers(-900, 900), sign=st.sampled_from([1, -1]))
def test_euclidean_is_unchanged_by_powers_of_two_and_by_the_sign(puf, eif, power, sign):
    plain = one_variable(NUMERIC, puf, eif)
    changed = one_variable(
        NUMERIC,
        [math.ldexp(sign * x, power) for x in puf],
        [math.ldexp(sign * x, power) for x in eif],
    )
    for attack in (ri.Euclidean(), ri.Euclidean(**LISTS_ALL)):
        assert changed.scores(attack) == plain.scores(attack)


@few
@given(small=smalls(kinds=(CATEGORICAL,), missing=False))
def test_complete_categories_score_the_root_of_taxicab_over_v_and_rank_alike(small):
    v = len(small.kinds)
    result = small.run(ri.Taxicab(**LISTS_ALL), ri.Euclidean(**LISTS_ALL))
    taxicab, euclidean = scores(result["taxicab"]), scores(result["euclidean"])
    assert euclidean.keys() == taxicab.keys()
    for pair, score in taxicab.items():
        assert euclidean[pair] == pytest.approx(math.sqrt(score / v), rel=1e-15)
    assert ranks(result["euclidean"]) == ranks(result["taxicab"])


@few
@given(small=smalls(), side=st.sampled_from(["puf", "eif", "both"]))
def test_a_variable_that_is_always_missing_leaves_ranks_as_they_are(small, side):
    puf = tuple((*row, None if side != "eif" else "a") for row in small.puf)
    eif = tuple((*row, None if side != "puf" else "a") for row in small.eif)
    more = replace(small, kinds=(*small.kinds, CATEGORICAL), puf=puf, eif=eif)
    everything = {"threshold": -1, "keep": 1000}
    rules = more.rules()
    attacks = (ri.Taxicab(**LISTS_ALL), ri.Euclidean(**LISTS_ALL))
    before = small.run(*attacks, ri.AdHoc(small.rules(), **everything))
    after = more.run(*attacks, ri.AdHoc(rules, **everything))
    for label in before:
        assert ranks(after[label]) == ranks(before[label])


@few
@given(small=smalls(), side=st.sampled_from(["puf", "eif", "both"]))
def test_a_variable_that_is_always_missing_leaves_unicity_as_it_is(small, side):
    puf = tuple((*row, None if side != "eif" else "a") for row in small.puf)
    eif = tuple((*row, None if side != "puf" else "a") for row in small.eif)
    more = replace(small, kinds=(*small.kinds, CATEGORICAL), puf=puf, eif=eif)
    for reading in ("all", "consistent"):
        attack = ri.Unicity(interactions=reading)
        assert more.pairs(attack) == small.pairs(attack)


@few
@given(small=smalls(), scale=st.sampled_from([1, 0.5, 0.1]))
def test_adhoc_is_the_sum_of_the_scores_of_the_variables_and_0_where_one_is_missing(small, scale):
    rules = {
        name: {"equal": 5 * scale} if kind == CATEGORICAL else {"difference": [[0, 5], [1, 3.5]]}
        for name, kind in zip(small.names, small.kinds, strict=True)
    }
    found = small.scores(ri.AdHoc(rules, threshold=-1, keep=1000))
    assert len(found) == len(small.puf) * len(small.eif)
    for (p, e), score in found.items():
        total = 0.0
        for kind, a, b in zip(small.kinds, small.puf[p], small.eif[e], strict=True):
            if a is None or b is None:
                continue
            if kind == CATEGORICAL:
                total += 5 * scale * (a == b)
            else:
                total += 5 if a == b else 3.5 * (abs(a - b) <= 1)
        assert score == pytest.approx(total, abs=1e-9)


@few
@given(small=smalls(kinds=(CATEGORICAL,)), shift=st.integers(1, 2))
def test_renaming_categories_leaves_every_score_as_it_is(small, shift):
    names = {None: None} | {
        text: f"other {TEXTS[(place + shift) % 3]}" for place, text in enumerate(TEXTS)
    }
    renamed = replace(
        small,
        puf=tuple(tuple(names[x] for x in row) for row in small.puf),
        eif=tuple(tuple(names[x] for x in row) for row in small.eif),
    )
    for attack in (ri.Taxicab(**LISTS_ALL), ri.Euclidean(**LISTS_ALL)):
        assert renamed.scores(attack) == small.scores(attack)
