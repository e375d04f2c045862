"""A scan lets through what scores too little at least, and says so; out of room, it says where."""

import numpy as np
import polars as pl
import pytest

import reident as ri
from reident.attacks import index
from reident.kernels.bitmaps import NO_CLASS
from reident.kernels.bounds import scan_bounds
from reident.kernels.candidates import Candidates
from reident.kernels.desk import MOST_LIMIT, Asked, clear_desk, limit_of
from reident.kernels.everyone import show_words
from reident.kernels.pairs import EQUAL, score_some

PUF, EIF, BASE = 24, 150, 3
SIZE = 3
"""Words that hold the EIF rows."""
MISMATCH = 16


def people(key, records, seed):
    draw = np.random.default_rng(seed)
    table = {
        "x": draw.integers(30, size=records).astype(float),
        "a": draw.integers(4, size=records).astype(str),
        "b": draw.integers(3, size=records).astype(str),
        "c": draw.integers(2, size=records).astype(str),
    }
    gone = {name: draw.random(records) < 0.2 for name in table}
    cells = {
        name: [None if hidden else value for value, hidden in zip(values, gone[name], strict=True)]
        for name, values in table.items()
    }
    return pl.DataFrame({key: range(records)} | cells, strict=False)


@pytest.fixture
def scanned(monkeypatch):
    """What a study of a few records asks of the scan that meets everyone."""
    asked = []
    monkeypatch.setattr(index, "WORTHWHILE", 0)
    monkeypatch.setattr(index, "MOST_READ", 0.0)
    monkeypatch.setattr(index, "scan_everyone", lambda *arguments: asked.append(arguments))
    ri.Study(
        puf=ri.PublicFile(people("p", PUF, 1), key="p"),
        eif=ri.IntruderFile(people("e", EIF, 2), key="e"),
        variables=[ri.numeric("x"), *(ri.categorical(name) for name in "abc")],
        attacks={"euclidean": ri.Euclidean(missing_score=0.3)},
    ).run(jobs=1)
    records, classes, scorer, least, block, _, rows, short = asked[-1]
    # From row BASE on: cutoffs that nothing is below, that everything is below, and between.
    asked = Asked(
        np.arange(BASE, PUF), np.zeros(PUF, np.int64), np.zeros(PUF, np.bool_), rows.stratum, BASE
    )
    share = np.array([0.2, 1.0, 0.6, 2.0**20, 0.2, 0.0])[np.arange(PUF - BASE) % 6]
    cutoffs = (short.cutoff.max() * share).astype(np.int64)
    return records, scorer, cutoffs, (classes, scorer, least, block, asked)


def candidates(scanned, room):
    """All that the scan lets through, emptied whenever it runs out of room; and how often."""
    _, _, cutoffs, (classes, scorer, least, block, asked) = scanned
    desk = clear_desk(len(block.bits), len(least.graded), len(block.first))
    assert show_words(0, EIF, desk.source, desk.valid) == SIZE
    pairs, bounds = np.empty((room, 2), np.int64), np.empty(room, np.int64)
    held = Candidates(pairs, bounds, np.empty((0, 2), np.int64), np.empty(0, np.int64))
    found, at, turns, end = [], 0, 0, PUF - BASE
    while at < end:
        at, waiting = scan_bounds(
            classes, scorer, least, block, asked, at, end, cutoffs, SIZE, 1, desk, held, 0
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


def test_all_that_scores_less_than_the_limit_at_least_is_let_through(scanned):
    _, _, cutoffs, (classes, scorer, least, _, _) = scanned
    limits = [limit_of(cutoff, least.cost, least.grain) for cutoff in cutoffs.tolist()]
    assert min(limits) <= 0 < MOST_LIMIT < max(limits)
    expected = []
    for p in range(BASE, PUF):
        limit = limits[p - BASE]
        own = [(p, e, at_least(classes, scorer, least, p, e)) for e in range(EIF)]
        # Beyond what a counter holds nothing is ruled out, and nothing is known.
        blind = limit > MOST_LIMIT
        expected += [(p, e, 0 if blind else total) for p, e, total in own if blind or total < limit]
    found, _ = candidates(scanned, PUF * SIZE * 64)
    assert sorted(found) == expected


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
