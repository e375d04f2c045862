"""Find near pairs without meeting every pair: wildcard pigeonhole blocks.

Cut the categorical variables into t + 1 blocks. A pair with at most t mismatches has a block with
none (a missing value is a wildcard, not a mismatch), so it is found among the EIF rows that agree
with the PUF row on that whole block. A lookup may return more rows than that, never fewer: every
row found is scored exactly, and counted in its first block without a mismatch alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.pairs import EQUAL, Rows, Scorer, above_floor, add_one
from reident.kernels.shortlist import Shortlist, push

CHUNK = 4096
"""EIF rows filtered at a time."""
MOST_RUNS = 512
"""Runs of one PUF key; a key with more of them takes its whole stratum."""
MISSING_BYTE = 255
NO_NUMBERS = np.zeros(0)
WEIGHT = 4
"""A mismatch counts 4 in the byte filter, so that a missing score of a quarter still counts."""
MOST_FILTERED = 60
"""Variables in the byte filter: 60 mismatches of weight 4 fit a byte."""


class Block(NamedTuple):
    """EIF rows in order of their key on some variables.

    A key is a number in mixed radix: stratum, then code + 1 of each of `variables` (0 missing),
    with the given `weights`. Distinct `keys` ascend; rows starts[k] to starts[k + 1] of `rows`
    have key k. `bytes` holds codes of the `others`, in this order, one row per variable.
    """

    variables: npt.NDArray[np.int64]
    weights: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    wild: npt.NDArray[np.bool_]
    keys: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    others: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.uint8]


class Stage(NamedTuple):
    """Which pairs a scan accepts: more than `above` and at most `most` mismatches.

    `block` is the place of the scanned block among those of the stage, `home` the block of each
    variable, -1 for variables of no block. `cost` is the least that a mismatch adds.
    """

    above: int
    most: int
    block: int
    home: npt.NDArray[np.int64]
    cost: int


@numba.njit(cache=True, nogil=True)
def find_runs(
    block: Block,
    codes: npt.NDArray[np.int32],
    p: int,
    stratum: int,
    whole: tuple[int, int],
    runs: npt.NDArray[np.int64],
) -> int:
    """Runs of block rows that agree with PUF row p wherever both are present; returns how many.

    `whole` is the PUF row's stratum as a run of the block.
    """
    size = len(block.variables)
    choices = 1
    for k in range(size):
        a = codes[p, block.variables[k]]
        choices *= block.sizes[k] if a < 0 else (2 if block.wild[k] else 1)
        if choices > MOST_RUNS:
            runs[0, 0], runs[0, 1] = whole
            return 1
    found = 0
    for choice in range(choices):
        key = stratum * block.weights[0]
        left = choice
        for k in range(size):
            a = codes[p, block.variables[k]]
            if a < 0:
                key += (left % block.sizes[k]) * block.weights[k + 1]
                left //= block.sizes[k]
            elif block.wild[k]:
                key += (a + 1) * (left % 2) * block.weights[k + 1]
                left //= 2
            else:
                key += (a + 1) * block.weights[k + 1]
        at = np.searchsorted(block.keys, key)
        if at < len(block.keys) and block.keys[at] == key:
            runs[found, 0] = block.starts[at]
            runs[found, 1] = block.starts[at + 1]
            found += 1
    return found


class Both(NamedTuple):
    """Both files by variable, and their codes by record as well, for pairs looked at singly."""

    puf: Rows
    eif: Rows
    mine: npt.NDArray[np.int32]
    theirs: npt.NDArray[np.int32]


class Asked(NamedTuple):
    """PUF rows in order of their key on a block, and that key.

    `stratum` is that of every PUF row, `base` the PUF row that the shortlists begin with.
    """

    rows: npt.NDArray[np.int64]
    keys: npt.NDArray[np.int64]
    stratum: npt.NDArray[np.int64]
    base: int


class Drawer(NamedTuple):
    """EIF rows gathered for one PUF key: row numbers, bytes, codes and numbers, by variable.

    `bytes` has a row for each of the block's `others`; `codes` and `numbers` one for each variable
    that is not EQUAL, named by `graded`.
    """

    rows: npt.NDArray[np.int64]
    others: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.uint8]
    graded: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.float64]


@numba.njit(cache=True, nogil=True)
def gather(block: Block, eif: Rows, start: int, stop: int, drawer: Drawer, filled: int) -> None:
    """Copy block rows start..stop - 1 into a drawer, behind what it holds."""
    rows, held = drawer.rows, block.rows
    for i in range(start, stop):
        rows[filled + i - start] = held[i]
    for k in range(len(drawer.bytes)):
        source, target = block.bytes[k], drawer.bytes[k]
        for i in range(start, stop):
            target[filled + i - start] = source[i]
    for k in range(len(drawer.graded)):
        codes, numbers = eif.codes[drawer.graded[k]], drawer.codes[k]
        for i in range(start, stop):
            numbers[filled + i - start] = codes[held[i]]
        if len(eif.numbers) > 1:
            values, copies = eif.numbers[drawer.graded[k]], drawer.numbers[k]
            for i in range(start, stop):
                copies[filled + i - start] = values[held[i]]


@numba.njit(cache=True, nogil=True)
def count_bytes(
    total: npt.NDArray[np.uint8], column: npt.NDArray[np.uint8], a: int, missing: int
) -> None:
    """Add what a variable counts at least: WEIGHT for a mismatch, `missing` for a missing EIF."""
    one, other, none = np.uint8(a), np.uint8(WEIGHT), np.uint8(missing)
    wild, nothing = np.uint8(MISSING_BYTE), np.uint8(0)
    for i in range(len(total)):
        b = column[i]
        total[i] = np.uint8(total[i] + (nothing if b == one else (none if b == wild else other)))


@numba.njit(cache=True, nogil=True)
def grade(
    total: npt.NDArray[np.int64], puf: Rows, p: int, drawer: Drawer, size: int, scorer: Scorer
) -> None:
    """Units of the variables that are not EQUAL, lower bounds of distances, for a drawer's rows."""
    total[:] = 0
    for k in range(len(drawer.graded)):
        j = drawer.graded[k]
        numbers = drawer.numbers[k, :size] if len(drawer.numbers) else NO_NUMBERS
        add_one(total, puf, p, j, drawer.codes[k, :size], numbers, scorer)


