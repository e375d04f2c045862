"""Records that are alike in everything that is compared: which comes first, and how many there are.

Rows are told apart by a hash of all their values, and where several rows could share one by the
values themselves: no answer rests on chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled

Ints = npt.NDArray[np.int64]
FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""Odd, without pattern in its bits: it spreads what it multiplies."""
HALF = np.uint64(32)


@compiled
def hashes(
    codes: npt.NDArray[Any], numbers: Ints, stratum: Ints, radix: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint64]:
    """A hash of each row; codes and bits of numbers stand one variable under the other.

    It is the row's number in mixed radix, spread over all bits: where the number fits into a word,
    rows that differ have different ones.
    """
    out = np.empty(len(stratum), np.uint64)
    for i in range(len(out)):
        out[i] = np.uint64(stratum[i] + 1)
    for j in range(len(codes)):
        for i in range(len(out)):
            out[i] = out[i] * radix[j] + np.uint64(np.int64(codes[j, i]) + 1)
    for j in range(len(numbers)):
        for i in range(len(out)):
            mixed = out[i] ^ (out[i] >> HALF)
            out[i] = (mixed + np.uint64(numbers[j, i])) * FACTOR
    for i in range(len(out)):
        spread = out[i] * FACTOR
        out[i] = spread ^ (spread >> HALF)
    return out


@compiled
def same(codes: npt.NDArray[Any], numbers: Ints, stratum: Ints, one: int, other: int) -> bool:
    """Whether two rows are alike."""
    alike = stratum[one] == stratum[other]
    for j in range(len(codes)):
        alike = alike and codes[j, one] == codes[j, other]
    for j in range(len(numbers)):
        alike = alike and numbers[j, one] == numbers[j, other]
    return bool(alike)


@compiled
def twins_of(
    hashed: npt.NDArray[np.uint64],
    apart: bool,
    codes: npt.NDArray[Any],
    numbers: Ints,
    stratum: Ints,
) -> tuple[Ints, Ints]:
    """For each row the first row that is alike, and how many of those alike come before it.

    Rows are compared by their values, unless hashes are known to tell them `apart`.
    """
    rows = len(stratum)
    size = 1
    while size < 2 * rows:
        size *= 2
    first, before = np.empty(rows, np.int64), np.empty(rows, np.int64)
    # By place in the table the first row of its kind, -1 where there is none; how many are like it.
    table, alike = np.full(size, -1, np.int32), np.zeros(rows, np.int32)
    for i in range(rows):
        place = np.int64(hashed[i] & np.uint64(size - 1))
        one = table[place]
        while one >= 0 and not (
            hashed[one] == hashed[i] and (apart or same(codes, numbers, stratum, one, i))
        ):
            place = (place + 1) & (size - 1)
            one = table[place]
        if one < 0:
            one = np.int32(i)
            table[place] = one
        first[i], before[i] = one, alike[one]
        alike[one] += np.int32(1)
    return first, before


@compiled
def stand_ins(first: Ints) -> tuple[Ints, Ints, Ints]:
    """Rows that are the first of their kind, which of them stands for each row, for how many."""
    of, rows, alike = np.empty(len(first), np.int64), np.empty_like(first), np.zeros_like(first)
    number = 0
    for i in range(len(first)):
        if first[i] == i:
            of[i], rows[number] = number, i
            number += 1
        else:
            of[i] = of[first[i]]
        alike[of[i]] += 1
    return rows[:number], of, alike[:number]
