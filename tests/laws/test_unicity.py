"""Unicity: sample uniques that share a cell of some interaction (Primer 2.1)."""

from dataclasses import replace
from functools import reduce
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident.attacks import crowd, partners, unicity
from reident.kernels import masks
from small_study import CATEGORICAL, Small, scores, smalls

few = settings(max_examples=25)
many = settings(max_examples=200)
READINGS = ("all", "consistent", "highest")


def present_and_equal(a, b):
    return frozenset(j for j, (x, y) in enumerate(zip(a, b, strict=True)) if x == y is not None)


def alone(rows, place, chosen):
    """Whether a record is the only one of its cell of an interaction; it must take part in it."""
    cell = [rows[place][j] for j in chosen]
    if None in cell:
        return False
    return sum([row[j] for j in chosen] == cell for row in rows) == 1


def by_enumeration(small):
    """Steps 2-5 of the Primer, literally, on categories."""
    v = len(small.kinds)
    pairs = set()
    for size in range(1, v + 1):
        for chosen in combinations(range(v), size):
            for p, a in enumerate(small.puf):
                if not alone(small.puf, p, chosen):
                    continue
                for e, b in enumerate(small.eif):
                    if set(chosen) <= present_and_equal(a, b) and alone(small.eif, e, chosen):
                        pairs.add((p, e))
    return pairs


@few
@given(small=smalls(kinds=(CATEGORICAL,), variables=4))
def test_pairs_are_those_that_every_interaction_in_turn_finds(small):
    assert small.pairs(ri.Unicity()) == by_enumeration(small)


@few
@given(small=smalls(), data=st.data())
def test_pairs_of_some_variables_are_pairs_of_all_of_them(small, data):
    """Uniqueness is monotone: an interaction of some variables is one of all of them too."""
    some = data.draw(st.lists(st.sampled_from(small.names), min_size=1, unique=True))
    assert small.pairs(ri.Unicity(variables=some)) <= small.pairs(ri.Unicity())


@few
@given(small=smalls(missing=False), data=st.data())
def test_a_record_unique_on_some_variables_is_unique_on_more_where_all_are_complete(small, data):
    some = data.draw(st.lists(st.sampled_from(small.names), min_size=1, unique=True))
    on_some = small.run(ri.Unicity(variables=some))["unicity"].uniques
    on_all = small.run(ri.Unicity())["unicity"].uniques
    assert on_some["puf"] <= on_all["puf"]
    assert on_some["eif"] <= on_all["eif"]


@few
@given(small=smalls(strata=True), reading=st.sampled_from(READINGS))
def test_duplicating_every_puf_record_leaves_nothing_suspected(small, reading):
    twice = replace(small, puf=small.puf * 2, puf_strata=small.puf_strata * 2)
    result = twice.run(ri.Unicity(interactions=reading))["unicity"]
    assert result.suspected == 0
    assert result.uniques["puf"] == 0


@few
@given(small=smalls(strata=True), reading=st.sampled_from(READINGS))
def test_duplicating_every_eif_record_leaves_nothing_suspected(small, reading):
    twice = replace(small, eif=small.eif * 2, eif_strata=small.eif_strata * 2)
    result = twice.run(ri.Unicity(interactions=reading))["unicity"]
    assert result.suspected == 0
    assert result.uniques["eif"] == 0


@few
@given(small=smalls(strata=True), reading=st.sampled_from(READINGS))
def test_swapping_the_files_transposes_the_pairs(small, reading):
    attack = ri.Unicity(interactions=reading, cuts="pooled")
    there, back = small.run(attack)["unicity"], small.swapped().run(attack)["unicity"]
    assert set(scores(back)) == {(e, p) for p, e in scores(there)}
    assert back.uniques == {"puf": there.uniques["eif"], "eif": there.uniques["puf"]}


