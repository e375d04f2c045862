"""Bitmaps of a block, in pieces of 512 EIF rows: 64 bytes are compared at once and give a word.

A row is held as bytes, eight to a word: the classes of its variables, then what its missing values
add up to. Eight rows are turned over at a time, so that each variable of theirs is a word.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import ALL_BITS, NO_BITS
from reident.kernels.lanes import LANES
from reident.kernels.registers import at_least, sharing, turn_bytes, unlike

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
BYTES = 8
"""Bytes of a word, and bits of a byte."""
MOST = np.uint64(255)
"""What a byte holds; larger sums stop short, which only makes a pair look nearer."""
DIFFERENT, AT_LEAST, DIGIT = range(3)
"""What bitmaps tell of a byte: rows of another class, of this class or above, with this digit."""
MISSING = 128
"""A bit that no class has, but for NO_CLASS."""


@compiled
def pack(classes: npt.NDArray[np.uint8], sums: Ints) -> Words:
    """Rows as bytes: classes, given by variable, and their sum behind the last one."""
    v, rows = classes.shape
    out = np.zeros((rows, v // BYTES + 1), np.uint64)
    for j in range(v):
        lane, shift = j // BYTES, np.uint64(j % BYTES * BYTES)
        for i in range(rows):
            out[i, lane] |= np.uint64(classes[j, i]) << shift
    lane, shift = v // BYTES, np.uint64(v % BYTES * BYTES)
    for i in range(rows):
        out[i, lane] |= min(np.uint64(sums[i]), MOST) << shift
    return out


@compiled
def turn(packed: Words, rows: npt.NDArray[np.int32], columns: Words) -> None:
    """Turn up to 512 packed rows over: a column of 512 bytes for each byte of a row.

    Beyond the last row columns hold zeros.
    """
    taken, turned = np.zeros(64 * LANES, np.uint64), np.empty(64 * LANES, np.uint64)
    for lane in range(packed.shape[1]):
        for i in range(len(rows)):
            taken[i] = packed[rows[i], lane]
        for at in range(0, 64 * LANES, LANES):
            turn_bytes(taken, turned, at)
        for byte in range(BYTES):
            column = (lane * BYTES + byte) * 64
            for i in range(64):
                columns[column + i] = turned[i * LANES + byte]


@compiled
def mark(packed: Words, rows: npt.NDArray[np.int32], marks: Ints, bits: Words) -> None:
    """Bitmaps over packed rows, in the order of `rows`, as told by marks (byte, what, at, number).

    From bitmap `at` on: rows that are present and not of class 0, 1, .. `number` - 1, and then
    those that are present; or rows of class 1 or above, 2 or above, .. `number` - 1; or `number`
    binary digits. `bits` has pieces, bitmaps, words; those of which nothing is told are empty.
    """
    columns = np.empty(packed.shape[1] * BYTES * 64, np.uint64)
    for piece in range(len(bits)):
        mine = rows[piece * 64 * LANES : (piece + 1) * 64 * LANES]
        turn(packed, mine, columns)
        bits[piece] = NO_BITS
        for w in range(LANES):
            held = ALL_BITS
            if len(mine) < (w + 1) * 64:
                # A shift by all bits of a word may give anything.
                held = (np.uint64(1) << np.uint64(max(0, len(mine) - w * 64))) - np.uint64(1)
            for m in range(len(marks)):
                byte, what, at, number = marks[m]
                column = byte * 64 + w * LANES
                if what == DIFFERENT:
                    here = held & ~sharing(columns, column, MISSING)
                    for c in range(number):
                        bits[piece, at + c, w] = unlike(columns, column, c) & here
                    bits[piece, at + number, w] = here
                elif what == AT_LEAST:
                    for t in range(1, number):
                        bits[piece, at + t - 1, w] = at_least(columns, column, t) & held
                else:
                    for q in range(number):
                        bits[piece, at + q, w] = sharing(columns, column, 1 << q) & held
