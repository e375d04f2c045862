"""The scoring kernels, one by one, against what they say they do."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import pairs as kernel
from reident.kernels import shortlist
from reident.kernels.pairs import CAP, DISTANCE, EQUAL, LISTED, ONE, STEPS, Rows, Scorer

MISSING, OTHER = 7, 100
codes_of = st.lists(st.integers(-1, 5), min_size=1, max_size=9)


def ints(*values):
    return np.array(values, np.int64)


def short_ints(*values):
    return np.array(values, np.int32)


def total_of(count):
    """Totals that hold something already, because kernels add."""
    return np.arange(count, dtype=np.int64)


def test_floors_lie_two_units_below_the_scores_of_their_gaps():
    scores = [int(kernel.squared(k / kernel.GRAIN)) for k in range(int(CAP) * kernel.GRAIN + 1)]
    made = kernel.floors.__wrapped__()  # anew, not as it was kept
    assert made.tolist() == [max(0, units - 2) for units in scores]


@pytest.mark.parametrize(
    ("a", "b", "sd", "expected"),
    [
        (1.0, 1.0, 2.0, 0.0),
        (1.0, 4.0, 2.0, 1.5),
        (4.0, 1.0, 2.0, 1.5),
        (0.0, 12.0, 2.0, 6.0),
        (0.0, 11.0, 2.0, 5.5),
        (0.0, 1e300, 1e-300, CAP),
        (3.0, 3.0, 0.0, 0.0),
        (3.0, 3.1, 0.0, CAP),
        (0.0, math.inf, 1.0, CAP),
    ],
)
def test_the_gap_is_the_distance_in_standard_deviations_up_to_the_cap(a, b, sd, expected):
    assert kernel.gap(a, b, sd) == expected


@settings(max_examples=200)
@given(st.floats(0, 6))
def test_a_squared_score_is_rounded_half_even_to_whole_units(x):
    t = math.tanh(x / 2)
    exact = Fraction(t * t) * ONE
    assert kernel.squared(x) == round(exact)


@settings(max_examples=200)
@given(st.floats(0, 1), st.floats(0, 1), st.one_of(st.just(0.0), st.floats(1e-9, 1)))
def test_a_lower_bound_is_never_above_the_score_and_near_it(a, b, sd):
    steep = kernel.steepness(np.array([sd]))[0]
    low = kernel.floors()[kernel.level(a, b, steep)]
    exact = kernel.squared(kernel.gap(a, b, sd))
    assert 0 <= low <= exact
    if sd > 0:
        step = math.tanh(kernel.gap(a, b, sd) / 2) - math.tanh(
            max(0, kernel.gap(a, b, sd) - 2 / kernel.GRAIN) / 2
        )
        assert exact - low <= 2 * step * ONE + 4


@settings(max_examples=100)
@given(a=st.integers(0, 5), codes=codes_of)
def test_equal_adds_nothing_if_equal_other_if_different_and_missing_if_missing(a, codes):
    total = total_of(len(codes))
    kernel.add_equal(total, a, short_ints(*codes), MISSING, OTHER)
    assert (total - total_of(len(codes))).tolist() == [
        MISSING if b < 0 else 0 if a == b else OTHER for b in codes
    ]


def test_distance_adds_the_lower_bound_other_if_not_applicable_and_missing_if_missing():
    codes, numbers = short_ints(0, -1, 2, 0), np.array([1.0, 1.0, 1.0, 40.0])
    steep = kernel.steepness(np.array([1.0]))[0]
    floor = kernel.floors()
    total = total_of(4)
    kernel.add_distance(total, (3.0, steep), codes, numbers, (MISSING, OTHER), floor)
    added = (total - total_of(4)).tolist()
    assert added[1:3] == [MISSING, OTHER]
    assert added[0] == floor[kernel.level(3.0, 1.0, steep)] > 0
    assert added[3] == floor[-1]


@settings(max_examples=100)
@given(
    codes=codes_of,
    ends=st.lists(st.tuples(st.integers(0, 2), st.integers(3, 6)), max_size=3),
    units=st.lists(st.integers(0, 100), min_size=3, max_size=3),
)
def test_steps_add_the_units_of_the_innermost_range_that_holds_the_code(codes, ends, units):
    ends = sorted(ends, key=lambda pair: pair[1] - pair[0])
    # Ranges lie one inside the other, the innermost first.
    low = [min(pair[0] for pair in ends[: k + 1]) for k in range(len(ends))]
    high = [max(pair[1] for pair in ends[: k + 1]) for k in range(len(ends))]
    units = units[: len(ends)]
    total = total_of(len(codes))
    kernel.add_steps(
        total,
        short_ints(*codes),
        short_ints(*low),
        short_ints(*high),
        ints(*units),
        (MISSING, OTHER),
    )
    for place, b in enumerate(codes):
        inside = [u for lo, hi, u in zip(low, high, units, strict=True) if lo <= b < hi]
        expected = MISSING if b < 0 else (inside[0] if inside else OTHER)
        assert total[place] - place == expected


@settings(max_examples=100)
@given(codes=codes_of, listed=st.sets(st.integers(0, 5)))
def test_listed_adds_the_units_of_the_listed_code_and_other_to_the_rest(codes, listed):
    listed = sorted(listed)
    total = total_of(len(codes))
    units = ints(*(10 + code for code in listed))
    kernel.add_listed(total, short_ints(*codes), short_ints(*listed), units, (MISSING, OTHER))
    for place, b in enumerate(codes):
        expected = MISSING if b < 0 else (10 + b if b in listed else OTHER)
        assert total[place] - place == expected


def scorer():
    """One variable of each kind; two scales for the number."""
    sd = np.array([[0, 1.0, 0, 0], [0, 0.25, 0, 0]])
    return Scorer(
        kind=ints(EQUAL, DISTANCE, STEPS, LISTED),
        missing=ints(1, 2, 3, 4),
        other=ints(ONE, ONE, 3000, 4000),
        sd=sd,
        steep=kernel.steepness(sd),
        scale=ints(0, 1, 0),
        floor=kernel.floors(),
        # STEPS has PUF codes 0 and 1, LISTED has one; entries of all of them follow each other.
        start=ints(0, 0, 0, 2),
        bounds=ints(0, 2, 3, 5),
        low=short_ints(1, 0, 2, 0, 3),
        high=short_ints(2, 3, 4, 0, 0),
        units=ints(10, 20, 30, 40, 50),
    )


PUF = Rows(
    codes=np.array([[0, 1, -1], [0, 0, 1], [0, 1, -1], [0, 0, -1]], np.int32),
    numbers=np.array([[0.0] * 3, [0.5, 0.5, 0], [0.0] * 3, [0.0] * 3]),
)
EIF = Rows(
    codes=np.array([[0, 1, -1, 0], [0, 0, -1, 1], [1, 0, 2, 3], [0, 3, 2, -1]], np.int32),
    numbers=np.array([[0.0] * 4, [0.5, 1.5, 0, 0], [0.0] * 4, [0.0] * 4]),
)


def units_by_hand(p, e):
    """What a pair of these files scores, variable by variable."""
    table = scorer()
    a, b = PUF.codes[:, p], EIF.codes[:, e]
    equal = 1 if min(a[0], b[0]) < 0 else (0 if a[0] == b[0] else ONE)
    if min(a[1], b[1]) < 0:
        near = 2
    elif a[1] == b[1] == 0:
        x, y = PUF.numbers[1, p], EIF.numbers[1, e]
        near = round(math.tanh(min(abs(x - y) / table.sd[table.scale[p], 1], 6) / 2) ** 2 * ONE)
    else:
        near = 0 if a[1] == b[1] else ONE
    ranges = {0: [(1, 2, 10), (0, 3, 20)], 1: [(2, 4, 30)]}
    if min(a[2], b[2]) < 0:
        steps = 3
    else:
        steps = next((u for low, high, u in ranges[a[2]] if low <= b[2] < high), 3000)
    listed = 4 if min(a[3], b[3]) < 0 else {0: 40, 3: 50}.get(b[3], 4000)
    return equal + near + steps + listed


PLACES = [(p, e) for p in range(3) for e in range(4)]


RECORDS = kernel.Records(
    *(np.ascontiguousarray(table.T) for table in (PUF.codes, EIF.codes, PUF.numbers, EIF.numbers))
)


def scored(cutoffs, base=0, *, rough=False):
    out = np.zeros(len(PLACES), np.int64)
    places = np.array(PLACES, np.int64)
    cutoffs = np.array(cutoffs)
    kernel.score_some(RECORDS, scorer(), places, len(PLACES), cutoffs, base, rough, out)
    return out.tolist()


def test_single_pairs_score_the_sum_of_their_variables():
    assert scored([1 << 62] * 3) == [units_by_hand(p, e) for p, e in PLACES]


def test_rough_scores_are_near_and_never_above():
    exact = [units_by_hand(p, e) for p, e in PLACES]
    rough = scored([1 << 62] * 3, rough=True)
    assert all(0 <= a - b <= ONE // 100 for a, b in zip(exact, rough, strict=True))
    assert rough != exact


@pytest.mark.parametrize("cutoff", [1, 40, 3003, ONE, 2 * ONE])
def test_single_pairs_may_stop_short_at_their_cutoff_alone(cutoff):
    cutoffs = [cutoff, 1 << 62, cutoff + 1]
    for (p, e), units in zip(PLACES, scored([0, *cutoffs], base=-1), strict=True):
        exact = units_by_hand(p, e)
        assert units == exact if exact < cutoffs[p] else cutoffs[p] <= units <= exact


@settings(max_examples=60)
@given(st.lists(st.sets(st.integers(0, 40), max_size=30), min_size=1, max_size=3))
def test_single_pairs_find_the_units_of_any_listed_code(lists):
    """PUF code a scores 10 a + b with the EIF codes b that it lists, OTHER with the rest."""
    listed = [sorted(codes) for codes in lists]
    table = scorer()._replace(
        kind=ints(LISTED),
        missing=ints(MISSING),
        other=ints(OTHER),
        start=ints(0),
        bounds=np.cumsum([0, *map(len, listed)]),
        low=short_ints(*(b for codes in listed for b in codes)),
        units=ints(*(10 * a + b for a, codes in enumerate(listed) for b in codes)),
    )
    mine, theirs = (np.arange(count, dtype=np.int32)[:, None] for count in (len(lists), 42))
    records = kernel.Records(mine, theirs, np.zeros((1, 1)), np.zeros((1, 1)))
    every = [(a, b) for a in range(len(lists)) for b in range(42)]
    out = np.zeros(len(every), np.int64)
    never = np.full(len(lists), 1 << 62)
    kernel.score_some(records, table, np.array(every), len(every), never, 0, False, out)  # noqa: FBT003  # numba takes flags by place
    assert out.tolist() == [10 * a + b if b in lists[a] else OTHER for a, b in every]


@pytest.mark.parametrize("p", range(3))
def test_lower_bounds_and_what_they_leave_out_add_up_to_the_score(p):
    total = np.full(3, 99, np.int64)  # from EIF row 1 on; what was there before is forgotten
    kernel.add_up(total, PUF, p, EIF, 1, scorer())
    for place, e in enumerate(range(1, 4)):
        more = kernel.above_floor(PUF, p, EIF, e, scorer())
        assert more >= 0
        assert total[place] + more == units_by_hand(p, e)


@pytest.mark.parametrize("bound", [ONE, 2 * ONE, 5 * ONE, 50_000, 10**18])
@pytest.mark.parametrize(
    ("tile", "meets"),
    [
        ((0, 3, 0, 4), [[0, 4]] * 3),
        ((0, 3, 1, 3), [[0, 4]] * 3),
        ((1, 3, 0, 4), [[0, 4], [0, 2], [2, 4]]),
        ((1, 2, 0, 4), [[0, 4], [1, 3], [0, 4]]),
    ],
)
def test_a_tile_shortlists_the_pairs_of_its_rows_that_meet_and_lie_below_the_bound(
    tile, meets, bound
):
    first, last, start, stop = tile
    short = shortlist.empty(np.full(last - first, bound, np.int64), 9)
    kernel.score_tile(
        PUF, EIF, scorer(), np.array(meets, np.int64), np.array(tile, np.int64), short
    )
    for row, p in enumerate(range(first, last)):
        low, high = max(meets[p][0], start), min(meets[p][1], stop)
        expected = {e: units_by_hand(p, e) for e in range(low, high)}
        size = short.size[row]
        found = dict(
            zip(short.eif[row, :size].tolist(), short.units[row, :size].tolist(), strict=True)
        )
        assert found == {e: units for e, units in expected.items() if units < bound}


def test_a_pair_whose_lower_bound_passes_and_whose_score_does_not_is_left_out():
    scale = np.array([[1.0]])
    table = Scorer(
        kind=ints(DISTANCE),
        missing=ints(1),
        other=ints(ONE),
        sd=scale,
        steep=kernel.steepness(scale),
        scale=ints(0),
        floor=kernel.floors(),
        start=ints(0),
        bounds=ints(0),
        low=short_ints(),
        high=short_ints(),
        units=ints(),
    )
    rows = Rows(codes=np.zeros((1, 1), np.int32), numbers=np.array([[0.0]]))
    others = Rows(codes=np.zeros((1, 1), np.int32), numbers=np.array([[0.5 + 1 / 1500]]))
    score = kernel.squared(0.5 + 1 / 1500)
    for bound, expected in ((score, 0), (score + 1, 1)):
        short = shortlist.empty(ints(bound), 5)
        kernel.score_tile(rows, others, table, np.array([[0, 1]]), np.array([0, 1, 0, 1]), short)
        assert short.size[0] == expected
