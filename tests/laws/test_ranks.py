"""Ranks: whole tie groups, best first, while they hold at most five pairs (Primer 2.2 steps 3-5).

A shortlist is the same for every way of cutting the work up, which is what lets it be cut up.
"""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident.engine.tiles import cut
from reident.kernels import shortlist
from small_study import CATEGORICAL, LISTS_ALL, Small, ranks, scores, smalls

few = settings(max_examples=25)
many = settings(max_examples=300)

# Sizes of the rank groups of one PUF record, best first, and how many pairs are kept (methods 4).
EXAMPLES = [
    ((1, 1, 1, 20), 3),
    ((20,), 0),
    ((5,), 5),
    ((6,), 0),
    ((2, 3), 5),
    ((2, 4), 2),
]


def kept(units, keep, bound):
    """The rule, as plainly as it can be said: sorted pairs, and the score that ends the list."""
    groups = Counter(one for one in units if one < bound)
    total, end = 0, bound
    for score in sorted(groups):
        total += groups[score]
        if total > keep:
            end = score
            break
    return sorted((one, place) for place, one in enumerate(units) if one < end), end


def made(units, places, keep, bound):
    """A shortlist of one row that has seen the given pairs in the given order."""
    short = shortlist.empty(np.array([bound], np.int64), keep)
    for place in places:
        if units[place] < short.cutoff[0]:
            shortlist.push(short, 0, place, units[place])
    return short


def content(short):
    """What a shortlist of one row holds, whatever the order inside."""
    size = short.size[0]
    pairs = zip(short.units[0, :size].tolist(), short.eif[0, :size].tolist(), strict=True)
    return sorted(pairs), int(short.cutoff[0])


def of_groups(sizes):
    """Units of pairs whose rank groups have these sizes."""
    return [score for score, size in enumerate(sizes) for _ in range(size)]


@pytest.mark.parametrize(("sizes", "count"), EXAMPLES)
def test_the_shortlist_keeps_what_the_examples_of_the_rank_rule_keep(sizes, count):
    units = of_groups(sizes)
    for places in (range(len(units)), reversed(range(len(units)))):
        pairs, _ = content(made(units, places, keep=5, bound=1000))
        assert len(pairs) == count
        assert pairs == kept(units, 5, 1000)[0]


def study_with_groups(sizes):
    """One PUF record, and EIF records that differ from it in 0, 1, 2, ... of many variables."""
    v = 4 * len(sizes) + 4
    eif = [("b",) * differ + ("a",) * (v - differ) for differ in of_groups(sizes)]
    return Small(kinds=(CATEGORICAL,) * v, puf=(("a",) * v,), eif=tuple(eif))


@pytest.mark.parametrize(("sizes", "count"), EXAMPLES)
@pytest.mark.parametrize("method", ["taxicab", "euclidean", "adhoc"])
def test_a_study_keeps_what_the_examples_of_the_rank_rule_keep(method, sizes, count):
    small = study_with_groups(sizes)
    attack = {
        "taxicab": ri.Taxicab(),
        "euclidean": ri.Euclidean(),
        "adhoc": ri.AdHoc(small.rules()),
    }[method]
    result = small.run(attack)[method]
    assert result.pairs.height == count
    assert result.suspected == (count > 0)
    assert result.passing_records == 1
    assert result.tied_out == (count == 0)
    groups = Counter(result.pairs["rank"].to_list())
    assert [groups[rank] for rank in sorted(groups)] == list(sizes[: len(groups)])
    first = {row["size"]: row["records"] for row in result.first_rank_sizes}
    assert first[sizes[0] if sizes[0] <= 5 else None] == 1
    assert sum(first.values()) == 1


@pytest.mark.parametrize(("keep", "count"), [(1, 0), (2, 2), (4, 2), (5, 5), (6, 6), (1000, 7)])
def test_keep_is_the_largest_number_of_pairs_that_stay(keep, count):
    small = study_with_groups((2, 3, 1, 1))
    small = replace(small, eif=small.eif[:7])
    assert len(small.pairs(ri.Taxicab(keep=keep))) == count


def test_a_rank_of_more_pairs_than_a_byte_holds_is_told_in_full():
    small = Small(kinds=(CATEGORICAL,), puf=(("a",),), eif=(("a",),) * 256)
    found = ranks(small.run(ri.Taxicab(keep=1000))["taxicab"])
    assert found == {(0, e): (1, 256) for e in range(256)}


