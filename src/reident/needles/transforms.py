"""Dalenius' two transformations: a P-set becomes one number, and only equal P-sets share it.

T1 (4.1) gives every category but the first the next power of two; T2 (4.2) counts in mixed radix.
The sums are exact however large they are: where 64 bits do not hold them, what was met so far is
numbered anew, and the rest joins that number.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import cells, dealing
from reident.needles.threads import on_threads, spans, together

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reident.encode.categories import Coded

Keys = npt.NDArray[np.uint64]
WORD = 1 << 64
GROUP = 1 << 32
PART_ROWS = 1 << 13
MOST_BITS = 9
"""Records a partition holds, about, and the most bits that tell partitions apart."""
TASKS = 8
"""Pieces of work for each thread: enough to share them out evenly."""


def t1_value(sizes: Sequence[int], variable: int, category: int) -> int:
    """T1 (4.1.3): each category but the first takes the next power of two.

    >>> [t1_value([2, 4, 3], 1, category) for category in range(4)]
    [0, 2, 4, 8]
    """
    before = sum(size - 1 for size in sizes[:variable])
    return 1 << (before + category - 1) if category else 0


def t2_value(sizes: Sequence[int], variable: int, category: int) -> int:
    """T2 (4.2.1): a category counts as often as the variables before have combinations.

    >>> [t2_value([2, 4, 3], 1, category) for category in range(4)]
    [0, 2, 4, 6]
    """
    return math.prod(sizes[:variable]) * category


VALUES = {"t1": t1_value, "t2": t2_value}


def sums_of(coded: Coded, transform: str) -> npt.NDArray[np.object_]:
    """The sums of the transformed data, as Python's whole numbers, which have no end."""
    sums = np.zeros(coded.records, np.object_)
    for variable, codes in enumerate(coded.codes):
        met, at = np.unique(codes, return_inverse=True)
        values = [VALUES[transform](coded.sizes, variable, category) for category in met.tolist()]
        sums += np.array(values, np.object_)[at]
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
    codes = coded.codes[span[0] : span[1]]
    sizes, groups = radix_of(coded.sizes[span[0] : span[1]])
    out = np.empty(coded.records, np.uint64)
    on_threads(
        jobs, coded.records, lambda a, b: cells.mixed_radix(codes, sizes, groups, a, b, out[a:b])
    )
    return out, math.prod(sizes.tolist())


def radix_of(sizes: Sequence[int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sizes of variables, and bounds of groups of them with fewer than 2^32 combinations each."""
    groups, product = [0], 1
    for place, size in enumerate(sizes):
        if product * size >= GROUP and place > groups[-1]:
            groups.append(place)
            product = 1
        product *= size
    return np.array(sizes, np.int64), np.array([*groups, len(sizes)], np.int64)


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
    """Keys of rounds of records by partition; `kernels.dealing` says how.

    parts[r]: the partition of record r. Round q has partition p at bounds[q, p]..bounds[q, p + 1] -
    1, from its first record on.
    """

    keys: Keys
    parts: npt.NDArray[np.uint16]
    bounds: npt.NDArray[np.int32]
    bits: int


def dealt(keys: Keys, jobs: int) -> Dealt:
    """Deal keys into partitions by their hash."""
    return _dealt(len(keys), partial(dealing.deal, keys), jobs)


def dealt_sums(coded: Coded, jobs: int) -> Dealt:
    """Deal T2 sums that fit one word into partitions, as they are made."""
    radix = radix_of(coded.sizes)
    return _dealt(coded.records, partial(dealing.deal_sums, coded.codes, radix), jobs)


def _dealt(n: int, deal: Callable[..., object], jobs: int) -> Dealt:
    bits = min(MOST_BITS, (n // PART_ROWS).bit_length())
    rounds = -(-n // dealing.ROUND)
    hand = Dealt(
        np.empty(n, np.uint64),
        np.empty(n, np.uint16),
        np.empty((rounds, (1 << bits) + 1), np.int32),
        bits,
    )
    in_spans(jobs, rounds, lambda span: deal(span, bits, hand.parts, hand.bounds, hand.keys))
    return hand


def replaced(
    hand: Dealt, jobs: int, replace: Callable[..., object], kind: type[np.unsignedinteger]
) -> Any:
    """What `replace` puts in the places of the keys of some partitions, record by record."""
    in_spans(jobs, 1 << hand.bits, lambda span: replace(hand.keys, hand.bounds, span, hand.bits))
    out = np.empty(len(hand.keys), kind)
    in_spans(
        jobs,
        len(hand.bounds),
        lambda span: dealing.collect(hand.keys, hand.parts, hand.bounds, span, out),
    )
    return out


def numbered(keys: Keys, jobs: int) -> Keys:
    """Keys numbered anew, below the number of records; equal keys get equal numbers."""
    out: Keys = replaced(dealt(keys, jobs), jobs, dealing.number_parts, np.uint64)
    return out


def in_spans(jobs: int, n: int, work: Callable[[tuple[int, int]], object]) -> None:
    """Do some work on 0..n - 1, in several spans for each thread, to share it out evenly."""
    together(jobs, [partial(work, span) for span in spans(TASKS * jobs, n)])