@few
@given(small=smalls(kinds=(CATEGORICAL,)), data=st.data())
def test_merging_categories_never_creates_a_unique(small, data):
    place = data.draw(st.integers(0, len(small.kinds) - 1))

    def merged(row):
        return (*row[:place], "b" if row[place] == "a" else row[place], *row[place + 1 :])

    after = replace(
        small,
        puf=tuple(merged(row) for row in small.puf),
        eif=tuple(merged(row) for row in small.eif),
    )
    uniques, fewer = (one.run(ri.Unicity())["unicity"].uniques for one in (small, after))
    assert fewer["puf"] <= uniques["puf"]
    assert fewer["eif"] <= uniques["eif"]
    v = len(small.kinds)
    for size in range(1, v + 1):
        for chosen in combinations(range(v), size):
            for p in range(len(small.puf)):
                assert alone(small.puf, p, chosen) or not alone(after.puf, p, chosen)


@few
@given(small=smalls(truth=True, strata=True))
def test_every_reading_is_a_part_of_the_one_before(small):
    pairs = [small.pairs(ri.Unicity(interactions=reading)) for reading in READINGS]
    assert pairs[2] <= pairs[1] <= pairs[0]
    result = small.run(ri.Unicity())["unicity"]
    told = {row["reading"]: (row["suspected"], row["confirmed"]) for row in result.readings}
    for reading, found in zip(READINGS, pairs, strict=True):
        true = found & set(small.truth)
        assert told[reading] == (len({p for p, _ in found}), len({p for p, _ in true}))


@few
@given(small=smalls(truth=True, strata=True), reading=st.sampled_from(READINGS))
def test_rates_are_the_same_whether_pairs_are_listed_or_not(small, reading):
    listed = small.run(ri.Unicity(interactions=reading, pairs="all"))["unicity"]
    counted = small.run(ri.Unicity(interactions=reading, pairs="none"))["unicity"]
    same = ("suspected", "confirmed", "readings", "by_order", "uniques", "set_aside", "compared")
    for name in same:
        assert getattr(counted, name) == getattr(listed, name)
    assert counted.rates.confirmed_pairs == listed.rates.confirmed_pairs
    assert counted.rates.pairs is counted.baseline_confirmed is counted.lift is None
    assert counted.pairs["puf_p"].n_unique() == listed.suspected
    true = counted.pairs.filter("confirmed").select("puf_p", "eif_e")
    assert true.equals(listed.pairs.filter("confirmed").select("puf_p", "eif_e"))


@few
@given(small=smalls(kinds=(CATEGORICAL,)), orders=st.integers(0, 4))
def test_orders_name_the_smallest_interaction_that_exposes_a_record(small, orders):
    v = len(small.kinds)
    expected = dict.fromkeys([*range(1, min(orders, v) + 1), None], 0)
    for p in {p for p, _ in by_enumeration(small)}:
        sizes = [
            size
            for size in range(1, v + 1)
            for chosen in combinations(range(v), size)
            if alone(small.puf, p, chosen)
            and any(
                set(chosen) <= present_and_equal(small.puf[p], row) and alone(small.eif, e, chosen)
                for e, row in enumerate(small.eif)
            )
        ]
        expected[min(sizes) if min(sizes) <= orders else None] += 1
    result = small.run(ri.Unicity(orders=orders))["unicity"]
    assert {row["order"]: row["suspected"] for row in result.by_order} == expected


@settings(max_examples=60)
@given(
    small=smalls(truth=True, strata=True),
    reading=st.sampled_from(READINGS),
    pairs=st.sampled_from(["all", "auto", "none"]),
    most=st.sampled_from([0, 1, 3, 10_000_000]),
    rows=st.sampled_from([1, 24]),
)
def test_cells_and_masks_find_the_same(small, reading, pairs, most, rows):
    """Also where pairs are too many to list, and are shown to be so by some of them."""
    attack = ri.Unicity(interactions=reading, pairs=pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unicity, "MOST_PAIRS", most)
        met = small.run(attack)
        patch.setattr(unicity, "WORTHWHILE", 0)
        patch.setattr(partners, "FEW", rows)
        settled = small.run(attack)
    assert (met.manifest["methods"], settled.manifest["methods"]) == (
        {"unicity": "masks"},
        {"unicity": "cells"},
    )
    assert settled.to_dict() == met.to_dict()
    assert settled["unicity"].pairs.equals(met["unicity"].pairs)


