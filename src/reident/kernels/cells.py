"""Which records share a cell: keys, partitions, and one small hash table for each partition.

Keys are made in strips that stay in the cache, dealt into partitions by their hash, and counted
partition by partition in a table that stays in the cache too. Equal keys meet in one partition, so
partitions know nothing of each other.
"""

from __future__ import annotations

import numba
import numpy as np

STRIP = 2048
"""Rows whose keys are made at a time."""
MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2^64 divided by the golden ratio: its products spread over the high bits."""
FIRST_SLOTS = 64
MOST_FIRST_SLOTS = 1 << 12
_ONE = np.uint64(1)


@numba.njit(cache=True, nogil=True)
def mixed_radix(
    codes: np.ndarray, sizes: np.ndarray, groups: np.ndarray, first: int, last: int, out: np.ndarray
) -> None:
    """Dalenius' T2 sums of rows first..last - 1, from out[0] on: the first variable counts units.

    Variable j has codes below sizes[j]; variables groups[g]..groups[g + 1] - 1 together fewer than
    2^32 combinations, all of them at most 2^64.
    """
    part = np.empty(STRIP, np.uint32)
    for start in range(first, last, STRIP):
        rows = min(STRIP, last - start)
        key = out[start - first : start - first + rows]
        key[:] = np.uint64(0)
        weight = np.uint64(1)
        for g in range(len(groups) - 1):
            part[:rows] = np.uint32(0)
            product = np.uint64(1)
            for j in range(groups[g + 1] - 1, groups[g] - 1, -1):
                size = np.uint32(sizes[j])
                code = codes[j, start : start + rows]
                for i in range(rows):
                    part[i] = np.uint32(np.uint32(part[i] * size) + np.uint32(code[i]))
                product = np.uint64(product * np.uint64(sizes[j]))
            for i in range(rows):
                key[i] = np.uint64(key[i] + np.uint64(np.uint64(part[i]) * weight))
            weight = np.uint64(weight * product)


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def part_of(key: np.uint64, bits: int) -> np.uint64:
    """The partition of a key: the first bits of its hash."""
    # A shift by 64 would shift by nothing.
    return np.uint64(np.uint64(key * MIX) >> _ONE) >> np.uint64(63 - bits)


@numba.njit(cache=True, nogil=True)
def part_sizes(keys: np.ndarray, bits: int, out: np.ndarray) -> None:
    """Add up how many keys fall into each of 2^bits partitions."""
    for i in range(len(keys)):
        out[part_of(keys[i], bits)] += 1


@numba.njit(cache=True, nogil=True)
def deal(
    keys: np.ndarray,
    first: int,
    bits: int,
    place: np.ndarray,
    dealt: np.ndarray,
    rows: np.ndarray,
) -> None:
    """Write keys, and the numbers of their rows from `first` on, at the places of their partitions.

    `place` holds the next free place of each partition, and is moved on.
    """
    for i in range(len(keys)):
        key = keys[i]
        part = part_of(key, bits)
        at = place[part]
        place[part] = at + 1
        dealt[at] = key
        rows[at] = np.uint32(first + i)


@numba.njit(cache=True, nogil=True)
def sum_part_sizes(
    codes: np.ndarray,
    radix: tuple[np.ndarray, np.ndarray],
    span: tuple[int, int],
    bits: int,
    out: np.ndarray,
) -> None:
    """As part_sizes, for the T2 sums of a span of rows; radix = (sizes, groups) of mixed_radix."""
    keys = np.empty(STRIP, np.uint64)
    for start in range(span[0], span[1], STRIP):
        end = min(start + STRIP, span[1])
        mixed_radix(codes, radix[0], radix[1], start, end, keys)
        part_sizes(keys[: end - start], bits, out)


@numba.njit(cache=True, nogil=True)
def deal_sums(
    codes: np.ndarray,
    radix: tuple[np.ndarray, np.ndarray],
    span: tuple[int, int],
    bits: int,
    place: np.ndarray,
    dealt: np.ndarray,
    rows: np.ndarray,
) -> None:
    """As deal, for the T2 sums of a span of rows, which never leave the cache undealt.

    Making them twice is faster than keeping them: fresh memory costs more than sums.
    """
    keys = np.empty(STRIP, np.uint64)
    for start in range(span[0], span[1], STRIP):
        end = min(start + STRIP, span[1])
        mixed_radix(codes, radix[0], radix[1], start, end, keys)
        deal(keys[: end - start], start, bits, place, dealt, rows)


@numba.njit(cache=True, nogil=True)
def fill(
    keys: np.ndarray, bits: int, held: np.ndarray, count: np.ndarray, slot: np.ndarray
) -> bool:
    """Count the keys of one partition in an open table; False if it is too full.

    slot[i] becomes the place of keys[i] in the table. The partition's own bits of the hash are the
    same for all its keys; the table goes by the bits below.
    """
    slots = len(held)
    width = 0
    while 1 << width < slots:
        width += 1
    shift = np.uint64(64 - bits - width)
    mask = np.uint64(slots - 1)
    most = slots - (slots >> 2)
    cells = 0
    count[:] = np.uint32(0)
    for i in range(len(keys)):
        key = keys[i]
        at = np.uint64(np.uint64(key * MIX) >> shift) & mask
        while count[at] != 0 and held[at] != key:
            at = np.uint64(at + _ONE) & mask
        if count[at] == 0:
            if cells == most:
                return False
            held[at] = key
            cells += 1
        count[at] += np.uint32(1)
        slot[i] = at
    return True


@numba.njit(cache=True, nogil=True)
def tables(bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Room for the partitions between bounds: keys held, counts, and the slot of each record."""
    largest = 0
    for p in range(len(bounds) - 1):
        largest = max(largest, bounds[p + 1] - bounds[p])
    slots = FIRST_SLOTS
    while slots < largest + (largest >> 1) and slots < MOST_FIRST_SLOTS:
        slots *= 2
    return np.empty(slots, np.uint64), np.empty(slots, np.uint32), np.empty(largest, np.uint32)


