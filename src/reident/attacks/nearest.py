"""EUC1 and EUC2: the nearest in Euclidean distance on several SAs, ties decided exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.attacks.leaves import leaves_of, points_of, ruler, space_of
from reident.attacks.spread import together
from reident.attacks.ties import NOBODY, Ties, evenly
from reident.engine.tiles import STRIP, strips
from reident.kernels import nearest as kernel
from reident.kernels.keys import row_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.engine.job import Fold, Tile
    from reident.kernels.nearest import Near, Points, Space

Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]
WHOLE = 2.0**52
"""Sums of squares of whole numbers below this are exact."""


class Measure(NamedTuple):
    """SAs of both files, NaN where missing, and what each is measured in: sd * 2 ** exponent.

    A search sees them times 2 ** -scale, so that no square overflows: either all on one scale, as
    they are, or each in powers of two of its own unit.
    """

    puf: Floats
    eif: Floats
    sd: Floats
    exponent: Ints
    scale: Ints

    def seen(self, side: Floats) -> Floats:
        """Numbers as a search sees them."""
        with np.errstate(over="ignore"):
            return np.ldexp(side, -self.scale)

    @property
    def weight(self) -> Floats:
        """How much the square of a difference counts, as a search sees it."""
        return np.asarray(self.sd**-2.0)


@dataclass(frozen=True, kw_only=True)
class NearestJob:
    """Fold the nearest rows over strips of points.

    A strip is one tile: cut along the rows, a point would look far and wide in a tile that its
    nearest row is not in.
    """

    how: ClassVar[str] = "leaves"
    part: ClassVar = kernel.Near

    points: Points
    space: Space

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Strips of points, each with all rows that they meet."""
        return strips(self.space.bounds[self.points.leaves], min(STRIP, budget))

    def run(self, tile: Tile, so_far: Near | None) -> Near:
        """Search for the points of a strip."""
        del so_far
        near = kernel.nobody(tile.last - tile.first)
        kernel.search(self.space, self.points, tile.first, tile.last, near)
        return near

    def merge(self, one: Near, other: Near) -> Near:
        """Never asked for."""
        raise AssertionError(len(one.best), len(other.best))

    def finish(self, tile: Tile, part: Near) -> Near:
        """A strip needs nothing more."""
        del tile
        return part


def nearest_rows(measure: Measure, groups: tuple[Ints, Ints], fold: Fold, label: str) -> Ties:
    """Ties of the EIF records nearest to each PUF record of the same group.

    A cell is a row of numbers in a group: records that share all their SAs are searched once.
    """
    (mine, my_rows), (theirs, their_rows) = together(
        fold, partial(_cells, measure.puf, groups[0]), partial(_cells, measure.eif, groups[1])
    )
    shared = np.isin(groups[0][my_rows], groups[1][their_rows])
    if not shared.any():
        none = np.zeros(0, np.int64)
        return evenly(np.full_like(mine, NOBODY), theirs, none, none)
    asked = np.flatnonzero(shared)
    rows = measure.seen(measure.eif[their_rows])
    looking = measure.seen(measure.puf[my_rows[asked]])
    # Points near each other stand side by side, so that they share leaves.
    leaves, (order, *_), scale = together(
        fold,
        partial(leaves_of, rows, groups[1][their_rows], measure.weight),
        partial(leaves_of, looking, groups[0][my_rows[asked]], measure.weight),
        partial(ruler, rows, looking, measure.weight),
    )
    asked, looking = asked[order], looking[order]
    points, space = together(
        fold,
        partial(points_of, looking, groups[0][my_rows[asked]], leaves, scale),
        partial(space_of, rows, leaves, measure.weight, scale),
    )
    near = kernel.Near(
        *(
            np.concatenate(arrays)
            for arrays in zip(*fold(NearestJob(points=points, space=space), label), strict=True)
        )
    )
    left, right = _candidates(near, points, space)
    left, right = _nearest(measure, my_rows[asked], left, their_rows[leaves.order], right)
    order = np.argsort(asked[left], kind="stable")
    return evenly(mine, theirs, asked[left[order]], leaves.order[right[order]])


def _cells(numbers: Floats, group: Ints) -> tuple[Ints, Ints]:
    """The cell of each record, and one record of each cell; a record without a number has none."""
    inside = np.flatnonzero((group >= 0) & ~np.isnan(numbers).all(axis=1))
    keys, room = group[inside], 1
    for column in numbers[inside].T:
        values, codes = np.unique(column, return_inverse=True)
        keys = row_keys([keys, np.where(np.isnan(column), -1, codes)])
        room *= len(values) + 1
        # The first few numbers tell the records of most files apart; the others need no sorting.
        if room > len(keys) and np.diff(np.sort(keys)).all():
            break
    _, first, cell = np.unique(keys, return_index=True, return_inverse=True)
    cells = np.full(len(group), NOBODY, np.int64)
    cells[inside] = cell
    return cells, inside[first]


