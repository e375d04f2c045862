"""Rates from counts, their interval, and the guesser they are held against.

Primer 1.2, steps 2-6. Counts stay whole; a percentage is made once, here.
"""

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist


def percent(part: int, whole: int) -> float | None:
    """100 part / whole; undefined, not 0, when there is nothing to divide by."""
    return 100 * part / whole if whole else None


def wilson(confirmed: int, suspected: int) -> list[float] | None:
    """The Wilson 95 % interval of the conditional rate (Primer 1.2, step 4), in percent.

    Decimal keeps the ends exact where the root nearly cancels: with nothing confirmed the lower
    end is 0, with everything confirmed the upper end is 100.
    """
    if suspected == 0:
        return None
    z, n, k = Decimal(NormalDist().inv_cdf(0.975)), Decimal(suspected), Decimal(confirmed)
    share = k / n
    middle = share + z**2 / (2 * n)
    half = z * (share * (1 - share) / n + z**2 / (4 * n**2)).sqrt()
    whole = 1 + z**2 / n
    low = 0.0 if confirmed == 0 else float(100 * (middle - half) / whole)
    high = 100.0 if confirmed == suspected else float(100 * (middle + half) / whole)
    return [low, high]


def chance_of_a_hit(records: int, true_partners: int, guesses: int) -> Fraction:
    """The chance that so many blind guesses among the records meet a true partner."""
    missed = math.comb(records - true_partners, guesses)
    return 1 - Fraction(missed, math.comb(records, guesses))


def baseline(suspected: Iterable[tuple[int, int, int]]) -> float:
    """Records a blind guesser would confirm, from (records, true partners, guesses) of each."""
    return math.fsum(float(chance_of_a_hit(*numbers)) for numbers in suspected)
