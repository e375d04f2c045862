"""Counts become percentages here, and nowhere else (Primer 1.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

REACH = NormalDist().inv_cdf(0.975)
"""Standard errors on either side of a mean that leave out one case in twenty."""


def percent(part: float | None, whole: int | None) -> float | None:
    """100 part / whole; None where either is unknown or the whole is nothing.

    >>> percent(1, 8), percent(0, 0)
    (12.5, None)
    """
    return None if part is None or not whole else 100 * part / whole


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The Wilson 95 % interval in percent; records are treated as independent.

    Shares x for which the one that was found lies within `REACH` standard errors of x: between the
    roots of (found - x)^2 = REACH^2 x (1 - x) / trials.
    """
    found, spread = successes / trials, REACH**2 / trials
    middle = found + spread / 2
    aside = math.sqrt(spread * (found * (1 - found) + spread / 4))
    # Rounding must not put a rate outside its interval.
    low = (middle - aside) / (1 + spread) if successes else 0.0
    high = (middle + aside) / (1 + spread) if successes < trials else 1.0
    return 100 * low, 100 * high


@dataclass(frozen=True, kw_only=True)
class Rates:
    """The rates of one attack, in percent, from its counts; None where undefined.

    >>> rates = Rates(records=200, suspected_records=50, confirmed_records=10)
    >>> rates.suspected, rates.confirmed, rates.conditional
    (25.0, 5.0, 20.0)
    """

    records: int
    suspected_records: int
    confirmed_records: int | None = None
    pairs: int | None = None
    confirmed_pairs: int | None = None
    overlap: int | None = None

    @property
    def suspected(self) -> float | None:
        """PUF records with at least one suspected pair, of all PUF records (step 2)."""
        return percent(self.suspected_records, self.records)

    @property
    def confirmed(self) -> float | None:
        """PUF records with at least one true suspected pair, of all PUF records (step 3)."""
        return percent(self.confirmed_records, self.records)

    @property
    def conditional(self) -> float | None:
        """Confirmed of suspected records: the critical statistic (steps 4 and 5)."""
        return percent(self.confirmed_records, self.suspected_records)

    @property
    def conditional_interval(self) -> tuple[float, float] | None:
        """Wilson 95 % interval of the conditional rate."""
        if self.confirmed_records is None or not self.suspected_records:
            return None
        return wilson(self.confirmed_records, self.suspected_records)

    @property
    def pair_precision(self) -> float | None:
        """True pairs of suspected pairs (step 6)."""
        return percent(self.confirmed_pairs, self.pairs)

    @property
    def recall(self) -> float | None:
        """Confirmed records of the PUF records that have a true partner at all."""
        return percent(self.confirmed_records, self.overlap)


def chance_of_a_hit(others: int, true: int, guesses: int) -> float:
    """Chance that so many blind guesses among `others` EIF records meet a true one.

    1 - C(others - true, guesses) / C(others, guesses), exactly rounded.
    """
    few, many = sorted((true, guesses))
    if few + many > others:
        return 1.0
    miss = Fraction(1)
    for step in range(few):
        miss *= Fraction(others - many - step, others - step)
    return float(1 - miss)


def baseline(cases: Iterable[tuple[int, int, int, int]]) -> float:
    """Records that blind guessing would confirm; cases are (others, true, guesses, records)."""
    return math.fsum(
        chance_of_a_hit(others, true, guesses) * records for others, true, guesses, records in cases
    )
