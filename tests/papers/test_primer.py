"""Every worked number of the Primer, and what was found in it, through the public API.

Sections are those of the Re-Identification Primer using Four Metrics (2020); the numbers are those
of methods.md 1-4.
"""

import math
from dataclasses import replace
from statistics import NormalDist

import polars as pl
import pytest

import reident as ri
from small_study import CATEGORICAL, LISTS_ALL, NUMERIC, Small, ranks, scores


def categorical(puf, eif, **more):
    """A study of texts, one letter a cell; a blank is a missing value."""

    def rows(words):
        return tuple(tuple(None if sign == " " else sign for sign in word) for word in words)

    return Small(kinds=(CATEGORICAL,) * len(puf[0]), puf=rows(puf), eif=rows(eif), **more)


def numbers(puf, eif, **more):
    """A study of one numeric variable."""
    return Small(
        kinds=(NUMERIC,), puf=tuple((x,) for x in puf), eif=tuple((x,) for x in eif), **more
    )


def note(result, code):
    found = [one for one in result.notes if one.code == code]
    assert len(found) <= 1
    return found[0] if found else None


# 1.2 Rates ----------------------------------------------------------------------------------------


def test_1_2_rates_are_of_records_and_precision_is_of_pairs():
    # p0 meets two equal EIF records, one of them itself; p1 is found wrongly; p2, p3 are not found.
    small = categorical("abcd", "aabxyz", truth=((0, 0), (1, 4), (2, 5)))
    result = small.run(ri.Taxicab())["taxicab"]
    assert scores(result).keys() == {(0, 0), (0, 1), (1, 2)}
    rates = result.rates
    assert (rates.suspected_records, rates.confirmed_records) == (2, 1)
    assert (rates.suspected, rates.confirmed, rates.conditional) == (50.0, 25.0, 50.0)
    assert rates.pair_precision == 100 / 3
    assert rates.conditional == 100 * rates.confirmed / rates.suspected  # 1.2.4 a and b agree


@pytest.mark.parametrize("truth", [((0, 0),), None])
def test_1_2_the_conditional_rate_is_undefined_when_nothing_is_suspected(truth):
    small = categorical("ab", "xy", truth=truth)
    for attack in small.four():
        told = small.run(attack).to_dict()["attacks"][attack.method]
        assert told["suspected"] == 0
        assert told["suspected_rate"] == 0.0
        assert told["confirmed_rate"] == (None if truth is None else 0.0)
        for name in ("conditional_rate", "conditional_interval", "pair_precision", "lift"):
            assert told[name] is None


def test_1_2_n_counts_every_puf_record_also_those_that_could_not_be_compared():
    small = categorical("aaaa", "a", puf_strata=("A", "B", None, "A"), eif_strata=("A",))
    result = small.run(ri.Unicity(), ri.Taxicab())
    told = result.to_dict()["attacks"]["taxicab"]
    assert (told["compared"], told["suspected"], told["suspected_rate"]) == (2, 2, 50.0)
    assert told["set_aside"] == [
        {"rule": "missing_stratum", "records": 1},
        {"rule": "stratum_not_in_eif", "records": 1},
    ]


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (1, 2), (0, 7), (7, 7), (3, 8)])
def test_1_2_the_interval_is_wilsons(k, n):
    # k records of n find their own EIF record, the others one of somebody else; one more is absent.
    letters = "abcdefgh"[:n]
    truth = tuple((p, p if p < k else n) for p in range(n))
    small = categorical(letters, letters + "z", truth=truth)
    result = small.run(ri.Taxicab())["taxicab"]
    assert (result.confirmed, result.suspected) == (k, n)
    z, share = NormalDist().inv_cdf(0.975), k / n
    middle = share + z**2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    expected = [100 * (middle - half) / (1 + z**2 / n), 100 * (middle + half) / (1 + z**2 / n)]
    assert list(result.rates.conditional_interval) == pytest.approx(expected, abs=1e-9)