@settings(max_examples=100)
@given(small=smalls(), spare=st.sampled_from([0, 1]))
def test_pairs_that_sorted_cells_show_are_all_of_them_and_each_once(small, spare):
    """Every variable comes first in some order, and there a cell may hold the whole study."""
    pairs = len(small.pairs(ri.Unicity(pairs="all")))
    asked = []

    def too_many(*arguments):
        asked.append(crowd.too_many(*arguments))
        return asked[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unicity, "WORTHWHILE", 0)
        patch.setattr(unicity, "MOST_PAIRS", pairs - spare)
        patch.setattr(crowd, "_worthwhile", lambda *_: True)
        patch.setattr(partners, "too_many", too_many)
        result = small.run(ri.Unicity())["unicity"]
    assert asked == ([spare == 1] if pairs >= spare else [])
    assert (result.rates.pairs is None) == (spare == 1)


@few
@given(small=smalls(truth=True, strata=True), reading=st.sampled_from(READINGS))
def test_large_files_are_not_listed_by_default_where_all_interactions_count(small, reading):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unicity, "MOST_COMPARED", 0)
        auto = small.run(ri.Unicity(interactions=reading))["unicity"]
        asked = small.run(ri.Unicity(interactions=reading, pairs="all"))["unicity"]
    # Records without any value are set aside, but they meet: sizes alone decide (decision 33).
    met = bool(set(small.puf_strata) & set(small.eif_strata) - {None})
    assert (auto.rates.pairs is None) == (reading == "all" and met)
    assert (auto.suspected, auto.confirmed) == (asked.suspected, asked.confirmed)


def test_a_row_that_contradicts_the_record_elsewhere_contests_a_consistent_one(monkeypatch):
    """Both EIF rows agree on the first variable, so neither is alone on it."""
    monkeypatch.setattr(unicity, "WORTHWHILE", 0)
    small = Small(
        kinds=(CATEGORICAL,) * 2, puf=(("a", "x"),), eif=(("a", None), ("a", "y")), truth=((0, 0),)
    )
    result = small.run(ri.Unicity(pairs="none"))["unicity"]
    assert (result.suspected, result.confirmed) == (0, 0)


def test_sixty_four_variables_are_told_apart_bit_by_bit():
    """The last bit of a mask is as good as the first."""
    v = 64
    puf = [tuple("x" if j == place else f"p{place}" for j in range(v)) for place in range(v)]
    eif = [tuple("x" if j == place else f"e{place}" for j in range(v)) for place in range(v)]
    small = Small(kinds=(CATEGORICAL,) * v, puf=tuple(puf), eif=tuple(eif))
    assert small.pairs(ri.Unicity(orders=1)) == {(place, place) for place in range(v)}


# Antichains: the part that folds -----------------------------------------------------------------


def antichain(entries):
    """Maximal masks, each with its owner, or TAKEN where it is attained twice."""
    found = {}
    for mask, owner in entries:
        if mask and not any(mask & other == mask and mask != other for other, _ in entries):
            found[mask] = masks.TAKEN if mask in found else owner
    return found


def part(entries):
    """The antichain of one row, put together by the kernel, entry by entry."""
    held = np.zeros(len(entries) + 1, np.uint64)
    owners = np.zeros(len(entries) + 1, np.int64)
    size = 0
    for mask, owner in entries:
        if mask:
            size = masks.insert(held, owners, size, np.uint64(mask), owner)
    return masks.Antichains(np.array([0, size]), held[:size].copy(), owners[:size].copy())


