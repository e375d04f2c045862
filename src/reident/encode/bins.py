"""Quintiles: numeric values become codes 1..5 (Primer 2.1 step 1, 2.2.1 step 1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]


def cut_points(values: Floats, bins: int) -> Floats:
    """The bins - 1 cut points of SAS definition 5; none where there are no values.

    >>> cut_points(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 5).tolist()
    [1.5, 2.5, 3.5, 4.5]
    """
    x = np.sort(values)
    if not len(x):
        return x
    whole, rest = np.divmod(np.arange(1, bins) * len(x), bins)
    upper = x[np.minimum(whole, len(x) - 1)]
    lower = x[np.maximum(whole - 1, 0)]
    with np.errstate(over="ignore"):
        total = lower + upper
    middle = np.where(np.isfinite(total), total / 2, lower / 2 + upper / 2)
    # An exact multiple falls between two values and takes their mean; else the next value.
    return np.where((rest == 0) & (whole > 0), middle, upper)


def codes_of(values: Floats, cuts: Floats) -> Codes:
    """1 + the number of cuts strictly below: a value equal to a cut falls in the lower bin."""
    return (1 + np.searchsorted(cuts, values, side="left")).astype(np.int32)


def rank_codes(values: Floats, bins: int) -> Codes:
    """The groups of SAS PROC RANK, from 1: floor(bins * rank / (N + 1)) with mean ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    # Twice the mean rank of a group of ties is a whole number, so nothing is rounded.
    twice = 2 * last - counts + 1
    return (1 + (bins * twice[inverse]) // (2 * (len(values) + 1))).astype(np.int32)
