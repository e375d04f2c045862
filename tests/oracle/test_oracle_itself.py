"""The oracle against numbers worked by hand: the judge is judged first."""

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.oracle import NotApplicable, Record, Variable, prepare, study, suspects
from reident.oracle.bins import binned, code_by_cuts, codes_by_rank, cut_points
from reident.oracle.moments import Spread, spread_of, z_difference
from reident.oracle.ranks import kept_groups, rank_groups
from reident.oracle.rates import baseline, chance_of_a_hit, percent, wilson
from reident.oracle.rules import Adhoc, rule_score
from reident.oracle.scores import ONE, Euclidean, Taxicab
from reident.oracle.unicity import (
    agreement,
    by_enumeration,
    count_sample_uniques,
    first_orders,
    maximal,
    partners,
    sample_uniques,
)
from reident.oracle.values import cell_of, stratum_text, text_of
from strategies import cases

HALF = Fraction(1, 2)


# Preparation (methods 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("01", "01"),
        (" 1", " 1"),
        (1, "1"),
        (1.0, "1"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (1e20, "100000000000000000000"),
        (True, "true"),
        (False, "false"),
        (dt.date(2020, 2, 3), "2020-02-03"),
    ],
)
def test_text_of_a_value(value, text):
    assert text_of(value) == text


@pytest.mark.parametrize(
    ("value", "kind", "cell"),
    [
        (None, "numeric", None),
        (math.nan, "numeric", None),
        ("nan", "numeric", None),
        ("", "categorical", None),
        (" \t", "categorical", None),
        ("-9", "categorical", None),
        ("-9.0", "categorical", "-9.0"),
        ("-9.0", "numeric", None),
        (-9.0, "numeric", None),
        (-9.0, "categorical", None),
        ("-6", "categorical", NotApplicable("-6")),
        (" -6.0 ", "numeric", NotApplicable("-6")),
        (-7, "numeric", NotApplicable("-7")),
        ("01", "categorical", "01"),
        (1.0, "categorical", "1"),
        (" 1e1 ", "numeric", 10.0),
        (".5", "numeric", 0.5),
        (dt.date(1970, 1, 11), "date", 10.0),
        ("1969-12-31", "date", -1.0),
        ("-9", "date", None),
        (dt.datetime(1970, 1, 2, 12, tzinfo=dt.UTC), "date", 1.5),
        ("1970-01-02T12:00", "date", 1.5),
        (" 1970-01-02 12:00:00.000 ", "date", 1.5),
        ("1970-01-02T12:00:00+02:00", "date", 1.5),
        ("1969-12-31T18:00:00Z", "date", -0.25),
        ("6:00", "date", 0.25),
        (dt.time(18), "date", 0.75),
    ],
)
def test_cell_of_a_value(value, kind, cell):
    assert cell_of(value, kind, ("-9",), ("-6", "-7")) == cell


@pytest.mark.parametrize(
    "value", ["inf", math.inf, "1e999", "1,234", "x", "0x10", "1_000", "\u0661"]
)
def test_not_a_number_is_an_error(value):
    with pytest.raises(ValueError, match="finite number"):
        cell_of(value, "numeric", (), ())


@pytest.mark.parametrize(
    "value",
    ["20200101", "2020-W01-1", "2020-02-30", "1.2.2020", "2020-01-01T25:00", "24:00", 7, 7.5],
)
def test_not_a_date_is_an_error(value):
    with pytest.raises(ValueError, match=r"date|day"):
        cell_of(value, "date", (), ())


def test_a_number_is_the_same_code_however_it_is_spelled():
    codes = ("-6", "-6.0")
    assert {cell_of(x, "numeric", (), codes) for x in ("-6", "-6.0", -6, -6.0, " -6.")} == {
        NotApplicable("-6")
    }


def test_a_date_is_the_same_code_however_it_is_spelled():
    for value in ("1970-01-01", "1970-01-01 00:00", dt.date(1970, 1, 1)):
        assert cell_of(value, "date", ("1970-01-01T00:00:00",), ()) is None
    assert cell_of("0:00", "date", ("1970-01-01",), ()) == 0.0