def test_1_2_the_blind_guesser_by_hand():
    # Four EIF records. p0: 2 pairs, 1 true partner: 1 - C(3,2)/C(4,2) = 1/2.
    # p1: 1 pair, 2 true partners: 1 - C(2,1)/C(4,1) = 1/2. p2: 1 pair, no true partner: 0.
    small = categorical("abc", "aabc", truth=((0, 0), (1, 2), (1, 3)))
    result = small.run(ri.Taxicab())["taxicab"]
    assert scores(result).keys() == {(0, 0), (0, 1), (1, 2), (2, 3)}
    assert result.baseline_confirmed == 1.0
    assert result.confirmed == 2
    assert result.lift == 2.0


def test_1_2_the_blind_guesser_guesses_within_the_stratum():
    # p0's stratum holds two EIF records, of which it guesses one: 1/2. Its other true partner lies
    # elsewhere and cannot be guessed.
    small = categorical(
        "a", "abb", truth=((0, 0), (0, 2)), puf_strata=("A",), eif_strata=("A", "A", "B")
    )
    result = small.run(ri.Taxicab())
    assert result["taxicab"].baseline_confirmed == 0.5
    assert result["taxicab"].lift == 2.0
    assert result.truth_pairs_split == 1


def test_1_2_lift_is_undefined_where_a_blind_guesser_confirms_nothing():
    small = categorical("ab", "az", truth=((1, 1),))
    result = small.run(ri.Taxicab())["taxicab"]
    assert (result.suspected, result.confirmed, result.baseline_confirmed) == (1, 0, 0.0)
    assert result.lift is None


def test_1_2_overlap_recall_and_agreement_of_true_pairs():
    small = categorical(
        ["ax", "bx", "c ", "dx"],
        ["ax", "b ", "cx", "zx", "  "],
        truth=((0, 0), (1, 1), (2, 2), (3, 3), (3, 4), (3, 4)),
    )
    result = small.run(ri.Taxicab())
    assert (result.truth_pairs, result.overlap) == (5, 4)
    assert [tuple(row.values()) for row in result.true_pair_agreement] == [
        ("v0", 3, 1, 0, 1),
        ("v1", 2, 0, 1, 2),
    ]
    assert result["taxicab"].rates.recall == 100 * result["taxicab"].confirmed / 4


def test_1_2_true_partners_may_be_many_and_repeated_rows_of_the_truth_count_once():
    small = categorical("aa", "aa", truth=((0, 0), (0, 1), (1, 0), (0, 0)))
    result = small.run(ri.Taxicab())
    assert result.truth_pairs == 3
    assert result["taxicab"].rates.confirmed_pairs == 3
    assert result["taxicab"].confirmed == 2


# 2 Preparation ------------------------------------------------------------------------------------


def test_2_missing_never_equals_missing():
    small = categorical([" "], [" "])
    assert small.pairs(ri.Unicity()) == set()
    assert small.scores(ri.Taxicab(**LISTS_ALL)) == {(0, 0): 0.5}
    assert small.pairs(ri.AdHoc({"v0": {"equal": 5}})) == set()


@pytest.mark.parametrize("make", [ri.categorical, ri.numeric])
def test_2_not_applicable_equals_itself_and_differs_from_everything_else(make):
    values = pl.Series(["-6", "-7", "3"])
    study = ri.Study(
        puf=ri.PublicFile(pl.DataFrame({"p": ["0", "1", "2"], "x": values}), key="p"),
        eif=ri.IntruderFile(pl.DataFrame({"e": ["0", "1", "2"], "x": values}), key="e"),
        variables=[make("x", not_applicable=["-6", "-7"])],
    )
    for attack in (ri.Taxicab(**LISTS_ALL), ri.Euclidean(**LISTS_ALL)):
        rows = study.run(attack)[attack.method].pairs.select("puf_p", "eif_e", "score").rows()
        assert {(p, e): score for p, e, score in rows} == {
            (p, e): 0.0 if p == e else 1.0 for p in "012" for e in "012"
        }


