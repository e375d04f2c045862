"""Meeting everyone by sums of points keeps what plain ranks keep, wherever a row begins."""

import numba
import numpy as np
import polars as pl
import pytest

import reident as ri
from block_files import kept
from reident.attacks import index, lookups
from reident.attacks.pairwise import scorer
from reident.kernels import pointwise, shortlist
from reident.kernels.pairs import EQUAL, LISTED, Records, score_some
from reident.kernels.points import MOST_LIMIT, STEP, Points, add_last
from reident.kernels.pointwise import (
    begin_row,
    clear_table,
    count_left,
    lay_out,
    note_left,
    prepare,
    scan_points,
    settle_points,
)

PUF, KEEP = 24, 3


@pytest.fixture(scope="module", autouse=True)
def _little_room():
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(pointwise, "ROWS", 128)
            patch.setattr(pointwise, "ENOUGH", 20)
            patch.setattr(pointwise, "SPARE", 1 - KEEP)
            patch.setattr(pointwise, "TIMES", 9)
        yield


def people(key, strata):
    """Records of so many strata; some values are missing, few records are alike."""
    draw = np.random.default_rng(len(key))
    stratum = np.repeat(np.arange(len(strata)), strata)
    table = {name: draw.integers(900, size=len(stratum)).astype(float) for name in "xy"}
    table |= {name: draw.integers(4, size=len(stratum)).astype(str) for name in "abcdef"}
    cells = {
        name: [None if hidden else cell for cell, hidden in zip(own, gone, strict=True)]
        for name, own in table.items()
        for gone in [draw.random(len(stratum)) < 0.1]
    }
    return pl.DataFrame({key: range(len(stratum)), "s": stratum.astype(str)} | cells, strict=False)


RULES = {
    "x": {"difference": [[3, 5], [20, 4], [80, 2]]},
    "y": {"ratio": [[0.02, 5], [0.1, 3], [0.25, 1]]},
    "a": {"table": [["0", "1", 3], ["2", "3", 1]]},
    "b": {"table": [["0", "3", 4]]},
    "c": {"equal": 5},
    "d": {"equal": 3},
    "e": {"equal": 5},
    "f": {"equal": 5},
}