def test_missing_wins_over_not_applicable():
    assert cell_of("-9", "numeric", ("-9",), ("-9",)) is None


def test_a_stratum_is_text_or_missing():
    assert stratum_text(6.0) == "6"
    assert stratum_text(" ") is None
    assert stratum_text("-9", ("-9",)) is None
    assert stratum_text("-9.0", ("-9",)) == "-9.0"  # codes of strata match as text only


# Bins (methods 2)


def test_quintiles_are_sas_definition_5():
    # N = 10: every cut lies between two values; N = 7: i * 7 / 5 is never whole, so x[j + 1].
    assert cut_points([*range(1, 11)], 5) == [2.5, 4.5, 6.5, 8.5]
    assert cut_points([10, 20, 30, 40, 50, 60, 70], 5) == [20, 30, 50, 60]
    assert cut_points([3, 1, 2], 2) == [2]
    assert cut_points([], 5) == []
    assert cut_points([4.0], 5) == [4.0] * 4


def test_a_value_on_a_cut_falls_in_the_lower_bin():
    assert [code_by_cuts(x, [2, 4, 6, 8]) for x in (-99, 2, 2.5, 4, 8, 8.1, 999)] == [
        1, 1, 2, 2, 4, 5, 5,
    ]  # fmt: skip


def test_cuts_of_huge_values_do_not_overflow():
    assert cut_points([1.5e308, 1.7e308], 2) == [1.6e308]
    assert cut_points([-1.7e308, 1.7e308], 2) == [0]


def test_sas_rank_uses_mean_ranks():
    # N = 4, ties at ranks 2 and 3: 1 + floor(5 * {1, 2.5, 2.5, 4} / 5).
    assert codes_by_rank([1, 2, 2, 3], 5) == {1: 2, 2: 3, 3: 5}
    assert codes_by_rank([7], 5) == {7: 3}


def test_cuts_from_one_file_both_or_each():
    puf: list[float | None] = [1.0, 2.0, None]
    eif: list[float | None] = [3.0, 4.0, None]
    options = {"bins": 2, "method": "quantile"}
    assert binned(puf, eif, cuts="puf", **options) == ([1, 2, None], [2, 2, None])
    assert binned(puf, eif, cuts="pooled", **options) == ([1, 1, None], [2, 2, None])
    assert binned(puf, eif, cuts="each", **options) == ([1, 2, None], [1, 2, None])
    with pytest.raises(ValueError, match="sas_rank"):
        binned(puf, eif, bins=2, method="sas_rank", cuts="each")


# Unicity (methods 3)


def test_pair_on_a_low_order_and_none_at_the_top():
    puf, eif = [("a", "x"), ("b", "x")], [("a", "y"), ("c", "y")]
    assert by_enumeration(puf, eif) == {(0, 0)}
    assert by_enumeration(puf, eif, "highest") == set()
    assert by_enumeration(puf, eif, "consistent") == set()
    assert partners(puf[0], puf[1:], eif) == [0]
    assert partners(puf[1], puf[:1], eif) == []
    assert first_orders(puf, eif, {(0, 0)}, 3, "all") == {0: 1}


def test_a_missing_value_takes_no_part():
    rows = [("a", None), ("a", "x"), (None, "x"), (None, None)]
    assert sample_uniques(rows, (0,)) == {}
    assert sample_uniques(rows, (0, 1)) == {("a", "x"): 1}
    assert count_sample_uniques(rows) == 1  # the others agree with row 1 on all they have


def test_not_applicable_is_a_value_of_its_own():
    na = NotApplicable("-6")
    assert by_enumeration([(na,), ("-6",)], [(na,), ("b",)]) == {(0, 0)}
    assert by_enumeration([(na,)], [(NotApplicable("-7"),)]) == set()


CELLS = st.sampled_from([None, None, "a", "b", "c", 1, 2, NotApplicable("-6")])


@st.composite
def two_files(draw):
    v = draw(st.integers(1, 5))
    rows = st.lists(st.tuples(*[CELLS] * v), min_size=1, max_size=7)
    return draw(rows), draw(rows)


