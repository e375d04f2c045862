"""Eight words of bitmaps as one value, and 64 bytes as one word: plain twins of registers.

Compiled, these functions are single instructions where the processor has registers that wide
(kernels/registers). A loop over words would leave it to the compiler whether words are worked on
side by side: it gives up where arrays might overlap, and does the last words one by one.

As plain Python, lanes are small arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
LANES = 8
"""Words of a value, and bytes of a word."""


def load(words: Words, at: Any) -> Any:
    """Eight words, from one on."""
    return words[int(at) : int(at) + LANES].copy()


def store(words: Words, at: Any, lanes: Any) -> None:
    """Write eight words, from one on."""
    words[int(at) : int(at) + LANES] = lanes


def spread(word: Any) -> Any:
    """The same word eight times."""
    return np.full(LANES, word, np.uint64)


def count(lanes: Any) -> int:
    """How many bits are set in all of them."""
    return int(np.bitwise_count(lanes).sum())


def filled(lanes: Any) -> Any:
    """Which of eight words are not empty: a bit each."""
    return np.uint64(np.packbits(lanes != 0, bitorder="little")[0])


def odd(one: Any, two: Any, three: Any) -> Any:
    """Which bits an odd number of three lanes have: the sum of three digits."""
    return one ^ two ^ three


def majority(one: Any, two: Any, three: Any) -> Any:
    """Which bits two of three lanes have, or all: what the sum of three digits carries."""
    return (one & two) | (one & three) | (two & three)


def turn_bytes(lanes: Any) -> Any:
    """Turn eight words of eight bytes over: byte b of word i becomes byte i of word b."""
    held = lanes.view(np.uint8).reshape(LANES, LANES)
    return held.T.copy().view(np.uint64).reshape(LANES)


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
    return load(column, at).view(np.uint8)  # type: ignore[no-any-return]  # lanes are any value


def _bits(flags: npt.NDArray[np.bool_]) -> Any:
    return np.packbits(flags, bitorder="little").view(np.uint64)[0]
