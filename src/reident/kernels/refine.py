"""Cells of one interaction after another, of both files at once (Primer 2.1, steps 2-5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled


class Columns(NamedTuple):
    """Both files by variable, -1 missing."""

    puf: npt.NDArray[np.int32]
    eif: npt.NDArray[np.int32]


class Cells(NamedTuple):
    """Cells: PUF rows puf[starts[i, 0]:starts[i + 1, 0]], EIF rows eif[starts[i, 1]:...]."""

    puf: npt.NDArray[np.int64]
    eif: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]


@compiled
def tally(
    cells: Cells, at: int, mine: Any, theirs: Any, counts: Any, used: npt.NDArray[np.int64]
) -> Any:
    """Count the rows of a cell by code; returns how many codes the PUF uses, listed in `used`.

    `mine` and `theirs` are a variable's codes; counts[0] and counts[1] are zero before.
    """
    codes = 0
    for row in cells.puf[cells.starts[at, 0] : cells.starts[at + 1, 0]]:
        code = mine[row]
        if code >= 0:
            if counts[0, code] == 0:
                used[codes] = code
                codes += 1
            counts[0, code] += 1
    for row in cells.eif[cells.starts[at, 1] : cells.starts[at + 1, 1]]:
        code = theirs[row]
        if code >= 0 and counts[0, code] > 0:
            counts[1, code] += 1
    return codes


@compiled
def refine(
    cells: Cells, columns: Columns, j: int, categories: int, waiting: npt.NDArray[np.bool_]
) -> Cells:
    """Cells of one variable more, those that hold a waiting PUF row and an EIF row."""
    mine, theirs = columns.puf[j], columns.eif[j]
    counts = np.zeros((3, categories), np.int64)
    place = np.zeros((2, categories), np.int64)
    used = np.empty(categories, np.int64)
    puf, eif = np.empty_like(cells.puf), np.empty_like(cells.eif)
    starts = np.zeros((min(len(cells.puf), len(cells.eif)) + 1, 2), np.int64)
    made = 0
    for at in range(len(cells.starts) - 1):
        codes = tally(cells, at, mine, theirs, counts, used)
        for row in cells.puf[cells.starts[at, 0] : cells.starts[at + 1, 0]]:
            if mine[row] >= 0 and waiting[row]:
                counts[2, mine[row]] = 1
        for code in used[:codes]:
            if counts[1, code] > 0 and counts[2, code] > 0:
                place[0, code], place[1, code] = starts[made, 0], starts[made, 1]
                made += 1
                starts[made, 0] = starts[made - 1, 0] + counts[0, code]
                starts[made, 1] = starts[made - 1, 1] + counts[1, code]
            else:
                counts[0, code] = 0
        for row in cells.puf[cells.starts[at, 0] : cells.starts[at + 1, 0]]:
            code = mine[row]
            if code >= 0 and counts[0, code] > 0:
                puf[place[0, code]] = row
                place[0, code] += 1
        for row in cells.eif[cells.starts[at, 1] : cells.starts[at + 1, 1]]:
            code = theirs[row]
            if code >= 0 and counts[0, code] > 0:
                eif[place[1, code]] = row
                place[1, code] += 1
        for code in used[:codes]:
            counts[:, code] = 0
    return Cells(
        puf[: starts[made, 0]].copy(), eif[: starts[made, 1]].copy(), starts[: made + 1].copy()
    )


@compiled
def contradicts(columns: Columns, p: int, e: int) -> Any:
    """Whether two rows differ on a variable that both have."""
    for j in range(len(columns.puf)):
        a, b = columns.puf[j, p], columns.eif[j, e]
        if a >= 0 and b >= 0 and a != b:
            return True
    return False


@compiled
def expose(
    cells: Cells,
    columns: Columns,
    j: int,
    categories: int,
    reading: int,
    waiting: npt.NDArray[np.bool_],
) -> None:
    """PUF rows that share a cell of one variable more with one EIF row alone wait no longer.

    From reading 1 on, only if the two contradict each other nowhere.
    """
    mine, theirs = columns.puf[j], columns.eif[j]
    counts = np.zeros((2, categories), np.int64)
    used = np.empty(categories, np.int64)
    last = np.empty((2, categories), np.int64)
    for at in range(len(cells.starts) - 1):
        codes = 0
        for row in cells.puf[cells.starts[at, 0] : cells.starts[at + 1, 0]]:
            code = mine[row]
            if code >= 0:
                if counts[0, code] == 0:
                    used[codes] = code
                    codes += 1
                counts[0, code] += 1
                last[0, code] = row
        alone = 0
        for code in used[:codes]:
            if counts[0, code] == 1 and waiting[last[0, code]]:
                used[alone] = code
                alone += 1
            else:
                counts[0, code] = 0
        # Few cells have such a row: in the others the EIF need not be looked at.
        if alone:
            for row in cells.eif[cells.starts[at, 1] : cells.starts[at + 1, 1]]:
                code = theirs[row]
                if code >= 0:
                    counts[1, code] += counts[0, code]
                    last[1, code] = row
        for code in used[:alone]:
            if counts[1, code] == 1:
                p, e = last[0, code], last[1, code]
                waiting[p] = reading > 0 and contradicts(columns, p, e)
            counts[:, code] = 0
