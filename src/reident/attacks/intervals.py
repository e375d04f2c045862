"""Between which values an original must lie, told by the released values alone (Winkler 2002)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def half_gap(values: Floats, counts: Ints, held: Floats) -> tuple[Floats, Floats]:
    """Within half the gap to the nearer neighbour, as printed; the ends have one neighbour."""
    del counts, held
    with np.errstate(over="ignore"):
        gaps = np.diff(values)
        nearer = np.minimum(np.append(np.inf, gaps), np.append(gaps, np.inf))
        return values - nearer / 2, values + nearer / 2


def midpoint(values: Floats, counts: Ints, held: Floats) -> tuple[Floats, Floats]:
    """Between the midpoints to both neighbours; beyond the ends nothing is in the way."""
    del counts, held
    middles = values[:-1] * 0.5 + values[1:] * 0.5
    return np.append(-np.inf, middles), np.append(middles, np.inf)


def rank(values: Floats, counts: Ints, held: Floats) -> tuple[Floats, Floats]:
    """Between the values that the intruder holds at the ranks of the group.

    Group sizes add up to ranks: exact groups where the whole file is released, scaled to the
    intruder's number of values otherwise. A tie across the end of a group lies in both.
    """
    if not len(held):
        return np.full(len(values), np.inf), np.full(len(values), -np.inf)
    ends = np.cumsum(counts)
    released = int(ends[-1]) if len(ends) else 1
    first = (ends - counts) * len(held) // released
    last = -(-ends * len(held) // released) - 1
    ordered = np.sort(held)
    return ordered[first], ordered[last]


RADII: dict[str, Callable[[Floats, Ints, Floats], tuple[Floats, Floats]]] = {
    "half_gap": half_gap,
    "midpoint": midpoint,
    "rank": rank,
}
"""From distinct released values, their counts and the intruder's values to lowest and highest."""


def around(released: Floats, held: Floats, radius: str, asked: Floats) -> tuple[Floats, Floats]:
    """The lowest and the highest original value that some of the released values allow."""
    values, counts = np.unique(released, return_counts=True)
    low, high = RADII[radius](values, counts.astype(np.int64), held)
    place = np.searchsorted(values, asked)
    return low[place], high[place]


def widened(low: Floats, high: Floats, share: float) -> tuple[Floats, Floats]:
    """The interval of values that deviate by at most a share from one inside the given interval."""
    with np.errstate(over="ignore"):
        return low - np.abs(low) * share, high + np.abs(high) * share
