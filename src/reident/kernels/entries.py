"""Which keys of a block PUF rows ask for: their own, or one for each code of a missing value.

EIF rows that miss a value as well stand under each of these keys, as copies; they count under the
first, so that a PUF row finds no EIF row twice. Keys that differ in the last variable alone stand
side by side: a row that misses it asks for all of them at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.keys import sort_keys
from reident.kernels.runs import copies_of

Ints = npt.NDArray[np.int64]
MOST_KEYS = 64
"""Keys that a PUF row with missing values may ask for; with more it goes another way."""


class Entries(NamedTuple):
    """PUF rows, the keys that each asks for, and whether they have all values of the block.

    These are `keys` itself and all up to `until`, which is none of them. `once` has a bit for each
    variable of the block. Where it is set, the PUF row misses the variable and asks for another
    key too, under which EIF rows that miss it are counted.
    """

    rows: Ints
    keys: Ints
    until: Ints
    complete: npt.NDArray[np.bool_]
    once: Ints


def entries_of(
    rows: Ints, keys: Ints, complete: npt.NDArray[np.bool_], weights: Ints
) -> tuple[Entries, npt.NDArray[np.bool_]]:
    """What PUF rows ask for in order of key, and which of them would ask for too many keys.

    Entries for one key come before those for several that begin with it.
    """
    if complete.all():
        order = sort_keys(keys)
        keys, none = keys[order], np.zeros(len(rows), np.int64)
        return Entries(rows[order], keys, keys + 1, complete, none), np.zeros(len(rows), np.bool_)
    asked, other_way = several(rows, keys, complete, weights)
    order = sort_keys(asked.keys * 2 + (asked.until > asked.keys + 1))
    own, cells, until, whole, once = asked
    return Entries(own[order], cells[order], until[order], whole[order], once[order]), other_way


@numba.njit(cache=True, nogil=True)
def several(
    rows: Ints, keys: Ints, complete: npt.NDArray[np.bool_], weights: Ints
) -> tuple[Entries, npt.NDArray[np.bool_]]:
    """What PUF rows ask for, and which of them would ask for too many keys."""
    concrete = np.empty(MOST_KEYS, np.int64)
    other_way = np.zeros(len(rows), np.bool_)
    last = weights[len(weights) - 2]
    upper = weights[:-1] // last
    number = 0
    for i in range(len(rows)):
        found, _ = _asked(keys[i], complete[i], weights, upper, concrete)
        other_way[i] = found == 0
        number += found
    out = Entries(
        np.empty(number, np.int64),
        np.empty(number, np.int64),
        np.empty(number, np.int64),
        np.empty(number, np.bool_),
        np.zeros(number, np.int64),
    )
    own, cells, until, whole, once = out
    at = 0
    for i in range(len(rows)):
        found, many = _asked(keys[i], complete[i], weights, upper, concrete)
        for k in range(found):
            own[at], cells[at], whole[at] = rows[i], concrete[k], complete[i]
            until[at] = concrete[k] + many
            if not complete[i]:
                once[at] = _later(keys[i], concrete[k], weights)
            at += 1
    return out, other_way


@numba.njit(cache=True, nogil=True)
def _asked(key: int, complete: bool, weights: Ints, upper: Ints, concrete: Ints) -> tuple[int, int]:
    """How many runs of keys a row asks for, 0 if too many, and of how many keys each is.

    Their first keys are written down. `upper` are the weights of all variables but the last.
    """
    last = weights[len(weights) - 2]
    if complete:
        concrete[0] = key
        return 1, 1
    if key % last:
        return copies_of(key, weights, concrete), 1
    found = copies_of(key // last, upper, concrete)
    for k in range(found):
        concrete[k] = concrete[k] * last + 1
    return found, last - 1


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
