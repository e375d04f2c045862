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

from reident.kernels.bitmaps import ALL_BITS, DIGITS, NO_BITS, NO_CLASS, WORDS, bits_in, lowest
from reident.kernels.desk import LANES, STARTS, limit_of, show_words
from reident.kernels.shortlist import NO_CUTOFF, TOGETHER, put_all
from reident.kernels.tally import (
    FEW,
    HALF,
    MO,
    TALLY,
    TOP,
    begin_tally,
    tally_at,
    tally_eight,
    tally_more,
)

if TYPE_CHECKING:
    from reident.kernels.desk import Least
    from reident.kernels.entries import Entries
    from reident.kernels.runs import Block
    from reident.kernels.shortlist import Shortlist

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
ROOM = 1 << 14
"""Pairs that may wait to be put on shortlists."""
KNOWN = 16
"""Cutoffs whose limits are held, because to divide takes long."""
NOTHING = -1
"""No level: nothing passes."""


@numba.njit(cache=True, nogil=True)
def scan_cells(
    mine: Bytes, least: Least, block: Block, asked: Entries, base: int, short: Shortlist
) -> int:
    """Put the pairs that entries, in order of key, find on shortlists; returns the rows read.

    `mine` are the classes of each entry's PUF row: they are read in their order. `base` is the
    first PUF row of the shortlists, whose cutoffs are few mismatches.
    """
    # Plain local arrays: looking into a tuple of arrays for every row costs more than the row.
    rows, keys, until, complete, once = asked
    sizes, eif, scores, cutoffs = short
    cells, places = block.starts, block.rows
    missing, cost, low, grain = least.missing, least.cost, least.low, least.grain
    variables, present = block.variables, block.present
    bits, apart = block.bits.reshape(-1), np.uint64(block.bits.shape[1])
    compared = np.flatnonzero(block.first >= 0)
    first = block.first[compared].astype(np.uint64) * apart
    v, keep, last_one = len(compared), eif.shape[1], variables[len(variables) - 1]
    starts, made = np.zeros(STARTS * TALLY, np.uint64), np.zeros((STARTS, 2), np.int64)
    counter = np.zeros(TALLY, np.uint64)
    source, valid = np.zeros(WORDS, np.int64), np.zeros(WORDS, np.uint64)
    passing, guess = np.zeros(WORDS, np.uint64), np.full(1, FEW, np.int64)
    chosen, gap = np.zeros(v + 8, np.uint64), np.zeros(len(present) + 1, np.int64)
    limits, known = np.zeros(TOGETHER, np.int64), np.full((KNOWN, 2), -1, np.int64)
    found = np.empty((ROOM + TOGETHER * keep, 2), np.int64)
    ends = np.empty((ROOM + TOGETHER * keep, 3), np.int64)
    # A number of a type: for a plain 0 put_all would be compiled once more.
    now, read, begin, total, waiting = 0, 0, 0, 0, int(np.int64(0))
    while begin < len(rows):
        end = begin + 1
        while (
            end < len(rows)
            and end - begin < TOGETHER
            and keys[end] == keys[begin]
            and until[end] == until[begin]
        ):
            end += 1
        start, stop = int(cells[keys[begin]]), int(cells[until[begin]])
        whole = int(cells[keys[begin] + 1])
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
            if last > whole:
                here = np.uint64(present[last_one]) * apart + offset
                drop_copies(bits, here, whole - (origin << 6), words, valid)
            start, now = last, now + 1
            # Rows lie far from each other: fetched one after another they come in few waits.
            for at in range(begin, end):
                cutoff = cutoffs[rows[at] - base]
                place = cutoff % KNOWN
                if known[place, 0] != cutoff:
                    known[place, 0] = cutoff
                    known[place, 1] = whole_limit(cutoff, cost, grain, low)
                limits[at - begin] = known[place, 1]
            for at in range(begin, end):
                limit = limits[at - begin]
                if limit <= 0:
                    continue
                many, gaps = 0, 0
                for k in range(v):
                    c = mine[at, compared[k]]
                    chosen[many] = first[k] + np.uint64(c) * apart + offset
                    gap[gaps] = compared[k]
                    # Missing EIF values are counted from the start; those present count below.
                    many += c != NO_CLASS
                    gaps += c == NO_CLASS
                if not complete[at]:
                    for j in variables:
                        gap[gaps] = j
                        gaps += mine[at, j] == NO_CLASS
                while many % 8 or not many:
                    # Row 0 is empty: nothing is added.
                    chosen[many] = offset
                    many += 1
                slot = (limit >> low) % STARTS
                begun = np.uint64(slot * TALLY)
                if made[slot, 0] != now or made[slot, 1] != limit:
                    made[slot, 0], made[slot, 1] = now, limit
                    begin_tally(FEW - limit, bits, apart + offset, apart, low, words, starts, begun)
                half = offset
                if gaps and missing[gap[gaps - 1]] == HALF:
                    gaps -= 1
                    half = np.uint64(present[gap[gaps]]) * apart + offset
                for q in range(low, DIGITS - 1):
                    here = np.uint64(q * WORDS)
                    for w in range(words):
                        counter[here + w] = starts[begun + here + w]
                tally_eight(bits, chosen, half, words, starts, begun, counter)
                for k in range(8, many, 8):
                    tally_more(bits, chosen, k, words, counter)
                for k in range(gaps):
                    here = np.uint64(present[gap[k]]) * apart + offset
                    for q in range(low, DIGITS + 1):
                        if missing[gap[k]] >> q & 1:
                            tally_at(bits, here, q, words, counter)
                for d in range(len(variables) if once[at] else 0):
                    if once[at] >> d & 1:
                        here = np.uint64(present[variables[d]]) * apart + offset
                        rule_out(bits, here, words, counter)
                level = level_of(counter, valid, words, keep, limit, low, guess, passing)
                if level == NOTHING:
                    continue
                ends[waiting, 2] = level * cost >> DIGITS if level < limit else NO_CUTOFF
                total = note(
                    counter, passing, words, limit, cost, low, places, origin, found, total
                )
                ends[waiting, 0], ends[waiting, 1] = rows[at] - base, total
                waiting += 1
            if total > ROOM or waiting > ROOM or start < stop:
                put_all(ends, found, waiting, sizes, eif, scores, cutoffs)
                total, waiting = 0, int(np.int64(0))
        begin = end
    put_all(ends, found, waiting, sizes, eif, scores, cutoffs)
    return read


