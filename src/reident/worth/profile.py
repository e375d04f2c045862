"""Each variable before and after: what an analyst of the release looks at first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reident.encode.moments import moments
from reident.worth.indices import Side, correlations, mean_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def of_numbers(name: str, before: Floats, after: Floats) -> dict[str, Any]:
    """An SA: moments, quantiles and the largest gap between its distribution functions."""
    return {
        "name": name,
        "role": "sa",
        "before": _numbers(before),
        "after": _numbers(after),
        "distance": kolmogorov_smirnov(before, after),
    }


def _numbers(values: Floats) -> dict[str, Any]:
    present = values[~np.isnan(values)]
    told: dict[str, Any] = {"records": len(present), "missing": len(values) - len(present)}
    if not len(present):
        return told | {"mean": None, "variance": None, "quantiles": [None] * len(QUANTILES)}
    spread = moments(present)
    with np.errstate(over="ignore", under="ignore"):
        sd = float(np.ldexp(spread.sd, spread.exponent))
    ordered = np.sort(present)
    # SAS definition 5, as the bins of the attacks: the mean of two values where a cut falls
    # between them.
    return told | {
        "mean": mean_of(present),
        "variance": sd * sd if len(present) > 1 and np.isfinite(sd * sd) else None,
        "quantiles": np.quantile(ordered, QUANTILES, method="averaged_inverted_cdf").tolist(),
    }


def kolmogorov_smirnov(before: Floats, after: Floats) -> float | None:
    """The largest difference between the shares of values up to any number."""
    x, y = (np.sort(values[~np.isnan(values)]) for values in (before, after))
    if not len(x) or not len(y):
        return None
    at = np.concatenate([x, y])
    shares = [np.searchsorted(values, at, "right") / len(values) for values in (x, y)]
    return float(np.abs(shares[0] - shares[1]).max())


def of_categories(name: str, before: Ints, after: Ints) -> dict[str, Any]:
    """A QI: how many categories, and how much of the distribution has moved."""
    return {
        "name": name,
        "role": "qi",
        "before": _categories(before),
        "after": _categories(after),
        "distance": total_variation(before, after),
    }


def _categories(codes: Ints) -> dict[str, Any]:
    present = codes[codes >= 0]
    return {
        "records": len(present),
        "missing": len(codes) - len(present),
        "categories": len(np.unique(present)),
    }


def total_variation(before: Ints, after: Ints) -> float | None:
    """Half the sum of the differences of shares: 0 the same, 1 nothing in common."""
    if not len(before) or not len(after):
        return None
    size = max(int(before.max()), int(after.max())) + 2
    shares = [np.bincount(codes + 1, minlength=size) / len(codes) for codes in (before, after)]
    return float(np.sum(np.sort(np.abs(shares[0] - shares[1]))) / 2)


def of_pairs(names: tuple[str, ...], before: Side, after: Side) -> tuple[dict[str, Any], ...]:
    """The correlation of each pair of SAs before and after."""
    told = correlations(before), correlations(after)
    return tuple(
        {"variables": [names[i], names[j]], "before": told[0][i, j], "after": told[1][i, j]}
        for i, j in told[0]
    )