def test_2_not_applicable_stands_outside_cuts_and_moments():
    def spread(values):
        frame = pl.DataFrame({"x": values}, schema={"x": pl.String})
        study = ri.Study(
            puf=ri.PublicFile(frame.with_row_index("p"), key="p"),
            eif=ri.IntruderFile(frame.with_row_index("e"), key="e"),
            variables=[ri.numeric("x", not_applicable=["-6"], missing=["-9"])],
        )
        return dict(study.run(ri.Taxicab(), ri.Euclidean()).encoding)

    assert spread(["1", "2", "3", "-6", "-6", "-9", ""]) == spread(["1", "2", "3"])


def test_2_texts_compare_exactly_and_numbers_as_texts_have_no_point():
    def equal(puf, eif):
        study = ri.Study(
            puf=ri.PublicFile(pl.DataFrame({"p": ["0"], "x": puf}), key="p"),
            eif=ri.IntruderFile(pl.DataFrame({"e": ["0"], "x": eif}), key="e"),
            variables=[ri.categorical("x")],
        )
        return study.run(ri.Taxicab())["taxicab"].suspected == 1

    assert not equal(["01"], ["1"])
    assert not equal(["a "], ["a"])
    assert equal([1.0], ["1"])
    assert equal([1], ["1"])
    assert equal([0.5], ["0.5"])
    assert equal([-0.0], ["0"])
    assert not equal(["1.0"], [1.0])


def test_2_minus_zero_equals_zero():
    assert numbers([-0.0, 1.0], [0.0]).scores(ri.Euclidean(**LISTS_ALL))[0, 0] == 0.0


def test_2_infinities_are_an_error():
    with pytest.raises(ri.DataError, match="not a finite number"):
        numbers([math.inf, 1.0], [1.0]).run(ri.Euclidean())


def test_2_dates_are_numbers_of_days():
    puf = pl.DataFrame({"p": ["0", "1"], "x": ["2020-02-28", "2020-03-01"]})  # sd = 2 / sqrt(2)
    eif = pl.DataFrame({"e": ["0"], "x": ["2020-02-29"]})
    study = ri.Study(
        puf=ri.PublicFile(puf, key="p"),
        eif=ri.IntruderFile(eif, key="e"),
        variables=[ri.date("x")],
    )
    found = study.run(ri.Euclidean(**LISTS_ALL))["euclidean"].pairs["score"].to_list()
    assert found == pytest.approx([math.tanh(1 / math.sqrt(2) / 2)] * 2, abs=1e-11)


@pytest.mark.parametrize(
    ("values", "cuts"),
    [
        ([1, 2, 3, 4, 5], [1.5, 2.5, 3.5, 4.5]),  # r = 0 everywhere: means of neighbours
        ([1, 2, 3, 4, 5, 6, 7], [2, 3, 5, 6]),  # r > 0 everywhere: the next value
        ([3, 1, 2], [1, 2, 2, 3]),
        ([9], [9, 9, 9, 9]),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 100], [2.5, 4.5, 6.5, 8.5]),
    ],
)
def test_2_quintiles_are_sas_definition_5(values, cuts):
    values = [float(x) for x in values]
    result = numbers(values, [0.0]).run(ri.Taxicab(), ri.Unicity())
    for label in ("taxicab", "unicity"):
        [made] = result.encoding[label]["v0"]["cuts"]
        assert made["puf"] == made["eif"] == [float(x) for x in cuts]


def test_2_proc_rank_groups_each_file_by_its_own_mean_ranks():
    # floor(5 * rank / (N + 1)): ranks 1, 2.5, 2.5, 4 of four values give groups 1, 2, 2, 4.
    # The EIF's only value has rank 1 of 1: floor(5 / 2) = 2, so it shares the group of the ties.
    small = numbers([1.0, 2.0, 2.0, 9.0], [1000.0])
    found = small.scores(ri.Taxicab(bins_method="sas_rank", **LISTS_ALL))
    assert [found[p, 0] for p in range(4)] == [1.0, 0.0, 0.0, 1.0]


