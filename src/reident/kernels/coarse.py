"""What two classes of codes score at least by a data owner's rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]


@compiled
def least_by_steps(
    mine: Bytes,
    theirs: Bytes,
    bounds: Ints,
    low: Codes,
    high: Codes,
    units: Ints,
    other: int,
    least: Ints,
) -> None:
    """Lower least[PUF class, EIF class] to what any two of their codes score.

    `mine` and `theirs` are the classes of codes, ascending. PUF code a owns ranges of EIF codes
    bounds[a] to bounds[a + 1] - 1, one inside the other.
    """
    size = len(theirs)
    for a in range(len(mine)):
        row = least[mine[a]]
        for b in range(len(row)):
            row[b] = min(row[b], other)
        for k in range(bounds[a], bounds[a + 1]):
            begin, end = low[k], min(high[k], size)
            if begin < end:
                for b in range(theirs[begin], theirs[end - 1] + 1):
                    row[b] = min(row[b], units[k])


@compiled
def least_by_lists(
    mine: Bytes, theirs: Bytes, bounds: Ints, low: Codes, units: Ints, other: int, least: Ints
) -> None:
    """The same for lists: each entry holds one EIF code."""
    for a in range(len(mine)):
        row = least[mine[a]]
        for b in range(len(row)):
            row[b] = min(row[b], other)
        for k in range(bounds[a], bounds[a + 1]):
            if low[k] < len(theirs):
                b = theirs[low[k]]
                row[b] = min(row[b], units[k])


@compiled
def missing_sums(codes: npt.NDArray[Any], amounts: Ints) -> Ints:
    """What missing values of rows, given by variable, add up to: codes below 0."""
    sums = np.zeros(codes.shape[1], np.int64)
    for j in range(len(codes)):
        for i in range(len(sums)):
            sums[i] += amounts[j] if codes[j, i] < 0 else 0
    return sums
