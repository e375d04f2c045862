"""The PUF's standard deviation and the z-score difference of two values.

Primer 2.2.2, step 3. The mean cancels out of a difference of z-scores, so only the standard
deviation is kept. Sums are exactly rounded and taken after scaling by a power of two: row order
cannot change them and values near the largest float do not overflow.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

CAP = 6.0


@dataclass(frozen=True)
class Spread:
    """A standard deviation in units of 2**exponent; 0 for a constant or nearly empty variable."""

    exponent: int
    sd: float


def spread_of(values: Sequence[float]) -> Spread:
    """The spread (divisor N - 1) of the PUF values that are present and applicable."""
    if len(values) < 2 or min(values) == max(values):
        return Spread(exponent=0, sd=0.0)
    _, exponent = math.frexp(max(abs(x) for x in values))
    y = [math.ldexp(x, -exponent) for x in values]
    mean = math.fsum(y) / len(y)
    variance = math.fsum((value - mean) ** 2 for value in y) / (len(y) - 1)
    return Spread(exponent=exponent, sd=math.sqrt(variance))


def z_difference(a: float, b: float, spread: Spread) -> float:
    """|z(a) - z(b)| for a PUF value a and an EIF value b, capped at six."""
    if spread.sd == 0:
        # Without a spread there is no z-score: the same value is at no distance, any other is
        # as far as the cap lets it be.
        return 0.0 if a == b else CAP
    difference = abs(scaled(a, spread.exponent) - scaled(b, spread.exponent))
    return min(difference / spread.sd, CAP)


def scaled(x: float, exponent: int) -> float:
    """A value in units of 2**exponent; only an EIF value can be so large that it overflows."""
    try:
        return math.ldexp(x, -exponent)
    except OverflowError:
        return math.copysign(math.inf, x)