units_lists = st.lists(st.integers(0, 12), max_size=30)
keeps = st.integers(1, 7)
bounds = st.integers(0, 14)


@many
@given(units=units_lists, keep=keeps, bound=bounds, data=st.data())
def test_a_shortlist_does_not_depend_on_the_order_of_the_pairs(units, keep, bound, data):
    places = data.draw(st.permutations(range(len(units))))
    assert content(made(units, places, keep, bound)) == kept(units, keep, bound)


@many
@given(units=units_lists, keep=keeps, bound=bounds, data=st.data())
def test_merging_the_shortlists_of_any_parts_is_exact(units, keep, bound, data):
    parts = data.draw(st.lists(st.integers(0, 3), min_size=len(units), max_size=len(units)))
    shorts = [
        made(units, [place for place, part in enumerate(parts) if part == mine], keep, bound)
        for mine in range(4)
    ]
    order = data.draw(st.permutations(range(4)))
    folded = shorts[order[0]]
    for part in order[1:]:
        folded = shortlist.merge(folded, shorts[part])
    assert content(folded) == kept(units, keep, bound)


@many
@given(units=units_lists, keep=keeps, bound=bounds, data=st.data())
def test_merging_shortlists_is_associative_and_commutative(units, keep, bound, data):
    ends = sorted(data.draw(st.lists(st.integers(0, len(units)), min_size=2, max_size=2)))
    ends = [0, *ends, len(units)]
    one, two, three = (made(units, range(a, b), keep, bound) for a, b in pairwise(ends))
    merge = shortlist.merge
    assert content(merge(one, two)) == content(merge(two, one))
    assert content(merge(merge(one, two), three)) == content(merge(one, merge(two, three)))
    nothing = shortlist.empty(np.array([bound], np.int64), keep)
    assert content(merge(one, nothing)) == content(one)


@many
@given(lists=st.lists(units_lists, min_size=1, max_size=4), seed=st.integers(0, 99))
def test_shortlists_unfold_by_record_rank_and_position(lists, seed):
    draw = np.random.default_rng(seed)
    puf, eif = draw.permutation(len(lists) + 2), draw.permutation(40)
    short = shortlist.empty(np.full(len(lists), 1000), 5)
    for row, units in enumerate(lists):
        for place, score in enumerate(units):
            if score < short.cutoff[row]:
                shortlist.push(short, row, place, score)
    kept_ones = shortlist.end_to_end([shortlist.gathered(short)])
    # Records that are alike share a row.
    rows = draw.integers(len(lists), size=len(lists) + 2)
    number = int(short.size[rows].sum())
    out, ranks = np.zeros((3, number), np.int64), np.zeros((2, number), np.int32)
    at, begins = shortlist.places(kept_ones.start, rows)
    units = kept_ones.units[at].astype(np.int64)
    shortlist.unfold(begins, puf, eif[kept_ones.eif[at]], units, out, ranks)
    expected = []
    for position, row in zip(puf, rows, strict=True):
        pairs = kept(lists[row], 5, 1000)[0]
        scores_kept = [units for units, _ in pairs]
        ranks_kept = sorted(set(scores_kept))
        expected += sorted(
            (position, units, eif[place], ranks_kept.index(units) + 1, scores_kept.count(units))
            for units, place in pairs
        )
    found = zip(*out.tolist(), *ranks.tolist(), strict=True)
    assert [(p, units, e, rank, tied) for p, e, units, rank, tied in found] == expected


def test_pairs_stand_in_the_order_of_keys_whatever_the_strata():
    strata = ["b", "a", "b", "a"]
    frames = [
        pl.DataFrame({key: [f"{place}" for place in range(4)], "s": strata, "c": ["x"] * 4})
        for key in ("p", "e")
    ]
    study = ri.Study(
        puf=ri.PublicFile(frames[0], key="p"),
        eif=ri.IntruderFile(frames[1], key="e"),
        variables=[ri.categorical("c")],
        strata=["s"],
        attacks={"taxicab": ri.Taxicab()},
    )
    pairs = study.run()["taxicab"].pairs
    puf, eif = (pairs[name].to_list() for name in pairs.columns[:2])
    assert puf == ["0", "0", "1", "1", "2", "2", "3", "3"]
    assert eif == ["0", "2", "1", "3", "0", "2", "1", "3"]


