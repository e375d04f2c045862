"""Missing as a wildcard: who is compatible with whom, equal wherever both are present.

Being compatible is not transitive, so there are no cells. Records with the same variables present
form a pattern. A record of pattern A meets those of pattern B that share its values on A and B
together: for each pair of patterns the shared variables make cells again. Where there are too many
patterns for that, distinct records meet one by one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.engine.job import UNTOLD, Tile
from reident.kernels import cells
from reident.needles.find import Found
from reident.needles.transforms import keys_of, numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.categories import Coded
    from reident.engine.job import Fold

Ints = npt.NDArray[np.int64]
Patterns = dict[tuple[bool, ...], Ints]
MOST_PATTERNS = 64
"""Beyond this the pairs of patterns outnumber what they save."""
MET = 1 << 26
"""Pairs of records that meet in one go: less than a second, so that a stop is prompt."""


def compatible(coded: Coded, jobs: int, fold: Fold) -> Found:
    """For each record how many are compatible with it, itself included."""
    _, first, number, sizes = np.unique(
        keys_of(coded, "t2", jobs), return_index=True, return_inverse=True, return_counts=True
    )
    rows = coded.take(first)
    patterns = _patterns(rows)
    if len(patterns) <= MOST_PATTERNS:
        counts = _by_patterns(rows, sizes, patterns, jobs)
    else:
        counts = _one_by_one(rows, sizes, fold)
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


@dataclass(frozen=True, kw_only=True)
class CompatibleJob:
    """Compare every distinct record with every other, some records at a time."""

    how: ClassVar[str] = "one by one"
    part: ClassVar = Span
    rows: Coded
    missing: Ints
    sizes: Ints
    width: int

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Spans of records, so wide that a stop is prompt whatever the budget."""
        del budget
        n = self.rows.records
        starts = range(0, n, self.width)
        ends = [min(first + self.width, n) for first in starts]
        return [
            Tile(number, number, first, last, 0, n, (last - first) * n)
            for number, (first, last) in enumerate(zip(starts, ends, strict=True))
        ]

    def run(self, tile: Tile, so_far: Span | None) -> Span:
        """Count for the records of a span."""
        del so_far
        found = np.zeros(self.rows.records, np.int64)
        where = (tile.first, tile.last)
        cells.count_compatible(self.rows.codes, self.missing, self.sizes, *where, found)
        return Span(found[tile.first : tile.last].copy())

    def merge(self, one: Span, other: Span) -> Span:
        """A span has one tile only."""
        del other
        return one

    def finish(self, tile: Tile, part: Span) -> Ints:
        """The counts of a span."""
        del tile
        return part.found


def _one_by_one(rows: Coded, sizes: Ints, fold: Fold) -> Ints:
    missing = np.array(rows.missing, np.int64)
    width = max(1, MET // max(1, rows.records))
    job = CompatibleJob(rows=rows, missing=missing, sizes=sizes, width=width)
    return np.concatenate([np.zeros(0, np.int64), *fold(job, UNTOLD)])


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
