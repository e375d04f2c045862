"""Micro-aggregation: one variable at a time, or MDAV on several at once, and what it costs.

Winkler (2002) looks at the first kind and shows how it breaks; MDAV is the remedy that he points to
(Domingo-Ferrer and Mateo-Sanz 2002). Values are float64, NaN where missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from reident.errors import DataError, Fault
from reident.kernels import groups as kernel

if TYPE_CHECKING:
    from reident.model.microaggregated import MicroaggregateOptions

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Statistic = Literal["mean", "median"]
RUNS = {"mean": kernel.run_means, "median": kernel.run_medians}


def aggregated(table: Floats, options: MicroaggregateOptions) -> Floats:
    """The columns of a table as they are released."""
    if options.method == "mdav":
        return group_means(table, mdav(table, options.k, where=" and ".join(options.variables)))
    return np.stack(
        [
            microaggregate(column, options.k, options.statistic, where=name)
            for name, column in zip(options.variables, table.T, strict=True)
        ],
        axis=1,
    )


def microaggregate(
    values: Floats, k: int, statistic: Statistic = "mean", where: str = "values"
) -> Floats:
    """One variable in groups of k sorted values; the last group also takes the remainder.

    Equal values keep their order, so that a run of them may be cut. Missing values stay missing and
    take no part. Fewer than k values are refused: their group would be smaller than promised.

    >>> microaggregate(np.array([9.0, 1.0, 3.0, 2.0, 7.0, np.nan, 8.0]), 3).tolist()
    [8.0, 2.0, 2.0, 2.0, 8.0, nan, 8.0]
    """
    released = values.copy()
    present = np.flatnonzero(~np.isnan(values))
    if not len(present):
        return released
    _refuse_fewer(len(present), k, where)
    rows = present[np.argsort(values[present], kind="stable")]
    ordered = values[rows]
    exponent = _exponent(ordered)
    scaled = np.ldexp(ordered, -exponent)
    out = np.empty(len(scaled))
    RUNS[statistic](scaled, k, out)
    released[rows] = np.ldexp(out, exponent)
    return released


def mdav(table: Floats, k: int, *, standardize: bool = True, where: str = "records") -> Ints:
    """The group of each row of a table by MDAV, at least k rows and fewer than 2k in each.

    Columns are standardised first, as the literature does, so that units do not matter. The time
    grows with the square of the rows, divided by k. A missing value is refused: a record without
    some of its values has no distance to others.

    >>> mdav(np.array([[0.0], [9.0], [1.0], [8.0]]), 2).tolist()
    [0, 1, 0, 1]
    """
    _refuse_fewer(len(table), k, where)
    missing = int(np.isnan(table).any(axis=1).sum())
    if missing:
        raise DataError(
            Fault(
                where=where,
                found=f"{missing:,} records with a missing value",
                remedy="Leave these records or variables out, or aggregate one variable at a time",
            )
        )
    points = _standardised(table) if standardize else np.ldexp(table, -_exponent(table))
    return np.asarray(kernel.mdav_groups(np.ascontiguousarray(points), k))


def group_means(table: Floats, groups: Ints) -> Floats:
    """Each value replaced by the mean of its group, column by column.

    >>> group_means(np.array([[1.0], [5.0], [3.0]]), np.array([0, 1, 0])).tolist()
    [[2.0], [5.0], [2.0]]
    """
    exponent = _exponent(table)
    scaled = np.ldexp(table, -exponent)
    sizes = np.bincount(groups)
    means = np.stack([np.bincount(groups, weights=column) / sizes for column in scaled.T], axis=1)
    return np.ldexp(means[groups], exponent)


def information_loss(original: Floats, released: Floats) -> float | None:
    """100 SSE / SST over standardised columns; None where nothing varies.

    Of each column only values that are present in both count. A column's SST is one for each value
    but one, because it is standardised; constants are left out.

    >>> information_loss(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [1.0], [1.0]]))
    100.0
    """
    lost = total = 0.0
    for before, after in zip(original.T, released.T, strict=True):
        both = ~np.isnan(before) & ~np.isnan(after)
        exponent = _exponent(before[both])
        x, y = (np.ldexp(column[both], -exponent) for column in (before, after))
        spread = float(((x - x.mean()) ** 2).sum()) if len(x) else 0.0
        if spread > 0:
            lost += float(((x - y) ** 2).sum()) / spread * (len(x) - 1)
            total += len(x) - 1
    return 100 * lost / total if total else None


def _standardised(table: Floats) -> Floats:
    """Columns with mean 0 and standard deviation 1; a constant becomes zeros."""
    scaled = np.ldexp(table, -_exponent(table, axis=0))
    centred = scaled - scaled.mean(axis=0)
    spread = scaled.std(axis=0, ddof=1) if len(table) > 1 else np.zeros(table.shape[1])
    constant = scaled.min(axis=0) == scaled.max(axis=0)
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, spread))


def _exponent(values: Floats, axis: int | None = None) -> npt.NDArray[np.int32]:
    """Powers of two that bring values within -1..1, exactly, so that no square overflows."""
    return np.asarray(np.frexp(np.max(np.abs(values), axis=axis, initial=0.0))[1])


def _refuse_fewer(held: int, k: int, where: str) -> None:
    if held < k:
        raise DataError(
            Fault(
                where=where,
                found=f"{held:,} values, fewer than k = {k:,}",
                remedy="Choose a smaller k, or leave the variable out",
            )
        )
