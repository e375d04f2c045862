"""Windows as bitmaps: which rows may lie in so many of a record's spans, 64 rows at a time.

The order of each variable is cut into parts. A bitmap holds the rows of the first q parts, so that
the rows of parts a to b - 1 are those of the b-th bitmap without those of the a-th. A span rounded
out to whole parts holds all its rows and some more; rows are counted bit by bit in binary counters
that begin so high that a carry out of the last digit means "often enough".
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.bitmaps import ALL_BITS, NO_BITS, ONE, lowest

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]
PARTS = 64
"""Parts of an order: the finer, the fewer rows pass in vain, and the more memory is held."""
WIDTH = 128
"""Words a tile: counters of a tile stay in the first cache."""
DIGITS = 7
SWIFT = 2048
"""Rows of a bitmap that are counted in the time that it takes to look one up in a list."""


class Prefixes(NamedTuple):
    """words[tile, j * (PARTS + 1) + q]: rows among the first q parts of variable j's order.

    A part of variable j holds size[j] places. Without tiles there are no bitmaps.
    """

    words: Words
    size: Ints


class Room(NamedTuple):
    """Room for a tile: binary digits, the rows to add, and the carries; and for rows found."""

    digits: Words
    more: Words
    carried: Words
    rows: Places


def no_prefixes() -> Prefixes:
    """None: every row is looked up in the lists."""
    return Prefixes(np.zeros((0, 0, 0), np.uint64), np.zeros(0, np.int64))


def prefixes(place: Places) -> Prefixes:
    """Bitmaps of the places of all rows, by variable."""
    m, v = place.shape
    size = np.maximum(1, -(-(place.max(axis=0, initial=-1).astype(np.int64) + 1) // PARTS))
    tiles = -(-m // (64 * WIDTH))
    words = np.zeros((tiles, v * (PARTS + 1), WIDTH), np.uint64)
    fill_prefixes(place, size, words)
    return Prefixes(words, size)


@numba.njit(cache=True, nogil=True)
def fill_prefixes(place: Places, size: Ints, words: Words) -> None:
    """Put each row into the bitmap of its part, then each bitmap into the next."""
    v = place.shape[1]
    for row in range(len(place)):
        tile, word = row // (64 * WIDTH), row // 64 % WIDTH
        bit = ONE << np.uint64(row % 64)
        for j in range(v):
            if place[row, j] >= 0:
                part = place[row, j] // size[j]
                words[tile, j * (PARTS + 1) + part + 1, word] |= bit
    for tile in range(len(words)):
        for j in range(v):
            for part in range(1, PARTS + 1):
                at = j * (PARTS + 1) + part
                for w in range(WIDTH):
                    words[tile, at, w] |= words[tile, at - 1, w]


@numba.njit(cache=True, nogil=True)
def room_for(held: Prefixes) -> Room:
    """Fresh room."""
    return Room(
        np.zeros((DIGITS, WIDTH), np.uint64),
        np.zeros(WIDTH, np.uint64),
        np.zeros(WIDTH, np.uint64),
        np.empty(len(held.words) * WIDTH * 64, np.int32),
    )


@numba.njit(cache=True, nogil=True)
def pays(held: Prefixes, listed: int, met: Places, v: int) -> bool:
    """Whether bitmaps are read sooner than so many rows in lists."""
    return bool(len(held.words) > 0 and listed * SWIFT > (met[1] - met[0]) * v)


@numba.njit(cache=True, nogil=True)
def add(low: Words, high: Words, room: Room, digits: int) -> None:
    """Count the rows that are in one bitmap and not in the other."""
    more, carried = room.more, room.carried
    for w in range(WIDTH):
        more[w] = high[w] & ~low[w]
    for d in range(digits):
        digit = room.digits[d]
        for w in range(WIDTH):
            carry = digit[w] & more[w]
            digit[w] ^= more[w]
            more[w] = carry
    for w in range(WIDTH):
        carried[w] |= more[w]


@numba.njit(cache=True, nogil=True)
def add_two(low: Words, high: Words, low2: Words, high2: Words, room: Room) -> None:
    """As `add` for two pairs of bitmaps and three digits, all in one loop: most of the time."""
    ones, twos, fours, carried = room.digits[0], room.digits[1], room.digits[2], room.carried
    for w in range(WIDTH):
        a = high[w] & ~low[w]
        b = high2[w] & ~low2[w]
        once = a ^ b
        two = (a & b) | (ones[w] & once)
        four = twos[w] & two
        ones[w] ^= once
        twos[w] ^= two
        carried[w] |= fours[w] & four
        fours[w] ^= four


@numba.njit(cache=True, nogil=True)
def rows_of_span(held: Prefixes, spans: Places, j: int) -> tuple[int, int]:
    """The bitmaps, of a tile, between which the rows of a span lie, rounded out to parts."""
    base = j * (PARTS + 1)
    if spans[j, 0] >= spans[j, 1]:
        return base, base
    return base + spans[j, 0] // held.size[j], base + -(-spans[j, 1] // held.size[j])


@numba.njit(cache=True, nogil=True)
def rows_in_many(held: Prefixes, spans: Places, met: Places, least: int, room: Room) -> int:
    """Rows met that lie in `least` or more of the spans, and some others, into room.rows."""
    needed = 0
    while 1 << needed < least:
        needed += 1
    start = (1 << needed) - least
    count = 0
    for tile in range(met[0] // (64 * WIDTH), -(-met[1] // (64 * WIDTH))):
        words = held.words[tile]
        for d in range(needed):
            room.digits[d] = ALL_BITS if start >> d & 1 else NO_BITS
        room.carried[:] = NO_BITS
        j = 0
        while j < len(spans):
            low, high = rows_of_span(held, spans, j)
            if needed == 3 and j + 1 < len(spans):
                low2, high2 = rows_of_span(held, spans, j + 1)
                add_two(words[low], words[high], words[low2], words[high2], room)
                j += 2
            else:
                add(words[low], words[high], room, needed)
                j += 1
        for w in range(WIDTH):
            left = room.carried[w]
            while left:
                row = (tile * WIDTH + w) * 64 + lowest(left)
                if met[0] <= row < met[1]:
                    room.rows[count] = row
                    count += 1
                left &= left - ONE
    return count
