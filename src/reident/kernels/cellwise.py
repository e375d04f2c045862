"""Exact scores of PUF rows whose block is filled in: what agrees with them stands side by side.

The EIF rows that agree with given codes stand under one key. Their bitmaps are read where they are:
nothing is gathered, and nothing is scored again. Counting is that of kernels/exact; what a PUF row
may keep of a cell is decided on bitmaps too, before any pair is written down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.bitmaps import (
    ALL_BITS,
    DIGITS,
    NO_BITS,
    NO_CLASS,
    OVER,
    WORDS,
    add_at,
    add_eight,
    add_eight_more,
    bits_in,
    lowest,
    preload,
)
from reident.kernels.desk import COUNTER, LANES, MOST_LIMIT, STARTS, limit_of, show_words
from reident.kernels.shortlist import NO_CUTOFF, TOGETHER, put_all

if TYPE_CHECKING:
    from reident.kernels.desk import Classes, Least
    from reident.kernels.entries import Entries
    from reident.kernels.runs import Block
    from reident.kernels.shortlist import Shortlist

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
ROOM = 1 << 14
"""Pairs that may wait to be put on shortlists."""


@numba.njit(cache=True, nogil=True)
def scan_cells(
    classes: Classes, least: Least, block: Block, asked: Entries, base: int, short: Shortlist
) -> int:
    """Put the pairs that entries, in order of key, find on shortlists; returns the rows read.

    `base` is the first PUF row of the shortlists, whose cutoffs are within exact sums.
    """
    # Plain local arrays: looking into a tuple of arrays for every row costs more than the row.
    rows, keys, complete, once = asked
    sizes, eif, scores, cutoffs = short
    mine, cells, places = classes.mine, block.starts, block.rows
    missing, cost, low, grain = least.missing, least.cost, least.low, least.grain
    variables, present = block.variables, block.present
    bits, apart = block.bits.reshape(-1), np.uint64(block.bits.shape[1])
    compared = np.flatnonzero(block.first >= 0)
    first = block.first[compared].astype(np.uint64) * apart
    v, keep, row_size = len(compared), eif.shape[1], np.uint64(WORDS)
    starts, made = np.zeros(STARTS * COUNTER, np.uint64), np.zeros((STARTS, 2), np.int64)
    counter, carry = np.zeros(COUNTER, np.uint64), np.zeros(WORDS, np.uint64)
    source, valid = np.zeros(WORDS, np.int64), np.zeros(WORDS, np.uint64)
    hits = np.zeros((2, WORDS + 1), np.uint64)
    chosen, gap = np.zeros(v + 8, np.uint64), np.zeros(len(present) + 1, np.int64)
    limits, own = np.zeros(TOGETHER, np.int64), np.zeros(TOGETHER * v, np.uint8)
    found = np.empty((ROOM + TOGETHER * keep, 2), np.int64)
    ends = np.empty((ROOM + TOGETHER * keep, 3), np.int64)
    now, read, begin, total, waiting = 0, 0, 0, 0, 0
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and end - begin < TOGETHER and keys[end] == keys[begin]:
            end += 1
        start, stop = int(cells[keys[begin]]), int(cells[keys[begin] + 1])
        read += (stop - start) * (end - begin)
        while start < stop:
            # A piece of the cell: as many words as a counter has.
            origin = start >> 6
            last = min(stop, (origin + WORDS) << 6)
            size = show_words(start, last, source, valid)
            while size % LANES:
                valid[size] = NO_BITS
                size += 1
            words, offset = np.uint64(size), np.uint64(origin)
            start, now = last, now + 1
            # Rows lie far from each other: fetched one after another they come in few waits.
            for at in range(begin, end):
                limits[at - begin] = whole_limit(cutoffs[rows[at] - base], cost, grain, low)
            for at in range(begin, end):
                for k in range(v):
                    own[(at - begin) * v + k] = mine[rows[at], compared[k]]
            for at in range(begin, end):
                limit = limits[at - begin]
                if limit <= 0:
                    continue
                many, gaps = 0, 0
                for k in range(v):
                    c = own[(at - begin) * v + k]
                    chosen[many] = first[k] + np.uint64(c) * apart + offset
                    gap[gaps] = compared[k]
                    # Missing EIF values are counted from the start; those present count below.
                    many += c != NO_CLASS
                    gaps += c == NO_CLASS
                if not complete[at]:
                    for j in variables:
                        gap[gaps] = j
                        gaps += mine[rows[at], j] == NO_CLASS
                while many % 8 or not many:
                    # Row 0 is empty: nothing is added.
                    chosen[many] = offset
                    many += 1
                slot = (limit >> low) % STARTS
                begun = np.uint64(slot * COUNTER)
                if made[slot, 0] != now or made[slot, 1] != limit:
                    made[slot, 0], made[slot, 1] = now, limit
                    preload(
                        MOST_LIMIT - limit, bits, apart + offset, apart, low, words, starts, begun
                    )
                for q in range(np.uint64(low) * row_size, np.uint64(DIGITS) * row_size, row_size):
                    for w in range(words):
                        counter[q + w] = starts[begun + q + w]
                add_eight(bits, chosen, 0, words, starts, begun, counter)
                for k in range(8, many, 8):
                    add_eight_more(bits, chosen, k, words, counter)
                for k in range(gaps):
                    here = np.uint64(present[gap[k]]) * apart + offset
                    for q in range(low, DIGITS + 1):
                        if missing[gap[k]] >> q & 1:
                            add_at(bits, here, q, words, counter, carry)
                for d in range(len(variables) if once[at] else 0):
                    if once[at] >> d & 1:
                        here = np.uint64(present[variables[d]]) * apart + offset
                        rule_out(bits, here, words, counter)
                some = hit(counter, valid, words, hits)
                if not some:
                    continue
                # All that is left lies just below the overflow: upper digits are all set.
                top = low
                while 1 << top < limit:
                    top += 1
                level = keep_few(counter, hits, some, keep, limit, low, top)
                ends[waiting, 2] = level * cost >> DIGITS if level < limit else NO_CUTOFF
                total = note(
                    counter, hits, some, limit, cost, low, top, places, origin, found, total
                )
                ends[waiting, 0], ends[waiting, 1] = rows[at] - base, total
                waiting += 1
            if total > ROOM or waiting > ROOM or start < stop:
                put_all(ends, found, waiting, sizes, eif, scores, cutoffs)
                total, waiting = 0, 0
        begin = end
    put_all(ends, found, waiting, sizes, eif, scores, cutoffs)
    return read


@numba.njit(cache=True, nogil=True)
def whole_limit(cutoff: int, cost: int, grain: int, low: int) -> int:
    """Sixteenths that no pair below a cutoff reaches, as a multiple of what divides all sums."""
    step = 1 << low
    return (limit_of(cutoff, cost, grain) + step - 1) // step * step


@numba.njit(cache=True, nogil=True)
def rule_out(bits: Words, here: Any, words: Any, counter: Words) -> None:
    """Let those overflow that a bitmap does not name."""
    over = np.uint64(OVER * WORDS)
    for w in range(words):
        counter[over + w] |= ~bits[here + w]


@numba.njit(cache=True, nogil=True)
def hit(counter: Words, valid: Words, words: Any, hits: Words) -> int:
    """Words in which something is left, and what; returns how many."""
    over = np.uint64(OVER * WORDS)
    some = 0
    for w in range(words):
        left = ~counter[over + w] & valid[w]
        hits[0, some], hits[1, some] = w, left
        some += left != NO_BITS
    return some


@numba.njit(cache=True, nogil=True)
def keep_few(
    counter: Words, hits: Words, some: int, keep: int, limit: int, low: int, top: int
) -> int:
    """Leave no more than may be kept: ranks that are whole. Returns the first score that is not."""
    number = NO_BITS
    for k in range(some):
        number += bits_in(hits[1, k])
    if number <= keep:
        return limit
    offset, step = (1 << top) - limit, 1 << low
    level, number = 0, NO_BITS
    while number <= keep:
        level += step
        number = NO_BITS
        for k in range(some):
            number += bits_in(hits[1, k] & below(counter, hits[0, k], level + offset, low, top))
    level -= step
    for k in range(some):
        hits[1, k] &= below(counter, hits[0, k], level + offset, low, top)
    return level


@numba.njit(cache=True, nogil=True)
def below(counter: Words, w: Any, level: int, low: int, top: int) -> Any:
    """Which of the 64 numbers of a word, given by their digits, lie below a level."""
    if level >> top:
        return ALL_BITS
    smaller = NO_BITS
    for q in range(low, top):
        digit = ~counter[np.uint64(q * WORDS) + w]
        smaller = digit | smaller if level >> q & 1 else digit & smaller
    return smaller


@numba.njit(cache=True, nogil=True)
def note(
    counter: Words,
    hits: Words,
    some: int,
    limit: int,
    cost: int,
    low: int,
    top: int,
    places: npt.NDArray[np.int32],
    origin: int,
    found: Ints,
    total: int,
) -> int:
    """Write down EIF rows and units of what is left, after `total` others; returns how many now."""
    one = np.uint64(1)
    for k in range(some):
        w, left = hits[0, k], hits[1, k]
        while left:
            bit = lowest(left)
            left &= left - one
            counted = np.int64(0)
            for q in range(low, top):
                word = counter[np.uint64(q * WORDS) + w]
                counted |= np.int64(word >> np.uint64(bit) & one) << q
            found[total, 0] = places[(origin + np.int64(w)) * 64 + bit]
            found[total, 1] = (counted + limit - (1 << top)) * cost >> DIGITS
            total += 1
    return total