@pytest.fixture(scope="module", params=["xyabcdef", "xa", "x"])
def scanned(request):
    """What a study asks of the scan, and all scores: strata of two tiles and a row, and of one."""
    asked = []
    rows = 2 * pointwise.ROWS + 1, pointwise.ROWS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "WORTHWHILE", 0)
        patch.setattr(index, "MOST_READ", 0.0)
        patch.setattr(lookups, "scan_points", lambda *arguments: asked.append(arguments))
        names = request.param
        ri.Study(
            puf=ri.PublicFile(people("p", (PUF // 2, PUF // 2)), key="p"),
            eif=ri.IntruderFile(people("eif", rows), key="eif"),
            variables=[ri.numeric(n) if n in "xy" else ri.categorical(n) for n in names],
            strata=["s"],
            attacks={"attack": ri.AdHoc({n: RULES[n] for n in names}, keep=KEEP, threshold=0)},
        ).run(jobs=1)
    # Two tasks, a stratum each: together all PUF rows.
    records, judged, points, stratum, meets, _, _ = (
        np.concatenate(parts) if isinstance(parts[0], np.ndarray) else parts[-1]
        for parts in zip(*asked[-2:], strict=True)
    )
    records = records._replace(puf=np.concatenate([one[0].puf for one in asked[-2:]]))
    points = points._replace(mine=np.concatenate([one[2].mine for one in asked[-2:]]))
    assert len(points.mine) == len(stratum)
    every = np.array([(p, e) for p in range(len(stratum)) for e in range(len(records.eif))])
    units = np.empty(len(every), np.int64)
    never = np.full(len(stratum), 2**62)
    score_some(records, judged, every, len(every), never, 0, False, units)  # noqa: FBT003  # numba takes flags by place
    return units.reshape(len(stratum), -1), (records, judged, points, stratum, meets)


def test_wherever_a_row_begins_it_finds_its_nearest_rows_of_its_stratum(scanned):
    units, known = scanned
    meets, point = known[-1], known[2].point
    # Of rows that are alike some are left out: there are more such where few variables are.
    assert meets[0, 1] % pointwise.ROWS == 1 or len(known[2].theirs) < len(RULES)
    ends = np.arange(0, meets[:, 1].max() + pointwise.ROWS, pointwise.ROWS)
    draw = np.random.default_rng(1)
    # Few pairs or all of them: whole points, and a little more.
    limits = [int(np.quantile(units, share)) + 1 for share in (0.002, 0.01, 0.03, 1)]
    limits += [point, point + 1]
    for _ in range(12):
        places = draw.choice(ends, len(units)) + draw.integers(-1, 2, size=len(units))
        cutoffs = draw.choice(limits, size=len(units))
        short = shortlist.empty(cutoffs, KEEP)
        scan_points(*known, places, short)
        for p, size in enumerate(short.size.tolist()):
            found = zip(short.eif[p, :size] - meets[p, 0], short.units[p, :size], strict=True)
            expected, _ = kept(units[p, slice(*meets[p])], KEEP, cutoffs[p])
            assert sorted(found) == expected


def test_where_all_may_be_kept_the_highest_limit_finds_all(scanned):
    units, known = scanned
    meets, cutoff = known[-1], MOST_LIMIT * known[2].point
    assert units.max() < cutoff
    keep = int((meets[:, 1] - meets[:, 0]).max()) + 1
    short = shortlist.empty(np.full(len(units), cutoff), keep)
    scan_points(*known, meets[:, 0].copy(), short)
    for p, (first, last) in enumerate(meets.tolist()):
        size = last - first
        assert short.size[p] == size
        found = np.argsort(short.eif[p, :size])
        assert short.eif[p, found].tolist() == list(range(first, last))
        assert short.units[p, found].tolist() == units[p, first:last].tolist()


def test_rows_that_cannot_pass_find_nothing(scanned):
    units, known = scanned
    short = shortlist.empty(np.zeros(len(units), np.int64), KEEP)
    scan_points(*known, known[-1][:, 0].copy(), short)
    assert not short.size.any()


def test_sums_of_the_first_variables_go_on_from_the_row_before(scanned):
    _, (_, _, points, _, _) = scanned
    mine, first = points.mine, points.first
    table = clear_table(first)
    table.used[:] = True
    for start, stop in ((0, 90), (90, 200)):
        lay_out(points, start, stop, table)
        theirs = points.theirs[:, start:stop]
        words = np.uint64(2)
        for p in (0, 1, 2, 1, 5, 20, 5):
            lost = np.array([points.losses[j, c][theirs[j]] for j, c in enumerate(mine[p])])
            least = prepare(
                mine, p, first, words, table.planes, table.nearest, table.stack, table.classes,
                table.reached, table.at,
            )  # fmt: skip
            assert least == lost.min(axis=1).sum()
            for limit in range(1, 40):
                add_last(table.planes, table.at, words, table.stack[-STEP:], limit, table.left)
                assert count_left(table.left, words) == (lost.sum(axis=0) < limit).sum()


@pytest.mark.parametrize("sums", [range(70), [5, 62, 63, 69], [69]])
@pytest.mark.parametrize("limit", [1, 6, 63, MOST_LIMIT])
@pytest.mark.parametrize("keep", [1, KEEP, 80])
def test_whatever_limit_is_guessed_the_nearest_rows_of_a_tile_are_found(sums, limit, keep):
    # Nine variables lose 7 points, six a single one.
    lost = np.repeat([7, 1], [9, 6])
    sums = np.array(sums)
    sevens, ones = np.arange(9) < sums[:, None] // 7, np.arange(6) < sums[:, None] % 7
    theirs = np.concatenate([sevens, ones], axis=1)
    assert np.array_equal(theirs @ lost, sums)
    mine, losses = np.zeros((1, 15), np.int32), np.zeros((15, 1, 2), np.uint8)
    losses[:, 0, 1] = lost
    none = np.zeros((0, 15))
    records = Records(mine, theirs.astype(np.int32), none, none)
    judged = scorer([EQUAL] * 15, [0] * 15, lost)
    points = Points(
        mine.astype(np.uint8), theirs.T.astype(np.uint8), losses, np.arange(16), np.arange(1), 1
    )
    table, words = clear_table(points.first), np.uint64((len(sums) + 63) // 64)
    table.used[:] = True
    lay_out(points, 0, len(sums), table)
    prepare(
        points.mine, 0, points.first, words, table.planes, table.nearest, table.stack,
        table.classes, table.reached, table.at,
    )  # fmt: skip
    nearest, cutoff = kept(sums, keep, limit)
    for guess in (1, 2, 5, 30, 62, 63, MOST_LIMIT):
        short = shortlist.empty(np.array([limit]), keep)
        told = begin_row(records, judged, table, 0, 0, words, limit, guess, 1, short)
        size = short.size[0]
        found = zip(short.eif[0, :size].tolist(), short.units[0, :size].tolist(), strict=True)
        assert sorted(found) == nearest
        assert short.cutoff[0] == cutoff
        # Whoever has fewer points than the cutoff has been let through.
        assert cutoff <= told <= limit


def test_pairs_that_wait_are_scored_exactly(scanned):
    units, (records, judged, _, _, _) = scanned
    draw = np.random.default_rng(2)
    pairs = np.stack([np.sort(draw.integers(len(units), size=300)), np.arange(300)], axis=1)
    short = shortlist.empty(np.full(len(units), 2**62), 300)
    out = np.full(400, 99, np.int64)
    settle_points(records, judged, pairs, out, 300, short)
    assert np.array_equal(out[:300], units[pairs[:, 0], pairs[:, 1]])
    assert (out[300:] == 99).all()
    assert short.size.sum() == 300
    for p, e in pairs:
        assert units[p, e] in short.units[p, : short.size[p]][short.eif[p, : short.size[p]] == e]


def test_listed_codes_are_found_wherever_they_stand():
    # PUF code a lists the first a odd codes.
    listed = np.concatenate([2 * np.arange(a) + 1 for a in range(8)])
    judged = scorer([LISTED], [70], [90])._replace(
        bounds=np.cumsum([0, *range(8)]),
        low=listed.astype(np.int32),
        high=listed.astype(np.int32),
        units=np.arange(len(listed)),
    )
    mine, theirs = (np.arange(*ends, dtype=np.int32)[:, None] for ends in ((0, 8), (-1, 18)))
    records = Records(mine, theirs, np.zeros((0, 1)), np.zeros((0, 1)))
    pairs = np.array([(p, e) for p in range(len(mine)) for e in range(len(theirs))])
    out = np.zeros(len(pairs), np.int64)
    short = shortlist.empty(np.zeros(len(mine), np.int64), 1)
    settle_points(records, judged, pairs, out, len(pairs), short)
    for (p, e), units in zip(pairs, out.tolist(), strict=True):
        b = int(theirs[e, 0])
        own = listed[judged.bounds[p] : judged.bounds[p + 1]].tolist()
        here = judged.bounds[p] + own.index(b) if b in own else 90
        assert units == (70 if b < 0 else here)


def test_what_passed_is_noted_in_order():
    left = np.array([0, 1 << 63 | 5, 0, 2, 7], np.uint64)
    pairs = np.full((9, 2), 99)
    assert count_left(left, np.uint64(4)) == 4
    assert note_left(left, np.uint64(4), 8, 1000, pairs, 2) == 6
    assert pairs[2:6].tolist() == [[8, 1064], [8, 1066], [8, 1127], [8, 1193]]
    assert (pairs[[0, 1, 6, 7, 8]] == 99).all()
