"""Count equal keys: rounds dealt into partitions, and one small hash table for each partition.

Keys are dealt into partitions by their hash, a round of records at a time, so that a round's keys
and where they go stay in the cache. Partition by partition they are counted in a table that stays
there too: equal keys meet in one partition, so partitions know nothing of each other. The count
takes the place of the key, and going through the rounds once more in the same order brings it back
to its record. No memory is written at random but a round, and no record number is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reident.kernels import compiled
from reident.kernels.cells import MIX, mixed_radix

ROUND = 1 << 16
"""Records a round: so many keys, dealt and not, stay in the cache of a core."""
FIRST_SLOTS = 64
MOST_FIRST_SLOTS = 1 << 13
_ONE = np.uint64(1)


class Table(NamedTuple):
    """An open table: the key in each slot, how many keys are equal to it, the slots in use."""

    held: np.ndarray
    counts: np.ndarray
    taken: np.ndarray


@compiled
def part_of(key: np.uint64, bits: int) -> np.uint64:
    """The partition of a key: the first bits of its hash."""
    # A shift by 64 would shift by nothing.
    return np.uint64(np.uint64(key * MIX) >> _ONE) >> np.uint64(63 - bits)


@compiled
def deal_round(
    keys: np.ndarray, bits: int, parts: np.ndarray, bounds: np.ndarray, dealt: np.ndarray
) -> None:
    """Write the keys of one round partition by partition, in order of record inside each.

    parts[i] becomes the partition of record i; partition p goes to dealt[bounds[p]] up to
    dealt[bounds[p + 1] - 1].
    """
    bounds[:] = 0
    for i in range(len(keys)):
        part = part_of(keys[i], bits)
        parts[i] = part
        bounds[part + _ONE] += 1
    place = np.empty(len(bounds) - 1, np.int64)
    for p in range(len(place)):
        place[p] = bounds[p]
        bounds[p + 1] += bounds[p]
    for i in range(len(keys)):
        part = np.uint64(parts[i])
        dealt[place[part]] = keys[i]
        place[part] += 1


@compiled
def deal(
    keys: np.ndarray,
    span: tuple[int, int],
    bits: int,
    parts: np.ndarray,
    bounds: np.ndarray,
    dealt: np.ndarray,
) -> None:
    """Deal rounds span[0]..span[1] - 1 of all keys."""
    for r in range(span[0], span[1]):
        first, last = r * ROUND, min((r + 1) * ROUND, len(keys))
        deal_round(keys[first:last], bits, parts[first:last], bounds[r], dealt[first:last])


@compiled
def deal_sums(
    codes: np.ndarray,
    radix: tuple[np.ndarray, np.ndarray],
    span: tuple[int, int],
    bits: int,
    parts: np.ndarray,
    bounds: np.ndarray,
    dealt: np.ndarray,
) -> None:
    """As deal, for T2 sums, which never leave the cache undealt; radix is that of mixed_radix."""
    keys = np.empty(min(ROUND, codes.shape[1]), np.uint64)
    for r in range(span[0], span[1]):
        first, last = r * ROUND, min((r + 1) * ROUND, codes.shape[1])
        mixed_radix(codes, radix[0], radix[1], first, last, keys)
        deal_round(keys[: last - first], bits, parts[first:last], bounds[r], dealt[first:last])


@compiled
def fill(
    dealt: np.ndarray, bounds: np.ndarray, part: int, bits: int, table: Table, slot: np.ndarray
) -> int:
    """Count the keys of one partition in a table; how many cells there are, -1 if too many for it.

    slot[i] becomes the slot of the partition's i-th key, taken[c] that of its c-th cell. The
    partition's own bits of the hash are the same for all its keys; the table goes by the bits
    below.
    """
    held, count, taken = table
    slots = len(held)
    width = 0
    while 1 << width < slots:
        width += 1
    shift = np.uint64(64 - bits - width)
    mask = np.uint64(slots - 1)
    most = slots - (slots >> 2)
    cells, i = 0, 0
    count[:] = np.uint32(0)
    for r in range(len(bounds)):
        for k in range(r * ROUND + bounds[r, part], r * ROUND + bounds[r, part + 1]):
            key = dealt[k]
            at = np.uint64(np.uint64(key * MIX) >> shift) & mask
            while count[at] != 0 and held[at] != key:
                at = np.uint64(at + _ONE) & mask
            if count[at] == 0:
                if cells == most:
                    return -1
                held[at] = key
                taken[cells] = at
                cells += 1
            count[at] += np.uint32(1)
            slot[i] = at
            i += 1
    return cells


@compiled
def table_of(slots: int) -> Table:
    """A table of so many slots, a power of two and at least four, so that one stays free."""
    return Table(np.empty(slots, np.uint64), np.empty(slots, np.uint32), np.empty(slots, np.uint32))


@compiled
def room(bounds: np.ndarray, span: tuple[int, int]) -> tuple[Table, np.ndarray]:
    """For partitions span[0]..span[1] - 1: a table to begin with, and room for slots of keys."""
    largest = 0
    for p in range(span[0], span[1]):
        size = 0
        for r in range(len(bounds)):
            size += bounds[r, p + 1] - bounds[r, p]
        largest = max(largest, size)
    slots = FIRST_SLOTS
    while slots < largest + (largest >> 1) and slots < MOST_FIRST_SLOTS:
        slots *= 2
    return table_of(slots), np.empty(largest, np.uint32)


@compiled
def filled(
    dealt: np.ndarray, bounds: np.ndarray, part: int, bits: int, table: Table, slot: np.ndarray
) -> tuple[int, Table]:
    """As fill: how many cells there are, and a table that is large enough for them."""
    cells = fill(dealt, bounds, part, bits, table, slot)
    while cells < 0:
        table = table_of(4 * len(table.held))
        cells = fill(dealt, bounds, part, bits, table, slot)
    return cells, table


@compiled
def count_parts(
    dealt: np.ndarray, bounds: np.ndarray, span: tuple[int, int], bits: int, tally: np.ndarray
) -> None:
    """Put in the place of each key of some partitions how many keys are equal to it.

    tally[c] grows by the cells of c records, its last place by those of more.
    """
    table, slot = room(bounds, span)
    for p in range(span[0], span[1]):
        cells, table = filled(dealt, bounds, p, bits, table, slot)
        count = table.counts
        for c in range(cells):
            tally[min(int(count[table.taken[c]]), len(tally) - 1)] += 1
        i = 0
        for r in range(len(bounds)):
            for k in range(r * ROUND + bounds[r, p], r * ROUND + bounds[r, p + 1]):
                dealt[k] = count[slot[i]]
                i += 1


@compiled
def number_parts(dealt: np.ndarray, bounds: np.ndarray, span: tuple[int, int], bits: int) -> None:
    """Put in the place of each key of some partitions a number of its cell below the records.

    It is the first place of the cell, so that no two cells share a number.
    """
    table, slot = room(bounds, span)
    for p in range(span[0], span[1]):
        _, table = filled(dealt, bounds, p, bits, table, slot)
        held, count = table.held, table.counts
        i = 0
        for r in range(len(bounds)):
            for k in range(r * ROUND + bounds[r, p], r * ROUND + bounds[r, p + 1]):
                at = slot[i]
                if count[at]:
                    held[at] = np.uint64(k)
                    count[at] = np.uint32(0)
                dealt[k] = held[at]
                i += 1


@compiled
def collect(
    dealt: np.ndarray, parts: np.ndarray, bounds: np.ndarray, span: tuple[int, int], out: np.ndarray
) -> None:
    """Bring what stands in the places of keys back to the records, for some rounds."""
    for r in range(span[0], span[1]):
        first, last = r * ROUND, min((r + 1) * ROUND, len(parts))
        place = bounds[r].copy()
        mine, to = dealt[first:last], out[first:last]
        for i in range(last - first):
            part = np.uint64(parts[first + i])
            to[i] = mine[place[part]]
            place[part] += 1
