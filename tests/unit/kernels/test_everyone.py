"""What a tile scores at least is what its nearest row scores at least, and every row is shown."""

import numba
import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reident as ri
from block_files import kept
from reident.attacks import index, lookups
from reident.attacks.pairwise import scorer
from reident.kernels import everyone, shortlist, tiles
from reident.kernels.bitmaps import CLASSES, NO_CLASS
from reident.kernels.desk import Asked, Least, show_words
from reident.kernels.everyone import Crowd, least_by_tiles, near_enough, scan_everyone
from reident.kernels.pairs import EQUAL, STEPS, score_some

MISMATCH = 16
"""Sixteenths of a mismatch."""


KINDS = [EQUAL, STEPS, EQUAL, STEPS, STEPS]


@pytest.fixture(scope="module", autouse=True)
def _little_room():
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(everyone, "ROWS", 64)
            patch.setattr(tiles, "ENOUGH", 20)
        yield


def files():
    """EIF classes in two tiles and a bit: categories, a rule, a constant, two rules more."""
    draw = np.random.default_rng(3)
    rows = everyone.ROWS
    spans = ((0, 3), (2, 9), (1, 2), (0, 9), (0, 9))
    theirs = np.stack([draw.integers(low, high, size=2 * rows + 50) for low, high in spans])
    theirs[0, :rows][theirs[0, :rows] == 2] = NO_CLASS
    theirs[1, rows:] = np.maximum(theirs[1, rows:], 6)
    digits = draw.integers(0, 16, size=(3, CLASSES, CLASSES)).astype(np.uint8)
    missing, graded = np.array([8, 5, 3, 1, 0]), np.array([1, 3, 4])
    least = Least(graded, digits, missing, np.full(5, CLASSES), 1, False, 0, 1)  # noqa: FBT003  # a tuple of many
    return theirs.astype(np.uint8), scorer(KINDS, [1] * 5, [1] * 5), least


def scores(mine, theirs, least):
    """What each EIF row scores at least for the classes of a PUF row, by definition."""
    total = np.zeros(theirs.shape[1], int)
    for j, c in enumerate(mine):
        own = theirs[j].astype(int)
        if c == NO_CLASS:
            total += least.missing[j]
        elif KINDS[j] == STEPS:
            total += least.digits[KINDS[:j].count(STEPS), c][own]
        else:
            total += np.where(own == NO_CLASS, least.missing[j], np.where(own == c, 0, MISMATCH))
    return total


@settings(max_examples=40)
@given(st.lists(st.sampled_from([0, 1, 2, 7, 31, NO_CLASS]), min_size=5, max_size=5))
def test_a_tile_is_as_near_as_its_nearest_classes(mine):
    theirs, judged, least = files()
    nearest = least_by_tiles(theirs, judged, least)
    assert nearest.shape == (3, 5, CLASSES + 1)
    for t in range(3):
        part = theirs[:, t * everyone.ROWS : (t + 1) * everyone.ROWS]
        # Variable by variable: the nearest of one need not be the nearest of another.
        bound = 0
        for j in range(5):
            alone = [NO_CLASS] * 5
            alone[j] = mine[j]
            others = int(least.missing.sum() - least.missing[j])
            bound += int(scores(alone, part, least).min()) - others
        own = np.array(mine, np.uint8)
        assert bound <= scores(mine, part, least).min()
        assert near_enough(own, nearest[t], bound + 1)
        assert not near_enough(own, nearest[t], bound)


@given(st.integers(0, 300), st.integers(1, 300))
@example(0, 63)
@example(3, 61)
@example(64, 1)
def test_words_show_the_rows_asked_for_and_no_others(start, number):
    source, valid = np.zeros(16, np.int64), np.zeros(16, np.uint64)
    size = show_words(start, start + number, source, valid)
    shown = [
        int(source[w]) * 64 + bit
        for w in range(size)
        for bit in range(64)
        if int(valid[w]) >> bit & 1
    ]
    assert shown == list(range(start, start + number))


PUF, KEEP = 12, 3


def people(key, strata):
    """Records of so many strata; some values are missing, few records are alike."""
    draw = np.random.default_rng(len(key))
    stratum = np.repeat(np.arange(len(strata)), strata)
    table = {"x": draw.integers(900, size=len(stratum)).astype(float)}
    table |= {name: draw.integers(4, size=len(stratum)).astype(str) for name in "abcdef"}
    cells = {
        name: [None if hidden else cell for cell, hidden in zip(own, gone, strict=True)]
        for name, own in table.items()
        for gone in [draw.random(len(stratum)) < 0.1]
    }
    return pl.DataFrame({key: range(len(stratum)), "s": stratum.astype(str)} | cells, strict=False)


@pytest.fixture(scope="module", params=["taxicab", "euclidean"])
def scanned(request):
    """What a study asks of the scan, and all scores: strata of two tiles and a row, and of one."""
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "WORTHWHILE", 0)
        patch.setattr(index, "MOST_READ", 0.0)
        patch.setattr(lookups, "scan_everyone", lambda *arguments: asked.append(arguments))
        names = "abcdef" if request.param == "taxicab" else "xabcdef"
        attack = ri.Taxicab if request.param == "taxicab" else ri.Euclidean
        ri.Study(
            puf=ri.PublicFile(people("p", (PUF // 2, PUF // 2)), key="p"),
            eif=ri.IntruderFile(people("eif", (2 * everyone.ROWS + 1, everyone.ROWS)), key="eif"),
            variables=[ri.numeric(n) if n == "x" else ri.categorical(n) for n in names],
            strata=["s"],
            attacks={"attack": attack(keep=KEEP, threshold=0.6)},
        ).run(jobs=1)
    records, classes, judged, least, block, crowd, rows, _ = asked[-1]
    every = np.array([(p, e) for p in range(PUF) for e in range(len(records.eif))])
    units = np.empty(len(every), np.int64)
    score_some(records, judged, every, len(every), np.full(PUF, 2**62), 0, False, units)  # noqa: FBT003  # numba takes flags by place
    known = (records, classes, judged, least, block)
    return units.reshape(PUF, -1), known, crowd.nearest, rows.stratum


@pytest.mark.parametrize("base", [0, 2])
def test_wherever_a_row_begins_it_finds_its_nearest_rows_of_its_stratum(scanned, base):
    units, known, nearest, stratum = scanned
    starts = np.array(known[-1].starts)
    assert starts[1] % everyone.ROWS == 1
    low, high = starts[stratum[:PUF]], starts[stratum[:PUF] + 1]
    ends = np.arange(0, starts[2] + everyone.ROWS, everyone.ROWS)
    # A tenth of the pairs, or all: beyond what bitmaps count exactly.
    some, every = int(np.quantile(units, 0.1)), int(units.max()) << 8
    draw = np.random.default_rng(1)
    for _ in range(12):
        places = np.clip(draw.choice(ends, PUF) + draw.integers(-1, 2, size=PUF), low, high)
        rows = base + np.lexsort((places[base:], stratum[base:PUF]))
        cutoffs = draw.choice([some, every], size=PUF - base)
        short = shortlist.empty(cutoffs, KEEP)
        asked = Asked(rows, stratum[rows], np.ones(len(rows), np.bool_), stratum, base)
        scan_everyone(*known, Crowd(nearest, places), asked, short)
        for p, size in enumerate(short.size.tolist(), start=base):
            own = short.eif[p - base, :size] - low[p]
            found = zip(own, short.units[p - base, :size], strict=True)
            expected, _ = kept(units[p, low[p] : high[p]], KEEP, cutoffs[p - base])
            assert sorted(found) == expected