def test_2_moments_are_those_of_the_puf_with_n_minus_1():
    # sd of 1, -1, 1, -1, 0 with n - 1 is 1, so the distance of 0 and 2 is 2.
    found = numbers([1.0, -1.0, 1.0, -1.0, 0.0], [2.0, 400.0]).scores(ri.Euclidean(**LISTS_ALL))
    assert found[4, 0] == pytest.approx(math.tanh(1), abs=1e-11)


@pytest.mark.parametrize("puf", [[5.0, 5.0, 5.0], [5.0]])
def test_2_without_spread_a_number_scores_0_if_equal_else_the_cap_with_a_note(puf):
    result = numbers(puf, [5.0, 6.0]).run(ri.Euclidean(**LISTS_ALL))["euclidean"]
    assert scores(result)[0, 0] == 0.0
    assert scores(result)[0, 1] == pytest.approx(math.tanh(3), abs=1e-11)
    assert note(result, "constant_variable").count == 1


# 2.1 Unicity --------------------------------------------------------------------------------------


def test_2_1_a_pair_on_the_first_variable_and_none_at_the_top():
    """The Primer's remark that only the highest order would matter does not hold for pairs."""
    small = categorical(["ax", "bx"], ["ay", "cy"], truth=((0, 0),))
    result = small.run(ri.Unicity())["unicity"]
    assert scores(result).keys() == {(0, 0)}
    assert [tuple(row.values()) for row in result.readings] == [
        ("all", 1, 1),
        ("consistent", 0, 0),
        ("highest", 0, 0),
    ]
    assert [tuple(row.values()) for row in result.by_order] == [(1, 1, 1), (2, 0, 0), (None, 0, 0)]
    assert result.uniques == {"puf": 2, "eif": 2}
    assert small.pairs(ri.Unicity(interactions="highest")) == set()


def test_2_1_a_missing_value_is_left_out_of_the_interactions_that_hold_it():
    small = categorical(["a ", "bx"], ["ay", "bx"])
    assert small.pairs(ri.Unicity()) == {(0, 0), (1, 1)}
    assert small.pairs(ri.Unicity(interactions="consistent")) == {(0, 0), (1, 1)}
    assert small.pairs(ri.Unicity(interactions="highest")) == {(1, 1)}


def test_2_1_a_record_that_is_found_twice_counts_once():
    # The first PUF record is alone with one EIF record on each variable, and both are true.
    small = categorical(["ax", "by"], ["aq", "rx"], truth=((0, 0), (0, 1)))
    result = small.run(ri.Unicity())["unicity"]
    assert scores(result).keys() == {(0, 0), (0, 1)}
    assert (result.suspected, result.confirmed, result.rates.confirmed_pairs) == (1, 1, 2)
    assert tuple(result.readings[0].values()) == ("all", 1, 1)
    assert tuple(result.by_order[0].values()) == (1, 1, 1)


def test_2_1_a_cell_of_two_is_not_unique_in_either_file():
    assert categorical("aab", "ab").pairs(ri.Unicity()) == {(2, 1)}
    assert categorical("ab", "aab").pairs(ri.Unicity()) == {(1, 2)}


# 2.2.1 Taxicab ------------------------------------------------------------------------------------


def test_2_2_1_two_matches_and_two_missings_of_four_do_not_pass():
    small = categorical(["aaaa"], ["aa  ", "aaa ", "aaab"])
    assert small.scores(ri.Taxicab(**LISTS_ALL)) == {(0, 0): 0.25, (0, 1): 0.125, (0, 2): 0.25}
    assert small.pairs(ri.Taxicab()) == {(0, 1)}


