"""A scan lets through what scores too little at least, and says so; out of room, it says where."""

import numpy as np
import polars as pl
import pytest

import reident as ri
from reident.attacks import index, lookups
from reident.kernels.bitmaps import NO_CLASS, WORDS
from reident.kernels.bounds import scan_bounds
from reident.kernels.candidates import Candidates
from reident.kernels.desk import MOST_LIMIT, Asked, clear_desk, limit_of
from reident.kernels.everyone import show_words
from reident.kernels.pairs import EQUAL, score_some

PUF, EIF, BASE = 24, 150, 3
SIZE = 3
"""Words that hold the EIF rows."""
MISMATCH = 16
CATEGORIES = {"abc": 1, "abcdefghijklmnopqrs": 0.6}
"""Few variables or many, and what a missing value scores."""


def people(records, categories, seed):
    draw = np.random.default_rng(seed)
    table = {"x": draw.integers(30, size=records).astype(float)}
    for place, name in enumerate(categories):
        table[name] = draw.integers(4 - place % 3, size=records).astype(str)
    gone = {name: draw.random(records) < 0.2 for name in table}
    cells = {
        name: [None if hidden else value for value, hidden in zip(values, gone[name], strict=True)]
        for name, values in table.items()
    }
    return pl.DataFrame({"key": range(records)} | cells, strict=False)


@pytest.fixture(scope="module", params=CATEGORIES)
def scanned(request):
    """What a study of a few records asks of the scan that meets everyone."""
    asked, categories = [], request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "WORTHWHILE", 0)
        patch.setattr(index, "MOST_READ", 0.0)
        patch.setattr(lookups, "scan_everyone", lambda *arguments: asked.append(arguments))
        ri.Study(
            puf=ri.PublicFile(people(PUF, categories, 1), key="key"),
            eif=ri.IntruderFile(people(EIF, categories, 2), key="key"),
            variables=[ri.numeric("x"), *(ri.categorical(name) for name in categories)],
            attacks={"euclidean": ri.Euclidean(missing_score=CATEGORIES[categories])},
        ).run(jobs=1)
    records, classes, scorer, least, block, _, rows, short = asked[-1]
    # From row BASE on: cutoffs that nothing is below, that everything is below, and between.
    asked = Asked(
        np.arange(BASE, PUF), np.zeros(PUF, np.int64), np.zeros(PUF, np.bool_), rows.stratum, BASE
    )
    share = np.array([0.2, 1.0, 0.6, 2.0**10, 0.2, 0.0])[np.arange(PUF - BASE) % 6]
    cutoffs = (short.cutoff.max() * share).astype(np.int64)
    return records, scorer, cutoffs, (classes, scorer, least, block, asked)


def candidates(scanned, room, tiles=((1, range(SIZE)),), end=PUF - BASE):
    """All that the scan lets through, emptied whenever it runs out of room; and how often.

    Tiles are a number and words of EIF rows; PUF rows are those before `end`.
    """
    _, _, cutoffs, (classes, scorer, least, block, asked) = scanned
    desk = clear_desk(block.bits.shape[1], len(least.graded), len(block.first))
    desk.chosen[:] = WORDS  # as a scan of other rows may leave it
    pairs, bounds = np.empty((room, 2), np.int64), np.empty(room, np.int64)
    held = Candidates(pairs, bounds, np.empty((0, 2), np.int64), np.empty(0, np.int64))
    found, turns = [], 0
    for number, words in tiles:
        assert show_words(0, EIF, desk.source, desk.valid) == SIZE
        size = len(words)
        desk.source[:size], desk.valid[:size] = words, desk.valid[list(words)]
        at = 0
        while at < end:
            at, waiting = scan_bounds(
                classes, scorer, least, block, asked, at, end, cutoffs, size, number, desk, held, 0
            )
            found += [(*pair, bound) for pair, bound in zip(pairs.tolist(), bounds, strict=True)][
                :waiting
            ]
            turns += 1
    return found, turns


def test_a_scan_with_little_room_finds_in_turns_what_it_finds_at_once(scanned):
    at_once, turns = candidates(scanned, PUF * SIZE * 64)
    assert turns == 1
    in_turns, turns = candidates(scanned, SIZE * 64)
    assert turns > 1
    assert in_turns == at_once


