"""Find near pairs without meeting every pair: wildcard pigeonhole blocks, filtered by bitmaps.

Cut the categorical variables into t + 1 blocks. A pair with at most t mismatches has a block with
none (a missing value is a wildcard, not a mismatch), so it is found among the EIF rows that agree
with the PUF row on that whole block. A lookup may return more rows than that, never fewer: every
row that the bitmaps do not rule out is scored exactly, and no pair enters a shortlist twice. A
block without variables finds every row: that is meeting them all, 64 at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.bitmaps import (
    ALL_BITS,
    CLASSES,
    DIGITS,
    MISMATCHES,
    NO_BITS,
    NO_CLASS,
    OVER,
    SUMS,
    WORDS,
    add_digits,
    add_four,
    draw_digits,
    lowest,
    preload,
)
from reident.kernels.candidates import Candidates, settle
from reident.kernels.pairs import EQUAL, Records, Scorer

if TYPE_CHECKING:
    from reident.kernels.shortlist import Shortlist

Ints = npt.NDArray[np.int64]
MOST_RUNS = 512
"""Runs of one PUF key; where there are more, the rest is taken as it lies."""
MOST_SUM = (1 << SUMS) - 1
"""What missing values add up to is exact below this."""
ENOUGH = 2048
"""Waiting pairs that are worth a call: settled soon, they bring cutoffs down for later tiles."""
WAITING = 4 * 64 * WORDS
"""Pairs that may wait to be scored."""
MOST_LIMIT = 1 << (DIGITS + MISMATCHES)
"""Bounds, in sixteenths of a mismatch, that a counter can hold."""


class Classes(NamedTuple):
    """The classes of PUF rows, by record, and of EIF rows, by variable.

    `sums` is what the missing categories of EIF rows add up to, in sixteenths.
    """

    mine: npt.NDArray[np.uint8]
    theirs: npt.NDArray[np.uint8]
    sums: Ints


class Least(NamedTuple):
    """What variables score at least, in sixteenths of the least that a mismatch costs.

    `graded` lists variables that are not EQUAL; the k-th scores digits[k, PUF class, EIF class].
    `missing` is what a missing value adds, one mismatch at most, `classes` counts EIF classes;
    `cost` is in units.
    Where it is `exact`, pairs that agree on a block score just that.
    """

    graded: Ints
    digits: npt.NDArray[np.uint8]
    missing: Ints
    classes: Ints
    cost: int
    exact: bool


class Block(NamedTuple):
    """EIF rows in order of their key on some variables.

    A key is a number in mixed radix: stratum, then code + 1 of each of `variables` (0 missing),
    with the given `weights`. Distinct `keys` ascend; rows starts[k] to starts[k + 1] of `rows`
    have key k. `bits` are bitmaps over `rows`: an empty one, SUMS digits of what missing values
    add, and those of variable j from row first[j] on, -1 for variables that it leaves out; row
    present[j] names the rows in which an EQUAL variable has a value.
    """

    variables: Ints
    weights: Ints
    keys: Ints
    starts: Ints
    rows: Ints
    first: Ints
    present: Ints
    bits: npt.NDArray[np.uint64]


class Asked(NamedTuple):
    """PUF rows in order of their key on a block, that key, and where shortlists begin."""

    rows: Ints
    keys: Ints
    stratum: Ints
    base: int


@numba.njit(cache=True, nogil=True)
def find_runs(
    block: Block, codes: npt.NDArray[np.int32], stratum: int, runs: Ints
) -> tuple[int, bool, int]:
    """Runs of block rows that agree with a PUF row wherever both are present.

    Variable by variable a range of keys is narrowed to those with the PUF row's code and those
    with a missing one. Runs ascend and do not overlap. Returns how many there are, whether they
    hold nothing but rows that agree, and how many steps it took.
    """
    keys, starts, weights, variables = block.keys, block.starts, block.weights, block.variables
    depth = len(variables)
    # Ranges still to be narrowed: first and last key, their common part, variables done.
    stack = np.empty((2 * MOST_RUNS, 4), np.int64)
    stack[0, 0] = np.searchsorted(keys, stratum * weights[0])
    stack[0, 1] = np.searchsorted(keys, (stratum + 1) * weights[0])
    stack[0, 2], stack[0, 3] = stratum * weights[0], 0
    waiting, found, agreed, steps = 1, 0, True, 0
    while waiting:
        waiting -= 1
        steps += 1
        begin, end, prefix, done = stack[waiting]
        if begin == end:
            continue
        if done == depth or found + waiting + 2 >= MOST_RUNS:
            agreed = agreed and done == depth
            if found and runs[found - 1, 1] == starts[begin]:
                runs[found - 1, 1] = starts[end]
            else:
                runs[found, 0], runs[found, 1] = starts[begin], starts[end]
                found += 1
            continue
        code, weight = codes[variables[done]], weights[done + 1]
        if code >= 0:
            # The missing ones come first in order, so they are put on the stack last.
            own = prefix + (code + 1) * weight
            stack[waiting, 0] = begin + np.searchsorted(keys[begin:end], own)
            stack[waiting, 1] = begin + np.searchsorted(keys[begin:end], own + weight)
            stack[waiting, 2], stack[waiting, 3] = own, done + 1
            stack[waiting + 1, 0] = begin
            stack[waiting + 1, 1] = begin + np.searchsorted(keys[begin:end], prefix + weight)
            stack[waiting + 1, 2], stack[waiting + 1, 3] = prefix, done + 1
            waiting += 2
        else:
            # Any code will do: the first one that there is, then whatever lies behind it.
            own = keys[begin] - (keys[begin] - prefix) % weight
            middle = begin + np.searchsorted(keys[begin:end], own + weight)
            stack[waiting, 0], stack[waiting, 1] = middle, end
            stack[waiting, 2], stack[waiting, 3] = prefix, done
            stack[waiting + 1, 0], stack[waiting + 1, 1] = begin, middle
            stack[waiting + 1, 2], stack[waiting + 1, 3] = own, done + 1
            waiting += 2
    return found, agreed, steps


@numba.njit(cache=True, nogil=True)
def fetch(
    bits: npt.NDArray[np.uint64], row: int, source: Ints, tile: npt.NDArray[np.uint64], words: Any
) -> None:
    """Copy words of a bitmap into a tile."""
    at = np.uint64(row * WORDS)
    for w in range(words):
        tile[at + w] = bits[row, source[w]]


@numba.njit(cache=True, nogil=True)
def scan_block(
    records: Records,
    classes: Classes,
    scorer: Scorer,
    least: Least,
    block: Block,
    asked: Asked,
    short: Shortlist,
) -> int:
    """Score the pairs that a block finds for the asked PUF rows; returns how many rows it read.

    PUF rows of one key share what is gathered. A step of a lookup counts as a word of rows.
    """
    rows, keys = asked.rows, asked.keys
    held = len(block.bits)
    planes = (len(least.graded) * CLASSES + len(block.first)) * DIGITS
    desk = Desk(
        np.zeros((held + planes) * WORDS, np.uint64),
        np.zeros(held + planes, np.int64),
        np.empty(WORDS, np.int64),
        np.empty(WORDS, np.uint64),
        np.zeros((OVER + 1) * WORDS, np.uint64),
        np.zeros((OVER + 1) * WORDS, np.uint64),
        np.zeros(2 * len(block.first) + 4, np.uint64),
    )
    candidates = Candidates(
        np.empty((WAITING, 2), np.int64),
        np.empty(WAITING, np.int64),
        np.empty(WAITING, np.bool_),
        np.empty((WAITING, 2), np.int64),
        np.empty(WAITING, np.int64),
    )
    source, valid = desk.source, desk.valid
    runs = np.empty((MOST_RUNS, 2), np.int64)
    now, read, waiting, begin = 0, 0, 0, 0
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and keys[end] == keys[begin]:
            end += 1
        p = rows[begin]
        found, agreed, steps = find_runs(block, records.puf[p], asked.stratum[p], runs)
        read += 64 * steps
        size, run, word = 0, 0, -1
        while run < found or size:
            while run < found and size < WORDS:
                start, stop = runs[run]
                word = max(word, start >> 6)
                mask = ALL_BITS
                if word == start >> 6:
                    mask &= ALL_BITS << np.uint64(start & 63)
                if word == stop >> 6:
                    mask &= (np.uint64(1) << np.uint64(stop & 63)) - np.uint64(1)
                if size and source[size - 1] == word:
                    # Runs may share a word.
                    valid[size - 1] |= mask
                else:
                    source[size], valid[size] = word, mask
                    size += 1
                if word >= (stop - 1) >> 6:
                    run += 1
                else:
                    word += 1
            now += 1
            read += size * 64 * (end - begin)
            at = begin
            while at < end:
                at, waiting = scan_tile(
                    classes, scorer, least, block, asked, at, end, short.cutoff, size, now,
                    agreed, desk, candidates, waiting,
                )  # fmt: skip
                if at < end or waiting > ENOUGH:
                    settle(records, scorer, candidates, waiting, asked.base, least.cost, short)
                    waiting = 0
            size = 0
        begin = end
    settle(records, scorer, candidates, waiting, asked.base, least.cost, short)
    return read


class Desk(NamedTuple):
    """Room to work in: a tile of bitmaps and planes, and when each row of it was filled.

    Words of the block that the tile holds, and which of their rows were found. Then a counter at
    its start, a counter, and the bitmaps chosen for a PUF row.
    """

    tile: npt.NDArray[np.uint64]
    filled: Ints
    source: Ints
    valid: npt.NDArray[np.uint64]
    start: npt.NDArray[np.uint64]
    counter: npt.NDArray[np.uint64]
    chosen: npt.NDArray[np.uint64]


@numba.njit(cache=True, nogil=True)
def scan_tile(
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
    agreed: bool,
    desk: Desk,
    candidates: Candidates,
    waiting: int,
) -> tuple[int, int]:
    """Filter a tile of `size` words for asked PUF rows `at` to `end` - 1; `now` numbers the tile.

    What the filter lets through joins the `waiting` candidates. Returns the row before which it
    ran out of room, and how many wait.
    """
    # Plain local arrays: looking into a tuple of arrays for every row costs more than the row.
    tile, filled, source, valid, start, counter, chosen = desk
    pairs, bounds, known = candidates.pairs, candidates.least, candidates.known
    mine, rows, base = classes.mine, asked.rows, asked.base
    first, places, bits, kind = block.first, block.rows, block.bits, scorer.kind
    present = block.present
    graded, digits, missing, numbers = least.graded, least.digits, least.missing, least.classes
    v, held, words = len(first), len(bits), np.uint64(size)
    over, row_size = np.uint64(OVER * WORDS), np.uint64(WORDS)
    one, sixteenths = np.uint64(1), 1 << DIGITS
    exact = least.exact and agreed
    loaded = -1
    if filled[1] != now:
        filled[1] = now
        for q in range(1, 1 + SUMS):
            fetch(bits, q, source, tile, words)
    while at < end:
        if waiting + size * 64 > len(pairs):
            return at, waiting
        p = rows[at]
        at += 1
        limit = -(-(cutoffs[p - base] << DIGITS) // least.cost)
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
        # Without graded variables or gaps the sixteenths stay as they begin.
        first_digit = np.uint64(0) if len(graded) or gaps else np.uint64(DIGITS)
        if limit <= MOST_LIMIT:
            if limit != loaded:
                preload(MOST_LIMIT - limit, tile, 1, SUMS, words, start)
                loaded = limit
            for q in range(first_digit * row_size, over + row_size, row_size):
                for w in range(words):
                    counter[q + w] = start[q + w]
            while many % 4:
                # Row 0 is empty: nothing is added.
                chosen[many] = NO_BITS
                many += 1
            for k in range(0, many, 4):
                add_four(
                    tile, chosen[k], chosen[k + 1], chosen[k + 2], chosen[k + 3], words, counter
                )
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
                    digits_of = counter if np.uint64(q) >= first_digit else start
                    digit = digits_of[np.uint64(q * WORDS) + w] >> np.uint64(bit) & one
                    counted |= digit << np.uint64(q)
                # Counting began where whatever reaches the cutoff overflows.
                bound = np.int64(counted) + whole_limit - MOST_LIMIT if limit <= MOST_LIMIT else 0
                pairs[waiting, 0], pairs[waiting, 1] = p, places[i]
                bounds[waiting] = bound
                known[waiting] = exact and limit <= MOST_LIMIT and bound < MOST_SUM
                waiting += 1
    return at, waiting
