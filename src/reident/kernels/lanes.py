"""Words of bitmaps as one value, and 64 bytes as one word: plain twins of registers.

Compiled, these functions are single instructions (kernels/registers). A loop over words would leave
it to the compiler whether words are worked on side by side: it gives up where arrays might overlap,
and does the last words one by one.

As plain Python, lanes are small arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite.binding import get_host_cpu_features

from reident.kernels import config

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
LANES = 8
"""Words of a bitmap that lie side by side, a line of the cache; bytes of a word."""


def wide_registers() -> bool:
    """Whether registers of this processor hold eight words; where it is not known, they do not."""
    if config.CPU_NAME or config.CPU_FEATURES or not config.ENABLE_AVX:
        return False  # code for another processor than this
    try:
        return bool(get_host_cpu_features().get("avx512f", False))
    except RuntimeError:
        return False  # a processor that the compiler does not know


WIDTH = LANES if wide_registers() else LANES // 2
"""Words of a value: as many as a register holds, so that sums stay in registers. How many has no
bearing on any answer, nor on how bitmaps lie."""


def load(words: Words, at: Any) -> Any:
    """Words of a value, from one on."""
    return words[int(at) : int(at) + WIDTH].copy()


def store(words: Words, at: Any, lanes: Any) -> None:
    """Write the words of a value, from one on."""
    words[int(at) : int(at) + WIDTH] = lanes


def fetch(numbers: npt.NDArray[Any], at: Any) -> None:
    """Ask for the line of the cache that holds a number of an array, counted end to end.

    Numbers that lie far from each other, asked for early, come while others are worked on.
    """


def spread(word: Any) -> Any:
    """The same word everywhere."""
    return np.full(WIDTH, word, np.uint64)


def counted(lanes: Any) -> Any:
    """How many bits are set in each of the words."""
    return np.bitwise_count(lanes).astype(np.uint64)


def in_all(lanes: Any) -> int:
    """What the words add up to."""
    return int(lanes.sum())


def filled(lanes: Any) -> Any:
    """Which of the words are not empty: a bit each."""
    return np.uint64(np.packbits(lanes != 0, bitorder="little")[0])


def odd(one: Any, two: Any, three: Any) -> Any:
    """Which bits an odd number of three lanes have: the sum of three digits."""
    return one ^ two ^ three


def majority(one: Any, two: Any, three: Any) -> Any:
    """Which bits two of three lanes have, or all: what the sum of three digits carries."""
    return (one & two) | (one & three) | (two & three)


def turn_bytes(words: Words, turned: Words, at: Any) -> None:
    """Turn eight words of eight bytes over: byte b of word i becomes byte i of word b."""
    place = slice(int(at), int(at) + LANES)
    turned[place] = words[place].view(np.uint8).reshape(LANES, LANES).T.copy().view(np.uint64)[:, 0]


def unlike(column: Words, at: Any, value: Any) -> Any:
    """Which of 64 bytes, those of eight words, are not a value: a bit each."""
    return _bits(_bytes(column, at) != value)


def at_least(column: Words, at: Any, value: Any) -> Any:
    """Which of 64 bytes are a value or more."""
    return _bits(_bytes(column, at) >= value)


def sharing(column: Words, at: Any, value: Any) -> Any:
    """Which of 64 bytes have a bit in common with a value."""
    return _bits(_bytes(column, at) & np.uint8(value) != 0)


def _bytes(column: Words, at: Any) -> Bytes:
    return column[int(at) : int(at) + LANES].copy().view(np.uint8)


def _bits(flags: npt.NDArray[np.bool_]) -> Any:
    return np.packbits(flags, bitorder="little").view(np.uint64)[0]
