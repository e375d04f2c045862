"""What boxes hold, what a box scores at least, and that a search finds what is kept."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from block_files import kept
from reident.attacks.pairwise import scorer
from reident.kernels import shortlist
from reident.kernels.boxes import (
    BITS,
    UNCUT,
    cut,
    grow,
    homes,
    least_apart,
    least_units,
    search,
    survey,
    widest,
)
from reident.kernels.pairs import (
    DISTANCE,
    EQUAL,
    ONE,
    Records,
    floors,
    gap,
    score_some,
    squared,
    steepness,
)

GONE = np.uint64(1) << np.uint64(BITS)
NUMBERS = [-3.0, 0.0, 0.5, 0.5000001, 2.0, 40.0, 1e300]
KINDS = [DISTANCE, EQUAL, DISTANCE]


def judged(rows, kinds=KINDS, sds=(1.5, 0.0, 0.0), missing=ONE // 4):
    """A scorer of one scale: the second number does not vary by its scale."""
    v = len(kinds)
    sd = np.array([sds[:v]])
    return scorer(kinds, [missing] * v, [ONE] * v)._replace(
        sd=sd, steep=steepness(sd), scale=np.zeros(rows, np.int64), floor=floors()
    )


def drawn(seed, mine, theirs, kinds=KINDS, categories=4):
    """Records of both files: numbers, codes beside them, categories, missing values, twins."""
    draw = np.random.default_rng(seed)
    sides = []
    for rows in (mine, theirs):
        codes = np.empty((rows, len(kinds)), np.int32)
        for j, kind in enumerate(kinds):
            own = draw.integers(categories, size=rows)
            if kind == DISTANCE:
                own = draw.choice([0, 0, 0, 0, 1, 2], size=rows)
            codes[:, j] = np.where(draw.random(rows) < 0.15, -1, own)
        sides.append((codes, draw.choice(NUMBERS, size=codes.shape)))
    (puf, x), (eif, y) = sides
    return Records(puf, eif, x, y), judged(mine, kinds)


def units_of(records, known):
    """Exact units of all pairs."""
    p, e = len(records.puf), len(records.eif)
    pairs = np.stack(np.meshgrid(np.arange(p), np.arange(e), indexing="ij"), -1).reshape(-1, 2)
    out = np.empty(len(pairs), np.int64)
    score_some(records, known, pairs, len(pairs), np.full(p, 2**62), 0, False, out)  # noqa: FBT003  # numba takes flags by place
    return out.reshape(p, e)


def least(records, known, boxes, p, b, cutoff=2**62):
    return least_units(
        records.puf, records.puf_numbers, p, known.kind, known.missing, known.other, known.steep[0],
        known.floor, boxes.low, boxes.high, boxes.held, b, cutoff,
    )  # fmt: skip


def nearest(records, known, p, rows):
    """What PUF row p scores with the nearest values of some rows, variable by variable."""
    total = 0
    for j, kind in enumerate(KINDS):
        a, x = records.puf[p, j], records.puf_numbers[p, j]
        cells = list(zip(records.eif[rows, j], records.eif_numbers[rows, j], strict=True))
        numbers = [y for b, y in cells if kind == DISTANCE and b == 0]
        if a < 0:
            total += known.missing[j]
            continue
        units = [known.missing[j] for b, _ in cells if b < 0]
        if kind == DISTANCE and a == 0:
            units += [known.other[j] for b, _ in cells if b > 0]
            units += [squared(gap(x, y, known.sd[0, j])) for y in numbers]
            if numbers and min(numbers) <= x <= max(numbers):
                units.append(0)
        else:
            units += [known.other[j] * (a != b) for b, _ in cells if b >= 0]
        total += min(units)
    return total


SEEDS = st.integers(0, 2**32)


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 60), st.sampled_from([1, 2, 5]), st.sampled_from([2, 70]))
def test_boxes_hold_their_rows_and_halves_share_them(seed, rows, most, categories):
    records, known = drawn(seed, 1, rows, categories=categories)
    order, roots = np.arange(rows), np.unique([0, rows // 3, rows])
    boxes = grow(records, known, order, roots, most)
    assert sorted(order) == list(range(rows))
    assert boxes.span[: len(roots) - 1].tolist() == list(map(list, pairwise(roots)))
    depth = np.zeros(len(boxes.span), int)
    for b, (first, last) in enumerate(boxes.span.tolist()):
        half = boxes.halves[b]
        own = order[first:last]
        low, high = np.empty((2, 3))
        held = np.empty(3, np.uint64)
        survey(records.eif, records.eif_numbers, known.kind, own, low, high, held)
        assert (boxes.low[b].tolist(), boxes.high[b].tolist()) == (low.tolist(), high.tolist())
        assert boxes.held[b].tolist() == held.tolist()
        if half == UNCUT:
            assert last - first <= most or widest(known, low, high, held) < 0
            continue
        assert last - first > most
        (start, middle), (then, stop) = boxes.span[half : half + 2].tolist()
        assert (first, last) == (start, stop)
        assert first < middle == then < last
        depth[half : half + 2] = depth[b] + 1
    assert boxes.deep == depth.max()
    assert (boxes.halves == UNCUT).sum() * 2 == len(boxes.span) + len(roots) - 1


def test_a_survey_tells_ranges_and_codes():
    codes = np.array([[0, 3, 1], [0, -1, 0], [-1, 65, 0], [0, 7, 0]], np.int32)
    numbers = np.array([[2.0, 9, 9], [-1.0, 9, 5], [99.0, 9, 4], [7.0, 9, 6]])
    low, high = np.empty((2, 3))
    held = np.empty(3, np.uint64)
    survey(codes, numbers, np.array(KINDS), np.array([0, 1, 2]), low, high, held)
    assert low.tolist() == [-1.0, 3.0, 4.0]
    assert high.tolist() == [2.0, 65.0, 5.0]
    assert held.tolist() == [GONE, GONE | np.uint64(1 << 3 | 1 << 2), 1 << 1]
    survey(codes, numbers, np.array(KINDS), np.array([2]), low, high, held)
    assert (low[0], high[0], held[0]) == (np.inf, -np.inf, GONE)


@pytest.mark.parametrize(
    ("low", "high", "held", "expected"),
    [
        ([1, 2, 5], [1, 2, 5], [0, 1 << 2, 0], -1),  # nothing differs
        ([1, 2, 5], [1.5, 2, 5], [0, 1 << 2, 0], 0),  # numbers alone do
        ([1, 2, 5], [1.5, 3, 5], [0, 3 << 2, 0], 1),  # a category is more than numbers
        ([1, 2, 5], [1.5, 2, 5], [0, GONE | np.uint64(1 << 2), 0], 1),  # so is a missing value
        ([1, np.inf, 5], [1.5, -np.inf, 5], [0, GONE, 0], 0),  # where not all are missing
        ([1, 2, 5], [99, 2, 5], [0, GONE | np.uint64(1 << 2), 0], 0),  # but not more than far apart
        ([1, 2, 5], [1.5, 2, 5], [0, 1 << 2, 1 << 1], 2),  # a code beside numbers
        ([1, np.inf, np.inf], [1, -np.inf, -np.inf], [0, GONE, GONE | np.uint64(2)], 2),
        ([1, np.inf, np.inf], [1, -np.inf, -np.inf], [0, GONE, 3 << 1], -1),  # codes cannot be cut
        ([1, 2, 5], [1, 2, 5], [GONE, 1 << 2, 0], 0),  # missing beside numbers
    ],
)
def test_boxes_are_cut_where_rows_can_differ_most(low, high, held, expected):
    found = widest(
        judged(1), np.array(low, float), np.array(high, float), np.array(held, np.uint64)
    )
    assert found == expected


def test_numbers_weigh_by_half_of_their_range():
    """Half way from either end is what a value in the middle is off by at most."""
    known = judged(1, [DISTANCE, EQUAL], sds=(2.0, 0.0), missing=0)
    for missing, expected in ((0, 0), (-1, 0), (1, 1)):
        units = squared(6.0 / 4) + missing
        own = known._replace(missing=np.array([0, units]))
        held = np.array([0, GONE | np.uint64(1)], np.uint64)
        assert widest(own, np.array([1.0, 0.0]), np.array([7.0, 0.0]), held) == expected


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 50), st.sampled_from([0, 1, 2]))
def test_a_cut_leaves_equal_values_together_and_half_on_both_sides(seed, rows, j):
    records, _ = drawn(seed, 1, rows)
    codes, numbers = records.eif[:, j], records.eif_numbers[:, j]
    measured = KINDS[j] == DISTANCE
    values = (
        np.where(codes < 0, -np.inf, np.where(codes > 0, np.inf, numbers)) if measured else codes
    )
    values = np.where(codes < 0, -np.inf, values)
    if len(set(values.tolist())) == 1:
        return
    order = np.random.default_rng(seed).permutation(rows)
    before = order.copy()
    at = cut(records.eif, records.eif_numbers, measured, j, order)
    assert 0 < at < rows
    first, second = order[:at], order[at:]
    assert values[first].max() < values[second].min()
    # Rows keep their turn, and no other cut is nearer to the middle.
    assert first.tolist() == [row for row in before if values[row] <= values[first].max()]
    assert second.tolist() == [row for row in before if values[row] >= values[second].min()]
    ends = np.cumsum(np.unique(values, return_counts=True)[1])[:-1]
    pivot = np.sort(values)[rows // 2]
    beside = [end for end in ends if end in {(values < pivot).sum(), (values <= pivot).sum()}]
    assert abs(at - rows // 2) == min(abs(end - rows // 2) for end in beside)


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 40), st.sampled_from([2, 70]))
def test_no_row_of_a_box_scores_less_than_the_box(seed, rows, categories):
    records, known = drawn(seed, 12, rows, categories=categories)
    units = units_of(records, known)
    order = np.arange(rows)
    boxes = grow(records, known, order, np.array([0, rows]), 1)
    for p in range(12):
        for b, (first, last) in enumerate(boxes.span.tolist()):
            bound = least(records, known, boxes, p, b)
            own = units[p, order[first:last]]
            assert bound <= own.min()
            # It may stop short of that once it is enough.
            assert least(records, known, boxes, p, b, cutoff=bound) == bound
            assert min(bound, ONE // 8) <= least(records, known, boxes, p, b, ONE // 8) <= bound
            if categories < BITS:
                # But for what the floors of numbers leave out it is what its values say.
                apart = nearest(records, known, p, order[first:last])
                assert 0 <= apart - bound < ONE // 100


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 80), st.sampled_from([1, 2, 8]), st.sampled_from([1, 3]))
def test_a_search_finds_what_is_kept(seed, rows, most, keep):
    records, known = drawn(seed, 20, rows)
    units = units_of(records, known)
    order, starts = np.arange(rows), np.unique([0, rows // 2, rows])
    boxes = grow(records, known, order, starts, most)
    mine = records._replace(eif=records.eif[order], eif_numbers=records.eif_numbers[order])
    draw = np.random.default_rng(seed)
    asked = draw.permutation(np.arange(4, 20))
    roots = draw.integers(len(starts) - 1, size=len(asked))
    cutoffs = draw.choice([0, 1, ONE // 4, ONE, 9 * ONE], size=16)
    short = shortlist.empty(cutoffs, keep)
    looked = search(mine, known, boxes, asked, roots, 4, short)
    met = int((starts[roots + 1] - starts[roots]).sum())
    assert 0 <= looked <= met
    all_kept = shortlist.empty(np.full(16, 9 * ONE), rows)
    assert search(mine, known, boxes, asked, roots, 4, all_kept) == met == all_kept.size.sum()
    at = homes(mine, known, boxes, asked, roots)
    for p, root, home in zip(asked.tolist(), roots.tolist(), at.tolist(), strict=True):
        own = order[starts[root] : starts[root + 1]]
        size = short.size[p - 4]
        found = zip(order[short.eif[p - 4, :size]], short.units[p - 4, :size], strict=True)
        expected, cutoff = kept(units[p, own], keep, cutoffs[p - 4])
        assert sorted(found) == sorted((int(own[place]), one) for place, one in expected)
        assert short.cutoff[p - 4] == cutoff
        # Nobody else's home is nearer by the way that leads there.
        b = root
        while boxes.halves[b] != UNCUT:
            one, two = (least(mine, known, boxes, p, boxes.halves[b] + k) for k in (0, 1))
            b = boxes.halves[b] + (two < one)
        assert home == b


@settings(max_examples=300)
@given(
    st.floats(-1e6, 1e6),
    st.one_of(st.floats(0, 7), st.floats(0, 0.3), st.floats(0, 1e-4)),
    st.one_of(st.floats(1e-3, 1e6), st.just(0.0)),
)
def test_two_numbers_score_at_least_and_hardly_more_than_what_is_said(a, x, sd):
    b = a + x * sd
    units = squared(gap(a, b, sd))
    (steep,) = steepness(np.array([sd]))
    said = least_apart(a, b, steep, floors())
    assert 0 <= said <= units
    assert least_apart(b, a, steep, floors()) == said
    assert units - said <= 4 + units * 0.02


def test_infinite_numbers_end_in_boxes_that_are_not_cut():
    """Numbers beyond the scale of the PUF are infinite; so stand codes and missing values, too."""
    codes = np.zeros((60, 2), np.int32)
    numbers = np.zeros((60, 2))
    codes[::2, 0], numbers[1::2, 0] = -1, -np.inf
    codes[::2, 1], numbers[1::2, 1] = 1, np.inf
    records = Records(np.zeros((3, 2), np.int32), codes, np.ones((3, 2)), numbers)
    known = judged(3, [DISTANCE] * 2, sds=(1.0, 1.0))
    order = np.arange(60)
    boxes = grow(records, known, order, np.array([0, 60]), 16)
    assert boxes.span.tolist() == [[0, 60]]
    short = shortlist.empty(np.full(3, 9 * ONE), 60)
    mine = records._replace(eif=codes[order], eif_numbers=numbers[order])
    search(mine, known, boxes, np.arange(3), np.zeros(3, np.int64), 0, short)
    units = units_of(records, known)
    for p in range(3):
        assert sorted(short.units[p]) == sorted(units[p])


def test_rows_that_are_near_spare_others_a_look():
    rows = 4096
    values = np.random.default_rng(0).permutation(rows).astype(float)[:, None]
    records = Records(
        np.zeros((50, 1), np.int32), np.zeros((rows, 1), np.int32), values[:50] + 0.1, values
    )
    known = judged(50, [DISTANCE], sds=(100.0,))
    order = np.arange(rows)
    boxes = grow(records, known, order, np.array([0, rows]), 16)
    mine = records._replace(eif_numbers=values[order])
    short = shortlist.empty(np.full(50, ONE), 2)
    looked = search(mine, known, boxes, np.arange(50), np.zeros(50, np.int64), 0, short)
    assert looked <= 50 * 3 * 16
