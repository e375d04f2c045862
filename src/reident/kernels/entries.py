"""Which keys of a block PUF rows ask for: their own, or one for each code of a missing value.

EIF rows that miss a value as well stand under each of these keys, as copies; they count under the
first, so that a PUF row finds no EIF row twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.runs import copies_of

Ints = npt.NDArray[np.int64]
MOST_KEYS = 64
"""Keys that a PUF row with missing values may ask for; with more it goes another way."""


class Entries(NamedTuple):
    """PUF rows, the key that each asks for, and whether they have all values of the block.

    `once` has a bit for each variable of the block. Where it is set, the PUF row misses the
    variable and asks for another key too, under which EIF rows that miss it are counted.
    """

    rows: Ints
    keys: Ints
    complete: npt.NDArray[np.bool_]
    once: Ints


@numba.njit(cache=True, nogil=True)
def entries_of(
    rows: Ints, keys: Ints, complete: npt.NDArray[np.bool_], weights: Ints
) -> tuple[Entries, npt.NDArray[np.bool_]]:
    """What PUF rows ask for, and which of them would ask for too many keys."""
    concrete = np.empty(MOST_KEYS, np.int64)
    other_way = np.zeros(len(rows), np.bool_)
    number = 0
    for i in range(len(rows)):
        found = 1 if complete[i] else copies_of(keys[i], weights, concrete)
        other_way[i] = found == 0
        number += found
    out = Entries(
        np.empty(number, np.int64),
        np.empty(number, np.int64),
        np.empty(number, np.bool_),
        np.zeros(number, np.int64),
    )
    own, cells, whole, once = out
    at = 0
    for i in range(len(rows)):
        key = keys[i]
        concrete[0] = key
        found = 1 if complete[i] else copies_of(key, weights, concrete)
        for k in range(found):
            own[at], cells[at], whole[at] = rows[i], concrete[k], complete[i]
            if not complete[i]:
                once[at] = _later(key, concrete[k], weights)
            at += 1
    return out, other_way


@numba.njit(cache=True, nogil=True)
def _later(key: int, concrete: int, weights: Ints) -> int:
    """Bits of the variables that a key misses and a concrete one has a later code of than 1."""
    bits = 0
    for d in range(len(weights) - 1):
        weight = weights[d + 1]
        size = weights[d] // weight
        if key // weight % size == 0 and concrete // weight % size > 1:
            bits |= 1 << d
    return bits


def in_order(entries: Entries, order: Ints) -> Entries:
    """Entries in another order."""
    return Entries(
        entries.rows[order], entries.keys[order], entries.complete[order], entries.once[order]
    )
