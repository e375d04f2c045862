"""Which records share a cell: the keys of their data, and counters and tables of keys.

Keys of one word are counted by `dealing`.
"""

from __future__ import annotations

import numpy as np

from reident.kernels import compiled

STRIP = 8192
"""Rows whose keys are made at a time: so many that each column is read as a stream."""
MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2^64 divided by the golden ratio: its products spread over the high bits."""
_ONE = np.uint64(1)


@compiled
def mixed_radix(
    codes: np.ndarray, sizes: np.ndarray, groups: np.ndarray, first: int, last: int, out: np.ndarray
) -> None:
    """Dalenius' T2 sums of rows first..last - 1, from out[0] on: the first variable counts units.

    Variable j has codes below sizes[j]; variables groups[g]..groups[g + 1] - 1 together fewer than
    2^32 combinations, all of them at most 2^64.
    """
    whole = np.empty(STRIP, np.uint32)
    for start in range(first, last, STRIP):
        rows = min(STRIP, last - start)
        key, part = out[start - first : start - first + rows], whole[:rows]
        key[:] = np.uint64(0)
        weight = np.uint64(1)
        for g in range(len(groups) - 1):
            part[:] = np.uint32(0)
            j = groups[g + 1]
            while j - groups[g] >= 4:
                j -= 4
                join_four(part, codes[j : j + 4, start : start + rows], sizes[j : j + 4])
            while j > groups[g]:
                j -= 1
                join_one(part, codes[j, start : start + rows], np.uint32(sizes[j]))
            for i in range(rows):
                key[i] = np.uint64(key[i] + np.uint64(np.uint64(part[i]) * weight))
            for k in range(groups[g], groups[g + 1]):
                weight = np.uint64(weight * np.uint64(sizes[k]))


@compiled
def join_one(part: np.ndarray, code: np.ndarray, size: np.uint32) -> None:
    """Let a variable count the units of sums of those after it."""
    for i in range(len(part)):
        part[i] = np.uint32(np.uint32(part[i] * size) + np.uint32(code[i]))


@compiled
def join_four(part: np.ndarray, codes: np.ndarray, sizes: np.ndarray) -> None:
    """The same for four variables, the last one first; what is added up stays in a register."""
    one, two, three, four = codes[0], codes[1], codes[2], codes[3]
    units, after = np.uint32(sizes[0]), np.uint32(sizes[1])
    later, last = np.uint32(sizes[2]), np.uint32(sizes[3])
    for i in range(len(part)):
        total = np.uint32(np.uint32(part[i] * last) + np.uint32(four[i]))
        total = np.uint32(np.uint32(total * later) + np.uint32(three[i]))
        total = np.uint32(np.uint32(total * after) + np.uint32(two[i]))
        part[i] = np.uint32(np.uint32(total * units) + np.uint32(one[i]))


@compiled
def powers_of_two(
    codes: np.ndarray, bits: np.ndarray, window: np.ndarray, first: int, last: int, out: np.ndarray
) -> None:
    """A window of Dalenius' T1 sums of rows first..last - 1: bits window[0]..window[1] - 1.

    Category c > 0 of variable j is bit bits[j] + c - 1 of the sum, category 0 is no bit.
    """
    low, high = window[0], window[1]
    out[first:last] = np.uint64(0)
    for j in range(len(codes)):
        if bits[j] >= high or bits[j + 1] <= low:
            continue
        before = bits[j] - 1 - low
        for i in range(first, last):
            bit = np.int64(codes[j, i]) + before
            if codes[j, i] > 0 and 0 <= bit < high - low:
                out[i] |= np.uint64(1) << np.uint64(bit)


@compiled
def count_all(keys: np.ndarray, counters: np.ndarray) -> None:
    """A counter for each possible key (Dalenius 3.2.3)."""
    for i in range(len(keys)):
        counters[keys[i]] += np.uint32(1)


@compiled
def count_compatible(
    codes: np.ndarray,
    missing: np.ndarray,
    sizes: np.ndarray,
    first: int,
    last: int,
    out: np.ndarray,
) -> None:
    """For rows first..last - 1 the sizes of all rows that are equal wherever both are present."""
    for r in range(first, last):
        total = 0
        for q in range(codes.shape[1]):
            fits = True
            for j in range(codes.shape[0]):
                a, b = np.int64(codes[j, r]), np.int64(codes[j, q])
                if a != b and a != missing[j] and b != missing[j]:
                    fits = False
                    break
            if fits:
                total += sizes[q]
        out[r] = total


@compiled
def count_codes(codes: np.ndarray, counters: np.ndarray) -> None:
    """How often each code of one variable occurs."""
    for i in range(len(codes)):
        counters[codes[i]] += 1


@compiled
def find_slot(words: np.ndarray, held: np.ndarray, count: np.ndarray) -> int:
    """The slot of a key of several words in an open table, or the free slot where it belongs."""
    mask = np.uint64(len(count) - 1)
    at = np.uint64(hash_words(words) & mask)
    while count[at] != 0:
        same = True
        for w in range(len(words)):
            same &= held[at, w] == words[w]
        if same:
            break
        at = np.uint64(at + _ONE) & mask
    return int(at)


@compiled
def hash_words(words: np.ndarray) -> np.uint64:
    """A hash of a key of several words whose low and whose high bits are both well spread."""
    mixed = np.uint64(0)
    for w in range(len(words)):
        mixed = np.uint64(np.uint64(mixed ^ words[w]) * MIX)
        mixed = np.uint64(mixed ^ (mixed >> np.uint64(32)))
    mixed = np.uint64(mixed * MIX)
    return np.uint64(mixed ^ (mixed >> np.uint64(29)))


@compiled
def add_words(
    words: np.ndarray,
    share: tuple[int, int],
    start: int,
    held: np.ndarray,
    count: np.ndarray,
    cells: int,
) -> tuple[int, int]:
    """Count rows of keys from `start` on: (the first row not counted, cells in the table).

    A table that is half full takes no new cell. Only keys of one share are counted: share =
    (which, bits), by the first bits of the hash.
    """
    which, bits = np.uint64(share[0]), np.uint64(63 - share[1])
    for i in range(start, len(words)):
        if np.uint64(hash_words(words[i]) >> _ONE) >> bits != which:
            continue
        at = find_slot(words[i], held, count)
        if count[at] == 0:
            if 2 * cells >= len(count):
                return i, cells
            held[at] = words[i]
            cells += 1
        count[at] += np.uint32(1)
    return len(words), cells


@compiled
def move_words(
    old_held: np.ndarray, old_count: np.ndarray, held: np.ndarray, count: np.ndarray
) -> None:
    """Move all cells of a table to a larger one."""
    for s in range(len(old_count)):
        if old_count[s]:
            at = find_slot(old_held[s], held, count)
            held[at] = old_held[s]
            count[at] = old_count[s]


@compiled
def look_up_words(
    words: np.ndarray, share: tuple[int, int], held: np.ndarray, count: np.ndarray, out: np.ndarray
) -> None:
    """The counts of the rows whose keys are of one share; the others are left as they are."""
    which, bits = np.uint64(share[0]), np.uint64(63 - share[1])
    for i in range(len(words)):
        if np.uint64(hash_words(words[i]) >> _ONE) >> bits == which:
            out[i] = count[find_slot(words[i], held, count)]