@pytest.mark.parametrize("reading", ["all", "consistent", "highest"])
@given(files=two_files())
def test_enumeration_equals_agreement_sets(reading, files):
    puf, eif = files
    by_sets = {
        (i, j)
        for i, row in enumerate(puf)
        for j in partners(row, puf[:i] + puf[i + 1 :], eif, reading)
    }
    assert by_enumeration(puf, eif, reading) == by_sets


@given(files=two_files())
def test_agreement_sets_as_methods_3_states_them(files):
    puf, eif = files
    for i, p in enumerate(puf):
        expected = []
        for j, e in enumerate(eif):
            a = agreement(p, e)
            others = [r for k, r in enumerate(eif) if k != j] + [
                r for k, r in enumerate(puf) if k != i
            ]
            if a and not any(a <= agreement(p, other) for other in others):
                expected.append(j)
        assert partners(p, puf[:i] + puf[i + 1 :], eif) == expected


@given(files=two_files())
def test_uniqueness_is_monotone(files):
    rows, _ = files
    v = len(rows[0])
    interactions = [s for size in range(1, v + 1) for s in combinations(range(v), size)]
    for small in interactions:
        alone = set(sample_uniques(rows, small).values())
        for large in interactions:
            if set(small) <= set(large):
                complete = {i for i in alone if all(rows[i][x] is not None for x in large)}
                assert complete <= set(sample_uniques(rows, large).values())


def test_maximal_sets():
    sets = [frozenset(s) for s in ({1}, {1, 2}, {2, 3}, {3}, set(), {1, 2})]
    assert set(maximal(sets)) == {frozenset({1, 2}), frozenset({2, 3})}


# Ranks (methods 4)


@pytest.mark.parametrize(
    ("sizes", "keep", "kept"),
    [
        ([1, 1, 1, 20], 5, 3),
        ([20], 5, 0),
        ([5], 5, 5),
        ([6], 5, 0),
        ([2, 3], 5, 5),
        ([2, 4], 5, 2),
        ([6], 6, 6),
        ([2, 4, 1], 5, 2),
        ([], 5, 0),
    ],
)
@pytest.mark.parametrize("highest_first", [False, True])
def test_rank_groups_are_kept_whole(sizes, keep, kept, highest_first):
    scored = []
    for place, size in enumerate(sizes):
        score = -place if highest_first else place
        scored += [(score, f"{place}-{member}") for member in range(size)]
    groups = rank_groups(scored, highest_first=highest_first)
    assert [len(members) for _, members in groups] == sizes
    assert sum(len(members) for _, members in kept_groups(groups, keep)) == kept


# Taxicab (methods 4.1)


def test_taxicab_threshold_is_strict():
    metric = Taxicab(v=4, alpha=HALF)
    score = metric.score(("a", "b", None, None), ("a", "b", "c", None))
    assert (score, metric.shown(score), metric.passes(score)) == (2, 0.25, False)
    assert metric.passes(1)
    assert metric.score(("a", "b", "c", "d"), ("a", "x", "c", None)) == 3


def test_taxicab_counts_a_variable_missing_on_both_sides_once():
    metric = Taxicab(v=2, alpha=Fraction(3, 10))
    score = metric.score((None, "a"), (None, "b"))
    assert (score, metric.shown(score)) == (13, 0.65)


def test_taxicab_with_a_threshold_as_written():
    metric = Taxicab(v=10, alpha=HALF, threshold=Fraction(3, 10))
    three_of_ten = metric.score(("a",) * 10, ("a",) * 7 + ("b",) * 3)
    assert metric.shown(three_of_ten) == 0.3
    assert not metric.passes(three_of_ten)
    assert metric.passes(three_of_ten - 1)


# Euclidean (methods 4.2)


def euclidean(v, **options):
    return Euclidean(**{"v": v, "alpha": HALF, "spreads": [None] * v} | options)


@pytest.mark.parametrize(("v", "passing"), [(9, 5), (10, 6), (13, 10), (16, 15), (17, 17)])
def test_full_mismatches_that_pass(v, passing):
    metric = euclidean(v)
    assert max(k for k in range(v + 1) if metric.passes(k * ONE)) == passing


@pytest.mark.parametrize("v", range(1, 21))
def test_every_pair_passes_above_four_over_alpha_squared(v):
    assert euclidean(v).passes(v * ONE) == (v > 16)
    missing = v * euclidean(v).missing
    assert euclidean(v).passes(missing) == (v >= 5)


