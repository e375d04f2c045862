"""The nearest records by Euclidean distance, and all that are as near but for rounding.

Points look for rows. Rows lie in leaves, small boxes of rows near each other; a leaf whose box is
farther off than the nearest row so far is not looked into. The points of a strip go through a leaf
one after another, so that it stays in the cache. Inside a leaf, blocks of rows are dismissed
together by short floats, and what is left is measured by long ones. Which of the rows kept is
really nearest is decided elsewhere, exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reident.kernels import compiled

CLOSE = 1.0 + 1e-12
"""Squares within this factor may be equal but for rounding: a sum of a thousand is off by less."""
TINY = 1e-290
"""Squares below may have lost all their digits; numbers are scaled to at most 1."""
FAR = 1e300
"""How far off a box can be at most: infinite is what has been looked into."""
ROUGH = 1.0 + 1e-5
"""Squares of short floats are off by less than this factor, and by the slack of their numbers."""
KEEP = 8
"""Rows kept for a point."""
FIRST = 3
"""Leaves that a point looks into before all others: most find their nearest there."""
BLOCK = 128
FOUR = 4
"""Rows that are dismissed together, and variables that are added up at a time."""
LONGEST = 1e30
"""Beyond every square of short floats but for those that only fill up a block."""


class Space(NamedTuple):
    """Rows to be searched, in leaves bounds[l]..bounds[l + 1] - 1 with boxes from low to high.

    A missing number is NaN. `weight` is what the square of a variable counts. blocks[block[l]] is
    the first block of leaf l, variable by variable in short floats; -1: it has none. Distances of
    short floats are rough[0] times as long, and off by at most rough[1].
    """

    rows: np.ndarray
    bounds: np.ndarray
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray
    blocks: np.ndarray
    block: np.ndarray
    rough: np.ndarray


class Points(NamedTuple):
    """Points that search, in long and in short floats, and their leaves from leaves[p, 0] on.

    Points with the same leaves lie side by side. `whole` are those without a missing number.
    """

    rows: np.ndarray
    short: np.ndarray
    leaves: np.ndarray
    whole: np.ndarray


class Near(NamedTuple):
    """For each point the least square, and rows kept with their squares.

    A size of KEEP + 1 marks a crowded point: some row that is as near may not be kept.
    """

    best: np.ndarray
    size: np.ndarray
    rows: np.ndarray
    squares: np.ndarray


@compiled
def widest(rows: np.ndarray, own: np.ndarray, weight: np.ndarray) -> int:
    """The variable on which these rows lie farthest apart, the first of equals."""
    v = rows.shape[1]
    low, high = np.full(v, np.inf), np.full(v, -np.inf)
    for i in range(len(own)):
        for j in range(v):
            at = rows[own[i], j]
            if not np.isnan(at):
                low[j] = min(low[j], at)
                high[j] = max(high[j], at)
    best, most = 0, 0.0
    for j in range(v):
        apart = max(high[j] - low[j], 0.0)
        square = apart * apart * weight[j]
        if square > most:
            best, most = j, square
    return best


@compiled
def limit_of(best: float) -> float:
    """Squares up to here may be the least but for rounding."""
    return best * CLOSE + TINY


@compiled
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


@compiled
def measure(space: Space, point: np.ndarray, row: int, near: Near, p: int) -> None:
    """Measure one row on the numbers that both have, rescaled to all of them, and keep it if near.

    To rescale can only make it more, so a sum that is too much already need not be finished.
    """
    v = len(point)
    limit = limit_of(near.best[p])
    square = 0.0
    present = 0
    for j in range(v):
        apart = point[j] - space.rows[row, j]
        if not np.isnan(apart):
            square += apart * apart * space.weight[j]
            present += 1
            if square > limit_of(limit):
                return
    if present == 0:
        return
    square *= v / present
    if square <= limit:
        keep(near, p, row, square)


@compiled
def add_squares(block: np.ndarray, short: np.ndarray, j: int, room: np.ndarray) -> None:
    """Add up the squares of FOUR variables from j on for all rows of a block, side by side."""
    a, b, c, d = short[j], short[j + 1], short[j + 2], short[j + 3]
    for w in range(BLOCK):
        e, f = np.float32(a - block[j, w]), np.float32(b - block[j + 1, w])
        g, h = np.float32(c - block[j + 2, w]), np.float32(d - block[j + 3, w])
        one = np.float32(np.float32(e * e) + np.float32(f * f))
        two = np.float32(np.float32(g * g) + np.float32(h * h))
        room[w] = np.float32(room[w] + np.float32(one + two))


@compiled
def any_within(room: np.ndarray, limit: np.float32) -> bool:
    """Whether any square of a block is within the limit."""
    some = False
    for w in range(BLOCK):
        some |= room[w] <= limit
    return some


@compiled
def reach(space: Space, best: float) -> np.float32:
    """Squares of short floats up to here may be the least."""
    length = np.sqrt(best) * space.rough[0] + space.rough[1]
    return np.float32(min(length * length * ROUGH, LONGEST))


@compiled
def look_into(
    space: Space, points: Points, q: int, leaf: int, near: Near, p: int, room: np.ndarray
) -> None:
    """Measure the rows of a leaf; where it has blocks, only those that these do not dismiss."""
    point = points.rows[q]
    first, last = space.bounds[leaf], space.bounds[leaf + 1]
    if space.block[leaf] < 0 or not points.whole[q]:
        for row in range(first, last):
            measure(space, point, row, near, p)
        return
    short = points.short[q]
    for start in range(first, last, BLOCK):
        block = space.blocks[space.block[leaf] + (start - first) // BLOCK]
        limit = reach(space, near.best[p])
        room[:] = np.float32(0.0)
        some = True
        for j in range(0, len(short), FOUR):
            add_squares(block, short, j, room)
            some = any_within(room, limit)
            if not some:
                break
        if some:
            # The nearest by short floats goes first: few others are within reach after it.
            nearest = int(np.argmin(room))
            measure(space, point, start + nearest, near, p)
            limit = reach(space, near.best[p])
            for w in range(min(BLOCK, last - start)):
                if room[w] <= limit and w != nearest:
                    measure(space, point, start + w, near, p)


@compiled
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
            beside = max(max(low[k] - at, at - high[k]), 0.0)  # noqa: PLW3301  # three do not vectorise
            out[k] += beside * beside * weight
    for k in range(len(out)):
        out[k] = min(out[k], FAR)


@compiled
def search_leaves(space: Space, points: Points, begin: int, end: int, near: Near) -> None:
    """Search for points begin..end - 1, which share their leaves."""
    first, last = points.leaves[begin, 0], points.leaves[begin, 1]
    least = np.empty((end - begin, last - first))
    room = np.empty(BLOCK, np.float32)
    for p in range(end - begin):
        least_squares(space, points.rows[begin + p], first, least[p])
        for _ in range(min(FIRST, last - first)):
            nearest = int(np.argmin(least[p]))
            if least[p, nearest] <= limit_of(near.best[p]):
                look_into(space, points, begin + p, first + nearest, near, p, room)
                least[p, nearest] = np.inf
    for leaf in range(first, last):
        for p in range(end - begin):
            if least[p, leaf - first] <= limit_of(near.best[p]) and least[p, leaf - first] < np.inf:
                look_into(space, points, begin + p, leaf, near, p, room)


@compiled
def search(space: Space, points: Points, first: int, last: int, near: Near) -> None:
    """Search for points first..last - 1 in their leaves."""
    begin = first
    while begin < last:
        end = begin + 1
        while end < last and points.leaves[end, 0] == points.leaves[begin, 0]:
            end += 1
        a, b = begin - first, end - first
        own = Near(near.best[a:b], near.size[a:b], near.rows[a:b], near.squares[a:b])
        search_leaves(space, points, begin, end, own)
        begin = end


def nobody(points: int) -> Near:
    """Nobody met so far."""
    return Near(
        np.full(points, np.inf),
        np.zeros(points, np.int64),
        np.zeros((points, KEEP), np.int64),
        np.zeros((points, KEEP)),
    )