@numba.njit(cache=True, nogil=True)
def whole_limit(cutoff: int, cost: int, grain: int, low: int) -> int:
    """Sixteenths that no pair below a cutoff reaches, as a multiple of what divides all sums."""
    step = 1 << low
    return (limit_of(cutoff, cost, grain) + step - 1) // step * step


@numba.njit(cache=True, nogil=True, inline="always")
def rule_out(bits: Words, here: Any, words: Any, counter: Words) -> None:
    """Let those overflow that a bitmap does not name."""
    for w in range(words):
        counter[MO + w] |= ~bits[here + w]


@numba.njit(cache=True, nogil=True)
def drop_copies(bits: Words, here: Any, whole: int, words: Any, valid: Words) -> None:
    """Leave out the rows from the one at `whole` on that a bitmap does not name."""
    for w in range(words):
        before = np.int64(whole) - np.int64(w) * 64
        counted = NO_BITS if before <= 0 else ALL_BITS
        if 0 < before < 64:  # the bits of a word
            counted = (np.uint64(1) << np.uint64(before)) - np.uint64(1)
        valid[w] &= counted | bits[here + w]


@numba.njit(cache=True, nogil=True, inline="always")
def level_of(
    counter: Words,
    valid: Words,
    words: Any,
    keep: int,
    limit: int,
    low: int,
    guess: Ints,
    passing: Words,
) -> Any:
    """The first score that is not kept, because ranks are whole, or the limit; what lies below it.

    A search for it begins at a guess, the last one found. Returns NOTHING if nothing passes.
    """
    anything, total = NO_BITS, NO_BITS
    for w in range(words):
        passing[w] = ~counter[MO + w] & valid[w]
        anything |= passing[w]
    if anything == NO_BITS:
        return NOTHING
    for w in range(words):
        total += bits_in(passing[w])
    if total <= keep:
        return limit
    step, level = 1 << low, min(limit, guess[0]) - (1 << low)
    number = below(counter, valid, words, level + FEW - limit, low, passing)
    while number <= keep and level + step < limit:
        level += step
        number = below(counter, valid, words, level + FEW - limit, low, passing)
    if number <= keep:
        # Of all that passes there are too many.
        guess[0] = limit
        return level
    while number > keep:
        level -= step
        number = below(counter, valid, words, level + FEW - limit, low, passing)
    guess[0] = level + step
    return level


@numba.njit(cache=True, nogil=True, inline="always")
def below(counter: Words, valid: Words, words: Any, level: int, low: int, passing: Words) -> Any:
    """Which valid numbers, given by their digits, lie below a level, and how many."""
    for w in range(words):
        passing[w] = NO_BITS
    for q in range(low, TOP):
        digit, start = ALL_BITS if level >> q & 1 else NO_BITS, np.uint64(q * WORDS)
        for w in range(words):
            zero, smaller = ~counter[start + w], passing[w]
            passing[w] = (zero & smaller) | (digit & (zero | smaller))
    number = NO_BITS
    for w in range(words):
        passing[w] &= ~counter[MO + w] & valid[w]
        number += bits_in(passing[w])
    return number


@numba.njit(cache=True, nogil=True, inline="always")
def note(
    counter: Words,
    passing: Words,
    words: Any,
    limit: int,
    cost: int,
    low: int,
    places: npt.NDArray[np.int32],
    origin: int,
    found: Ints,
    total: int,
) -> int:
    """Write down EIF rows and units of what passes, after `total` others; returns how many now."""
    one = np.uint64(1)
    for w in range(words):
        left = passing[w]
        while left:
            bit = lowest(left)
            left &= left - one
            counted = np.int64(0)
            for q in range(low, TOP):
                word = counter[np.uint64(q * WORDS) + w]
                counted |= np.int64(word >> np.uint64(bit) & one) << q
            found[total, 0] = places[(origin + np.int64(w)) * 64 + bit]
            found[total, 1] = (counted + limit - FEW) * cost >> DIGITS
            total += 1
    return total
