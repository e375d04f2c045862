"""The nearest records by Euclidean distance, and all that are as near but for rounding.

Points look for rows. Rows lie in leaves, small boxes of rows near each other; a leaf whose box is
farther off than the nearest row so far is not looked into. The points of a strip go through a leaf
one after another, so that it stays in the cache. Distances are squared floats; which of the rows
kept is really nearest is decided elsewhere, exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

CLOSE = 1.0 + 1e-12
"""Squares within this factor may be equal but for rounding: a sum of a thousand is off by less."""
TINY = 1e-290
"""Squares below may have lost all their digits; numbers are scaled to at most 1."""
FAR = 1e300
"""How far off a box can be at most: infinite is what has been looked into."""
KEEP = 8
"""Rows kept for a point."""
FIRST = 3
"""Leaves that a point looks into before all others: most find their nearest there."""
BLOCK = 32
"""Rows of a leaf that are dismissed together."""


class Space(NamedTuple):
    """Rows to be searched: numbers by variable, leaves bounds[l]..bounds[l + 1] - 1, their boxes.

    A missing number is NaN; leaves with any are not `whole`. `weight` is what the square of a
    variable counts.
    """

    numbers: np.ndarray
    bounds: np.ndarray
    low: np.ndarray
    high: np.ndarray
    whole: np.ndarray
    weight: np.ndarray


class Near(NamedTuple):
    """For each point the least square, and rows kept with their squares; `room` is for a leaf.

    A size of KEEP + 1 marks a crowded point: some row that is as near may not be kept.
    """

    best: np.ndarray
    size: np.ndarray
    rows: np.ndarray
    squares: np.ndarray
    room: np.ndarray


@numba.njit(cache=True, nogil=True)
def limit_of(best: float) -> float:
    """Squares up to here may be the least but for rounding."""
    return best * CLOSE + TINY


@numba.njit(cache=True, nogil=True)
def keep(near: Near, p: int, row: int, square: float) -> None:
    """Keep a row that is nearest so far or as near; what is farther off than that is dropped."""
    if square < near.best[p]:
        limit = limit_of(square)
        # No square met was below the best so far: if that is too far off now, all of them are.
        # Otherwise rows that a crowded point has lost count of may still be as near.
        if near.best[p] > limit:
            near.size[p] = 0
        elif near.size[p] <= KEEP:
            held = 0
            for k in range(near.size[p]):
                if near.squares[p, k] <= limit:
                    near.rows[p, held] = near.rows[p, k]
                    near.squares[p, held] = near.squares[p, k]
                    held += 1
            near.size[p] = held
        near.best[p] = square
    if near.size[p] < KEEP:
        near.rows[p, near.size[p]] = row
        near.squares[p, near.size[p]] = square
        near.size[p] += 1
    else:
        near.size[p] = KEEP + 1


@numba.njit(cache=True, nogil=True)
def square_of(space: Space, point: np.ndarray, row: int, limit: float) -> float:
    """The square on the numbers that both have, rescaled to all; -1 if there are none or too far.

    To rescale can only make it more.
    """
    v = len(point)
    total = 0.0
    present = 0
    for j in range(v):
        apart = point[j] - space.numbers[j, row]
        if not np.isnan(apart):
            total += apart * apart * space.weight[j]
            present += 1
            if total > limit_of(limit):
                return -1.0
    return total * (v / present) if present else -1.0


@numba.njit(cache=True, nogil=True)
def look_one_by_one(
    space: Space, point: np.ndarray, span: tuple[int, int], near: Near, p: int
) -> None:
    """Search rows span[0]..span[1] - 1 where numbers may be missing on either side."""
    for row in range(span[0], span[1]):
        limit = limit_of(near.best[p])
        square = square_of(space, point, row, limit)
        if 0.0 <= square <= limit:
            keep(near, p, row, square)


@numba.njit(cache=True, nogil=True)
def look_together(
    space: Space, point: np.ndarray, span: tuple[int, int], near: Near, p: int, room: np.ndarray
) -> None:
    """Search rows span[0]..span[1] - 1, all whole as is the point.

    Half of the variables are added up for all of them, which the processor does side by side; the
    others only for rows that may still be near.
    """
    first, rows = span[0], span[1] - span[0]
    v = len(point)
    half = (v + 1) // 2
    room[:rows] = 0.0
    for j in range(half):
        column = space.numbers[j, span[0] : span[1]]
        at, weight = point[j], space.weight[j]
        for i in range(rows):
            apart = at - column[i]
            room[i] += apart * apart * weight
    for start in range(0, rows, BLOCK):
        stop = min(start + BLOCK, rows)
        limit = limit_of(near.best[p])
        some = False
        for i in range(start, stop):
            some |= room[i] <= limit
        if not some:
            continue
        for i in range(start, stop):
            square = room[i]
            if square <= limit:
                for j in range(half, v):
                    apart = point[j] - space.numbers[j, first + i]
                    square += apart * apart * space.weight[j]
                if square <= limit_of(near.best[p]):
                    keep(near, p, first + i, square)


@numba.njit(cache=True, nogil=True)
def look_into(
    space: Space, point: np.ndarray, leaf: int, tile: np.ndarray, near: Near, p: int
) -> None:
    """Search the rows of a leaf that lie in the tile."""
    span = (max(space.bounds[leaf], tile[2]), min(space.bounds[leaf + 1], tile[3]))
    if span[0] >= span[1]:
        return
    if space.whole[leaf] and not np.isnan(point).any():
        look_together(space, point, span, near, p, near.room)
    else:
        look_one_by_one(space, point, span, near, p)


@numba.njit(cache=True, nogil=True)
def least_squares(space: Space, point: np.ndarray, first: int, out: np.ndarray) -> None:
    """How near any row of the leaves from `first` on can be, from their boxes."""
    last = first + len(out)
    out[:] = 0.0
    for j in range(len(point)):
        at, weight = point[j], space.weight[j]
        if np.isnan(at):
            continue  # a missing number keeps nobody away
        low, high = space.low[j, first:last], space.high[j, first:last]
        for k in range(len(out)):
            beside = max(low[k] - at, at - high[k], 0.0)
            out[k] = min(out[k] + beside * beside * weight, FAR)


@numba.njit(cache=True, nogil=True)
def search_leaves(
    space: Space, points: np.ndarray, span: tuple[int, int], tile: np.ndarray, near: Near
) -> None:
    """Search for points that share leaves span[0]..span[1] - 1."""
    first, last = span
    least = np.empty((len(points), last - first))
    for p in range(len(points)):
        least_squares(space, points[p], first, least[p])
        for _ in range(min(FIRST, last - first)):
            nearest = int(np.argmin(least[p]))
            if least[p, nearest] <= limit_of(near.best[p]):
                look_into(space, points[p], first + nearest, tile, near, p)
                least[p, nearest] = np.inf
    for leaf in range(first, last):
        for p in range(len(points)):
            if least[p, leaf - first] <= limit_of(near.best[p]) and least[p, leaf - first] < np.inf:
                look_into(space, points[p], leaf, tile, near, p)


@numba.njit(cache=True, nogil=True)
def search(
    space: Space, points: np.ndarray, leaves: np.ndarray, tile: np.ndarray, near: Near
) -> None:
    """Search for points tile[0]..tile[1] - 1 among rows tile[2]..tile[3] - 1 of their leaves.

    Point p has leaves leaves[p, 0]..leaves[p, 1] - 1; points with the same ones lie side by side.
    What `near` holds already only prunes.
    """
    begin = tile[0]
    while begin < tile[1]:
        end = begin + 1
        while end < tile[1] and leaves[end, 0] == leaves[begin, 0]:
            end += 1
        a, b = begin - tile[0], end - tile[0]
        own = Near(near.best[a:b], near.size[a:b], near.rows[a:b], near.squares[a:b], near.room)
        span = (leaves[begin, 0], leaves[begin, 1])
        search_leaves(space, points[begin:end], span, tile, own)
        begin = end


@numba.njit(cache=True, nogil=True)
def merge(target: Near, source: Near) -> None:
    """As if the target had seen the rows of both."""
    for p in range(len(target.best)):
        crowded = source.size[p] > KEEP
        if crowded and source.best[p] <= limit_of(target.best[p]):
            target.best[p] = min(target.best[p], source.best[p])
            target.size[p] = KEEP + 1
        for k in range(0 if crowded else source.size[p]):
            if source.squares[p, k] <= limit_of(target.best[p]):
                keep(target, p, source.rows[p, k], source.squares[p, k])


def nobody(rows: int, widest: int) -> Near:
    """Nobody met so far, and room for the widest leaf."""
    return Near(
        np.full(rows, np.inf),
        np.zeros(rows, np.int64),
        np.zeros((rows, KEEP), np.int64),
        np.zeros((rows, KEEP)),
        np.zeros(widest),
    )
