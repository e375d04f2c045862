"""The rank rule as a shortlist that folds in any order (Primer 2.2, steps 3-5).

For each PUF record: at most `keep` pairs, all below its *cutoff*. At the start the cutoff is the
threshold. When a pair more would pass `keep`, the worst score leaves as a whole, because ranks
are kept whole or not at all, and becomes the new cutoff; nothing at or above it can ever return.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt


class Shortlist(NamedTuple):
    """Per PUF row: how many pairs, their EIF rows and units (unordered), and the cutoff."""

    size: npt.NDArray[np.int64]
    eif: npt.NDArray[np.int64]
    units: npt.NDArray[np.int64]
    cutoff: npt.NDArray[np.int64]


def empty(cutoff: npt.NDArray[np.int64], keep: int) -> Shortlist:
    """A shortlist that has seen nothing."""
    rows = len(cutoff)
    return Shortlist(
        size=np.zeros(rows, np.int64),
        eif=np.zeros((rows, keep), np.int64),
        units=np.zeros((rows, keep), np.int64),
        cutoff=cutoff.copy(),
    )


@numba.njit(cache=True, nogil=True)
def push(short: Shortlist, row: int, eif: int, units: int) -> None:
    """Add a pair below the cutoff; on overflow drop the worst score and lower the cutoff to it."""
    keep = short.eif.shape[1]
    size = short.size[row]
    if size < keep:
        short.eif[row, size] = eif
        short.units[row, size] = units
        short.size[row] = size + 1
        return
    worst = units
    for k in range(size):
        worst = max(worst, short.units[row, k])
    left = 0
    for k in range(size):
        if short.units[row, k] < worst:
            short.eif[row, left] = short.eif[row, k]
            short.units[row, left] = short.units[row, k]
            left += 1
    if units < worst:
        short.eif[row, left] = eif
        short.units[row, left] = units
        left += 1
    short.size[row] = left
    short.cutoff[row] = worst


@numba.njit(cache=True, nogil=True)
def pour(source: Shortlist, target: Shortlist) -> None:
    """Add every pair of one shortlist to another of the same rows."""
    for row in range(len(target.size)):
        target.cutoff[row] = min(target.cutoff[row], source.cutoff[row])
    for row in range(len(target.size)):
        for k in range(source.size[row]):
            if source.units[row, k] < target.cutoff[row]:
                push(target, row, source.eif[row, k], source.units[row, k])


def merge(one: Shortlist, other: Shortlist) -> Shortlist:
    """What both together would have seen; associative and commutative up to order inside a row."""
    both = empty(np.minimum(one.cutoff, other.cutoff), one.eif.shape[1])
    pour(one, both)
    pour(other, both)
    return both