def _candidates(near: Near, points: Points, space: Space) -> tuple[Ints, Ints]:
    """Points and rows, in order of point, that may be nearest but for rounding."""
    plain = near.size <= kernel.KEEP
    kept = np.where(plain, near.size, 0)
    left = np.repeat(np.arange(len(kept)), kept)
    right = near.rows[np.arange(kernel.KEEP) < kept[:, None]]
    lefts, rights = [left], [right]
    for point in np.flatnonzero(~plain).tolist():
        rows = _all_near(points.rows[point], space, points.leaves[point], float(near.best[point]))
        lefts.append(np.full(len(rows), point))
        rights.append(rows)
    left, right = np.concatenate(lefts), np.concatenate(rights)
    order = np.argsort(left, kind="stable")
    return left[order], right[order]


def _all_near(point: Floats, space: Space, span: Ints, best: float) -> Ints:
    """All rows that may be as near as the best, for a point with too many of them to be kept."""
    first, last = space.bounds[span]
    apart = (space.rows[first:last] - point) ** 2 * space.weight
    present = (~np.isnan(apart)).sum(axis=1)
    squares = np.nansum(apart, axis=1) * (len(point) / np.maximum(present, 1))
    close = squares <= best * kernel.CLOSE**2 + kernel.TINY
    return np.asarray(first + np.flatnonzero(close & (present > 0)))


def _nearest(
    measure: Measure, points: Ints, left: Ints, rows: Ints, right: Ints
) -> tuple[Ints, Ints]:
    """Of the candidates those that are nearest, by rational numbers where floats do not decide."""
    held = np.bincount(left, minlength=len(points))
    keep = held[left] == 1
    unsure = np.flatnonzero(~keep)
    if len(unsure):
        pairs = points[left[unsure]], rows[right[unsure]]
        exact = _whole_squares(measure, *pairs)
        squares = _rationals(measure, *pairs) if exact is None else exact.tolist()
        best: dict[int, Fraction | float] = {}
        for point, square in zip(left[unsure].tolist(), squares, strict=True):
            best[point] = min(best.get(point, square), square)
        keep[unsure] = [
            square == best[point]
            for point, square in zip(left[unsure].tolist(), squares, strict=True)
        ]
    return left[keep], right[keep]


def _whole_squares(measure: Measure, puf: Ints, eif: Ints) -> Floats | None:
    """Squared distances, if all numbers are whole and small enough for floats to be exact."""
    mine, theirs = measure.puf[puf], measure.eif[eif]
    plain = np.all(measure.sd == 1) and not measure.exponent.any()
    # NaN is not equal to itself, so a missing number is no whole number.
    if not (plain and np.all(mine == np.rint(mine)) and np.all(theirs == np.rint(theirs))):
        return None
    with np.errstate(over="ignore"):
        squares = ((mine - theirs) ** 2).sum(axis=1)
    return squares if squares.max(initial=0) < WHOLE else None


def _rationals(measure: Measure, puf: Ints, eif: Ints) -> list[Fraction]:
    """Squared distances as rational numbers, rescaled to all SAs where some are missing."""
    units = [
        Fraction(sd) * Fraction(2) ** exponent
        for sd, exponent in zip(measure.sd.tolist(), measure.exponent.tolist(), strict=True)
    ]
    out = []
    for mine, theirs in zip(measure.puf[puf].tolist(), measure.eif[eif].tolist(), strict=True):
        squares = [
            ((Fraction(a) - Fraction(b)) / unit) ** 2
            for a, b, unit in zip(mine, theirs, units, strict=True)
            if not (math.isnan(a) or math.isnan(b))
        ]
        out.append(sum(squares, Fraction(0)) * Fraction(len(units), len(squares)))
    return out


def distances(measure: Measure, puf: Whole, eif: Whole) -> Floats:
    """Distances as readers see them.

    Squares are added up from the least on: the order of the variables cannot change a digit.
    """
    mine, theirs = measure.puf[puf], measure.eif[eif]
    with np.errstate(over="ignore"):
        apart = np.abs(mine - theirs)
        far = np.isinf(apart)
        part, power = np.frexp(np.where(far, np.abs(mine / 2 - theirs / 2), apart))
        apart = np.ldexp(part / measure.sd, power + far - measure.exponent)
        present = (~np.isnan(apart)).sum(axis=1)
        largest = np.fmax.reduce(apart, axis=1, initial=0.0)
        unit = np.where((largest > 0) & np.isfinite(largest), largest, 1)
        squares = np.where(np.isnan(apart), 0, (apart / unit[:, None]) ** 2)
        sums = np.zeros(len(squares))
        for column in np.sort(squares, axis=1).T:
            sums += column
        return np.asarray(unit * np.sqrt(sums * (apart.shape[1] / present)))
