"""What holds for every attack that makes one guess a record (Identify-euc, Winkler).

The laws are those of test_every_attack.py. Who is listed among tied records goes by key, and the
place of a record that gave up is the place of its key; trust.md excepts both from relabelling.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from small_study import CATEGORICAL, NUMERIC, TEXTS, Small, place_of, renamings, scores, smalls

few = settings(max_examples=15)
AT_ONCE = 5
"""Attacks a study, drawn from the tables below."""
NONE = {"ties": "none"}
TIED = {
    "rand": ri.IdentifyRand(),
    "sa": ri.IdentifySA(),
    "sort": ri.IdentifySort(),
    "sa21": ri.IdentifySA21(),
    "euc1": ri.EUC1(),
    "euc2": ri.EUC2(),
    "euc2_sd": ri.EUC2(standardize=True),
}
"""A guess among tied records: its listing goes by key, its expectation does not."""
INDEX = {"euc1_index": ri.EUC1(give_up="index"), "euc2_index": ri.EUC2(give_up="index")}
APART = {
    "sa_none": ri.IdentifySA(**NONE),
    "sort_none": ri.IdentifySort(**NONE),
    "sa21_none": ri.IdentifySA21(**NONE),
    "euc1_none": ri.EUC1(**NONE),
    "euc2_none": ri.EUC2(**NONE),
}
CHANCES = ("expected_confirmed", "expected_rate")
COUNTS = ("method", "compared", "set_aside", "suspected", "give_ups", "pairs", "suspected_rate")


def microagg(small):
    """Winkler's attacks, on the numbers in order of name."""
    names = [name for name, kind in zip(small.names, small.kinds, strict=True) if kind == NUMERIC]
    return {
        "half_gap": ri.MicroaggInterval(radius="half_gap", variables=names),
        "midpoint": ri.MicroaggInterval(radius="midpoint", variables=names),
        "rank": ri.MicroaggInterval(radius="rank", variables=names),
        "nearest": ri.MicroaggNearest(k=1, variables=names),
        "windows": ri.MicroaggWindows(window=2, agree=1, variables=names),
        "trimmed": ri.MicroaggTrimmed(agree=1, variables=names),
    }


@st.composite
def guessed(draw, **asked):
    """A small study with a number in it, and some of the attacks."""
    small = draw(smalls(**asked).filter(lambda one: NUMERIC in one.kinds))
    known = {**TIED, **INDEX, **APART, **microagg(small)}
    labels = draw(st.lists(st.sampled_from(sorted(known)), min_size=2, max_size=AT_ONCE))
    return small, {label: known[label] for label in labels}


def run(small, attacks, **details):
    return small.study(attacks=attacks, **details).run()


def told(result):
    return result.to_dict()["attacks"]


def confirmed(result):
    rows = result.pairs.filter("confirmed").select("puf_p", "eif_e").rows()
    return {(place_of(p), place_of(e)) for p, e in rows}


def ties_of(result):
    """How many tie for each record's guess."""
    return {place_of(p): tied for p, tied in result.pairs.select("puf_p", "tied").rows()}


@few
@given(drawn=guessed(truth=True, strata=True), data=st.data())
def test_relabelling_ids_maps_results_one_to_one(drawn, data):
    """What is listed among tied records goes by key: there the expectations are the same.

    The place of a record that gives up is that of its key, so with give_up = "index" only who
    gives up is the same.
    """
    small, attacks = drawn
    puf = data.draw(st.permutations(range(len(small.puf))))
    eif = data.draw(st.permutations(range(len(small.eif))))
    other = replace(
        small,
        puf=tuple(small.puf[old] for old in puf),
        eif=tuple(small.eif[old] for old in eif),
        puf_strata=tuple(small.puf_strata[old] for old in puf),
        eif_strata=tuple(small.eif_strata[old] for old in eif),
        truth=tuple((puf.index(p), eif.index(e)) for p, e in small.truth),
    )
    before, after = run(small, attacks), run(other, attacks)
    for label in attacks:
        one, two = told(before)[label], told(after)[label]
        if label in INDEX:
            assert two["give_ups"] == one["give_ups"]
            continue
        for name in COUNTS:
            assert two[name] == one[name], (label, name)
        for name in CHANCES:
            assert two[name] == (None if one[name] is None else pytest.approx(one[name], abs=1e-9))
        assert {puf[p]: tied for p, tied in ties_of(after[label]).items()} == ties_of(before[label])
        if label not in TIED:
            mapped = {(puf[p], eif[e]): score for (p, e), score in scores(after[label]).items()}
            assert mapped == scores(before[label]), label
            assert two == one


