"""The nearest on one SA, exactly: sorted numbers, the next below and the next above."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from reident.attacks.ties import NOBODY, Ties, evenly

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def nearest_numbers(puf: Floats, eif: Floats, groups: tuple[Ints, Ints]) -> Ties:
    """Ties of the EIF numbers nearest to each PUF number of the same group; NaN is nobody's.

    A cell is a number in a group. Below and above it the nearest EIF numbers are its neighbours in
    order; which one is nearer, or both, is decided without rounding.
    """
    both = np.concatenate([puf, eif])
    values, places = np.unique(both, return_inverse=True)
    span = len(values) + 1
    group = np.concatenate(groups)
    keys = np.where((group >= 0) & ~np.isnan(both), group * span + places, NOBODY)
    (mine, my_cells), (theirs, their_cells) = _cells(keys[: len(puf)]), _cells(keys[len(puf) :])
    above = np.searchsorted(theirs, mine)
    group = mine // span
    high = _inside(theirs, above, group, span)
    low = _inside(theirs, above - 1, group, span)
    nearer = _nearer(values, mine % span, theirs, low, high, span)
    chosen = [(low, (low >= 0) & (nearer <= 0)), (high, (high >= 0) & (nearer >= 0))]
    left = np.concatenate([np.flatnonzero(taken) for _, taken in chosen])
    right = np.concatenate([side[taken] for side, taken in chosen])
    order = np.argsort(left, kind="stable")
    return evenly(my_cells, their_cells, left[order], right[order])


def _cells(keys: Ints) -> tuple[Ints, Ints]:
    """The keys that there are, in order, and which of these each record has."""
    inside = np.flatnonzero(keys >= 0)
    met, at = np.unique(keys[inside], return_inverse=True)
    cells = np.full(len(keys), NOBODY, np.int64)
    cells[inside] = at
    return met, cells


def _inside(keys: Ints, at: Ints, group: Ints, span: int) -> Ints:
    """Places of keys, -1 where there is no such place or it belongs to another group."""
    there = (at >= 0) & (at < len(keys))
    there[there] = keys[at[there]] // span == group[there]
    return np.where(there, at, NOBODY)


def _nearer(values: Floats, place: Ints, theirs: Ints, low: Ints, high: Ints, span: int) -> Ints:
    """-1 where the lower number is nearer, 1 where the higher is, 0 where they tie.

    A difference of floats is a float and its rounding error, both exact: rounding keeps order, so
    where the floats are equal the errors decide.
    """
    out = np.where(low < 0, 1, -1)
    both = np.flatnonzero((low >= 0) & (high >= 0))
    x, a, b = (
        values[place[both]],
        values[theirs[low[both]] % span],
        values[theirs[high[both]] % span],
    )
    with np.errstate(over="ignore", invalid="ignore"):
        (down, down_error), (up, up_error) = _difference(x, a), _difference(b, x)
        verdict = np.sign(down - up)
        verdict = np.where(verdict == 0, np.sign(down_error - up_error), verdict)
    sure = np.isfinite([down, up, down_error, up_error]).all(axis=0)
    for at in np.flatnonzero(~sure):
        exact = Fraction(x[at]) - Fraction(a[at]) - (Fraction(b[at]) - Fraction(x[at]))
        verdict[at] = (exact > 0) - (exact < 0)
    out[both] = verdict.astype(np.int64)
    return out


def _difference(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The difference x - y as a float, and what rounding took from it."""
    d = x - y
    t = d - x
    return d, (x - (d - t)) - (y + t)
