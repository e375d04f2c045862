"""What 64 pairs at a time score at least: a counter of bitmaps rules most of them out.

Categories count as mismatches or missing values, numbers and rules by what their classes score at
least. What the counter lets through waits to be scored exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import (
    CLASSES,
    DIGITS,
    NO_BITS,
    NO_CLASS,
    OVER,
    SUMS,
    WORDS,
    add_digits,
    add_eight,
    add_eight_more,
    draw_digits,
    lowest,
    preload,
)
from reident.kernels.desk import (
    COUNTER,
    MOST_LIMIT,
    STARTS,
    Asked,
    Classes,
    Desk,
    Least,
    fetch,
    limit_of,
)
from reident.kernels.pairs import EQUAL, Scorer

if TYPE_CHECKING:
    from reident.kernels.candidates import Candidates
    from reident.kernels.runs import Block

Ints = npt.NDArray[np.int64]


@compiled
def scan_bounds(
    classes: Classes,
    scorer: Scorer,
    least: Least,
    block: Block,
    asked: Asked,
    at: int,
    end: int,
    cutoffs: Ints,
    size: int,
    now: int,
    desk: Desk,
    candidates: Candidates,
    waiting: int,
) -> tuple[int, int]:
    """Filter a tile of `size` words for asked PUF rows `at` to `end` - 1; `now` numbers the tile.

    What the filter lets through joins the `waiting` candidates. Returns the row before which it
    ran out of room, and how many wait.
    """
    # Plain local arrays: looking into a tuple of arrays for every row costs more than the row.
    tile, filled, source, valid, starts, made, counter, chosen, _, _ = desk
    pairs, bounds = candidates.pairs, candidates.least
    mine, rows, base = classes.mine, asked.rows, asked.base
    first, places, bits, kind = block.first, block.rows, block.bits, scorer.kind
    present = block.present
    graded, digits, missing, numbers = least.graded, least.digits, least.missing, least.classes
    v, held, words = len(first), bits.shape[1], np.uint64(size)
    over, row_size = np.uint64(OVER * WORDS), np.uint64(WORDS)
    one, sixteenths = np.uint64(1), 1 << DIGITS
    if filled[1] != now:
        filled[1] = now
        for q in range(1, 1 + SUMS):
            fetch(bits, q, source, tile, words)
    while at < end:
        if waiting + size * 64 > len(pairs):
            return at, waiting
        p = rows[at]
        at += 1
        limit = limit_of(cutoffs[p - base], least.cost, least.grain)
        whole_limit = limit
        many, gaps = 0, 0
        for j in range(v):
            c = mine[p, j]
            if kind[j] != EQUAL:
                limit -= missing[j] if c == NO_CLASS else 0
                continue
            if c == NO_CLASS:
                # Missing EIF values are counted from the start; those present count here.
                bitmap = present[j]
            elif first[j] >= 0:
                bitmap = first[j] + np.int64(c)
            else:
                continue
            if filled[bitmap] != now:
                filled[bitmap] = now
                fetch(bits, bitmap, source, tile, words)
            if c != NO_CLASS or missing[j] == sixteenths:
                chosen[many] = np.uint64(bitmap * WORDS)
                many += 1
            else:
                chosen[len(chosen) - 1 - gaps] = np.uint64(j)
                gaps += 1
        if limit <= 0:
            continue
        if limit <= MOST_LIMIT:
            slot = limit % STARTS
            start = np.uint64(slot * COUNTER)
            if made[slot, 0] != now or made[slot, 1] != limit:
                made[slot, 0], made[slot, 1] = now, limit
                preload(MOST_LIMIT - limit, tile, row_size, row_size, 0, words, starts, start)
            for q in range(NO_BITS, np.uint64(DIGITS) * row_size, row_size):
                for w in range(words):
                    counter[q + w] = starts[start + q + w]
            while many % 8 or not many:
                # Row 0 is empty: nothing is added.
                chosen[many] = NO_BITS
                many += 1
            add_eight(tile, chosen, 0, words, starts, start, counter)
            for k in range(8, many, 8):
                add_eight_more(tile, chosen, k, words, counter)
            for k in range(gaps):
                gap = np.int64(chosen[len(chosen) - 1 - k])
                plane = held + (len(graded) * CLASSES + gap) * DIGITS
                if filled[plane] != now:
                    filled[plane] = now
                    for q in range(DIGITS):
                        target = np.uint64((plane + q) * WORDS)
                        origin = np.uint64(present[gap] * WORDS if missing[gap] >> q & 1 else 0)
                        for w in range(words):
                            tile[target + w] = tile[origin + w]
                add_digits(tile, np.uint64(plane * WORDS), words, counter)
            for k in range(len(graded)):
                variable = graded[k]
                c = mine[p, variable]
                if c == NO_CLASS:
                    continue
                plane = held + (k * CLASSES + np.int64(c)) * DIGITS
                if filled[plane] != now:
                    filled[plane] = now
                    ranges, size_of = first[variable], numbers[variable] - 1
                    if filled[ranges] != now:
                        filled[ranges] = now
                        for t in range(size_of):
                            fetch(bits, ranges + t, source, tile, words)
                    draw_digits(digits[k, c], ranges, size_of, tile, plane, words)
                add_digits(tile, np.uint64(plane * WORDS), words, counter)
        else:
            for w in range(words):
                counter[over + w] = NO_BITS
        for w in range(words):
            left = ~counter[over + w] & valid[w]
            while left:
                bit = lowest(left)
                i = source[w] * 64 + bit
                left &= left - one
                counted = NO_BITS
                for q in range(OVER):
                    digit = counter[np.uint64(q * WORDS) + w] >> np.uint64(bit) & one
                    counted |= digit << np.uint64(q)
                # Counting began where whatever reaches the cutoff overflows.
                bound = np.int64(counted) + whole_limit - MOST_LIMIT if limit <= MOST_LIMIT else 0
                pairs[waiting, 0], pairs[waiting, 1] = p, places[i]
                bounds[waiting] = bound
                waiting += 1
    return at, waiting