def content(chains):
    assert chains.bounds.tolist() == [0, len(chains.masks)]
    found = dict(zip(chains.masks.tolist(), chains.owners.tolist(), strict=True))
    assert len(found) == len(chains.masks)
    return found


@st.composite
def entries(draw):
    """Masks of several rows with one PUF record; a row that is no EIF row of its own is TAKEN."""
    drawn = draw(st.lists(st.integers(0, 31), max_size=16))
    taken = draw(st.lists(st.booleans(), min_size=len(drawn), max_size=len(drawn)))
    return [
        (mask, masks.TAKEN if one else place)
        for place, (mask, one) in enumerate(zip(drawn, taken, strict=True))
    ]


@many
@given(found=entries(), data=st.data())
def test_an_antichain_does_not_depend_on_the_order_of_its_masks(found, data):
    assert content(part(data.draw(st.permutations(found)))) == antichain(found)


@many
@given(found=entries(), data=st.data())
def test_merging_the_antichains_of_any_parts_is_exact(found, data):
    where = data.draw(st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found)))
    parts = [
        part([one for one, at in zip(found, where, strict=True) if at == mine]) for mine in range(4)
    ]
    order = data.draw(st.permutations(range(4)))
    assert content(reduce(masks.merge, (parts[place] for place in order))) == antichain(found)


@many
@given(found=entries(), ends=st.tuples(st.integers(0, 16), st.integers(0, 16)))
def test_merging_antichains_is_associative_and_commutative(found, ends):
    low, high = sorted(ends)
    one, two, three = part(found[:low]), part(found[low:high]), part(found[high:])
    assert content(masks.merge(one, two)) == content(masks.merge(two, one))
    left = masks.merge(masks.merge(one, two), three)
    right = masks.merge(one, masks.merge(two, three))
    assert content(left) == content(right)


@many
@given(
    puf=st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=1, max_size=4),
    others=st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=1, max_size=6),
    at=st.integers(0, 6),
)
def test_maximal_masks_of_the_parts_of_a_tile_merge_to_those_of_the_whole(puf, others, at):
    mine, theirs = np.array(puf, np.int32), np.array(others, np.int32)
    owner = np.arange(len(others))
    meets = np.array([[0, len(others)]] * len(puf), np.int64)

    def made(start, stop):
        tile = np.array([0, len(puf), start, stop], np.int64)
        return masks.maximal_masks(mine, theirs, owner, meets, tile)

    whole, merged = made(0, len(others)), masks.merge(made(0, at), made(at, len(others)))
    for chains in (whole, merged):
        for p, row in enumerate(puf):
            first, last = chains.bounds[p], chains.bounds[p + 1]
            found = dict(
                zip(chains.masks[first:last].tolist(), chains.owners[first:last], strict=True)
            )
            expected = [
                (sum(1 << j for j in range(3) if row[j] == other[j] >= 0), q)
                for q, other in enumerate(others)
            ]
            assert found == antichain(expected)


@pytest.mark.parametrize("rows", [13, 17])
def test_an_antichain_may_grow_beyond_any_room_set_aside_for_it(rows):
    """The 70 masks of four of eight variables are all maximal, and room was made for 64 a row."""
    chosen = list(combinations(range(8), 4))
    puf = np.zeros((rows, 8), np.int32)
    others = np.array([[0 if j in one else 1 for j in range(8)] for one in chosen], np.int32)
    meets = np.array([[0, len(others)]] * rows, np.int64)
    chains = masks.maximal_masks(
        puf, others, np.arange(len(others)), meets, np.array([0, rows, 0, len(others)], np.int64)
    )
    assert np.diff(chains.bounds).tolist() == [70] * rows
    assert set(chains.masks.tolist()) == {sum(1 << j for j in one) for one in chosen}
    assert chains.owners.tolist() == list(range(70)) * rows