@many
@given(units=units_lists, keep=keeps, bound=bounds, at=st.integers(0, 30))
def test_a_cutoff_reached_so_far_only_prunes(units, keep, bound, at):
    first = made(units, range(min(at, len(units))), keep, bound)
    pruned = shortlist.empty(first.cutoff, keep)
    for place in range(at, len(units)):
        if units[place] < pruned.cutoff[0]:
            shortlist.push(pruned, 0, place, units[place])
    assert content(shortlist.merge(first, pruned)) == kept(units, keep, bound)


@many
@given(
    widths=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), min_size=1, max_size=9),
    budget=st.integers(1, 60),
)
def test_tiles_cover_every_pair_exactly_once(widths, budget):
    # A stratum has some PUF rows, which all meet its EIF rows; a stratum may have no PUF row.
    meets, end = [], 0
    for rows, others in widths:
        meets += [(end, end + others)] * rows
        end += others
    tiles = cut(np.array(meets, np.int64).reshape(-1, 2), budget)
    covered = Counter()
    for tile in tiles:
        pairs = [
            (p, e)
            for p in range(tile.first, tile.last)
            for e in range(max(meets[p][0], tile.start), min(meets[p][1], tile.stop))
        ]
        assert tile.work == len(pairs)
        covered.update(pairs)
    assert covered == Counter((p, e) for p, (a, b) in enumerate(meets) for e in range(a, b))
    assert [tile.number for tile in tiles] == list(range(len(tiles)))
    assert [tile.strip for tile in tiles] == sorted(tile.strip for tile in tiles)
    rows = {(tile.strip, tile.first, tile.last) for tile in tiles}
    assert len(rows) == len({strip for strip, *_ in rows})


ATTACKS = st.sampled_from(["taxicab", "euclidean", "adhoc"])


def attacks_of(small, method, **options):
    """An attack with its threshold, and one that lists every pair."""
    if method == "adhoc":
        everything = ri.AdHoc(small.rules(), threshold=-1, keep=1000)
        return ri.AdHoc(small.rules(), **options), everything
    kind = ri.Taxicab if method == "taxicab" else ri.Euclidean
    return kind(**options), kind(**LISTS_ALL)


def passes(small, method, score):
    """Whether a score passes the paper's threshold; scores that are equal to it are exact here."""
    return score > 5 * len(small.kinds) / 2 if method == "adhoc" else score < 0.25


@few
@given(small=smalls(), method=ATTACKS, keep=st.integers(1, 6))
def test_the_kept_pairs_are_at_most_keep_whole_groups_a_prefix_and_maximal(small, method, keep):
    attack, everything = attacks_of(small, method, keep=keep)
    result = small.run(attack)[method]
    listed, all_scores = scores(result), small.scores(everything)
    best_first = -1 if method == "adhoc" else 1
    for p in range(len(small.puf)):
        passing = {
            e: best_first * score
            for (q, e), score in all_scores.items()
            if q == p and passes(small, method, score)
        }
        mine = {e for q, e in listed if q == p}
        assert len(mine) <= keep
        left = [score for e, score in passing.items() if e not in mine]
        if mine and left:
            # A prefix of whole groups: all that stays is strictly better than all that goes.
            assert max(passing[e] for e in mine) < min(left)
        if left:
            # Maximal: the next group would not have fitted.
            assert len(mine) + left.count(min(left)) > keep
        for e in mine:
            assert listed[p, e] == all_scores[p, e]


@few
@given(small=smalls(), method=ATTACKS)
def test_ranks_are_dense_and_tied_is_the_size_of_the_group(small, method):
    attack, _ = attacks_of(small, method)
    result = small.run(attack)[method]
    found, listed = ranks(result), scores(result)
    best_first = -1 if method == "adhoc" else 1
    for p in {p for p, _ in found}:
        mine = {e: best_first * listed[p, e] for q, e in found if q == p}
        distinct = sorted(set(mine.values()))
        for e, score in mine.items():
            assert found[p, e] == (
                distinct.index(score) + 1,
                sum(other == score for other in mine.values()),
            )