def at_least(classes, scorer, least, p, e):
    """What a pair scores at least, in sixteenths of a mismatch, by its classes."""
    total = 0
    for j, kind in enumerate(scorer.kind.tolist()):
        mine, theirs = int(classes.mine[p, j]), int(classes.theirs[j, e])
        graded = np.flatnonzero(least.graded == j)
        if mine == NO_CLASS or (kind == EQUAL and theirs == NO_CLASS):
            total += int(least.missing[j])
        elif kind == EQUAL:
            total += MISMATCH * (mine != theirs)
        else:
            total += int(least.digits[graded[0], mine, theirs])
    return total


def expected(scanned, end=PUF):
    """What the scan lets through of PUF rows before `end`, by definition."""
    _, _, cutoffs, (classes, scorer, least, _, _) = scanned
    told = []
    for p in range(BASE, end):
        limit = limit_of(cutoffs[p - BASE], least.cost, least.grain)
        own = [(p, e, at_least(classes, scorer, least, p, e)) for e in range(EIF)]
        # Beyond what a counter holds nothing is ruled out, and nothing is known.
        blind = limit > MOST_LIMIT
        told += [(p, e, 0 if blind else total) for p, e, total in own if blind or total < limit]
    return told


def test_all_that_scores_less_than_the_limit_at_least_is_let_through(scanned):
    _, _, cutoffs, (_, _, least, _, _) = scanned
    limits = [limit_of(cutoff, least.cost, least.grain) for cutoff in cutoffs.tolist()]
    assert min(limits) <= 0 < MOST_LIMIT < max(limits)
    found, _ = candidates(scanned, PUF * SIZE * 64)
    assert sorted(found) == expected(scanned)


def with_limits(scanned, limits):
    """Cutoffs of PUF rows that lead to some limits, over and over."""
    least = scanned[3][2]
    limits = np.resize(limits, PUF - BASE)
    cutoffs = -(-(limits - 1) * least.cost // MISMATCH) + 1
    assert [limit_of(cutoff, least.cost, least.grain) for cutoff in cutoffs] == limits.tolist()
    return (*scanned[:2], cutoffs, scanned[3])


def test_each_limit_and_each_tile_counts_from_a_start_of_its_own(scanned):
    middle = 30 if len(scanned[1].kind) < 9 else 170
    # Some share a slot, some are numbers of tiles.
    limits = [middle, middle + 8, MOST_LIMIT, middle + 1, middle + 16, 1, middle + 2]
    changed = with_limits(scanned, limits)
    tiles = [(middle + word, [word]) for word in range(SIZE)]
    found, _ = candidates(changed, PUF * SIZE * 64, tiles)
    assert sorted(found) == expected(changed)


def test_a_tile_may_be_as_wide_as_a_counter(scanned):
    changed = with_limits(scanned, [30 if len(scanned[1].kind) < 9 else 140])
    words, rows = np.arange(WORDS) % SIZE, 3
    found, _ = candidates(changed, 64 * WORDS * rows, [(1, words)], rows)
    times = np.bincount(words)
    assert sorted(found) == [
        pair for pair in expected(changed, BASE + rows) for _ in range(times[pair[1] // 64])
    ]


def test_what_passes_is_let_through_and_bounded_from_below(scanned):
    records, scorer, cutoffs, _ = scanned
    every = np.array([(p, e) for p in range(BASE, PUF) for e in range(EIF)])
    units = np.empty(len(every), np.int64)
    score_some(records, scorer, every, len(every), np.full(PUF, 2**62), 0, False, units)  # noqa: FBT003  # numba takes flags by place
    passing = {
        (p, e, u)
        for (p, e), u in zip(every.tolist(), units.tolist(), strict=True)
        if u < cutoffs[p - BASE]
    }
    found, _ = candidates(scanned, PUF * SIZE * 64)
    least = {(p, e): bound for p, e, bound in found}
    cost = scanned[3][2].cost
    assert 0 < len(passing) < len(least) < len(every)
    assert all(least[p, e] * cost <= u * 16 for p, e, u in passing)