def test_a_numeric_variable_moves_the_limit_by_one():
    spread = spread_of([0.0, 1.0])
    metric = euclidean(16, spreads=[spread] + [None] * 15)
    p, e = (0.0, *"a" * 15), (1e9, *"b" * 15)
    assert metric.score(p, e) < 16 * ONE
    assert metric.passes(metric.score(p, e))


def test_consistent_threshold_is_half_missing():
    metric = euclidean(4, threshold="consistent")
    half_missing = metric.score(("a", "b", None, None), ("a", "b", "c", "d"))
    assert not metric.passes(half_missing)
    assert metric.passes(half_missing - 1)
    assert math.isclose(metric.shown(half_missing), 0.5 / math.sqrt(8))
    assert math.isclose(metric.threshold_shown, 0.5 / math.sqrt(8))


def test_numeric_score_is_two_logistics_less_one_and_capped():
    metric = euclidean(1, spreads=[Spread(exponent=0, sd=1.0)])
    for x in (0.0, 0.1, 1.0, 2.5, 6.0, 7.0, 1e300):
        capped = min(x, 6)
        score = 2 * math.exp(capped) / (1 + math.exp(capped)) - 1
        found = metric.shown(metric.score((0.0,), (x,)))
        assert math.isclose(found, score, rel_tol=1e-9)
    assert round(metric.shown(metric.score((0.0,), (99.0,))), 5) == 0.99505


def test_moments_are_those_of_the_puf():
    values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
    sd = math.sqrt(32 / 7)
    assert math.isclose(z_difference(2.0, 5.0, spread_of(values)), 3 / sd)


@pytest.mark.parametrize("values", [[], [7.0], [7.0, 7.0], [0.0, -0.0]])
def test_without_a_spread_only_equal_values_are_near(values):
    spread = spread_of(values)
    assert spread.sd == 0
    assert z_difference(7.0, 7.0, spread) == 0
    assert z_difference(0.0, -0.0, spread) == 0
    assert z_difference(7.0, 7.000001, spread) == 6


@given(
    values=st.lists(st.integers(-50, 50).map(float), min_size=2, max_size=6),
    power=st.integers(-900, 900),
)
def test_a_power_of_two_changes_no_distance(values, power):
    plain = spread_of(values)
    grown = spread_of([math.ldexp(x, power) for x in values])
    for a in values:
        other = z_difference(math.ldexp(a, power), math.ldexp(3.0, power), grown)
        assert z_difference(a, 3.0, plain) == other


def test_huge_and_tiny_values_do_not_overflow():
    assert 0 < z_difference(1.7e308, -1.7e308, spread_of([1.7e308, -1.7e308])) < 6
    assert z_difference(5e-324, 1.7e308, spread_of([5e-324, 1e-323])) == 6


@given(
    v=st.integers(1, 12),
    mismatches=st.lists(st.integers(0, 12), min_size=1, max_size=9),
)
def test_complete_categories_rank_alike_in_both_metrics(v, mismatches):
    """Primer 2.3: only the thresholds differ, mm < v/4 against mm < v**2/16."""
    taxicab, euclid = Taxicab(v=v, alpha=HALF), euclidean(v)
    p = ("a",) * v
    rows = [("b",) * min(mm, v) + ("a",) * (v - min(mm, v)) for mm in mismatches]
    groups = []
    for metric in (taxicab, euclid):
        scored = [(metric.score(p, row), i) for i, row in enumerate(rows)]
        groups.append([m for _, m in rank_groups(scored, highest_first=False)])
        for row in rows:
            mm = row.count("b")
            bound = Fraction(v, 4) if metric is taxicab else Fraction(v * v, 16)
            assert metric.passes(metric.score(p, row)) == (mm < bound)
    assert groups[0] == groups[1]


