"""What a scan looks at, what it asks for, and the room that it works in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import ALL_BITS, CLASSES, DIGITS, OVER, SUMS, WORDS
from reident.kernels.lanes import LANES

Ints = npt.NDArray[np.int64]
COUNTER = (OVER + 2) * WORDS
"""Words of a counter, and of a row more for carries."""
EIGHTH, WITHIN = 3, LANES - 1
"""Bits that tell the piece of a word, and its place there: to divide by LANES takes longer."""
STARTS = 8
"""Counters at their start that are kept, because PUF rows differ in their limits."""
MOST_LIMIT = 1 << OVER
"""Where a counter overflows, in sixteenths of a mismatch: larger bounds filter nothing."""
MOST_SUM = (1 << SUMS) - 1
"""What missing values add up to is exact below this."""


class Classes(NamedTuple):
    """The classes of PUF rows, by record, and of EIF rows, by variable.

    `sums` is what the missing categories of EIF rows add up to, in sixteenths.
    """

    mine: npt.NDArray[np.uint8]
    theirs: npt.NDArray[np.uint8]
    sums: Ints


class Least(NamedTuple):
    """What variables score at least, in sixteenths of the least that a mismatch costs.

    `graded` lists variables that are not EQUAL; the k-th scores digits[k, PUF class, EIF class].
    `missing` is what a missing value adds, one mismatch at most, `classes` counts EIF classes;
    `cost` is in units. Where it is `exact`, pairs that agree on a block score just that, and all
    amounts are multiples of 2 ** `low` sixteenths. All scores are multiples of `grain` units.
    """

    graded: Ints
    digits: npt.NDArray[np.uint8]
    missing: Ints
    classes: Ints
    cost: int
    exact: bool
    low: int
    grain: int


class Asked(NamedTuple):
    """PUF rows in order of their key on a block, that key, and where shortlists begin.

    `complete` rows find all that they look for under their own key.
    """

    rows: Ints
    keys: Ints
    complete: npt.NDArray[np.bool_]
    stratum: Ints
    base: int


class Desk(NamedTuple):
    """Room to work in: a tile of bitmaps and planes, and when each row of it was filled.

    Words of the block that the tile holds, and which of their rows were found. Then counters at
    their start, with the tile and the limit that they were made for; a counter; the bitmaps chosen
    for a PUF row; a guess at the limit below which a PUF row finds just enough, and what it found.
    """

    tile: npt.NDArray[np.uint64]
    filled: Ints
    source: Ints
    valid: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.uint64]
    made: Ints
    counter: npt.NDArray[np.uint64]
    chosen: npt.NDArray[np.uint64]
    guess: Ints
    found: Ints


@compiled
def in_lines(words: int) -> npt.NDArray[np.uint64]:
    """Room for so many words; each eight of them lie in one line of the cache."""
    room = np.empty(words + LANES, np.uint64)
    begin = -(room.ctypes.data // room.itemsize) % LANES
    return room[begin : begin + words]


@compiled
def limit_of(cutoff: int, cost: int, grain: int) -> int:
    """Sixteenths that no pair below a cutoff reaches by what it scores at least."""
    largest = (cutoff - 1) // grain * grain
    return (largest << DIGITS) // cost + 1


@compiled
def clear_desk(bitmaps: int, graded: int, variables: int) -> Desk:
    """A desk for a block with so many bitmaps and for so many variables."""
    planes = (graded * CLASSES + variables) * DIGITS
    return Desk(
        np.zeros((bitmaps + planes) * WORDS, np.uint64),
        np.zeros(bitmaps + planes, np.int64),
        np.empty(WORDS, np.int64),
        np.empty(WORDS, np.uint64),
        np.zeros(STARTS * COUNTER, np.uint64),
        np.zeros((STARTS, 2), np.int64),
        np.zeros(COUNTER, np.uint64),
        np.zeros(2 * variables + 8, np.uint64),
        np.full(1, MOST_SUM, np.int64),
        np.empty((64 * WORDS, 2), np.int64),
    )


@compiled
def fetch(
    bits: npt.NDArray[np.uint64], row: int, source: Ints, tile: npt.NDArray[np.uint64], words: Any
) -> None:
    """Copy words of a bitmap into a tile."""
    at = np.uint64(row * WORDS)
    for w in range(words):
        tile[at + w] = bits[source[w] >> EIGHTH, row, source[w] & WITHIN]


@compiled
def show_words(start: int, stop: int, source: Ints, valid: npt.NDArray[np.uint64]) -> int:
    """The words that hold rows `start` to `stop` - 1, and which bits of them; how many words."""
    size = 0
    for word in range(start >> 6, ((stop - 1) >> 6) + 1):
        mask = ALL_BITS
        if word == start >> 6:
            mask &= ALL_BITS << np.uint64(start & 63)
        if word == stop >> 6:
            mask &= (np.uint64(1) << np.uint64(stop & 63)) - np.uint64(1)
        source[size], valid[size] = word, mask
        size += 1
    return size