@few
@given(drawn=guessed(truth=True, strata=True), data=st.data())
def test_relabelling_categories_and_strata_changes_nothing(drawn, data):
    small, attacks = drawn
    other = data.draw(renamings(small))
    before, after = run(small, attacks), run(other, attacks)
    for label in attacks:
        assert after[label].pairs.equals(before[label].pairs), label
        one, two = ({**told(result)[label], "by_stratum": None} for result in (before, after))
        assert one == two


@few
@given(drawn=guessed(truth=True, strata=True), data=st.data())
def test_the_order_of_rows_and_of_variables_changes_nothing(drawn, data):
    small, attacks = drawn
    study = small.study()
    shuffled = {
        "puf": ri.PublicFile(small.frame("puf").sample(fraction=1, shuffle=True, seed=1), key="p"),
        "eif": ri.IntruderFile(
            small.frame("eif").sample(fraction=1, shuffle=True, seed=2), key="e"
        ),
        "variables": data.draw(st.permutations(study.variables)),
    }
    before, after = run(small, attacks), run(small, attacks, **shuffled)
    for label in attacks:
        assert after[label].pairs.equals(before[label].pairs), label
        assert told(after)[label] == told(before)[label]


@few
@given(drawn=guessed(truth=True, strata=True))
def test_counts_fit_together(drawn):
    small, attacks = drawn
    result = run(small, attacks)
    n, truth = len(small.puf), set(small.truth)
    for label, attack in told(result).items():
        listed = set(scores(result[label]))  # each pair once, or scores() fails
        apart = sum(row["records"] for row in attack["set_aside"])
        assert 0 <= attack["confirmed"] <= attack["suspected"] <= attack["compared"] <= n
        assert attack["compared"] + apart == n
        assert attack["pairs"] == len(listed) == len({p for p, _ in listed}) == attack["suspected"]
        if label in TIED | APART:
            assert attack["suspected"] + attack["give_ups"] + apart == n
            assert 0 <= attack["expected_confirmed"] <= attack["suspected"] + 1e-9
        if label in APART:
            assert attack["expected_confirmed"] == attack["confirmed"]
        assert confirmed(result[label]) == listed & truth
        assert attack["confirmed_pairs"] == attack["confirmed"] == len(listed & truth)
        for name in ("suspected", "confirmed", "pairs"):
            assert sum(row[name] for row in attack["by_stratum"]) == attack[name]
        for p, e in listed:
            assert small.puf_strata[p] == small.eif_strata[e] is not None


@few
@given(drawn=guessed(truth=True, strata=True), data=st.data())
def test_the_truth_changes_no_guess(drawn, data):
    """Shuffled, or not given at all."""
    small, attacks = drawn
    partners = data.draw(st.permutations([e for _, e in small.truth]))
    shuffled = tuple((p, e) for (p, _), e in zip(small.truth, partners, strict=True))
    before = run(small, attacks)
    for truth in (shuffled, None):
        after = run(replace(small, truth=truth), attacks)
        for label in attacks:
            one, two = before[label], after[label]
            assert two.pairs.drop("confirmed").equals(one.pairs.drop("confirmed"))
            for name in ("suspected", "give_ups", "set_aside"):
                assert getattr(two, name) == getattr(one, name)
            if truth is None:
                assert (two.confirmed, two.expected_confirmed, two.expected_rate) == (None,) * 3


@few
@given(n=st.integers(1, 10), data=st.data())
def test_a_file_that_meets_itself_is_found_wholly(n, data):
    """Numbers are distinct, so no two rows, first values or sums are alike."""
    numbers = [float(x) for x in data.draw(st.permutations(range(n)))]
    texts = data.draw(st.lists(st.sampled_from(TEXTS), min_size=n, max_size=n))
    rows = tuple(zip(numbers, [2 * x for x in numbers], texts, strict=True))
    small = Small(kinds=(NUMERIC, NUMERIC, CATEGORICAL), puf=rows, eif=rows)
    small = replace(small, truth=tuple((place, place) for place in range(n)))
    attacks = {**TIED, **INDEX, **APART}
    del attacks["rand"]
    if n == 1:
        del attacks["euc2_sd"]  # one value has no spread, and nothing is left to compare
    for label, attack in told(run(small, attacks)).items():
        assert attack["confirmed"] == n, label
        assert attack["expected_rate"] == 100, label
