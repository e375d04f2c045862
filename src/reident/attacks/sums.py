"""E3, identify-sort: the record at the same place in order of the sum of the SAs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from reident.attacks.ties import NOBODY, Ties

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def same_places(puf: Floats, eif: Floats, groups: tuple[Ints, Ints]) -> Ties:
    """Ties of records at the same places; equal sums share their places, each equally likely.

    A record with a NaN has no sum and no place. A cell is a block of equal sums in a group; a PUF
    block meets the EIF blocks whose places overlap its own.
    """
    sums = _ranks(np.concatenate([puf, eif]))
    span = int(sums.max(initial=0)) + 1
    group = np.concatenate(groups)
    keys = np.where((group >= 0) & (sums >= 0), group * span + sums, NOBODY)
    sides = [_blocks(key, span) for key in (keys[: len(puf)], keys[len(puf) :])]
    (mine, begin, end), (theirs, start, stop) = sides
    # Blocks of both files in order; a place is its group and the place inside it.
    first = np.searchsorted(stop, begin, "right")
    last = np.maximum(np.searchsorted(start, end, "left"), first)
    links = last - first
    left = np.repeat(np.arange(len(begin)), links)
    right = np.arange(len(left)) - np.repeat(np.cumsum(links) - links, links) + first[left]
    shared = np.minimum(end[left], stop[right]) - np.maximum(begin[left], start[right])
    sizes = (end - begin)[left] * (stop - start)[right]
    return Ties(puf=mine, eif=theirs, left=left, right=right, chance=shared / sizes)


def _blocks(keys: Ints, span: int) -> tuple[Ints, Ints, Ints]:
    """The block of each record, and where blocks begin and end: group * room + place inside it."""
    met, cell, held = np.unique(keys[keys >= 0], return_inverse=True, return_counts=True)
    cells = np.full(len(keys), NOBODY, np.int64)
    cells[keys >= 0] = cell
    group = met // span
    ends = np.cumsum(held)
    before = (ends - held)[np.searchsorted(group, group)]
    room = 2**31
    return cells, group * room + ends - held - before, group * room + ends - before


def _ranks(rows: Floats) -> Ints:
    """Dense ranks of the exact sums of rows; -1 for a row with a NaN."""
    out = np.full(len(rows), NOBODY, np.int64)
    whole = np.flatnonzero(~np.isnan(rows).any(axis=1))
    out[whole] = _dense(rows[whole])
    return out


def _dense(rows: Floats) -> Ints:
    """Dense ranks of sums that are exactly two floats, or else of rational numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums, left = _in_two(rows)
    if left is None:
        exact = [sum(map(Fraction, row), Fraction(0)) for row in rows.tolist()]
        places = {value: place for place, value in enumerate(sorted(set(exact)))}
        return np.array([places[value] for value in exact], np.int64)
    order = np.lexsort((left, sums))
    rank = np.zeros(len(rows), np.int64)
    steps = np.any([part[order[1:]] != part[order[:-1]] for part in (sums, left)], axis=0)
    rank[order[1:]] = np.cumsum(steps)
    return rank


def _in_two(rows: Floats) -> tuple[Floats, Floats | None]:
    """Sums as a float and what rounding left of it, which is None where two floats do not do.

    The larger of two sums is never rounded to less, so the first float decides, then the second.
    """
    high, low = np.zeros(len(rows)), np.zeros(len(rows))
    for column in rows.T:
        high, error = _sum(high, column)
        low, lost = _sum(low, error)
        if lost.any():
            return high, None
    return _sum(high, low)


def _sum(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The sum of two floats, and what rounding took from it."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)
