"""Missing as a wildcard: who is compatible with whom, equal wherever both are present.

Being compatible is not transitive, so there are no cells. Records with the same variables present
form a pattern. A record of pattern A meets those of pattern B that share its values on A and B
together: for each pair of patterns the shared variables make cells again. Where there are too many
patterns for that, distinct records meet one by one.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.engine.checkpoint import part_of
from reident.kernels import cells
from reident.needles.find import Found
from reident.needles.threads import together
from reident.needles.transforms import keys_of, numbered

if TYPE_CHECKING:
    from reident.encode.categories import Coded
    from reident.engine.checkpoint import Checkpoints

Ints = npt.NDArray[np.int64]
Patterns = dict[tuple[bool, ...], Ints]
MOST_PATTERNS = 64
"""Beyond this the pairs of patterns outnumber what they save."""
MET = 1 << 26
"""Pairs of records that meet in one go: less than a second, so that a stop is prompt."""


def compatible(coded: Coded, jobs: int, keep: Checkpoints | None = None) -> Found:
    """For each record how many are compatible with it, itself included.

    Where records meet one by one, spans of them are kept, if there is something to `keep` them in.
    """
    _, first, number, sizes = np.unique(
        keys_of(coded, "t2", jobs), return_index=True, return_inverse=True, return_counts=True
    )
    rows = coded.take(first)
    patterns = _patterns(rows)
    if len(patterns) <= MOST_PATTERNS:
        counts = _by_patterns(rows, sizes, patterns, jobs)
    else:
        counts = _one_by_one(rows, sizes, jobs, keep)
    return Found(counts[number].astype(np.uint32), None)


def _by_patterns(rows: Coded, sizes: Ints, patterns: Patterns, jobs: int) -> Ints:
    """Count the cells of the variables that two patterns share, for every two patterns."""
    found = np.zeros(rows.records, np.int64)
    for shared, pairs in _by_shared_variables(list(patterns)).items():
        cell = _cells(rows, shared, jobs)
        for mine, theirs in pairs:
            own, other = patterns[mine], patterns[theirs]
            # Counts are whole and far below 2^53, where sums of floats are exact.
            held = np.bincount(cell[other], weights=sizes[other], minlength=len(cell))
            found[own] += held[cell[own]].astype(np.int64)
    return found


class Span(NamedTuple):
    """How many records are compatible with each of some records."""

    found: Ints


def _one_by_one(rows: Coded, sizes: Ints, jobs: int, keep: Checkpoints | None) -> Ints:
    """Compare every distinct record with every other, some records at a time."""
    missing = np.array(rows.missing, np.int64)
    found = np.zeros(rows.records, np.int64)
    width = max(1, MET // max(1, rows.records))
    steps = None if keep is None else keep.steps(Span, (rows, sizes, width))

    def counted(first: int) -> Span:
        last = min(first + width, rows.records)
        cells.count_compatible(rows.codes, missing, sizes, first, last, found)
        return Span(found[first:last].copy())

    def into(first: int) -> None:
        found[first : first + width] = part_of(steps, first, lambda: counted(first)).found

    together(jobs, [partial(into, first) for first in range(0, rows.records, width)])
    return found


def _patterns(rows: Coded) -> Patterns:
    """Records by what they have: for each variable whether it is present."""
    present = rows.codes != np.array(rows.missing)[:, None]
    kinds, kind = np.unique(present, axis=1, return_inverse=True)
    order = np.argsort(kind, kind="stable")
    ends = np.cumsum(np.bincount(kind, minlength=kinds.shape[1]))
    members = np.split(order, ends[:-1])
    return {tuple(has): who for has, who in zip(kinds.T.tolist(), members, strict=True)}


def _by_shared_variables(
    patterns: list[tuple[bool, ...]],
) -> dict[tuple[int, ...], list[tuple[tuple[bool, ...], tuple[bool, ...]]]]:
    """Ordered pairs of patterns, by the variables that both have."""
    pairs = defaultdict(list)
    for mine in patterns:
        for theirs in patterns:
            both = [a and b for a, b in zip(mine, theirs, strict=True)]
            pairs[tuple(j for j, has in enumerate(both) if has)].append((mine, theirs))
    return pairs


def _cells(rows: Coded, shared: tuple[int, ...], jobs: int) -> Ints:
    """The cell of each record on some variables, as a number below the records."""
    if not shared:
        return np.zeros(rows.records, np.int64)
    return numbered(keys_of(rows.only(shared), "t2", jobs), jobs).astype(np.int64)
