"""Protective action from the definitions (Dalenius 1986, part 6), record by record.

A record is a tuple of texts, None where missing. Unique is who shares the P-set with at most k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .uniques import counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    Record = tuple[str | None, ...]


def unique(records: Sequence[Record], k: int, missing: str) -> list[bool]:
    """Which records are unique."""
    return [0 < count <= k for count in counts(records, missing)]


def destroyed(records: Sequence[Record], k: int, missing: str) -> list[Record]:
    """6.2: the records that are not unique."""
    alone = unique(records, k, missing)
    return [record for record, gone in zip(records, alone, strict=True) if not gone]


def blanked(
    records: Sequence[Record], k: int, missing: str, variables: Sequence[int]
) -> list[Record]:
    """6.3: unique records lose their values of some variables."""
    alone = unique(records, k, missing)
    found = []
    for record, gone in zip(records, alone, strict=True):
        found.append(
            tuple(None if gone and j in variables else value for j, value in enumerate(record))
        )
    return found


def changes(before: Sequence[Record], after: Sequence[Record]) -> list[tuple[int, int]]:
    """Every cell that differs: number of the record, from 1, and of the variable."""
    found = []
    for r, record in enumerate(before):
        for j, value in enumerate(record):
            if after[r][j] != value:
                found.append((r + 1, j))
    return found


def rounded_counts(table: Sequence[int], base: int, offset: int) -> list[int]:
    """6.4: running totals are rounded down after adding an offset; their steps are the counts.

    What the total has more than a multiple of the base is first taken out of the largest counts,
    one after another, and put back at the end.
    """
    left = sum(table) % base
    apart = [0] * len(table)
    for c in sorted(range(len(table)), key=lambda c: -table[c]):
        apart[c] = min(table[c], left)
        left -= apart[c]
    total, last, found = offset, 0, []
    for count, extra in zip(table, apart, strict=True):
        total += count - extra
        whole = total - total % base
        found.append(whole - last + extra)
        last = whole
    return found
