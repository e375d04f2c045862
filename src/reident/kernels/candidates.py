"""Pairs that nothing rules out: scored exactly, the ones that look nearest first.

A PUF row's cutoff comes down with every good pair, and most candidates need not be looked at then.
Where it should be low from the start, some rough neighbours are scored beforehand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import DIGITS, WORDS
from reident.kernels.pairs import Records, Scorer, score_some
from reident.kernels.shortlist import Shortlist, put

Ints = npt.NDArray[np.int64]
WAITING = 4 * 64 * WORDS
"""Pairs that may wait to be scored."""


class Candidates(NamedTuple):
    """Pairs (PUF row, EIF row) that wait to be scored, what they score at least, in sixteenths.

    Pairs of a PUF row lie together. Then the pairs whose turn it is, and room for their units.
    """

    pairs: Ints
    least: Ints
    turn: Ints
    units: Ints


@compiled
def no_candidates() -> Candidates:
    """Room for candidates."""
    return Candidates(
        np.empty((WAITING, 2), np.int64),
        np.empty(WAITING, np.int64),
        np.empty((WAITING, 2), np.int64),
        np.empty(WAITING, np.int64),
    )


@compiled
def settle(
    records: Records,
    scorer: Scorer,
    candidates: Candidates,
    size: int,
    base: int,
    cost: int,
    short: Shortlist,
) -> None:
    """Score `size` candidates exactly and put those below their cutoffs on shortlists.

    For each PUF row those that look nearest come first: they bring its cutoff down, and most of
    the others need not be looked at.
    """
    pairs, least, turn, units = candidates
    sizes, held, scores, cutoffs = short
    nearest = np.empty(held.shape[1] + 1, np.int64)
    # Values of a type: for plain ones whatever is called would be compiled once more.
    begin, now, rough = int(np.int64(0)), int(np.int64(0)), bool(np.bool_(False))
    while begin < size:
        end, seen = begin, 0
        while end < size and pairs[end, 0] == pairs[begin, 0]:
            at = min(seen, len(nearest) - 1)
            if seen < len(nearest) or least[end] < nearest[at]:
                while at > 0 and nearest[at - 1] > least[end]:
                    nearest[at] = nearest[at - 1]
                    at -= 1
                nearest[at] = least[end]
                seen = min(seen + 1, len(nearest))
            end += 1
        for i in range(begin, end):
            if least[i] <= nearest[seen - 1]:
                turn[now, 0], turn[now, 1] = pairs[i, 0], pairs[i, 1]
                now += 1
                least[i] = -1
        begin = end
    for sweep in range(2):
        if sweep:
            now = int(np.int64(0))
            for i in range(size):
                if least[i] >= 0 and least[i] * cost < cutoffs[pairs[i, 0] - base] << DIGITS:
                    turn[now, 0], turn[now, 1] = pairs[i, 0], pairs[i, 1]
                    now += 1
        score_some(records, scorer, turn, now, cutoffs, base, rough, units)
        for i in range(now):
            row = turn[i, 0] - base
            if units[i] < cutoffs[row]:
                put(sizes, held, scores, cutoffs, row, turn[i, 1], units[i])


@compiled
def seed(
    records: Records,
    scorer: Scorer,
    meets: Ints,
    places: Ints,
    rows: Ints,
    reach: int,
    cutoffs: Ints,
    base: int,
    keep: int,
) -> None:
    """Bring cutoffs down: score EIF rows near places[k] for PUF row rows[k].

    A pair that scores no better than `keep` + 1 others is never kept, so the worst of any
    `keep` + 1 is a cutoff. No pair is kept here.
    """
    pairs = np.empty((2 * reach, 2), np.int64)
    units = np.empty(2 * reach, np.int64)
    rough, exact = bool(np.bool_(True)), bool(np.bool_(False))
    for k in range(len(rows)):
        p = rows[k]
        begin, end = meets[p]
        last = min(max(places[k] - reach, begin) + 2 * reach, end)
        first = max(last - 2 * reach, begin)
        if last - first <= keep:
            continue
        for e in range(first, last):
            pairs[e - first, 0], pairs[e - first, 1] = p, e
        score_some(records, scorer, pairs, last - first, cutoffs, base, rough, units)
        # Those that look nearest may score a little more than they look.
        pivot = np.partition(units[: last - first], keep)[keep]
        chosen = int(np.int64(0))
        for i in range(last - first):
            if units[i] <= pivot and chosen <= keep:
                pairs[chosen, 1] = pairs[i, 1]
                chosen += 1
        score_some(records, scorer, pairs, chosen, cutoffs, base, exact, units)
        cutoffs[p - base] = min(cutoffs[p - base], units[:chosen].max())
