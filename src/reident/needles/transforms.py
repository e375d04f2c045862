"""Dalenius' two transformations: a P-set becomes one number, and only equal P-sets share it.

T1 (4.1) gives every category but the first the next power of two; T2 (4.2) counts in mixed radix.
The sums are exact however large they are: where 64 bits do not hold them, what was met so far is
numbered anew, and the rest joins that number.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import cells
from reident.needles.threads import on_threads, spans, together

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reident.encode.categories import Coded

Keys = npt.NDArray[np.uint64]
WORD = 1 << 64
GROUP = 1 << 32
PART_ROWS = 1 << 13
MOST_BITS = 10
"""Records a partition holds, about, and the most bits that tell partitions apart."""
TASKS = 8
"""Pieces of work for each thread: enough to share them out evenly."""


def t1_table(sizes: Sequence[int]) -> list[list[int]]:
    """For each variable the transformed value of each of its categories (4.1.3).

    >>> t1_table([2, 4, 3])
    [[0, 1], [0, 2, 4, 8], [0, 16, 32]]
    """
    starts = np.cumsum([0, *(size - 1 for size in sizes)]).tolist()
    return [
        [0, *(1 << (start + category) for category in range(size - 1))]
        for start, size in zip(starts, sizes, strict=False)
    ]


def t2_table(sizes: Sequence[int]) -> list[list[int]]:
    """For each variable the transformed value of each of its categories (4.2.3).

    >>> t2_table([2, 4, 3])
    [[0, 1], [0, 2, 4, 6], [0, 8, 16]]
    """
    weights = [math.prod(sizes[:place]) for place in range(len(sizes))]
    return [
        [weight * category for category in range(size)]
        for weight, size in zip(weights, sizes, strict=True)
    ]


TABLES = {"t1": t1_table, "t2": t2_table}


def sums_of(coded: Coded, transform: str) -> npt.NDArray[np.object_]:
    """The sums of the transformed data, as Python's whole numbers, which have no end."""
    sums = np.zeros(coded.records, np.object_)
    for codes, table in zip(coded.codes, TABLES[transform](coded.sizes), strict=True):
        sums += np.array(table, np.object_)[codes]
    return sums


def bits_of(sizes: Sequence[int], transform: str) -> int:
    """How many bits the sums need.

    >>> bits_of([2, 4, 3, 2, 2], "t1"), bits_of([2, 4, 3, 2, 2], "t2")
    (8, 7)
    """
    if transform == "t1":
        return sum(size - 1 for size in sizes)
    return (math.prod(sizes) - 1).bit_length()


def words_of(sizes: Sequence[int], records: int, transform: str) -> list[tuple[int, int]]:
    """The pieces that a key is made of: spans of variables for T2, windows of bits for T1.

    The first piece may fill 64 bits, the others leave room for a number below `records`.
    """
    numbers = max(records, 2)
    if transform == "t1":
        bits = bits_of(sizes, transform)
        starts = [0, *range(64, bits, 64 - (numbers - 1).bit_length())]
        return list(zip(starts, [*starts[1:], bits], strict=True))
    pieces, first, product = [], 0, 1
    for place, size in enumerate(sizes):
        if product * size > WORD:
            pieces.append((first, place))
            first, product = place, numbers
        product *= size
    return [*pieces, (first, len(sizes))]


def keys_of(coded: Coded, transform: str, jobs: int) -> Keys:
    """One number a record, equal for equal P-sets only.

    Where the sums fit 64 bits these numbers are the sums of the paper.
    """
    key: Keys | None = None
    for word in words_of(coded.sizes, coded.records, transform):
        piece, size = WORDS[transform](coded, word, jobs)
        if key is None:
            key = piece
        else:
            key = numbered(key, jobs)
            key *= np.uint64(size)
            key += piece
    assert key is not None  # noqa: S101  # there is at least one variable
    return key


def t2_word(coded: Coded, span: tuple[int, int], jobs: int) -> tuple[Keys, int]:
    """The T2 sums of a span of variables, and how many there can be."""
    sizes = np.array(coded.sizes[span[0] : span[1]], np.int64)
    codes = coded.codes[span[0] : span[1]]
    groups, product = [0], 1
    for place, size in enumerate(sizes.tolist()):
        if product * size >= GROUP and place > groups[-1]:
            groups.append(place)
            product = 1
        product *= size
    bounds = np.array([*groups, len(sizes)], np.int64)
    out = np.empty(coded.records, np.uint64)
    on_threads(jobs, coded.records, lambda a, b: cells.mixed_radix(codes, sizes, bounds, a, b, out))
    return out, math.prod(sizes.tolist())


def t1_word(coded: Coded, window: tuple[int, int], jobs: int) -> tuple[Keys, int]:
    """A window of the bits of the T1 sums, and how many values it can have."""
    bits = np.cumsum([0, *(size - 1 for size in coded.sizes)])
    span = np.array(window, np.int64)
    out = np.empty(coded.records, np.uint64)
    on_threads(
        jobs,
        coded.records,
        lambda a, b: cells.powers_of_two(coded.codes, bits, span, a, b, out),
    )
    return out, 1 << (window[1] - window[0])


WORDS: dict[str, Callable[[Coded, tuple[int, int], int], tuple[Keys, int]]] = {
    "t1": t1_word,
    "t2": t2_word,
}


class Dealt(NamedTuple):
    """Keys by partition, with the record of each; partition p is bounds[p]..bounds[p + 1] - 1."""

    keys: Keys
    rows: npt.NDArray[np.uint32]
    bounds: npt.NDArray[np.int64]
    bits: int


def dealt(keys: Keys, jobs: int) -> Dealt:
    """Deal keys into partitions by their hash."""
    n = len(keys)
    bits = min(MOST_BITS, max(0, (n // PART_ROWS).bit_length()))
    cuts = spans(jobs, n)
    sizes = np.zeros((len(cuts), 1 << bits), np.int64)
    together(
        jobs,
        [
            partial(cells.part_sizes, keys, *cut, bits, own)
            for cut, own in zip(cuts, sizes, strict=True)
        ],
    )
    # Partition by partition, and inside it thread by thread: each thread has places of its own.
    ends = np.cumsum(sizes.T.ravel())
    place = np.ascontiguousarray((ends - sizes.T.ravel()).reshape(-1, len(cuts)).T)
    out = Dealt(
        np.empty(n, np.uint64),
        np.empty(n, np.uint32),
        np.concatenate([[0], ends[len(cuts) - 1 :: len(cuts)]]),
        bits,
    )
    together(
        jobs,
        [
            partial(cells.deal, keys, cut, bits, own, out.keys, out.rows)
            for cut, own in zip(cuts, place, strict=True)
        ],
    )
    return out


def numbered(keys: Keys, jobs: int) -> Keys:
    """Keys numbered anew, below the number of records; equal keys get equal numbers."""
    hand = dealt(keys, jobs)
    out = np.empty(len(keys), np.uint64)
    by_parts(jobs, hand, lambda bounds: cells.number_parts(*hand[:2], bounds, hand.bits, out))
    return out


def by_parts(jobs: int, hand: Dealt, work: Callable[[npt.NDArray[np.int64]], object]) -> None:
    """Do some work on the bounds of a few partitions at a time."""
    pieces = spans(TASKS * jobs, len(hand.bounds) - 1)
    together(jobs, [partial(work, hand.bounds[a : b + 1]) for a, b in pieces])
