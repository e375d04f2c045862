"""Bitmaps of a block: 64 EIF rows are turned over at a time, so that each bit of theirs is a word.

A row is held as bytes, eight to a word: the classes of its variables, then what its missing values
add up to. Turned over, bit b of a byte is a *plane*: a bitmap over rows. Classes and ranges of them
are told from the planes of a byte, many rows at once.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.bitmaps import ALL_BITS, NO_BITS

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
BYTES = 8
"""Bytes of a word, and bits of a byte."""
CHUNK = 32
"""Words of a bitmap that are made together: all planes of a few stay in the cache."""
MOST = np.uint64(255)
"""What a byte holds; larger sums stop short, which only makes a pair look nearer."""
DIFFERENT, AT_LEAST, DIGIT = range(3)
"""What bitmaps tell of a byte: rows of another class, of this class or above, with this digit."""
ONE, HALF_WORD = np.uint64(1), np.uint64(0x00000000FFFFFFFF)


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def turn(square: Words) -> None:
    """Turn 64 words over: bit b of word i becomes bit i of word b."""
    size, mask = 32, HALF_WORD
    while size:
        shift = np.uint64(size)
        for begin in range(0, 64, 2 * size):
            # The upper bits of the first words change places with the lower bits of the others.
            for k in range(begin, begin + size):
                other = ((square[k] >> shift) ^ square[k + size]) & mask
                square[k + size] ^= other
                square[k] ^= other << shift
        size //= 2
        mask ^= mask << np.uint64(size)


@numba.njit(cache=True, nogil=True)
def mark(packed: Words, rows: npt.NDArray[np.int32], marks: Ints, bits: Words) -> None:
    """Bitmaps over packed rows, in the order of `rows`, as told by marks (byte, what, at, number).

    From bitmap `at` on: rows that are present and not of class 0, 1, .. `number` - 1, and then
    those that are present; or rows of class 1 or above, 2 or above, .. `number` - 1; or `number`
    binary digits.
    """
    lanes, length = packed.shape[1], bits.shape[1]
    squares, held = np.empty((lanes, 64), np.uint64), np.empty(CHUNK, np.uint64)
    planes = np.zeros((64 * lanes, CHUNK), np.uint64)
    for begin in range(0, length, CHUNK):
        words = min(CHUNK, length - begin)
        for w in range(words):
            start = (begin + w) * 64
            number = max(0, min(64, len(rows) - start))
            held[w] = ALL_BITS if number == 64 else (ONE << np.uint64(number)) - ONE  # a whole word
            squares[:, number:] = NO_BITS
            for i in range(number):
                row = rows[start + i]
                for lane in range(lanes):
                    squares[lane, i] = packed[row, lane]
            for lane in range(lanes):
                turn(squares[lane])
                for b in range(64):
                    planes[64 * lane + b, w] = squares[lane, b]
        for m in range(len(marks)):
            byte, what, at, number = marks[m, 0] * BYTES, marks[m, 1], marks[m, 2], marks[m, 3]
            if what == DIFFERENT:
                draw_different(planes, byte, held, number, begin, words, bits, at)
            elif what == AT_LEAST:
                draw_ranges(planes, byte, held, number, begin, words, bits, at)
            else:
                for q in range(number):
                    for w in range(words):
                        bits[at + q, begin + w] = planes[byte + q, w] & held[w]


@numba.njit(cache=True, nogil=True)
def draw_different(
    planes: Words, byte: int, held: Words, number: int, begin: int, words: int, bits: Words, at: int
) -> None:
    """Rows of another class than each, of those that have one: NO_CLASS alone has the last bit."""
    for c in range(number):
        c0, c1, c2, c3, c4 = whole(c), whole(c >> 1), whole(c >> 2), whole(c >> 3), whole(c >> 4)
        for w in range(words):
            other = (planes[byte, w] ^ c0) | (planes[byte + 1, w] ^ c1)
            other |= (planes[byte + 2, w] ^ c2) | (planes[byte + 3, w] ^ c3)
            other |= planes[byte + 4, w] ^ c4
            bits[at + c, begin + w] = other & held[w] & ~planes[byte + 7, w]
    for w in range(words):
        bits[at + number, begin + w] = held[w] & ~planes[byte + 7, w]


@numba.njit(cache=True, nogil=True)
def draw_ranges(
    planes: Words, byte: int, held: Words, number: int, begin: int, words: int, bits: Words, at: int
) -> None:
    """Rows of each class or above, compared digit by digit."""
    for t in range(1, number):
        t0, t1, t2, t3, t4 = whole(t), whole(t >> 1), whole(t >> 2), whole(t >> 3), whole(t >> 4)
        for w in range(words):
            # From the lowest digit on: a digit that is larger, or as large and the rest too.
            above = planes[byte, w] | ~t0
            above = (planes[byte + 1, w] & (above | ~t1)) | (above & ~t1)
            above = (planes[byte + 2, w] & (above | ~t2)) | (above & ~t2)
            above = (planes[byte + 3, w] & (above | ~t3)) | (above & ~t3)
            above = (planes[byte + 4, w] & (above | ~t4)) | (above & ~t4)
            bits[at + t - 1, begin + w] = above & held[w]


@numba.njit(cache=True, nogil=True)
def whole(number: int) -> Any:
    """A word full of the lowest binary digit of a number."""
    return ALL_BITS if number & 1 else NO_BITS
