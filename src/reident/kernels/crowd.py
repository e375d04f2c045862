"""Partners that cells of sorted rows show, counted and not listed (Primer 2.1).

Rows sorted by some variables lie next to those that agree on the first of them. All rows that agree
with PUF row p on these variables are a cell of p, and a cell tells exactly which of its EIF rows
are partners (see partners.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled


class Pool(NamedTuple):
    """Rows of both files, first those of the PUF, of which there are `puf`; -1 is missing."""

    codes: npt.NDArray[np.int32]
    stratum: npt.NDArray[np.int64]
    puf: int


class Cells(NamedTuple):
    """Cells rows[bounds[i, 0]:bounds[i, 1]], equal on the variables of the mask variables[i]."""

    rows: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]
    variables: npt.NDArray[np.uint64]


@compiled
def shared(
    pool: Pool, rows: npt.NDArray[np.int64], order: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """On how many of the first variables each row equals the one before; -1 in a new stratum."""
    count = np.full(len(rows) + 1, -1, np.int64)
    for at in range(1, len(rows)):
        one, other = rows[at - 1], rows[at]
        if pool.stratum[one] != pool.stratum[other]:
            continue
        width = 0
        while (
            width < len(order) and pool.codes[one, order[width]] == pool.codes[other, order[width]]
        ):
            width += 1
        count[at] = width
    return count


@compiled
def sorted_cells(
    pool: Pool, rows: npt.NDArray[np.int64], order: npt.NDArray[np.int64], room: int
) -> Cells:
    """The largest cells of at most `room` rows; `rows` are sorted by stratum and these variables.

    Rows without a value of a variable that they would need are in no cell.
    """
    alike = shared(pool, rows, order)
    bounds = np.empty((len(rows), 2), np.int64)
    variables = np.empty(len(rows), np.uint64)
    made = 0
    start = 0
    while start < len(rows):
        stop = start + 1
        mask = np.uint64(0)
        for width in range(len(order) + 1):
            if width > 0:
                mask |= np.uint64(1) << np.uint64(order[width - 1])
                if pool.codes[rows[start], order[width - 1]] < 0:
                    break
            if width == 0 or width <= alike[start]:
                continue
            stop = start + 1
            while stop - start <= room and alike[stop] >= width:
                stop += 1
            if stop - start <= room:
                bounds[made, 0], bounds[made, 1] = start, stop
                variables[made] = mask
                made += 1
                break
            stop = start + 1
        start = stop
    return Cells(rows, bounds[:made].copy(), variables[:made].copy())


@compiled
def gather(
    pool: Pool, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int32]
) -> tuple[int, int]:
    """Columns of the codes of a cell's rows, those of the PUF first; how many of either file."""
    mine, theirs = 0, 0
    for row in rows:
        if row < pool.puf:
            columns[:, mine] = pool.codes[row]
            mine += 1
    for row in rows:
        if row >= pool.puf:
            columns[:, mine + theirs] = pool.codes[row]
            theirs += 1
    return mine, theirs


@compiled
def agreements(
    columns: npt.NDArray[np.int32], p: int, size: int, masks: npt.NDArray[np.uint64]
) -> None:
    """Agreement masks of row p of a cell with all its rows; none with itself."""
    masks[:size] = 0
    for j in range(len(columns)):
        column = columns[j]
        code = column[p]
        bit = np.uint64(j)
        if code >= 0:
            for q in range(size):
                masks[q] |= np.uint64(column[q] == code) << bit
    masks[p] = 0


@compiled
def attained(masks: npt.NDArray[np.uint64], size: int, mask: Any) -> Any:
    """How many of some masks contain a mask."""
    count = np.int64(0)
    for q in range(size):
        count += np.int64(masks[q] & mask == mask)
    return count


@compiled
def count_partners(
    pool: Pool, cells: Cells, seen: npt.NDArray[np.uint64], first: int, last: int, step: int
) -> Any:
    """Pairs of a PUF row and a partner in every so manieth of some cells.

    seen[k, p] are the variables of a cell of PUF row p whose pairs were counted before, 0 if none.
    """
    room = 0
    for at in range(first, last, step):
        room = max(room, cells.bounds[at, 1] - cells.bounds[at, 0])
    columns = np.empty((pool.codes.shape[1], room), np.int32)
    masks = np.empty(room, np.uint64)
    total = np.int64(0)
    for at in range(first, last, step):
        rows = cells.rows[cells.bounds[at, 0] : cells.bounds[at, 1]]
        mine, theirs = gather(pool, rows, columns)
        if mine == 0 or theirs == 0:
            continue
        p = 0
        for row in rows:
            if row >= pool.puf:
                continue
            agreements(columns, p, mine + theirs, masks)
            p += 1
            for e in range(mine, mine + theirs):
                if attained(masks, mine + theirs, masks[e]) != 1:
                    continue
                new = True
                for k in range(len(seen)):
                    known = seen[k, row]
                    new &= known == 0 or masks[e] & known != known
                total += np.int64(new)
    return total
