"""Pairs that wait to be scored: all that belong on shortlists get there, whatever their turn."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import candidates, shortlist
from reident.kernels.bitmaps import DIGITS
from reident.kernels.pairs import EQUAL, Records, Scorer

VARIABLES, BASE = 4, 3
MISSING, OTHER = 1, 2
codes = st.tuples(*[st.integers(-1, 1)] * VARIABLES)
pufs = st.lists(codes, min_size=BASE + 1, max_size=BASE + 3)
eifs = st.lists(codes, min_size=3, max_size=8)
keeps, bounds = st.integers(1, 3), st.sampled_from([8, 7, 5, 2])


def ints(*values):
    return np.array(values, np.int64)


def scorer():
    """Categories alone."""
    nothing, short = np.zeros((1, VARIABLES)), np.zeros(0, np.int32)
    missing, other = (ints(*[units] * VARIABLES) for units in (MISSING, OTHER))
    kind, none = ints(*[EQUAL] * VARIABLES), ints()
    return Scorer(
        kind, missing, other, nothing, nothing, ints(0), none, none, none, short, short, none
    )


def files(puf, eif):
    mine, theirs = np.array(puf, np.int32), np.array(eif, np.int32)
    return Records(mine, theirs, np.zeros(mine.shape), np.zeros(theirs.shape))


def units_of(one, other):
    return sum(
        MISSING if min(a, b) < 0 else OTHER * (a != b) for a, b in zip(one, other, strict=True)
    )


@settings(max_examples=100)
@given(pufs, eifs, keeps, bounds, st.data())
def test_candidates_leave_what_all_of_them_in_any_order_would(puf, eif, keep, bound, data):
    """Bounds may be far too low, and stale pairs stand where the next turn is to be written."""
    pairs = [(p, e) for p in range(BASE, len(puf)) for e in range(len(eif))]
    pairs = [pair for pair in pairs if data.draw(st.integers(0, 3))]
    units = [units_of(puf[p], eif[e]) for p, e in pairs]
    least = [
        max(0, (own << DIGITS) // OTHER - data.draw(st.integers(0, 4 << DIGITS))) for own in units
    ]
    stale = np.tile(ints(BASE, len(eif)), (len(pairs), 1))
    held = candidates.Candidates(
        np.array(pairs, np.int64).reshape(-1, 2),
        ints(*least),
        stale,
        np.zeros(len(pairs), np.int64),
    )
    records = files(puf, [*eif, puf[BASE]])
    short = shortlist.empty(np.full(len(puf) - BASE, bound), keep)
    candidates.settle(records, scorer(), held, len(pairs), BASE, OTHER, short)
    for row, p in enumerate(range(BASE, len(puf))):
        found = zip(short.eif[row], short.units[row], strict=True)
        below = {e: own for (q, e), own in zip(pairs, units, strict=True) if q == p and own < bound}
        cutoff = sorted([*below.values(), *[bound] * (keep + 1)])[keep]
        assert dict(list(found)[: short.size[row]]) == {
            e: own for e, own in below.items() if own < cutoff
        }
        assert short.cutoff[row] == cutoff


@settings(max_examples=100)
@given(pufs, eifs, keeps, bounds, st.integers(1, 3), st.data())
def test_a_cutoff_found_beforehand_rules_out_no_pair_that_is_kept(
    puf, eif, keep, bound, reach, data
):
    ends = st.tuples(st.integers(0, 2), st.integers(2, len(eif)))
    meets = data.draw(st.lists(ends, min_size=len(puf), max_size=len(puf)))
    rows = [p for p in range(BASE, len(puf)) if p == BASE or data.draw(st.booleans())]
    places = [data.draw(st.integers(*meets[p])) for p in rows]
    cutoffs = np.full(len(puf) - BASE, bound)
    candidates.seed(
        files(puf, eif), scorer(), ints(*meets), ints(*places), ints(*rows), reach,
        cutoffs, BASE, keep,
    )  # fmt: skip
    for p, cutoff in zip(range(BASE, len(puf)), cutoffs.tolist(), strict=True):
        met = sorted(units_of(puf[p], other) for other in eif[slice(*meets[p])])
        lowest = min([bound, *met[keep : keep + 1]]) if p in rows else bound
        assert lowest <= cutoff <= bound
        assert cutoff == lowest or len(met) > 2 * reach
