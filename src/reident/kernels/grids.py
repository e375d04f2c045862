"""Rows in many spans, found by pairs of variables: a row outside few spans is inside some pair.

Variables are cut into blocks of one or two. A row that lies outside at most t spans lies inside all
spans of one of any t + 1 blocks. For each block rows are sorted by the cells of a grid, so that the
rows inside are a few runs. Beside them lie one-byte codes of the other variables: the row's place
in the order of each, in at most 255 parts. Spans rounded out to parts tell, many rows at a time,
which rows are worth a look.
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.keys import sort_keys

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
CHUNK = 128
"""Rows whose codes lie side by side and are read together: fewer are not added up in one go."""
CELL = 12
"""Rows of a cell at least, about: fewer would cost more runs, more would be read in vain."""
PARTS = 255
"""Parts of an order; the code after the last says that a value is missing."""
COLUMNS = 32
"""Codes beside a row at most: memory stays a multiple of the number of blocks."""


class Grids(NamedTuple):
    """Blocks b of variables pairs[b], a lone one named twice, and their rows in order of cells.

    A part of variable j's order is part[j] places, and a code its number. Cells are cells[b] parts
    long along both variables, sides[b] of them. The rows of a cell begin at starts[b, cell]; those
    with a missing value come after all cells. codes[b, chunk, i] are those of variable
    columns[b, i].
    """

    pairs: Ints
    part: Ints
    cells: Ints
    sides: Ints
    starts: Places
    rows: Places
    columns: Ints
    codes: Bytes


class Sieve(NamedTuple):
    """Spans in codes: the first of each variable and how many; and room for results.

    steps[j, code] says in how many narrower spans, one inside the other, a code of variable j lies.
    """

    first: Bytes
    wide: Bytes
    steps: Bytes
    agreed: Bytes
    rows: Places


def blocks_of(v: int, agree: int) -> Ints:
    """As many pairs as leave a block more than variables that may disagree; then lone ones."""
    pairs = min(v // 2, agree - 1)
    both = [(2 * b, 2 * b + 1) for b in range(pairs)]
    return np.array([*both, *((j, j) for j in range(2 * pairs, v))], np.int64)


def grids_of(place: Places, agree: int) -> Grids:
    """Sort all rows, given by their places in the order of each variable, by each block."""
    m, v = place.shape
    pairs = blocks_of(v, agree)
    goal = max(1, m // CELL)
    count = place.max(axis=0, initial=-1).astype(np.int64) + 1
    lone = (pairs[:, 0] == pairs[:, 1])[:, None]
    sides = np.minimum(np.where(lone, [1, goal], isqrt(goal)), PARTS)
    cells = -(-PARTS // sides)
    sides = -(-PARTS // cells)
    columns = (pairs[:, 1:] + 1 + np.arange(max(0, min(v - 2, COLUMNS)))) % v
    made = Grids(
        pairs,
        np.maximum(1, -(-count // PARTS)),
        cells,
        sides,
        np.zeros((len(pairs), int(sides.prod(axis=1).max()) + 1), np.int32),
        np.zeros((len(pairs), m), np.int32),
        columns,
        np.full((len(pairs), -(-m // CHUNK), columns.shape[1], CHUNK), PARTS, np.uint8),
    )
    codes = np.where(place < 0, PARTS, place // made.part).astype(np.uint8)
    for b in range(len(pairs)):
        _fill(made, b, codes)
    return made


def _fill(made: Grids, b: int, codes: Bytes) -> None:
    """Rows of a block in order of their cells, and the codes beside them."""
    mine = codes[:, made.pairs[b]].astype(np.int64)
    at = mine // made.cells[b]
    last = int(made.sides[b].prod())
    cell = np.where((mine == PARTS).any(axis=1), last, at[:, 0] * made.sides[b, 1] + at[:, 1])
    rows = sort_keys(cell)
    made.rows[b] = rows
    made.starts[b, : last + 1] = np.searchsorted(cell[rows], np.arange(last + 1))
    for i, j in enumerate(made.columns[b]):
        column = np.full(made.codes.shape[1] * CHUNK, PARTS, np.uint8)
        column[: len(rows)] = codes[rows, j]
        made.codes[b, :, i] = column.reshape(-1, CHUNK)


@compiled
def sieve_for(grids: Grids) -> Sieve:
    """Fresh room."""
    v = len(grids.part)
    return Sieve(
        np.zeros(v, np.uint8),
        np.zeros(v, np.uint8),
        np.zeros((v, PARTS + 1), np.uint8),
        np.zeros(CHUNK, np.uint8),
        np.empty(grids.rows.shape[1], np.int32),
    )


@compiled
def set_sieve(grids: Grids, spans: Places, sieve: Sieve) -> None:
    """Round spans out to codes."""
    for j in range(len(spans)):
        sieve.first[j], sieve.wide[j] = 0, 0
        if spans[j, 0] < spans[j, 1]:
            first = spans[j, 0] // grids.part[j]
            sieve.first[j] = first
            sieve.wide[j] = -(-spans[j, 1] // grids.part[j]) - first


@compiled
def add_step(grids: Grids, spans: Places, steps: Bytes) -> None:
    """Count the codes of each variable that its span reaches."""
    for j in range(len(spans)):
        if spans[j, 0] < spans[j, 1]:
            for code in range(spans[j, 0] // grids.part[j], -(-spans[j, 1] // grids.part[j])):
                steps[j, code] += np.uint8(1)


@compiled
def along(grids: Grids, b: int, side: int, spans: Places) -> tuple[int, int]:
    """The cells that a span reaches along one side of a block, first and end."""
    j = grids.pairs[b, side]
    size = grids.part[j] * grids.cells[b, side]
    if spans[j, 0] >= spans[j, 1]:
        return 0, 0
    return spans[j, 0] // size, -(-spans[j, 1] // size)


@compiled
def by_work(grids: Grids, spans: Places, work: Ints, turn: Ints) -> None:
    """About how many rows must be read in each block, and the blocks in this order."""
    for b in range(len(turn)):
        first, last = along(grids, b, 0, spans)
        low, high = along(grids, b, 1, spans)
        work[b] = (last - first) * (CHUNK + CELL * (high - low)) if high > low else 0
        k = b
        while k > 0 and work[turn[k - 1]] > work[b]:
            turn[k] = turn[k - 1]
            k -= 1
        turn[k] = b


@compiled
def inside(place: Places, spans: Places, j: int) -> bool:
    """Whether a row lies in the span of a variable."""
    return bool(spans[j, 0] <= place[j] < spans[j, 1])


@compiled
def first_met(grids: Grids, place: Places, spans: Places, turn: Ints, i: int) -> bool:
    """Whether the i-th block in turn is the first whose spans all hold a row."""
    for k in range(i + 1):
        one, other = grids.pairs[turn[k], 0], grids.pairs[turn[k], 1]
        if inside(place, spans, one) and inside(place, spans, other):
            return k == i
    return False


@compiled
def count_codes(codes: Bytes, columns: Ints, sieve: Sieve) -> int:
    """In how many spans, by their codes, each row of a chunk lies; the largest number."""
    agreed = sieve.agreed
    agreed[:] = 0
    for i in range(len(columns)):
        first, wide = sieve.first[columns[i]], sieve.wide[columns[i]]
        code = codes[i]
        for k in range(CHUNK):
            agreed[k] = np.uint8(agreed[k] + np.uint8(np.uint8(code[k] - first) < wide))
    most = np.uint8(0)
    for k in range(CHUNK):
        most = max(most, agreed[k])
    return int(most)


@compiled
def add_steps(codes: Bytes, columns: Ints, row: int, steps: Bytes) -> int:
    """The steps of a row of a chunk, all variables together."""
    total = 0
    for i in range(len(columns)):
        total += steps[columns[i], codes[i, row]]
    return total


@compiled
def rows_inside(
    grids: Grids, b: int, spans: Places, sieve: Sieve, least: int, levels: int = 0
) -> int:
    """Rows of a block's spans that may lie in `least` spans of the sieve, each once, and others.

    With so many `levels` of steps a row must also lack fewer steps than there are levels. Rows
    are put into sieve.rows; returns how many they are.
    """
    first, last = along(grids, b, 0, spans)
    low, high = along(grids, b, 1, spans)
    # Variables without a code beside the row may all agree.
    needed = least - (len(grids.part) - grids.columns.shape[1])
    enough = levels * (needed - 1) + 1
    found = 0
    for side in range(first, last):
        begin = grids.starts[b, side * grids.sides[b, 1] + low]
        end = grids.starts[b, side * grids.sides[b, 1] + high]
        for chunk in range(begin // CHUNK, -(-end // CHUNK)):
            codes = grids.codes[b, chunk]
            if count_codes(codes, grids.columns[b], sieve) < needed:
                continue
            base = chunk * CHUNK
            for at in range(max(begin, base), min(end, base + CHUNK)):
                if sieve.agreed[at - base] < needed:
                    continue
                if levels and add_steps(codes, grids.columns[b], at - base, sieve.steps) < enough:
                    continue
                sieve.rows[found] = grids.rows[b, at]
                found += 1
    return found
