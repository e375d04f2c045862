"""Scores of 64 pairs at a time, exact: mismatches and missing values counted by bitmaps.

Where every variable is compared by equality and costs the same, a counter of bitmaps is the score
itself: what it lets through goes straight on a shortlist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import (
    DIGITS,
    NO_BITS,
    NO_CLASS,
    OVER,
    SUMS,
    WORDS,
    add_at,
    add_eight,
    add_eight_more,
    lowest,
    preload,
)
from reident.kernels.desk import (
    COUNTER,
    MOST_LIMIT,
    MOST_SUM,
    STARTS,
    Asked,
    Classes,
    Desk,
    Least,
    fetch,
    limit_of,
)
from reident.kernels.shortlist import put_some

if TYPE_CHECKING:
    from reident.kernels.runs import Block
    from reident.kernels.shortlist import Shortlist

Ints = npt.NDArray[np.int64]


@compiled
def scan_exact(
    classes: Classes,
    least: Least,
    block: Block,
    asked: Asked,
    at: int,
    end: int,
    size: int,
    now: int,
    desk: Desk,
    short: Shortlist,
) -> int:
    """Put pairs of a tile of `size` words on the shortlists of asked PUF rows `at` to `end` - 1.

    `now` numbers the tile. Returns the row before which it stopped because sums are not exact up
    to its cutoff.
    """
    # Plain local arrays: looking into a tuple of arrays for every row costs more than the row.
    tile, filled, source, valid, starts, made, counter, chosen, guess, found = desk
    sizes, eif, scores, cutoffs = short
    mine, rows, base = classes.mine, asked.rows, asked.base
    first, present, places, bits = block.first, block.present, block.rows, block.bits
    missing, cost, low, grain = least.missing, least.cost, least.low, least.grain
    v, keep, words = len(first), eif.shape[1], np.uint64(size)
    over, row_size, one = np.uint64(OVER * WORDS), np.uint64(WORDS), np.uint64(1)
    step = 1 << low
    carry = counter[COUNTER - WORDS :]
    if filled[1] != now:
        filled[1] = now
        for q in range(low, SUMS):
            fetch(bits, 1 + q, source, tile, words)
    while at < end:
        p = rows[at]
        limit = limit_of(cutoffs[p - base], cost, grain)
        limit = (limit + step - 1) >> low << low
        if limit > MOST_SUM:
            return at
        at += 1
        if limit <= 0:
            continue
        many, gaps = 0, 0
        for j in range(v):
            c = mine[p, j]
            if c == NO_CLASS:
                # Missing EIF values are counted from the start; those present count here.
                bitmap = present[j]
                gaps += 1
                chosen[len(chosen) - gaps] = np.uint64(j)
            elif first[j] >= 0:
                bitmap = first[j] + np.int64(c)
                chosen[many] = np.uint64(bitmap) * row_size
                many += 1
            else:
                continue
            if filled[bitmap] != now:
                filled[bitmap] = now
                fetch(bits, bitmap, source, tile, words)
        while many % 8 or not many:
            # Row 0 is empty: nothing is added.
            chosen[many] = NO_BITS
            many += 1
        # More pairs than may be kept below some limit settle it: nothing beyond can be kept.
        trial = min(limit, guess[0])
        while True:
            slot = (trial >> low) % STARTS
            start = np.uint64(slot * COUNTER)
            if made[slot, 0] != now or made[slot, 1] != trial:
                made[slot, 0], made[slot, 1] = now, trial
                preload(MOST_LIMIT - trial, tile, row_size, row_size, low, words, starts, start)
            if gaps:
                for q in range(np.uint64(low) * row_size, np.uint64(DIGITS) * row_size, row_size):
                    for w in range(words):
                        counter[q + w] = starts[start + q + w]
            add_eight(tile, chosen, 0, words, starts, start, counter)
            for k in range(8, many, 8):
                add_eight_more(tile, chosen, k, words, counter)
            for k in range(1, gaps + 1):
                gap = np.int64(chosen[len(chosen) - k])
                for q in range(low, DIGITS + 1):
                    if missing[gap] >> q & 1:
                        here = np.uint64(present[gap]) * row_size
                        add_at(tile, here, q, words, counter, carry)
            # All that is left lies just below the overflow: the upper digits are all set.
            top = low
            while 1 << top < trial:
                top += 1
            passed = int(np.int64(0))  # for a plain 0 put_some would be compiled once more
            for w in range(words):
                left = ~counter[over + w] & valid[w]
                while left:
                    bit = lowest(left)
                    left &= left - one
                    counted = np.int64(0)
                    for q in range(low, top):
                        row = np.uint64(q * WORDS) + w
                        # Without gaps the sixteenths stay as they begin.
                        word = counter[row] if gaps or q >= DIGITS else starts[start + row]
                        counted |= np.int64(word >> np.uint64(bit) & one) << q
                    found[passed, 0] = places[source[w] * 64 + bit]
                    found[passed, 1] = (counted + trial - (1 << top)) * cost >> DIGITS
                    passed += 1
            if passed > 2 * keep and trial > step:
                guess[0] = trial - step
            if passed > keep or trial == limit:
                put_some(sizes, eif, scores, cutoffs, p - base, found, passed)
                break
            guess[0] = min(trial + step, MOST_SUM >> low << low)
            trial = min(limit, trial + 2 * step)
    return at
