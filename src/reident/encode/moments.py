"""Standard deviations by exactly rounded sums, so that the order of rows cannot matter."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Moments:
    """Mean and sd of values scaled by a power of two: x times 2**-exponent lies within -1..1.

    The scaling is exact; it keeps sums of the largest floats finite and makes x -> 2**k x change
    nothing. sd is 0 for a constant and for fewer than two values.
    """

    exponent: int
    mean: float
    sd: float

    def scale(self, values: Floats) -> Floats:
        """Values on the scale of mean and sd."""
        with np.errstate(over="ignore"):
            return np.ldexp(values, -self.exponent)


def moments(values: Floats) -> Moments:
    """Mean and sd (n - 1) in two passes (Primer 2.2.2 step 3).

    >>> moments(np.array([1.0, 3.0])).sd * 2 ** moments(np.array([1.0, 3.0])).exponent
    1.4142135623730951
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    exponent = math.frexp(largest)[1]
    scaled = np.ldexp(values, -exponent)
    if len(values) < 2 or values.min() == values.max():
        return Moments(exponent=exponent, mean=float(scaled[0]) if len(scaled) else 0.0, sd=0.0)
    mean = math.fsum(scaled.tolist()) / len(scaled)
    squares = ((scaled - mean) ** 2).tolist()
    return Moments(
        exponent=exponent, mean=mean, sd=math.sqrt(math.fsum(squares) / (len(scaled) - 1))
    )