def test_primer_2_3_five_variables():
    p, e = ("a",) * 5, ("b",) + ("a",) * 4
    assert Taxicab(v=5, alpha=HALF).passes(Taxicab(v=5, alpha=HALF).score(p, e))
    two = ("b",) * 2 + ("a",) * 7
    assert Taxicab(v=9, alpha=HALF).passes(Taxicab(v=9, alpha=HALF).score(("a",) * 9, two))
    three = ("b",) * 3 + ("a",) * 6
    assert not Taxicab(v=9, alpha=HALF).passes(Taxicab(v=9, alpha=HALF).score(("a",) * 9, three))
    assert euclidean(9).passes(euclidean(9).score(("a",) * 9, three))


# Adhoc (methods 4.3)


def scored(rule, a, b):
    return rule_score(rule, a, b) / 10**6


def test_steps_compare_decimals_as_written():
    assert scored({"difference": [[0, 5], [0.1, 4]]}, 1.1, 1.0) == 4
    assert scored({"difference": [[0, 5], [Decimal("0.1"), 4]]}, 0.3, 0.2) == 4
    assert scored({"difference": [[0, 5], [1, 4], [2, 3], [5, 1]]}, 10.0, 5.0) == 1
    assert scored({"difference": [[0, 5], [1, 4], [2, 3], [5, 1]]}, 10.0, 4.9) == 0


def test_ratio_is_of_the_puf_value():
    rule = {"ratio": [[0.01, 5], [0.05, 4], [0.10, 2]]}
    assert scored(rule, 100.0, 110.0) == 2
    assert scored(rule, 110.0, 99.0) == 2
    assert scored(rule, 110.0, 121.0) == 2
    assert scored(rule, 100.0, 110.1) == 0
    assert scored(rule, 0.0, 0.0) == 5
    assert scored(rule, 0.0, 1e-300) == 0
    assert scored(rule, -100.0, -105.0) == 4


def test_table_goes_both_ways_unless_ordered():
    rule = {"table": [["1", "2", 3]], "equal": 5, "otherwise": 0.5}
    assert [scored(rule, *p) for p in ("12", "21", "11", "13")] == [3, 3, 5, 0.5]
    ordered = {**rule, "ordered": True}
    assert [scored(ordered, *p) for p in ("12", "21")] == [3, 0.5]
    assert scored({"table": [["1", "1", 2]]}, "1", "1") == 2
    assert [scored({"table": []}, *p) for p in ("11", "12")] == [5, 0]


def test_prefix_similarity_equal_and_days():
    prefix = {"prefix": [[5, 5], [2, 2]]}
    assert [scored(prefix, "01001", b) for b in ("01001", "01003", "02001")] == [5, 2, 0]
    similar = {"similarity": "jaro_winkler", "steps": [[0.95, 5], [0.85, 3]]}
    assert [scored(similar, "MARTHA", b) for b in ("MARTHA", "MARHTA", "JOHN")] == [5, 5, 0]
    assert [scored({"equal": 4.5}, "a", b) for b in "ab"] == [4.5, 0]
    assert scored({"days": [[0, 5], [31, 3]]}, 100.0, 131.0) == 3


def test_a_callable_rule_is_rounded_to_six_places():
    assert rule_score(lambda a, b: 5 / (1 + abs(a - b)), 1.0, 3.0) == 1_666_667
    with pytest.raises(ValueError, match="0 to 5"):
        rule_score(lambda a, _b: a, 5.1, 0.0)


@pytest.mark.parametrize(
    ("rule", "same"),
    [
        ({"equal": 4}, 4),
        ({"difference": [[0, 3]]}, 3),
        ({"ratio": [[0, 3]]}, 3),
        ({"days": [[0, 2]]}, 2),
        ({"table": []}, 5),
        ({"table": [["-6", "-6", 1]]}, 1),
        ({"prefix": [[2, 2]]}, 2),
        ({"prefix": [[3, 2]]}, 0),
        ({"similarity": "osa", "steps": [[1, 3]]}, 3),
    ],
)
def test_not_applicable_and_missing_in_rules(rule, same):
    code, value = NotApplicable("-6"), "x" if "table" in rule else 0.0
    assert scored(rule, code, NotApplicable("-6")) == same
    for a, b in ((code, value), (value, code), (code, NotApplicable("-7"))):
        assert scored(rule, a, b) == 0
    for a, b in ((None, None), (None, code), (code, None)):
        assert scored(rule, a, b) == 0


