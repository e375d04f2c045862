"""Rows cut into leaves: small boxes of rows near each other, each inside one group."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels.nearest import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LEAF = 256
"""Rows a leaf at most: some tens of kilobytes, which stay in the nearest cache."""


class Leaves(NamedTuple):
    """Rows in order of their leaves, the space that they make, and the groups' leaves.

    Leaves of the g-th group, in order of number, are first[g]..first[g + 1] - 1.
    """

    order: Ints
    space: Space
    groups: Ints
    first: Ints


def leaves_of(rows: Floats, group: Ints, weight: Floats) -> Leaves:
    """Cut the rows of each group in halves, across the widest variable, until they are leaves.

    Rows with a missing number, NaN, have leaves of their own: their boxes keep nobody away.
    """
    broken = np.asarray(np.isnan(rows).any(axis=1))
    order = np.lexsort((broken, group))
    key = group[order] * 2 + broken[order]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    bounds: list[int] = [0]
    for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        if last - first > LEAF:
            bounds += _halved(rows, order, (first, last), weight)
        else:
            bounds.append(last)
    return _leaves(rows, group, order, np.array(bounds), weight)


def _halved(rows: Floats, order: Ints, span: tuple[int, int], weight: Floats) -> Iterator[int]:
    """Put the rows of a span in order of its leaves, and say where these end."""
    first, last = span
    if last - first <= LEAF:
        yield last
        return
    own = order[first:last]
    held = rows[own]
    with np.errstate(invalid="ignore", over="ignore"):
        wide = np.nan_to_num((np.fmax.reduce(held) - np.fmin.reduce(held)) ** 2 * weight)
    middle = (last - first) // 2
    by = np.argpartition(held[:, int(np.argmax(wide))], middle)
    order[first:last] = own[by]
    yield from _halved(rows, order, (first, first + middle), weight)
    yield from _halved(rows, order, (first + middle, last), weight)


def _leaves(rows: Floats, group: Ints, order: Ints, bounds: Ints, weight: Floats) -> Leaves:
    placed = rows[order]
    gaps = np.isnan(placed)
    low = np.minimum.reduceat(np.where(gaps, -np.inf, placed), bounds[:-1])
    high = np.maximum.reduceat(np.where(gaps, np.inf, placed), bounds[:-1])
    holds_gap = np.logical_or.reduceat(gaps.any(axis=1), bounds[:-1])
    groups, first = np.unique(group[order[bounds[:-1]]], return_index=True)
    space = Space(
        np.ascontiguousarray(placed.T),
        bounds,
        np.ascontiguousarray(low.T),
        np.ascontiguousarray(high.T),
        ~holds_gap,
        weight,
    )
    return Leaves(order, space, groups, np.append(first, len(bounds) - 1))
