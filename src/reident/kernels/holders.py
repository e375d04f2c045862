"""Who holds a value, as bits: rows that agree with a record are found 64 at a time.

For every variable and category a bitmap over the rows of a file, and a coarser one over blocks of
512 rows. Rows are sorted, so that few blocks hold the values of a record on the first variables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import lowest

WORD = 64
ALL = np.uint64(2**64 - 1)
BLOCK = 8
"""Words a block: one bit of the coarser bitmap."""
CHUNK = 128
"""Words that are worked on together; bitmaps are whole chunks long."""
MOST_SLOTS = 32
"""Categories with a bitmap of their own; more of them share, and rows found are compared."""
EXACT, WILD = False, True
"""Rows that equal a record on some variables, or do so wherever they have a value."""


class Table(NamedTuple):
    """Rows of a file by code, -1 missing, and the bitmaps of its values.

    Category c of variable j has bitmap first[j] + c % size[j]; the last one of each variable,
    first[j] + size[j], holds the rows without a value. `blocks` says which blocks hold a row, and
    `holders` how many rows there are.
    """

    codes: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    rows: npt.NDArray[np.uint64]
    blocks: npt.NDArray[np.uint64]
    holders: npt.NDArray[np.int64]


def table(codes: npt.NDArray[np.int32], categories: npt.NDArray[np.int64]) -> Table:
    """The bitmaps of a file whose variables have so many categories."""
    size = np.clip(categories, 1, MOST_SLOTS)
    first = np.concatenate([[0], np.cumsum(size + 1)[:-1]]).astype(np.int64)
    words = -(-len(codes) // (WORD * CHUNK)) * CHUNK
    slots = int((size + 1).sum())
    rows = np.zeros((slots, words), np.uint64)
    blocks = np.zeros((slots, -(-words // (WORD * BLOCK))), np.uint64)
    holders = np.zeros(slots, np.int64)
    made = Table(np.ascontiguousarray(codes), first, size.astype(np.int64), rows, blocks, holders)
    fill(made)
    return made


@compiled
def slot(held: Table, j: int, code: int) -> Any:
    """The bitmap of a category, or of no value."""
    if code < 0:
        return held.first[j] + held.size[j]
    return held.first[j] + code % held.size[j]


@compiled
def fill(held: Table) -> None:
    """Set the bits of every value."""
    for row in range(held.codes.shape[0]):
        word = row // WORD
        bit = np.uint64(1) << np.uint64(row % WORD)
        block = word // BLOCK
        coarse = np.uint64(1) << np.uint64(block % WORD)
        for j in range(held.codes.shape[1]):
            at = slot(held, j, held.codes[row, j])
            held.rows[at, word] |= bit
            held.holders[at] += 1
            held.blocks[at, block // WORD] |= coarse


@compiled
def inside(word: int, start: int, stop: int) -> Any:
    """The bits of a word whose rows lie in start..stop - 1."""
    base = word * WORD
    bits = ALL
    if stop <= base or start >= base + WORD:
        return np.uint64(0)
    if start > base:
        bits = bits << np.uint64(start - base)
    if stop < base + WORD:
        bits &= (np.uint64(1) << np.uint64(stop - base)) - np.uint64(1)
    return bits


class Asked(NamedTuple):
    """Rows asked for: those equal to `codes` on `chosen`; if WILD, wherever they have a value."""

    codes: npt.NDArray[np.int32]
    chosen: npt.NDArray[np.int64]
    wild: bool


@compiled
def present(codes: npt.NDArray[np.int32]) -> Any:
    """The variables that have a value."""
    has = np.empty(len(codes), np.int64)
    count = 0
    for j in range(len(codes)):
        if codes[j] >= 0:
            has[count] = j
            count += 1
    return has[:count]


@compiled
def fits(held: Table, row: int, asked: Asked) -> Any:
    """Whether a row is asked for: categories that share a bitmap are told apart here."""
    for j in asked.chosen:
        code = held.codes[row, j]
        if code != asked.codes[j] and not (asked.wild and code < 0):
            return False
    return True


@compiled
def slots_of(held: Table, asked: Asked) -> Any:
    """The bitmaps of the values asked for, rarest first, each with that of no value if wild."""
    width = len(asked.chosen)
    slots = np.empty((width, 2), np.int64)
    for k in range(width):
        j = asked.chosen[k]
        mine = slot(held, j, asked.codes[j])
        at = k
        while at > 0 and held.holders[slots[at - 1, 0]] > held.holders[mine]:
            # Not as a row: numba compiles what to say if rows do not fit, for three seconds.
            slots[at, 0], slots[at, 1] = slots[at - 1, 0], slots[at - 1, 1]
            at -= 1
        slots[at, 0] = mine
        slots[at, 1] = held.first[j] + held.size[j] if asked.wild else mine
    return slots


@compiled
def meet(held: Table, slots: npt.NDArray[np.int64], base: int, bits: npt.NDArray[np.uint64]) -> Any:
    """The rows of a block that lie in all bitmaps; False as soon as there are none."""
    rows = held.rows
    # Unsigned numbers need no check for a negative index, which would forbid wide instructions.
    at = np.uint64(base)
    for k in range(len(slots)):
        one, other = np.uint64(slots[k, 0]), np.uint64(slots[k, 1])
        left = np.uint64(0)
        for step in range(BLOCK):
            w = np.uint64(step)
            bits[w] &= rows[one, at + w] | rows[other, at + w]
            left |= bits[w]
        if left == 0:
            return False
    return True


@compiled
def find(held: Table, asked: Asked, start: int, stop: int, found: npt.NDArray[np.int64]) -> Any:
    """Rows start..stop - 1 that are asked for, in order, until `found` is full; returns how many.

    At least one variable must be chosen.
    """
    count = 0
    slots = slots_of(held, asked)
    block = np.empty(BLOCK, np.uint64)
    span = WORD * BLOCK
    if start >= stop:
        return 0
    for group in range(start // span // WORD, (stop - 1) // span // WORD + 1):
        coarse = inside(group, start // span, (stop - 1) // span + 1)
        for k in range(len(slots)):
            coarse &= held.blocks[slots[k, 0], group] | held.blocks[slots[k, 1], group]
            if coarse == 0:
                break
        while coarse != 0:
            base = (group * WORD + lowest(coarse)) * BLOCK
            coarse &= coarse - np.uint64(1)
            block[:] = ALL
            if base * WORD < start or (base + BLOCK) * WORD > stop:
                for step in range(BLOCK):
                    block[step] = inside(base + step, start, stop)
            if not meet(held, slots, base, block):
                continue
            for step in range(BLOCK):
                bits = block[step]
                while bits != 0:
                    row = (base + step) * WORD + lowest(bits)
                    bits &= bits - np.uint64(1)
                    if fits(held, row, asked):
                        found[count] = row
                        count += 1
                        if count == len(found):
                            return count
    return count
