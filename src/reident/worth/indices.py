"""U1 to U6, S1 and S2 of PWSCUP2015 (Identify-euc, Table 1).

Sums are exactly rounded or taken in order of value, so that the order of rows cannot matter.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels.keys import row_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reident.model.utility import UtilityOptions

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
CROSSED = 6
"""QI that the cross tables of U2 and U3 look at."""


class Side(NamedTuple):
    """One file, a row a variable: codes of the QI (-1 missing) and numbers of the SA (NaN)."""

    qi: Ints
    sa: Floats
    records: int


class Aligned(NamedTuple):
    """Records of the original and of the release that are declared to be the same."""

    original: Ints
    released: Ints


def indices(
    original: Side, released: Side, aligned: Aligned | None, options: UtilityOptions
) -> dict[str, float | int | None]:
    """All indices of a release; U5 is None where no records are aligned."""
    means, cells = crossed(original, released, options)
    # A column of zeros: without any QI all records are one class.
    _, sizes = np.unique(
        row_keys([np.zeros(released.records, np.int64), *released.qi]), return_counts=True
    )
    return {
        "U1": mean_error(original, released),
        "U2": means,
        "U3": cells,
        "U4": correlation_error(original, released),
        "U5": None
        if aligned is None
        else information_loss(original, released, aligned, options.deleted),
        "U6": abs(original.records - released.records),
        "S1": int(sizes.min()),
        "S2": released.records / len(sizes),
    }


def mean_of(values: Floats) -> float | None:
    """The mean of the values that are there."""
    present = values[~np.isnan(values)]
    return math.fsum(present.tolist()) / len(present) if len(present) else None


def _mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def mean_error(original: Side, released: Side) -> float | None:
    """U1, meanMAE: the mean over the SAs of how far their means are apart."""
    means = [
        (mean_of(before), mean_of(after))
        for before, after in zip(original.sa, released.sa, strict=True)
    ]
    return _mean([abs(a - b) for a, b in means if a is not None and b is not None])


def crossed(
    original: Side, released: Side, options: UtilityOptions
) -> tuple[float | None, float | None]:
    """U2, crossMean, and U3, crossCnt: SA means and counts of the cells of cross tables.

    A cell that a file does not have counts 0, in its count as in its means.
    """
    means: list[float] = []
    sizes: list[float] = []
    for columns in _tables(len(original.qi), options.cross):
        both = [np.concatenate([original.qi[j], released.qi[j]]) for j in columns]
        cell = np.unique(row_keys(both), return_inverse=True)[1]
        parts = cell[: original.records], cell[original.records :]
        held = [np.bincount(part, minlength=int(cell.max()) + 1) for part in parts]
        chosen = held[1] > 0 if options.cells == "released" else (held[0] + held[1]) > 0
        sizes += np.abs(held[0] - held[1])[chosen].astype(float).tolist()
        for before, after in zip(original.sa, released.sa, strict=True):
            told = [
                _cell_means(part, side, len(chosen))
                for part, side in zip(parts, (before, after), strict=True)
            ]
            means += np.abs(told[0] - told[1])[chosen].tolist()
    return _mean(means), _mean(sizes)


def _tables(qi: int, cross: str) -> Iterator[tuple[int, ...]]:
    """The QI of each cross table: of the first six all together, or two at a time."""
    first = range(min(qi, CROSSED))
    if not first:
        return iter([])
    return iter([tuple(first)]) if cross == "six" else itertools.combinations(first, 2)


def _cell_means(cell: Ints, values: Floats, cells: int) -> Floats:
    """The mean of each cell, 0 where it has no value; summed in order of value."""
    there = ~np.isnan(values)
    cell, values = cell[there], values[there]
    order = np.lexsort((values, cell))
    sums = np.bincount(cell[order], values[order], cells)
    return np.asarray(sums / np.maximum(np.bincount(cell, minlength=cells), 1))


def correlations(side: Side) -> dict[tuple[int, int], float | None]:
    """The correlation of each pair of SAs over the records that have both; None for a constant."""
    return {
        (i, j): correlation(side.sa[i], side.sa[j])
        for i, j in itertools.combinations(range(len(side.sa)), 2)
    }


def correlation(one: Floats, other: Floats) -> float | None:
    """Pearson's correlation of the records that have both values."""
    both = ~np.isnan(one) & ~np.isnan(other)
    if not both.any():
        return None
    x, y = one[both], other[both]
    if x.min() == x.max() or y.min() == y.max():
        return None
    parts = []
    for values in (x, y):
        scaled = np.ldexp(values, -math.frexp(float(np.abs(values).max()))[1])
        apart = scaled - math.fsum(scaled.tolist()) / len(scaled)
        parts.append(apart / np.abs(apart).max())
    xy, xx, yy = (
        math.fsum((a * b).tolist())
        for a, b in ((parts[0], parts[1]), (parts[0], parts[0]), (parts[1], parts[1]))
    )
    return max(-1.0, min(1.0, xy / math.sqrt(xx * yy)))


def correlation_error(original: Side, released: Side) -> float | None:
    """U4, corMAE: the mean over pairs of SAs of how far their correlations are apart.

    A constant has no correlation; it counts as 0, since it tells nothing of another variable.
    """
    before, after = correlations(original), correlations(released)
    return _mean([abs((before[pair] or 0.0) - (after[pair] or 0.0)) for pair in before])


def information_loss(
    original: Side, released: Side, aligned: Aligned, deleted: str
) -> float | None:
    """U5, IL: the mean over records and SAs of the change, in units of the SA's range in X.

    A value lost or made up counts 1, as does any change of an SA that is constant in X. The values
    of a record that is not released are lost, or the record is left out of the mean.
    """
    losses: list[float] = []
    gone = not_released(original, aligned) if deleted == "lost" else np.zeros(0, np.int64)
    for before, after in zip(original.sa, released.sa, strict=True):
        low, high = np.fmin.reduce(before), np.fmax.reduce(before)
        x, b = before[aligned.original], after[aligned.released]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            loss = np.abs(x - b) / (high - low) if high > low else np.where(x == b, 0.0, 1.0)
        loss = np.where(np.isnan(x) | np.isnan(b), np.isnan(x) != np.isnan(b), loss)
        losses += loss.tolist()
        losses += (~np.isnan(before[gone])).astype(float).tolist()
    return _mean(losses)


def not_released(original: Side, aligned: Aligned) -> Ints:
    """Records of the original that no record of the release is declared to be."""
    return np.setdiff1d(np.arange(original.records), aligned.original)
