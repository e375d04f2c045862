"""Who gives a value to whom: donors by record, for swapping, PRAM and rounded tables.

A donor is a record of the same file; a record that keeps its value is its own donor. Values move as
they are stored, so every type and every kind of missing is as good as any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from reident.remedies.streams import Streams

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
NO_CELL = -1


def swapped(rows: Mask, draws: Floats, groups: Ints | None = None) -> Ints:
    """Donors by which the chosen records of each group exchange their values in a ring.

    All values stay in their group, and every chosen record of a group of two or more gets the
    value of another one. Without `groups` all chosen records form one.
    """
    donors = np.arange(len(rows))
    chosen = np.flatnonzero(rows)
    own = np.zeros(len(chosen), np.int64) if groups is None else groups[chosen]
    ring = np.lexsort((draws[chosen], own))
    givers, group = chosen[ring], own[ring]
    starts = np.flatnonzero(np.diff(group, prepend=group[:1] - 1))
    ends = np.flatnonzero(np.diff(group, append=group[-1:] + 1))
    takes = np.roll(givers, -1)
    takes[ends] = givers[starts]
    donors[givers] = takes
    return donors


def randomised(rows: Mask, present: Mask, share: float, streams: Streams, name: str) -> Ints:
    """Donors for PRAM: a chosen value is replaced, with probability `share`, by a drawn one.

    It is drawn from the values of all records that have one, so each in proportion to how often
    the file holds it. Applied to all records this leaves every count as it is in expectation.
    """
    donors = np.arange(len(rows))
    pool = np.flatnonzero(present)
    pool = pool[np.argsort(streams.places[pool])]
    hit = rows & present & (streams.uniform(f"{name} moves") < share)
    donors[hit] = pool[(streams.uniform(f"{name} picks")[hit] * len(pool)).astype(np.int64)]
    return donors


def cells_of(codes: npt.NDArray[np.unsignedinteger], rows: Mask) -> Ints:
    """The cell of each chosen record, numbered in order of the codes; -1 for the others."""
    cells = np.full(len(rows), NO_CELL, np.int64)
    chosen = np.flatnonzero(rows)
    own = codes[:, chosen]
    order = np.lexsort(own[::-1])
    ordered = own[:, order]
    new = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    cells[chosen[order]] = np.concatenate([np.zeros(min(1, len(order)), np.int64), np.cumsum(new)])
    return cells


def rounded_counts(counts: Ints, base: int, offset: int) -> Ints:
    """Counts as multiples of a base with the same total, unbiased over offsets 0..base - 1.

    Ends of the running total are rounded, all with one offset: over all offsets the mean of each
    count is the count itself, and each differs from it by less than the base. What the total has
    more than a multiple of the base stays, unrounded, in the largest counts.

    >>> rounded_counts(np.array([1, 4, 7]), 3, 0), rounded_counts(np.array([1, 4, 7]), 3, 2)
    (array([0, 3, 9]), array([3, 3, 6]))
    """
    left = int(counts.sum()) % base
    order = np.argsort(-counts, kind="stable")
    before = np.cumsum(counts[order]) - counts[order]
    fixed = np.zeros_like(counts)
    fixed[order] = np.clip(left - before, 0, counts[order])
    ends = (np.cumsum(counts - fixed) + offset) // base
    return base * np.diff(ends, prepend=0) + fixed


def table_rounded(cells: Ints, base: int, streams: Streams) -> Ints:
    """Donors by which the counts of all cells become multiples of a base (Dalenius 6.4, Cox).

    Records leave cells whose count goes down, chosen at random, for cells whose count goes up.
    Both are taken in order of cells: neighbours share the values of their first variables.
    """
    inside = cells != NO_CELL
    counts = np.bincount(cells[inside])
    order = streams.permutation(len(counts), "cells")
    wanted = np.empty_like(counts)
    wanted[order] = rounded_counts(counts[order], base, streams.below(base, "offset"))
    members = np.flatnonzero(inside)
    members = members[np.lexsort((streams.uniform("leaves")[members], cells[members]))]
    first = np.cumsum(counts) - counts
    place = np.arange(len(members)) - np.repeat(first, counts)
    leaves = place < np.repeat(np.maximum(counts - wanted, 0), counts)
    # A cell that gains loses nobody, so its first member stays and can stand for it.
    gains = np.repeat(members[first], np.maximum(wanted - counts, 0))
    donors = np.arange(len(cells))
    donors[members[leaves]] = gains
    return donors
