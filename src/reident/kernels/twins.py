"""Records that are alike in everything that is compared: which comes first, and how many there are.

Rows are told apart by a hash of all their values, and by the values themselves where hashes are
equal: no answer rests on a hash.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""Odd, without pattern in its bits: it spreads what it multiplies."""
HALF = np.uint64(32)


@numba.njit(cache=True, nogil=True)
def hashes(codes: npt.NDArray[np.int32], numbers: Ints, stratum: Ints) -> npt.NDArray[np.uint64]:
    """A hash of each row; codes and bits of numbers stand one variable under the other."""
    out = np.empty(len(stratum), np.uint64)
    for i in range(len(out)):
        out[i] = np.uint64(stratum[i] + 1) * FACTOR
    for j in range(len(codes)):
        for i in range(len(out)):
            mixed = out[i] ^ (out[i] >> HALF)
            out[i] = (mixed + np.uint64(codes[j, i] + 2)) * FACTOR
    for j in range(len(numbers)):
        for i in range(len(out)):
            mixed = out[i] ^ (out[i] >> HALF)
            out[i] = (mixed + np.uint64(numbers[j, i])) * FACTOR
    for i in range(len(out)):
        out[i] ^= out[i] >> HALF
    return out


@numba.njit(cache=True, nogil=True)
def same(codes: npt.NDArray[np.int32], numbers: Ints, stratum: Ints, one: int, other: int) -> bool:
    """Whether two rows are alike."""
    alike = stratum[one] == stratum[other]
    for j in range(len(codes)):
        alike = alike and codes[j, one] == codes[j, other]
    for j in range(len(numbers)):
        alike = alike and numbers[j, one] == numbers[j, other]
    return bool(alike)


@numba.njit(cache=True, nogil=True)
def twins_of(
    hashed: npt.NDArray[np.uint64], codes: npt.NDArray[np.int32], numbers: Ints, stratum: Ints
) -> tuple[Ints, Ints]:
    """For each row the first row that is alike, and how many of those alike come before it."""
    rows = len(stratum)
    size = 1
    while size < 2 * rows:
        size *= 2
    first, before = np.empty(rows, np.int64), np.empty(rows, np.int64)
    # By place in the table: the first row of its kind, -1 where there is none; how many there are.
    table, alike = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    for i in range(rows):
        place = np.int64(hashed[i] & np.uint64(size - 1))
        while table[place] >= 0 and not (
            hashed[table[place]] == hashed[i] and same(codes, numbers, stratum, table[place], i)
        ):
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place] = i
        first[i], before[i] = table[place], alike[place]
        alike[place] += 1
    return first, before
