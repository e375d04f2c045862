"""Who shares a cell with whom (Dalenius 3 and 4): the ways that hold the file in memory.

All of them give the same counts. `stream` and `wildcard` have files of their own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.errors import CapacityError, Fault
from reident.kernels import cells, dealing
from reident.needles.transforms import Keys, bits_of, dealt, dealt_sums, keys_of, replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reident.encode.categories import Coded

Counts = npt.NDArray[np.uint32]
Tally = npt.NDArray[np.int64]
LEVELS = (2, 3, 5, 10)
"""Class sizes below which k-anonymity is called violated."""
MOST_COUNTERS = 1 << 28
"""Possible cells that a catalogue has counters for: 1 GB."""


class Found(NamedTuple):
    """counts[r]: records in the cell of record r. tally[c]: cells of c records, the last: of more.

    Where missing matches everything there are no cells and `tally` is None.
    """

    counts: Counts
    tally: Tally | None

    def by_count(self, k: int) -> Tally:
        """How many records lie in cells of 1, 2, .. records; the last place counts the others."""
        return tally_of(self.counts, k)


def levels(k: int) -> int:
    """How many places a tally needs to tell 1..k and all levels of k-anonymity apart."""
    return max(k, *LEVELS) + 2


def by_sorting(coded: Coded, k: int, jobs: int) -> Found:
    """Approach 1 (3.2.1): sort the records as integers; equal ones stand together."""
    keys = keys_of(coded, "t2", jobs)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=~keys[order[:1]]))
    sizes = np.diff(starts, append=len(keys))
    counts = np.empty(len(keys), np.uint32)
    counts[order] = np.repeat(sizes, sizes)
    return Found(counts, tally_of(sizes, k))


def by_catalogue(coded: Coded, k: int, jobs: int) -> Found:
    """Approach 3 (3.2.3): a counter for each possible integer."""
    possible = math.prod(coded.sizes)
    if possible > MOST_COUNTERS:
        raise CapacityError(
            Fault(
                where="method catalogue",
                found=f"a counter for each possible cell would take {4 * possible / 1e9:.3g} GB",
                remedy="Use auto, or another method",
            )
        )
    keys = keys_of(coded, "t2", jobs)
    counters = np.zeros(possible, np.uint32)
    cells.count_all(keys, counters)
    return Found(counters[keys], tally_of(counters[counters > 0], k))


def by_sums(coded: Coded, k: int, jobs: int, transform: str) -> Found:
    """The second variant (4): equal sums are equal P-sets; sums are counted by hashing."""
    short = transform == "t2" and bits_of(coded.sizes, "t2") <= 64
    hand = dealt_sums(coded, jobs) if short else dealt(keys_of(coded, transform, jobs), jobs)
    tallies: list[Tally] = []

    def count(keys: Keys, bounds: Any, span: tuple[int, int], bits: int) -> None:
        tally = np.zeros(levels(k), np.int64)
        dealing.count_parts(keys, bounds, span, bits, tally)
        tallies.append(tally)

    return Found(replaced(hand, jobs, count, np.uint32), np.sum(tallies, axis=0))


WAYS: dict[str, Callable[[Coded, int, int], Found]] = {
    "sort": by_sorting,
    "catalogue": by_catalogue,
    "t1": lambda coded, k, jobs: by_sums(coded, k, jobs, "t1"),
    "t2": lambda coded, k, jobs: by_sums(coded, k, jobs, "t2"),
}


def find(coded: Coded, k: int, method: str, jobs: int) -> Found:
    """Count how many records share each record's P-set."""
    if not coded.records:
        return Found(np.zeros(0, np.uint32), np.zeros(levels(k), np.int64))
    return WAYS[method](coded, k, jobs)


def tally_of(
    sizes: npt.NDArray[np.integer], k: int, weights: npt.NDArray[np.integer] | None = None
) -> Tally:
    """How many cells have 1, 2, .. records; the last place counts those with more.

    With `weights` a cell counts so often.
    """
    most = levels(k) - 1
    capped = np.minimum(sizes, most).astype(np.int64)
    return np.bincount(capped, weights, most + 1).astype(np.int64)


def complete(coded: Coded) -> npt.NDArray[np.bool_]:
    """Where nothing is missing."""
    whole = np.ones(coded.records, np.bool_)
    for codes, missing in zip(coded.codes, coded.missing, strict=True):
        if missing >= 0:
            whole &= codes != missing
    return whole


def count_categories(coded: Coded, counters: Sequence[npt.NDArray[np.int64]]) -> None:
    """Add up, for each variable, how many records have each code."""
    for codes, own in zip(coded.codes, counters, strict=True):
        cells.count_codes(codes, own)