def test_2_2_1_alpha_is_the_decimal_as_written():
    # Ten of twenty missing at 0.1 score exactly alpha / 2. Added up as floats they would pass:
    # 0.1 ten times over is 0.9999999999999999.
    small = categorical(["a" * 20], ["a" * 10 + " " * 10, "a" * 11 + " " * 9])
    assert sum([0.1] * 10) / 20 < 0.1 / 2
    assert small.pairs(ri.Taxicab(missing_score=0.1)) == {(0, 1)}


@pytest.mark.parametrize("alpha", [0, 0.0, -0.5, 1.5, math.nan, math.inf])
def test_2_2_1_alpha_of_nothing_or_more_than_one_is_an_error(alpha):
    for attack in (ri.Taxicab, ri.Euclidean):
        with pytest.raises(ri.SpecError, match="missing_score"):
            attack(missing_score=alpha)


# 2.2.2 Euclidean ----------------------------------------------------------------------------------


def test_2_2_2_the_calibrated_logistic_of_six_is_the_largest_numeric_score():
    found = numbers([1.0, -1.0, 1.0, -1.0, 0.0], [6.0, 1e300]).scores(ri.Euclidean(**LISTS_ALL))
    logistic = math.exp(6) / (1 + math.exp(6))
    assert round(2 * logistic - 1, 5) == 0.99505
    assert found[4, 0] == found[4, 1] == pytest.approx(2 * logistic - 1, abs=1e-11)


@pytest.mark.parametrize("v", [1, 2, 4, 9, 16])
def test_2_2_2_the_largest_score_is_one_over_the_root_of_v_not_one(v):
    result = categorical(["a" * v], ["b" * v]).run(ri.Euclidean(**LISTS_ALL))["euclidean"]
    assert scores(result)[0, 0] == pytest.approx(1 / math.sqrt(v), rel=1e-15)
    assert result.histogram["top"] == 1 / math.sqrt(v)


