"""Rows cut into leaves: small boxes of rows near each other, each inside one group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels.nearest import BLOCK, FOUR, Points, Space, widest

if TYPE_CHECKING:
    from collections.abc import Iterator

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Shorts = npt.NDArray[np.float32]
LEAF = 2 * BLOCK
"""Rows a leaf at most: some tens of kilobytes, which stay in the nearest cache."""
FEW = 24
"""Leaves of fewer rows are gone through row by row."""
NOWHERE = np.float32(1e16)
"""Fills up blocks: farther off than everything."""
LARGE = 1e200
"""Rows with larger numbers, which no point has, are gone through row by row too."""
SHORT = 2.0**-22
"""More than two short floats of at most 1 are off by, together."""


class Leaves(NamedTuple):
    """Rows in order of their leaves, and the groups' leaves: first[g]..first[g + 1] - 1."""

    order: Ints
    bounds: Ints
    groups: Ints
    first: Ints


class Ruler(NamedTuple):
    """How numbers become short floats of at most 1: minus `middle`, times `factor` and `shrink`.

    The widest variables come first, in `order`, because they tell rows apart soonest.
    """

    middle: Floats
    factor: Floats
    shrink: float
    order: Ints

    def short(self, rows: Floats) -> Shorts:
        """Rows in short floats, filled up by zeros to whole FOURs; NaN stays NaN."""
        width = -(-rows.shape[1] // FOUR) * FOUR
        out = np.zeros((len(rows), width), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            ruled = (rows - self.middle) * (self.factor * self.shrink)
            out[:, : rows.shape[1]] = ruled[:, self.order]
        return out


def leaves_of(rows: Floats, group: Ints, weight: Floats) -> Leaves:
    """Cut the rows of each group in halves, across the widest variable, until they are leaves.

    Rows with a missing number, NaN, have leaves of their own: their boxes keep nobody away.
    """
    broken = np.asarray(np.isnan(rows).any(axis=1))
    order = np.lexsort((broken, group))
    starts = np.flatnonzero(np.diff(group[order] * 2 + broken[order], prepend=-1))
    bounds: list[int] = [0]
    for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        bounds += _halved(rows, order, (first, last), weight)
    groups, first_leaf = np.unique(group[order[bounds[:-1]]], return_index=True)
    return Leaves(order, np.array(bounds), groups, np.append(first_leaf, len(bounds) - 1))


def _halved(rows: Floats, order: Ints, span: tuple[int, int], weight: Floats) -> Iterator[int]:
    """Put the rows of a span in order of its leaves, and say where these end."""
    first, last = span
    if last - first <= LEAF:
        yield last
        return
    own = order[first:last]
    middle = (last - first) // 2 // BLOCK * BLOCK
    by = np.argpartition(rows[own, widest(rows, own, weight)], middle)
    order[first:last] = own[by]
    yield from _halved(rows, order, (first, first + middle), weight)
    yield from _halved(rows, order, (first + middle, last), weight)


def ruler(rows: Floats, points: Floats, weight: Floats) -> Ruler:
    """A ruler on which all numbers of both are at most 1 from the middle."""
    both = np.concatenate([rows, points])
    both[np.abs(both) > LARGE] = np.nan
    low, high = np.fmin.reduce(both), np.fmax.reduce(both)
    middle = np.nan_to_num(low / 2 + high / 2)
    factor = np.sqrt(weight)
    lengths = np.nan_to_num((high - middle) * factor)
    longest = float(lengths.max(initial=0.0))
    order = np.argsort(-lengths, kind="stable")
    return Ruler(middle, factor, 1 / longest if longest > 0 else 1.0, order)


def space_of(rows: Floats, leaves: Leaves, weight: Floats, scale: Ruler) -> Space:
    """Rows in order of their leaves, with boxes and, where it pays, blocks."""
    placed, bounds = rows[leaves.order], leaves.bounds
    gaps = np.isnan(placed)
    low = np.minimum.reduceat(np.where(gaps, -np.inf, placed), bounds[:-1])
    high = np.maximum.reduceat(np.where(gaps, np.inf, placed), bounds[:-1])
    whole = np.logical_and.reduceat((np.abs(placed) <= LARGE).all(axis=1), bounds[:-1])
    sizes = np.diff(bounds)
    blocked = whole & (sizes > FEW)
    held = np.where(blocked, -(-sizes // BLOCK), 0)
    starts = np.cumsum(held) - held
    short = scale.short(placed)
    blocks = np.full((int(held.sum()), short.shape[1], BLOCK), NOWHERE)
    inside = np.repeat(blocked, sizes)
    at = (np.arange(len(placed)) - np.repeat(bounds[:-1], sizes))[inside]
    block = np.repeat(starts, sizes)[inside] + at // BLOCK
    blocks[block, :, at % BLOCK] = short[inside]
    return Space(
        placed,
        bounds,
        np.ascontiguousarray(low.T),
        np.ascontiguousarray(high.T),
        weight,
        blocks,
        np.where(blocked, starts, -1),
        np.array([scale.shrink, math.sqrt(rows.shape[1]) * SHORT]),
    )


def points_of(rows: Floats, group: Ints, leaves: Leaves, scale: Ruler) -> Points:
    """Points with the leaves of their groups, every one of which has some."""
    at = np.searchsorted(leaves.groups, group)
    spans = np.stack([leaves.first[at], leaves.first[at + 1]], axis=1)
    return Points(rows, scale.short(rows), spans, np.asarray(~np.isnan(rows).any(axis=1)))
