"""Meet every EIF row, tile after tile, by sums of points.

A PUF row begins in the tile in which it would stand itself, with a limit that it guesses: as many
rows as it lets through are scored, and bring the cutoff down. All other tiles follow with that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import NO_BITS, bits_in, lowest
from reident.kernels.pairs import EQUAL, STEPS, Records, Scorer
from reident.kernels.points import (
    DIGITS,
    LAST,
    MOST_LIMIT,
    ONE,
    ROWS,
    STEP,
    WIDE,
    Points,
    add_last,
    add_points,
    clear_sums,
    draw_points,
)
from reident.kernels.shortlist import put

if TYPE_CHECKING:
    from reident.kernels.shortlist import Shortlist

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
SPARE, TIMES = 2, 3
"""A guessed limit should let through so many rows more than are kept, but not so many times that:
enough to find a cutoff, not too many to score."""
ENOUGH = 2048
"""Waiting pairs that are worth a call: settled soon, they bring cutoffs down for later tiles."""


class Table(NamedTuple):
    """Room to work in.

    Planes of a tile, the PUF classes that need one, and what these lose at least in the tile; the
    stack of sums, and for each step the class that it was added for and what all sums reach; where
    the planes of the last variables begin, and what passes; pairs that wait and their units.
    """

    planes: Words
    used: npt.NDArray[np.bool_]
    nearest: npt.NDArray[np.uint8]
    stack: Words
    classes: Ints
    reached: Ints
    at: Words
    left: Words
    pairs: Ints
    units: Ints


@compiled
def clear_table(first: Ints) -> Table:
    """A table for variables whose planes begin there."""
    steps, classes = len(first) - LAST, int(first[-1])
    return Table(
        np.zeros(classes * DIGITS * WIDE, np.uint64),
        np.zeros(classes, np.bool_),
        np.zeros(classes, np.uint8),
        np.zeros(steps * STEP, np.uint64),
        np.zeros(steps, np.int64),
        np.zeros(steps, np.int64),
        np.zeros(LAST, np.uint64),
        np.zeros(WIDE, np.uint64),
        np.empty((ENOUGH + ROWS, 2), np.int64),
        np.empty(ENOUGH + ROWS, np.int64),
    )


@compiled
def lay_out(points: Points, start: int, stop: int, table: Table) -> None:
    """Planes of EIF rows `start` to `stop` - 1, and a stack that has its first step only."""
    first = points.first
    for j in range(len(first) - 1):
        own = slice(first[j], first[j + 1])
        draw_points(
            points.losses[j], points.theirs[j, start:stop], table.used[own],
            table.planes[first[j] * DIGITS * WIDE :], table.nearest[own],
        )  # fmt: skip
    clear_sums(stop - start, table.stack)
    table.classes[:] = -1


@compiled
def prepare(
    mine: Bytes, p: int, first: Ints, words: Any, planes: Words, nearest: Bytes, stack: Words,
    classes: Ints, reached: Ints, at: Words,
) -> int:  # fmt: skip
    """Add up the first variables of PUF row p, as far as the row before did not, and find the last.

    Returns what it loses at least in the tile.
    """
    top = len(first) - 1 - LAST
    size_of = np.uint64(DIGITS * WIDE)
    depth = 0
    while depth < top and classes[depth] == mine[p, depth]:
        depth += 1
    for step in range(depth, top):
        own = first[step] + mine[p, step]
        classes[step] = mine[p, step]
        reached[step + 1] = reached[step] + nearest[own]
        add_points(planes, np.uint64(own) * size_of, words, stack, np.uint64(step))
    least = int(reached[top])
    for k in range(LAST):
        own = first[top + k] + mine[p, top + k]
        least += nearest[own]
        at[k] = np.uint64(own) * size_of
    return least


@compiled
def settle_points(
    records: Records, scorer: Scorer, pairs: Ints, out: Ints, size: int, short: Shortlist
) -> None:
    """Score the pairs that wait and put those below their cutoffs on shortlists.

    Pairs of a PUF row lie together; they are scored variable by variable. There are no distances.
    """
    # Tuples are opened once a call: for every pair that would cost more than the pair.
    puf, eif, _, _ = records
    kind, missing, other, _, _, _, _, start, bounds, low, high, units = scorer
    sizes, held, scores, cutoffs = short
    begin = 0
    while begin < size:
        p, end = pairs[begin, 0], begin
        while end < size and pairs[end, 0] == p:
            out[end] = 0
            end += 1
        for j in range(len(kind)):
            a, gone, apart = puf[p, j], missing[j], other[j]
            if a < 0:
                for i in range(begin, end):
                    out[i] += gone
            elif kind[j] == EQUAL:
                for i in range(begin, end):
                    b = eif[pairs[i, 1], j]
                    out[i] += gone if b < 0 else (apart if a != b else 0)
            else:
                first, last = bounds[start[j] + a], bounds[start[j] + a + 1]
                for i in range(begin, end):
                    b = eif[pairs[i, 1], j]
                    found = apart
                    if kind[j] == STEPS:
                        # Ranges lie one inside the other: as many as hold b, from the last.
                        inside = 0
                        for k in range(first, last):
                            inside += (low[k] <= b) & (b < high[k])
                        if inside:
                            found = units[last - inside]
                    else:
                        # Bisect for the first listed code that is not below b.
                        at, left = first, last - first
                        while left > 0:
                            half = left >> 1
                            below = low[at + half] < b
                            at += half + 1 if below else 0
                            left = left - half - 1 if below else half
                        if at < last and low[at] == b:
                            found = units[at]
                    out[i] += gone if b < 0 else found
        for i in range(begin, end):
            if out[i] < cutoffs[p]:
                put(sizes, held, scores, cutoffs, p, pairs[i, 1], out[i])
        begin = end


@compiled
def count_left(left: Words, words: Any) -> Any:
    """How many passed."""
    number = np.int64(0)
    for w in range(words):
        number += np.int64(bits_in(left[w]))
    return number


@compiled
def note_left(left: Words, words: Any, p: int, start: int, pairs: Ints, waiting: int) -> int:
    """Let PUF row p wait with all that passed; returns how many pairs wait then."""
    for w in range(words):
        word = left[w]
        while word != NO_BITS:
            pairs[waiting, 0], pairs[waiting, 1] = p, start + np.int64(w) * 64 + lowest(word)
            word &= word - ONE
            waiting += 1
    return waiting


@compiled
def scan_points(
    records: Records,
    scorer: Scorer,
    points: Points,
    stratum: Ints,
    meets: Ints,
    places: Ints,
    short: Shortlist,
) -> None:
    """Score what PUF rows meet. They stand in their turn, by stratum, in all that is theirs."""
    mine, first, point, cutoffs = points.mine, points.first, points.point, short.cutoff
    table = clear_table(first)
    planes, used, nearest, stack, classes, reached, at, left, pairs, units = table
    sums = stack[len(stack) - STEP :]
    begin, guess = 0, int(np.int64(MOST_LIMIT))  # a plain constant would be a type of its own
    while begin < len(mine):
        end = begin
        used[:] = False
        while end < len(mine) and stratum[end] == stratum[begin]:
            for j in range(len(first) - 1):
                used[first[j] + mine[end, j]] = True
            end += 1
        begin_all, end_all = meets[begin]
        waiting = int(np.int64(0))
        for sweep in range(2):
            for t in range(begin_all // ROWS, -(-end_all // ROWS)):
                start, stop = max(begin_all, t * ROWS), min(end_all, t * ROWS + ROWS)
                words = np.uint64((stop - start + 63) >> 6)
                lay_out(points, start, stop, table)
                for p in range(begin, end):
                    # A row at home beyond either end of its stratum begins at that end.
                    home = min(max(places[p], begin_all), end_all - 1)
                    if (start <= home < stop) != (sweep == 0):
                        continue
                    limit = (cutoffs[p] - 1) // point + 1
                    least = prepare(
                        mine, p, first, words, planes, nearest, stack, classes, reached, at
                    )
                    if least >= limit:
                        continue
                    if sweep == 0:
                        guess = begin_row(
                            records, scorer, table, p, start, words, limit, guess, point, short
                        )
                    elif add_last(planes, at, words, sums, limit, left):
                        waiting = note_left(left, words, p, start, pairs, waiting)
                        if waiting > ENOUGH:
                            settle_points(records, scorer, pairs, units, waiting, short)
                            waiting = 0
        settle_points(records, scorer, pairs, units, waiting, short)
        begin = end


@compiled
def begin_row(
    records: Records, scorer: Scorer, table: Table, p: int, start: int, words: Any, limit: int,
    guess: int, point: int, short: Shortlist,
) -> int:  # fmt: skip
    """Settle what PUF row p meets in a tile, from a guessed limit up; returns a better guess."""
    planes, _, _, stack, _, _, at, left, pairs, units = table
    sums = stack[len(stack) - STEP :]
    few = short.eif.shape[1] + SPARE
    trial, rising = min(limit, guess), False
    while True:
        add_last(planes, at, words, sums, trial, left)
        number = count_left(left, words)
        if number > TIMES * few and trial > 1 and not rising:
            trial -= 1
        elif number < few and trial < limit:
            trial, rising = trial + 1, True
        else:
            note_left(left, words, p, start, pairs, int(np.int64(0)))
            settle_points(records, scorer, pairs, units, number, short)
            if trial >= (short.cutoff[p] - 1) // point + 1:
                return trial
            trial, rising = trial + 1, True