@pytest.mark.parametrize("v", [2, 4, 8])
@pytest.mark.parametrize("alpha", [0.5, 0.3])
def test_2_2_2_half_missing_scores_alpha_over_the_root_of_2v_not_alpha_over_2(v, alpha):
    small = categorical(["a" * v], ["a" * (v // 2) + " " * (v // 2)])
    found = small.scores(ri.Euclidean(missing_score=alpha, **LISTS_ALL))
    assert found[0, 0] == pytest.approx(alpha / math.sqrt(2 * v), rel=1e-11)
    passes = small.pairs(ri.Euclidean(missing_score=alpha)) == {(0, 0)}
    assert passes == (v > 2)  # alpha / sqrt(2v) < alpha / 2
    assert small.pairs(ri.Euclidean(missing_score=alpha, threshold="consistent")) == set()


def of_mismatches(v):
    """One PUF record, and EIF records that differ from it in 0, 1, .. v variables."""
    return categorical(["a" * v], ["b" * differ + "a" * (v - differ) for differ in range(v + 1)])


@pytest.mark.parametrize(
    ("v", "passing"), [(1, 0), (4, 0), (5, 1), (9, 5), (10, 6), (13, 10), (16, 15), (17, 17)]
)
def test_2_2_2_full_mismatches_that_pass_are_noted(v, passing):
    result = of_mismatches(v).run(ri.Euclidean(keep=1000))["euclidean"]
    assert {e for _, e in scores(result)} == set(range(passing + 1))
    assert note(result, "mismatches_pass").count == passing
    assert f"up to {passing} of {v} variables" in note(result, "mismatches_pass").text


@pytest.mark.parametrize("v", [15, 16, 17, 18])
def test_2_2_2_every_pair_of_categories_passes_from_seventeen_variables_on(v):
    result = of_mismatches(v).run(ri.Euclidean(keep=1000))["euclidean"]
    vacuous = v > 16
    assert ((0, v) in scores(result)) == vacuous
    assert (note(result, "vacuous_threshold") is not None) == vacuous


@pytest.mark.parametrize("v", [14, 15, 16, 17])
def test_2_2_2_with_a_numeric_variable_every_pair_passes_from_sixteen_on(v):
    small = Small(
        kinds=(NUMERIC, *(CATEGORICAL,) * (v - 1)),
        puf=((0.0, *"a" * (v - 1)), (1.0, *"a" * (v - 1))),
        eif=((1e9, *"b" * (v - 1)),),
    )
    result = small.run(ri.Euclidean())["euclidean"]
    vacuous = v >= 16
    assert (scores(result).keys() == {(0, 0), (1, 0)}) == vacuous
    assert (note(result, "vacuous_threshold") is not None) == vacuous


@pytest.mark.parametrize(("alpha", "first"), [(1, 5), (0.8, 7), (0.4, 26)])
def test_2_2_2_every_pair_passes_above_four_over_alpha_squared(alpha, first):
    for v in (first - 1, first):
        result = of_mismatches(v).run(ri.Euclidean(missing_score=alpha, keep=1000))["euclidean"]
        assert ((0, v) in scores(result)) == (v == first)
        assert (note(result, "vacuous_threshold") is not None) == (v == first)


@pytest.mark.parametrize("v", [1, 3, 4, 5, 6])
def test_2_2_2_pairs_of_nothing_but_missing_values_pass_from_five_variables_on(v):
    result = categorical([" " * v], ["a" * v]).run(ri.Euclidean())["euclidean"]
    passes = v >= 5
    assert (scores(result).keys() == {(0, 0)}) == passes
    assert (note(result, "all_missing_pairs_pass") is not None) == passes


# 2.2.3 Adhoc --------------------------------------------------------------------------------------


def test_2_2_3_half_of_the_best_sum_is_not_enough():
    small = categorical(["aaaa"], ["aabb", "aaab"])
    attack = ri.AdHoc({name: {"equal": 5} for name in small.names})
    assert small.scores(attack.model_copy(update={"threshold": -1})) == {(0, 0): 10, (0, 1): 15}
    assert small.pairs(attack) == {(0, 1)}
    result = small.run(attack)["adhoc"]
    assert (result.histogram["threshold"], result.histogram["top"]) == (10.0, 20.0)


def test_2_2_3_ranks_start_from_the_highest_sum():
    small = categorical(["aaaa"], ["aaab", "aaaa"])
    result = small.run(ri.AdHoc({name: {"equal": 5} for name in small.names}))["adhoc"]
    assert ranks(result) == {(0, 0): (2, 1), (0, 1): (1, 1)}


@pytest.mark.parametrize(
    ("rule", "puf", "eif", "score"),
    [
        ({"equal": 5}, 1.0, 1.0, 5),
        ({"equal": 5}, 1.0, 2.0, 0),
        ({"difference": [[0, 5], [0.1, 4]]}, 1.1, 1.0, 4),  # decimals as written
        ({"difference": [[0, 5], [1, 4], [2, 3], [5, 1]]}, 20.0, 22.0, 3),
        ({"difference": [[0, 5], [1, 4], [2, 3], [5, 1]]}, 20.0, 26.0, 0),
        ({"ratio": [[0.01, 5], [0.05, 4], [0.10, 2]]}, 100.0, 110.0, 2),
        ({"ratio": [[0.01, 5], [0.05, 4], [0.10, 2]]}, 110.0, 100.0, 2),
        ({"ratio": [[0.01, 5], [0.05, 4], [0.10, 2]]}, 0.0, 0.0, 5),
        ({"ratio": [[0.01, 5], [0.05, 4], [0.10, 2]]}, 0.0, 1.0, 0),
        ({"ratio": [[0.01, 5], [1, 4]]}, 1.0, 0.0, 4),
    ],
)
def test_2_2_3_rules_for_numbers(rule, puf, eif, score):
    small = numbers([puf], [eif])
    assert small.scores(ri.AdHoc({"v0": rule}, threshold=-1)) == {(0, 0): score}


@pytest.mark.parametrize(
    ("rule", "puf", "eif", "score"),
    [
        ({"equal": 4.5}, "a", "a", 4.5),
        ({"table": [["1", "2", 3]], "equal": 5, "otherwise": 0}, "1", "2", 3),
        ({"table": [["1", "2", 3]], "equal": 5, "otherwise": 0}, "2", "1", 3),
        ({"table": [["1", "2", 3]], "ordered": True}, "2", "1", 0),
        ({"table": [["1", "2", 3]]}, "7", "7", 5),
        ({"table": [["1", "1", 2]]}, "1", "1", 2),
        ({"table": [["1", "2", 3]], "otherwise": 1}, "1", "3", 1),
        ({"prefix": [[5, 5], [2, 2]]}, "01001", "01001", 5),
        ({"prefix": [[5, 5], [2, 2]]}, "01001", "01003", 2),
        ({"prefix": [[5, 5], [2, 2]]}, "01001", "0", 0),
        ({"similarity": "jaro_winkler", "steps": [[0.95, 5], [0.85, 3]]}, "martha", "marhta", 5),
        ({"similarity": "levenshtein", "steps": [[0.75, 3]]}, "anna", "anne", 3),
    ],
)
def test_2_2_3_rules_for_texts(rule, puf, eif, score):
    small = Small(kinds=(CATEGORICAL,), puf=((puf,),), eif=((eif,),))
    assert small.scores(ri.AdHoc({"v0": rule}, threshold=-1)) == {(0, 0): score}


def test_2_2_3_a_python_function_is_a_rule_too():
    def nearness(puf_values, eif_values):
        return 5 - abs(puf_values - eif_values) / 3

    small = numbers([1.0], [1.0, 2.0])
    found = small.scores(ri.AdHoc({"v0": nearness}, threshold=-1))
    assert found == {(0, 0): 5.0, (0, 1): 4.666667}  # six places


# 2.3 and 3 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("v", range(1, 18))
def test_2_3_complete_categories_rank_alike_and_only_the_thresholds_differ(v):
    small = of_mismatches(v)
    small = replace(small, eif=small.eif * 2)
    everything = small.run(ri.Taxicab(**LISTS_ALL), ri.Euclidean(**LISTS_ALL))
    assert ranks(everything["taxicab"]) == ranks(everything["euclidean"])
    result = small.run(ri.Taxicab(keep=1000), ri.Euclidean(keep=1000))
    passing = {label: {e % (v + 1) for _, e in scores(result[label])} for label in result}
    assert passing["taxicab"] == {mm for mm in range(v + 1) if mm < v / 4}
    assert passing["euclidean"] == {mm for mm in range(v + 1) if mm < v**2 / 16}
    for label in result:
        assert note(result[label], "mismatches_pass").count == max(passing[label])


def test_3_two_equal_strata_halve_the_pairs():
    small = categorical("abcd", "abcd")
    halves = replace(small, puf_strata=tuple("AABB"), eif_strata=tuple("AABB"))
    assert small.run(ri.Taxicab()).manifest["ledger"]["pairs"] == 16
    assert halves.run(ri.Taxicab()).manifest["ledger"]["pairs"] == 8


def test_3_finer_strata_lose_no_confirmed_record_though_the_conditional_rate_can_fall():
    # Alone, p0 is tied with six strangers; in its stratum it is found, and so are false pairs.
    small = categorical("aab", "aaaaaab", truth=((0, 0), (2, 6)))
    coarse = small.run(ri.Taxicab())["taxicab"]
    fine = replace(small, puf_strata=tuple("ABA"), eif_strata=tuple("ABBBBBA")).run(ri.Taxicab())
    assert (coarse.confirmed, coarse.rates.conditional) == (1, 100.0)
    assert fine["taxicab"].confirmed == 2
    assert fine["taxicab"].rates.conditional == pytest.approx(100 * 2 / 3)
