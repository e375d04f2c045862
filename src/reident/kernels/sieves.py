"""All rows against one record, 64 at a time: what known masks cover falls through (Primer 2.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import lowest
from reident.kernels.holders import ALL, CHUNK, WORD, Table, inside
from reident.kernels.masks import TAKEN
from reident.kernels.records import Both, Chain, Record, add, mask_of, roomy

SIEVES = 24
"""Masks that sieve: more of them let fewer rows through, and cost more."""
PUF, EIF = 0, 1


@compiled
def choose_sieves(both: Both, record: Record, chain: Chain, chosen: npt.NDArray[np.int64]) -> Any:
    """The masks of a chain that most other masks should lie in; returns how many."""
    weight = np.empty(len(chosen))
    count = 0
    for k in range(chain.size[0]):
        score = 0.0
        for at in range(len(record.has)):
            if (chain.masks[k] >> np.uint64(record.has[at])) & np.uint64(1) == 0:
                score -= both.share[record.slots[at]]
        if count == len(chosen):
            if score <= weight[count - 1]:
                continue
            count -= 1
        at = count
        while at > 0 and weight[at - 1] < score:
            weight[at] = weight[at - 1]
            chosen[at] = chosen[at - 1]
            at -= 1
        weight[at] = score
        chosen[at] = k
        count += 1
    return count


@compiled
def sieve(
    held: Table,
    slots: npt.NDArray[np.int64],
    base: int,
    left: npt.NDArray[np.uint64],
    outside: npt.NDArray[np.uint64],
) -> None:
    """Keep in `left` the rows, words base.. of the bitmaps, that lie in one of some bitmaps."""
    if not len(slots):
        left[:] = 0
        return
    if len(slots) == 1:
        bits = held.rows[slots[0], base : base + CHUNK]
        for w in range(CHUNK):
            left[w] &= bits[w]
        return
    one = held.rows[slots[0], base : base + CHUNK]
    two = held.rows[slots[1], base : base + CHUNK]
    for w in range(CHUNK):
        outside[w] = one[w] | two[w]
    for k in range(2, len(slots)):
        bits = held.rows[slots[k], base : base + CHUNK]
        for w in range(CHUNK):
            outside[w] |= bits[w]
    for w in range(CHUNK):
        left[w] &= outside[w]


@compiled
def outside_of(record: Record, mask: Any, slots: npt.NDArray[np.int64]) -> Any:
    """Bitmaps of the record's values outside a mask; returns how many."""
    count = 0
    for k in range(len(record.has)):
        if (mask >> np.uint64(record.has[k])) & np.uint64(1) == 0:
            slots[count] = record.slots[k]
            count += 1
    return count


@compiled
def mask_by_bits(record: Record, held: Table, row: int) -> Any:
    """As mask_of, but read from bitmaps at hand; categories that share one look equal."""
    mask = np.uint64(0)
    word, bit = row // WORD, np.uint64(row % WORD)
    for k in range(len(record.has)):
        equal = (held.rows[record.slots[k], word] >> bit) & np.uint64(1)
        mask |= equal << np.uint64(record.has[k])
    return mask


@compiled
def stream(both: Both, record: Record, chain: Chain, file: int, served: Chain) -> Any:
    """Add the masks of a file's rows in the record's stratum, but for some that lie inside others.

    A row that agrees with the record on nothing outside a mask of the chain is not looked at: its
    mask lies inside. If it attains that mask, the chain does not learn that the mask is taken, so
    masks that have served this way are noted.
    """
    held = both.puf if file == PUF else both.eif
    start, stop = record.puf if file == PUF else record.eif
    left = np.empty(CHUNK, np.uint64)
    scratch = np.empty(CHUNK, np.uint64)
    sieves = np.empty(SIEVES, np.int64)
    slots = np.empty((SIEVES, WORD), np.int64)
    width = np.empty(SIEVES, np.int64)
    count = 0
    first = start // WORD // CHUNK
    for chunk in range(first, (stop - 1) // WORD // CHUNK + 1):
        if chunk - first < 4 or (chunk - first) % 8 == 0:
            count = choose_sieves(both, record, chain, sieves)
            served = roomy(served, count)
            for k in range(count):
                mask = chain.masks[sieves[k]]
                width[k] = outside_of(record, mask, slots[k])
                served.masks[served.size[0]] = mask
                served.size[0] += 1
        base = chunk * CHUNK
        left[:] = ALL
        if base * WORD < start or (base + CHUNK) * WORD > stop:
            for w in range(CHUNK):
                left[w] = inside(base + w, start, stop)
        for k in range(count):
            sieve(held, slots[k, : width[k]], base, left, scratch)
        for w in range(CHUNK):
            bits = left[w]
            if bits == 0:
                continue
            chain = roomy(chain, WORD)
            while bits != 0:
                row = (base + w) * WORD + lowest(bits)
                bits &= bits - np.uint64(1)
                mask = (
                    mask_of(record, held, row) if both.shared else mask_by_bits(record, held, row)
                )
                if file == EIF:
                    add(chain, mask, row)
                elif row != record.row:
                    add(chain, mask, TAKEN)
    return chain, served
