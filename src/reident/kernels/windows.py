"""Windows around released values: which records lie in most of them (Winkler 2002).

Records are sorted once by each variable. Around a released value the records that agree with it are
then a span of places in that order, and a record's place says whether it lies inside. The record in
most spans is looked for in the shortest spans first: one that lies in none of the first i of v
spans lies in at most v - i, so the search ends as soon as that is fewer than the best so far. Wide
spans of which many must hold the record are looked for in grids, by blocks of variables.

A difference is the float64 difference, rounded once; rounding keeps the order of differences, so
that all values within a distance stay one span.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.grids import (
    Grids,
    by_work,
    first_met,
    inside,
    rows_inside,
    set_sieve,
    sieve_for,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]


class Orders(NamedTuple):
    """Records in the order of each variable: `values` sorted within blocks, and whose they are.

    `place` is the inverse, by record: the place of a record in the order of each variable, -1 where
    its value is missing. A block holds the records that may agree at all; see `Asked`.
    """

    values: Floats
    rows: Places
    place: Places


class Asked(NamedTuple):
    """Released records: a value of each variable, and the block of places it may agree with.

    blocks[p, j] is the first place and the end, (-1, -1) where the value is missing.
    """

    values: Floats
    blocks: Places


@compiled
def first_from(values: Floats, begin: int, end: int, low: float) -> int:
    """The first place of a sorted block whose value is not below `low`."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < low:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def first_beyond(values: Floats, begin: int, end: int, high: float) -> int:
    """The first place of a sorted block whose value is above `high`."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] <= high:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def span_within(
    values: Floats, begin: int, end: int, value: float, reach: float
) -> tuple[int, int]:
    """The places of a block whose values differ from a value by at most `reach`."""
    split = first_from(values, begin, end, value)
    low, high = begin, split
    while low < high:
        middle = (low + high) // 2
        if value - values[middle] > reach:
            low = middle + 1
        else:
            high = middle
    first = low
    low, high = split, end
    while low < high:
        middle = (low + high) // 2
        if values[middle] - value <= reach:
            low = middle + 1
        else:
            high = middle
    return first, low


@compiled
def span_of_nearest(
    values: Floats, begin: int, end: int, value: float, count: int
) -> tuple[int, int]:
    """The `count` places of a block nearest to a value, and all that are as near as the last."""
    if end - begin <= count:
        return begin, end
    low, high = begin, end - count
    while low < high:
        middle = (low + high) // 2
        if value - values[middle] > values[middle + count] - value:
            low = middle + 1
        else:
            high = middle
    reach = max(abs(value - values[low]), abs(values[low + count - 1] - value))
    return span_within(values, begin, end, value, reach)


@compiled
def spans_between(orders: Orders, asked: Asked, low: Floats, high: Floats, out: Places) -> None:
    """For each record and variable the places whose values lie between two bounds."""
    for p in range(len(out)):
        for j in range(out.shape[1]):
            begin, end = asked.blocks[p, j, 0], asked.blocks[p, j, 1]
            out[p, j, 0] = first_from(orders.values[j], begin, end, low[p, j])
            out[p, j, 1] = first_beyond(orders.values[j], begin, end, high[p, j])


@compiled
def spans_of_nearest(orders: Orders, asked: Asked, count: int, out: Places) -> None:
    """For each record and variable the places of the `count` nearest values, ties included."""
    for p in range(len(out)):
        for j in range(out.shape[1]):
            begin, end = asked.blocks[p, j, 0], asked.blocks[p, j, 1]
            found = span_of_nearest(orders.values[j], begin, end, asked.values[p, j], count)
            out[p, j, 0] = found[0]
            out[p, j, 1] = found[1]


@compiled
def by_length(spans: Places, turn: Ints) -> None:
    """Variables in order of the length of their spans, the first of equals first."""
    for j in range(len(turn)):
        k = j
        length = spans[j, 1] - spans[j, 0]
        while k > 0 and spans[turn[k - 1], 1] - spans[turn[k - 1], 0] > length:
            turn[k] = turn[k - 1]
            k -= 1
        turn[k] = j


@compiled
def spans_in(place: Places, spans: Places, turn: Ints, i: int, best: int) -> int:
    """In how many spans from the i-th in turn a record lies; fewer than `best` may be too few."""
    count = 0
    for later in range(i, len(turn)):
        if count + len(turn) - later < best:
            break
        if inside(place, spans, turn[later]):
            count += 1
    return count


@compiled
def in_most(orders: Orders, spans: Places, turn: Ints, least: int, out: Ints) -> None:
    """The largest number of spans, `least` or more, that a record lies in; how many do; the last.

    0, 0 and -1 where no record lies in `least` spans.
    """
    v = len(turn)
    best, size, row = least, 0, -1
    for i in range(v):
        if v - i < best:
            break
        j = turn[i]
        for at in range(spans[j, 0], spans[j, 1]):
            e = orders.rows[j, at]
            # One that was met before lies in fewer spans from here on: it is not counted twice.
            count = spans_in(orders.place[e], spans, turn, i, best)
            if count > best:
                best, size = count, 0
            if count == best:
                size += 1
                row = e
    out[0] = best if size else 0
    out[1] = size
    out[2] = row


@compiled
def count_windows(orders: Orders, spans: Places, upto: Ints, least: int, out: Ints) -> None:
    """`in_most` for each released record, over the first upto[s] variables for each step s."""
    for p in range(len(out)):
        for step in range(len(upto)):
            v = upto[step]
            turn = np.empty(v, np.int64)
            by_length(spans[p, :v], turn)
            in_most(orders, spans[p, :v], turn, least, out[p, step])


@compiled
def count_in_grids(place: Places, grids: Grids, spans: Places, least: int, out: Ints) -> None:
    """As `in_most` for each released record and all variables, where spans are wide.

    A record that no one of the first i blocks holds lies outside i spans at least.
    """
    v = spans.shape[1]
    work, turn = np.empty(len(grids.pairs), np.int64), np.empty(len(grids.pairs), np.int64)
    order = np.arange(v)
    sieve = sieve_for(grids)
    for p in range(len(out)):
        mine = spans[p]
        by_work(grids, mine, work, turn)
        set_sieve(grids, mine, sieve)
        best, size, row = least, 0, -1
        for i in range(len(turn)):
            if i > v - best:
                break
            for k in range(rows_inside(grids, turn[i], mine, sieve, best)):
                e = sieve.rows[k]
                count = spans_in(place[e], mine, order, 0, best)
                if count < best or not first_met(grids, place[e], mine, turn, i):
                    continue
                if count > best:
                    best, size = count, 0
                size += 1
                row = e
        out[p, 0] = best if size else 0
        out[p, 1] = size
        out[p, 2] = row