@few
@given(small=smalls(), method=ATTACKS)
def test_every_eif_record_six_times_over_gives_nothing_suspected(small, method):
    attack, _ = attacks_of(small, method)
    crowded = replace(small, eif=small.eif * 6)
    result = crowded.run(attack)[method]
    assert result.suspected == 0
    assert result.pairs.height == 0
    assert result.rates.conditional is None
    assert result.tied_out == result.passing_records
    assert crowded.run(attack.model_copy(update={"keep": 6}))[method].tied_out <= result.tied_out


@few
@given(small=smalls(), more=smalls(), method=ATTACKS)
def test_eif_records_that_fail_the_threshold_change_nothing(small, more, method):
    # Cuts and moments are those of the PUF, so more EIF records do not move them.
    attack, everything = attacks_of(small, method)
    strangers = [("strange",) if kind == CATEGORICAL else (1e6,) for kind in small.kinds]
    candidates = [tuple(cell for (cell,) in strangers)]
    if more.kinds == small.kinds:
        candidates += more.eif
    longer = replace(small, eif=(*small.eif, *candidates))
    all_scores = longer.scores(everything)
    failing = [
        longer.eif[e]
        for e in range(len(small.eif), len(longer.eif))
        if not any(passes(small, method, all_scores[p, e]) for p in range(len(small.puf)))
    ]
    before = small.run(attack)[method]
    after = replace(small, eif=(*small.eif, *failing)).run(attack)[method]
    assert after.pairs.equals(before.pairs)
    assert after.passing_records == before.passing_records
    assert after.tied_out == before.tied_out


@few
@given(small=smalls(truth=True), method=ATTACKS)
def test_passing_records_are_suspected_or_tied_out(small, method):
    attack, everything = attacks_of(small, method)
    result = small.run(attack)[method]
    assert result.passing_records == result.suspected + result.tied_out
    assert 0 <= result.tied_out_true <= result.tied_out
    assert sum(row["records"] for row in result.first_rank_sizes) == result.passing_records
    assert sum(row["pairs"] for row in result.by_rank) == result.pairs.height
    all_scores = small.scores(everything)
    expected = {p for (p, _), score in all_scores.items() if passes(small, method, score)}
    assert result.passing_records == len(expected)


@pytest.mark.parametrize("v", [4, 8])
def test_a_first_rank_with_the_true_pair_that_is_too_large_is_told(v):
    row = ("a",) * v
    small = Small(
        kinds=(CATEGORICAL,) * v,
        puf=(row, ("b",) * v),
        eif=(row,) * 6 + (("c",) * v,),
        truth=((0, 3), (1, 0)),
    )
    for attack in (ri.Taxicab(), ri.Euclidean(), ri.AdHoc(small.rules())):
        result = small.run(attack)[attack.method]
        assert (result.passing_records, result.tied_out, result.tied_out_true) == (1, 1, 1)
        elsewhere = replace(small, truth=((0, 6),)).run(attack)[attack.method]
        assert (elsewhere.tied_out, elsewhere.tied_out_true) == (1, 0)


def test_by_rank_tells_the_pairs_and_the_confirmed_pairs_of_each_rank():
    v = 12
    rows = [("b",) * differ + ("a",) * (v - differ) for differ in (0, 1, 1, 2)]
    small = Small(
        kinds=(CATEGORICAL,) * v,
        puf=(("a",) * v,),
        eif=tuple(rows),
        truth=((0, 0), (0, 2)),
    )
    for attack in (ri.Taxicab(), ri.Euclidean(), ri.AdHoc(small.rules())):
        by_rank = small.run(attack)[attack.method].by_rank
        assert [tuple(row.values()) for row in by_rank] == [(1, 1, 1), (2, 2, 1), (3, 1, 0)]


def test_pairs_of_a_large_tile_are_ranked_as_those_of_small_ones():
    """More EIF records than one block of the kernel, with ties across the border of blocks."""
    eif = [("a", "a" if place in {5, 2047, 2048, 4095, 4999} else "b") for place in range(5000)]
    small = Small(kinds=(CATEGORICAL,) * 2, puf=(("a", "a"),), eif=tuple(eif))
    expected = set(product([0], [5, 2047, 2048, 4095, 4999]))
    assert small.pairs(ri.Taxicab()) == expected
    more = replace(small, eif=(*eif, ("a", "a")))
    assert more.pairs(ri.Taxicab()) == set()