def test_a_table_looks_up_the_code():
    rule = {"table": [["-6", "a", 2]], "otherwise": 1}
    assert scored(rule, NotApplicable("-6"), "a") == 2
    assert scored(rule, NotApplicable("-6"), "b") == 1
    assert scored(rule, None, "a") == 0


def test_adhoc_threshold_is_strict():
    metric = Adhoc(v=2, rules=[{"equal": 5}, {"equal": 0.000001}])
    half = metric.score(("a", "b"), ("a", "c"))
    assert (metric.shown(half), metric.passes(half)) == (5.0, False)
    more = metric.score(("a", "b"), ("a", "b"))
    assert (metric.shown(more), metric.passes(more)) == (5.000001, True)


@pytest.mark.parametrize("score", [5.1, -1, 0.0000001, Decimal("5.000001")])
def test_scores_outside_the_scale_are_errors(score):
    with pytest.raises(ValueError, match="0 to 5"):
        rule_score({"equal": score}, "a", "a")


# Rates (methods 1)


def test_rates_are_undefined_not_zero():
    assert percent(0, 0) is None
    assert percent(1, 4) == 25.0
    assert wilson(0, 0) is None
    assert wilson(0, 7)[0] == 0.0
    assert wilson(7, 7)[1] == 100.0


def test_wilson_interval_of_a_known_case():
    low, high = wilson(8, 10)  # worked in Wilson's form by hand
    assert math.isclose(low, 49.01624715366417, rel_tol=1e-12)
    assert math.isclose(high, 94.33178485456247, rel_tol=1e-12)


def test_blind_guesser():
    assert chance_of_a_hit(10, 1, 1) == Fraction(1, 10)
    assert chance_of_a_hit(4, 2, 3) == 1
    assert chance_of_a_hit(5, 0, 3) == 0
    assert baseline([(10, 1, 1), (4, 2, 1)]) == 0.6


# A whole study by hand


def records(*rows, stratum=()):
    return [Record(key=(f"{i}",), stratum=stratum, values=row) for i, row in enumerate(rows)]


TWO = [Variable(name="x", kind="categorical"), Variable(name="y", kind="categorical")]


def test_a_study_by_hand():
    puf = records(("a", "x"), ("b", "x"))
    eif = records(("a", "y"), ("c", "y"))
    truth = [(("0",), ("0",)), (("0",), ("0",)), (("1",), ("9",))]
    result = study(puf, eif, truth, TWO, {"u": {"method": "unicity"}, "t": {"method": "taxicab"}})
    assert result["truth_pairs"] == 1
    assert result["truth_unknown"] == {"puf": 0, "eif": 1}
    assert result["overlap"] == 1
    assert result["true_pair_agreement"] == [
        {"variable": "x", "equal": 1, "different": 0, "missing_puf": 0, "missing_eif": 0},
        {"variable": "y", "equal": 0, "different": 1, "missing_puf": 0, "missing_eif": 0},
    ]
    unicity = result["attacks"]["u"]
    assert unicity["pair_list"] == [(("0",), ("0",), None, None, None, True)]
    assert unicity["readings"] == [
        {"reading": "all", "suspected": 1, "confirmed": 1},
        {"reading": "consistent", "suspected": 0, "confirmed": 0},
        {"reading": "highest", "suspected": 0, "confirmed": 0},
    ]
    assert unicity["by_order"] == [
        {"order": 1, "suspected": 1, "confirmed": 1},
        {"order": 2, "suspected": 0, "confirmed": 0},
        {"order": None, "suspected": 0, "confirmed": 0},
    ]
    assert unicity["uniques"] == {"puf": 2, "eif": 2}
    assert (unicity["suspected_rate"], unicity["conditional_rate"]) == (50.0, 100.0)
    assert (unicity["baseline_confirmed"], unicity["lift"]) == (0.5, 2.0)
    taxicab = result["attacks"]["t"]
    assert (taxicab["suspected"], taxicab["conditional_rate"], taxicab["lift"]) == (0, None, None)


