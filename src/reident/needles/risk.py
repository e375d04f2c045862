"""Individual risk with weights, and the risk of households.

f records of the file share a cell, their weights add up to F: as many are expected in the
population. The risk is the expectation of 1/F under a negative binomial with p = f/F, q = 1 - p:
for f = 1 it is p/q ln(1/p), and from f to f + 1 the risk r becomes p/q (1/f - r).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.needles.transforms import keys_of

if TYPE_CHECKING:
    from reident.encode.categories import Coded

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
LARGE, TERMS = 30, 100
"""From so many records on, or from p = 1/2 on, so many terms of the series are more than enough."""


def individual_risk(f: npt.NDArray[np.integer], weight: Floats) -> Floats:
    """The risk of records in cells of f records whose weights add up to `weight`.

    Weights that add up to less than f say that the file is larger than the population: then p = 1.

    >>> individual_risk(np.array([1, 4]), np.array([1.0, 4.0])).tolist()
    [1.0, 0.25]
    """
    p = np.minimum(1.0, f / weight)
    out = _by_series(f, p)
    by_steps = (f < LARGE) & (p < 0.5)
    out[by_steps] = _by_steps(f[by_steps], p[by_steps])
    return out


def _by_series(f: npt.NDArray[np.integer], p: Floats) -> Floats:
    """p/f times the sum of q^j j! f! / (f + j)!; short where q is small or f is large."""
    term = p / f
    total = term.copy()
    for j in range(TERMS):
        term *= (1.0 - p) * (j + 1) / (f + j + 1)
        total += term
    return total


def _by_steps(f: npt.NDArray[np.integer], p: Floats) -> Floats:
    """From f = 1 up; below p = 1/2 a step makes no error larger."""
    odds = p / (1.0 - p)
    risk = -odds * np.log(p)
    for smaller in range(1, LARGE):
        more = f > smaller
        risk[more] = odds[more] * (1.0 / smaller - risk[more])
    return risk


def record_risks(coded: Coded, weights: Floats, jobs: int) -> tuple[Floats, int]:
    """The risk of each record, and in how many cells the weights are fewer than the records."""
    cell = np.unique(keys_of(coded, "t2", jobs), return_inverse=True)[1]
    f = np.bincount(cell)
    total = _in_order(cell, weights, np.add)
    return individual_risk(f, total)[cell], int((total < f).sum())


def household_risks(household: Ints, risks: Floats) -> Floats:
    """For each household, numbered from 0, the risk that at least one member is found."""
    return 1.0 - _in_order(household, 1.0 - risks, np.multiply)


def _in_order(group: Ints, values: Floats, fold: np.ufunc) -> Floats:
    """Fold the values of each group in order of value, whatever the order of records."""
    order = np.lexsort((values, group))
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    return np.asarray(fold.reduceat(values[order], starts), np.float64)