@numba.njit(cache=True, nogil=True)
def count_parts(
    dealt: np.ndarray,
    rows: np.ndarray,
    bounds: np.ndarray,
    bits: int,
    tally: np.ndarray,
    out: np.ndarray,
) -> None:
    """Count the cells of partitions bounds[p]..bounds[p + 1] - 1.

    out[r] becomes how many records share the cell of record r; tally[c] grows by the cells of c
    records, its last place by those of more.
    """
    held, count, slot = tables(bounds)
    for p in range(len(bounds) - 1):
        first, last = bounds[p], bounds[p + 1]
        while not fill(dealt[first:last], bits, held, count, slot):
            held, count = np.empty(4 * len(held), np.uint64), np.empty(4 * len(held), np.uint32)
        for s in range(len(count)):
            tally[min(int(count[s]), len(tally) - 1)] += 1
        for i in range(first, last):
            out[rows[i]] = count[slot[i - first]]
    tally[0] = 0


@numba.njit(cache=True, nogil=True)
def number_parts(
    dealt: np.ndarray, rows: np.ndarray, bounds: np.ndarray, bits: int, out: np.ndarray
) -> None:
    """Give every cell of partitions bounds[p]..bounds[p + 1] - 1 a number below the records.

    A partition numbers its cells from its first place on, so that no two cells share a number.
    """
    held, count, slot = tables(bounds)
    for p in range(len(bounds) - 1):
        first, last = bounds[p], bounds[p + 1]
        while not fill(dealt[first:last], bits, held, count, slot):
            held, count = np.empty(4 * len(held), np.uint64), np.empty(4 * len(held), np.uint32)
        number = first
        for s in range(len(count)):
            if count[s]:
                held[s] = np.uint64(number)
                number += 1
        for i in range(first, last):
            out[rows[i]] = held[slot[i - first]]


@numba.njit(cache=True, nogil=True)
def count_all(keys: np.ndarray, counters: np.ndarray) -> None:
    """A counter for each possible key (Dalenius 3.2.3)."""
    for i in range(len(keys)):
        counters[keys[i]] += np.uint32(1)


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def count_codes(codes: np.ndarray, counters: np.ndarray) -> None:
    """How often each code of one variable occurs."""
    for i in range(len(codes)):
        counters[codes[i]] += 1


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def hash_words(words: np.ndarray) -> np.uint64:
    """A hash of a key of several words whose low and whose high bits are both well spread."""
    mixed = np.uint64(0)
    for w in range(len(words)):
        mixed = np.uint64(np.uint64(mixed ^ words[w]) * MIX)
        mixed = np.uint64(mixed ^ (mixed >> np.uint64(32)))
    mixed = np.uint64(mixed * MIX)
    return np.uint64(mixed ^ (mixed >> np.uint64(29)))


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def move_words(
    old_held: np.ndarray, old_count: np.ndarray, held: np.ndarray, count: np.ndarray
) -> None:
    """Move all cells of a table to a larger one."""
    for s in range(len(old_count)):
        if old_count[s]:
            at = find_slot(old_held[s], held, count)
            held[at] = old_held[s]
            count[at] = old_count[s]


@numba.njit(cache=True, nogil=True)
def look_up_words(
    words: np.ndarray, share: tuple[int, int], held: np.ndarray, count: np.ndarray, out: np.ndarray
) -> None:
    """The counts of the rows whose keys are of one share; the others are left as they are."""
    which, bits = np.uint64(share[0]), np.uint64(63 - share[1])
    for i in range(len(words)):
        if np.uint64(hash_words(words[i]) >> _ONE) >> bits == which:
            out[i] = count[find_slot(words[i], held, count)]