def test_ties_at_the_cut():
    puf = records(("a", "x"))
    truth = [(("0",), ("3",))]
    for clones, keep, kept in ((5, 5, 5), (6, 5, 0), (6, 6, 6), (7, 6, 0)):
        eif = records(*[("a", "x")] * clones)
        options = {"method": "taxicab", "keep": keep}
        result = study(puf, eif, truth, TWO, {"t": options})["attacks"]["t"]
        assert (result["pairs"], result["passing_records"]) == (kept, 1)
        assert result["tied_out"] == result["tied_out_true"] == int(kept == 0)
        assert result["first_rank_sizes"][-1] == {"size": None, "records": int(kept == 0)}
        assert [pair[4] for pair in result["pair_list"]] == [clones] * kept
        prepared = prepare(puf, eif, TWO, options)
        found = [(pair[1], *pair[2:4]) for pair in result["pair_list"]]
        assert suspects(prepared, ("0",)) == found


def test_strata_set_records_aside():
    puf = [
        Record(key=("1",), stratum=("A",), values=("a", None)),
        Record(key=("2",), stratum=("B",), values=("a", "x")),
        Record(key=("3",), stratum=(None,), values=("a", "x")),
        Record(key=("4",), stratum=("A",), values=(None, None)),
    ]
    eif = [
        Record(key=("1",), stratum=("A",), values=("a", "x")),
        Record(key=("2",), stratum=("C",), values=("a", "x")),
    ]
    truth = [(("1",), ("1",)), (("2",), ("1",)), (("3",), ("2",))]
    attacks = {"u": {"method": "unicity", "pairs": "none"}}
    result = study(puf, eif, truth, TWO, attacks, ["state"])
    assert result["truth_pairs_split"] == 2
    unicity = result["attacks"]["u"]
    assert unicity["set_aside"] == [
        {"rule": "missing_stratum", "records": 1},
        {"rule": "stratum_not_in_eif", "records": 1},
        {"rule": "nothing_present", "records": 1},
    ]
    assert unicity["compared"] == 1
    assert unicity["pairs"] is None
    assert unicity["pair_list"] == [(("1",), ("1",), None, None, None, True)]
    rows = [(r["stratum"]["state"], r["puf_records"]) for r in unicity["by_stratum"]]
    assert rows == [("A", 2), ("B", 1), ("C", 0)]
    assert unicity["by_stratum"][2]["suspected_rate"] is None
    without = study(puf, eif, None, TWO, attacks, ["state"])
    assert without["attacks"]["u"]["pair_list"] == [(("1",), None, None, None, None, None)]


def test_row_order_does_not_matter():
    puf = records(("a", "x"), ("b", "x"), ("a", None))
    eif = records(("a", "y"), ("c", "y"), ("a", "x"))
    attacks = {m: {"method": m} for m in ("unicity", "taxicab", "euclidean")}
    assert study(puf, eif, [], TWO, attacks) == study(puf[::-1], eif[::-1], [], TWO, attacks)


@settings(max_examples=200)
@given(case=cases())
def test_unicity_of_a_study_is_the_enumeration(case):
    files = case.records("puf"), case.records("eif")
    for reading in ("all", "consistent", "highest"):
        options = {"method": "unicity", "interactions": reading, "pairs": "all"}
        prepared = prepare(*files, case.oracle_variables, options)
        pairs = set()
        for stratum, puf in prepared.puf_strata.items():
            eif = prepared.eif_strata.get(stratum, [])
            cells = [row.cells for row in puf], [row.cells for row in eif]
            pairs |= {(puf[i].key, eif[j].key) for i, j in by_enumeration(*cells, reading)}
        result = study(*files, None, case.oracle_variables, {"u": options})
        assert {pair[:2] for pair in result["attacks"]["u"]["pair_list"]} == pairs


@settings(max_examples=200)
@given(case=cases())
def test_suspects_are_the_pairs_of_the_study(case):
    files = case.records("puf"), case.records("eif")
    for label, options in case.oracle_attacks.items():
        if options.get("pairs") == "none":
            continue
        prepared = prepare(*files, case.oracle_variables, options)
        listed = case.oracle()["attacks"][label]["pair_list"]
        for record in files[0]:
            found = [(pair[1], *pair[2:4]) for pair in listed if pair[0] == record.key]
            assert suspects(prepared, record.key) == found