@numba.njit(cache=True, nogil=True)
def draw(
    both: Both,
    scorer: Scorer,
    drawer: Drawer,
    filled: int,
    stage: Stage,
    rows: npt.NDArray[np.int64],
    base: int,
    short: Shortlist,
) -> None:
    """Score the rows of a drawer for PUF rows of one key; `base` is the first of the shortlists."""
    # Plain local arrays: looking into a tuple of arrays for every pair costs more than the pair.
    mine, theirs, places, others = both.mine, both.theirs, drawer.rows, drawer.others
    kind, missing, other, home = scorer.kind, scorer.missing, scorer.other, stage.home
    above, most, cost = stage.above, stage.most, stage.cost
    before_me = (np.int64(1) << stage.block) - 1
    counts = np.empty(filled, np.uint8)
    graded = np.zeros(filled, np.int64)
    least_units = np.empty(filled, np.int64)
    mixed = len(drawer.graded) > 0
    keep = short.eif.shape[1]
    for p in rows:
        row = p - base
        cutoff = short.cutoff[row]
        constant = 0
        counts[:] = 0
        for k in range(len(others)):
            j = others[k]
            a = mine[p, j]
            least = min(WEIGHT, WEIGHT * missing[j] // other[j])
            if a < 0:
                constant += least
            else:
                count_bytes(counts, drawer.bytes[k, :filled], a % MISSING_BYTE, least)
        if mixed:
            grade(graded, both.puf, p, drawer, filled, scorer)
        # What each pair scores at least, in WEIGHT-ths of a unit.
        for i in range(filled):
            least_units[i] = (np.int64(counts[i]) + constant) * cost + WEIGHT * graded[i]
        # The pairs that look nearest come first: they bring the cutoff down for all others.
        pivot: Any = np.int64(-1)
        if mixed and short.size[row] < keep < filled:
            pivot = np.partition(least_units, keep)[keep]
        for sweep in range(0 if pivot >= 0 else 1, 2):
            for i in range(filled):
                if least_units[i] >= WEIGHT * cutoff or (least_units[i] <= pivot) != (sweep == 0):
                    continue
                e = places[i]
                units = graded[i]
                mismatches = 0
                spoilt = np.int64(0)
                for j in range(len(kind)):
                    if kind[j] == EQUAL:
                        a, b = mine[p, j], theirs[e, j]
                        if a < 0 or b < 0:
                            units += missing[j]
                        elif a != b:
                            units += other[j]
                            if home[j] >= 0:
                                mismatches += 1
                                spoilt |= np.int64(1) << home[j]
                if units >= cutoff or mismatches <= above or mismatches > most:
                    continue
                # The first block without a mismatch counts a pair: those before it are spoilt.
                if spoilt & before_me != before_me or spoilt >> stage.block & 1:
                    continue
                if mixed:
                    units += above_floor(both.puf, p, both.eif, e, scorer)
                if units < cutoff:
                    push(short, row, e, units)
                    cutoff = short.cutoff[row]


@numba.njit(cache=True, nogil=True)
def scan_block(
    both: Both, scorer: Scorer, block: Block, stage: Stage, asked: Asked, short: Shortlist
) -> int:
    """Score the pairs that a block finds for the asked PUF rows; returns how many rows it read.

    PUF rows of one key share what is gathered.
    """
    rows, keys = asked.rows, asked.keys
    graded = np.flatnonzero(scorer.kind != EQUAL)
    numbers = len(graded) if len(both.eif.numbers) > 1 else 0
    drawer = Drawer(
        np.empty(CHUNK, np.int64),
        block.others,
        np.empty((len(block.others), CHUNK), np.uint8),
        graded,
        np.empty((len(graded), CHUNK), np.int32),
        np.empty((numbers, CHUNK), np.float64),
    )
    runs = np.empty((MOST_RUNS, 2), np.int64)
    read, begin = 0, 0
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and keys[end] == keys[begin]:
            end += 1
        p = rows[begin]
        stratum = asked.stratum[p]
        first = np.searchsorted(block.keys, stratum * block.weights[0])
        last = np.searchsorted(block.keys, (stratum + 1) * block.weights[0])
        whole = (block.starts[first], block.starts[last])
        filled = 0
        for run in range(find_runs(block, both.mine, p, stratum, whole, runs)):
            start = runs[run, 0]
            while start < runs[run, 1]:
                stop = min(runs[run, 1], start + CHUNK - filled)
                gather(block, both.eif, start, stop, drawer, filled)
                filled += stop - start
                read += (stop - start) * (end - begin)
                start = stop
                if filled == CHUNK:
                    draw(both, scorer, drawer, filled, stage, rows[begin:end], asked.base, short)
                    filled = 0
        if filled:
            draw(both, scorer, drawer, filled, stage, rows[begin:end], asked.base, short)
        begin = end
    return read
