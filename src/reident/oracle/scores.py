"""The taxicab and euclidean metrics of a pair of records, in whole numbers.

Primer 2.2.1 and 2.2.2. Ties decide who is suspected, and a float sum changes its last bit with
the order of the variables; so scores are integers and thresholds are compared exactly. A metric
has: ``score``; ``passes`` (the threshold); ``shown`` (the float a reader sees); ``top`` and
``histogram_bin`` (20 bins from 0 to the largest possible score).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from .moments import Spread, z_difference
from .values import Cells

ONE = 2**40  # a squared euclidean score of 1
HISTOGRAM_BINS = 20


class Metric(Protocol):
    """What ranks and tables need to know of a metric."""

    @property
    def highest_first(self) -> bool:
        """Whether the best score is the highest."""

    @property
    def top(self) -> float:
        """The largest possible score."""

    @property
    def threshold_shown(self) -> float:
        """The threshold as a reader sees it."""

    def score(self, p: Cells, e: Cells) -> int:
        """The exact score of a PUF row and an EIF row."""

    def passes(self, score: int) -> bool:
        """Whether a score meets the threshold (Primer 2.2, step 3)."""

    def shown(self, score: int) -> float:
        """The score as a reader sees it."""

    def histogram_bin(self, score: int) -> int:
        """The bin of a score, 0 to 19; the top itself belongs to the last."""


@dataclass(frozen=True, kw_only=True)
class Taxicab:
    """Primer 2.2.1. A score is u = b * mismatches + a * missings for alpha = a / b."""

    v: int
    alpha: Fraction
    threshold: Fraction | None = None  # None: the paper's alpha / 2
    highest_first: bool = False
    top: float = 1.0

    @property
    def threshold_shown(self) -> float:
        """The threshold as a reader sees it."""
        return float(self.alpha / 2 if self.threshold is None else self.threshold)

    def score(self, p: Cells, e: Cells) -> int:
        """The L1 norm (Primer 2.2.1, steps 2 and 3) times b."""
        mismatches = missings = 0
        for a, b in zip(p, e, strict=True):
            if a is None or b is None:
                missings += 1
            elif a != b:
                mismatches += 1
        return self.alpha.denominator * mismatches + self.alpha.numerator * missings

    def passes(self, score: int) -> bool:
        """Strictly below the threshold (Primer 2.2.1, step 4)."""
        if self.threshold is None:
            return 2 * score < self.alpha.numerator * self.v
        return Fraction(score, self.alpha.denominator * self.v) < self.threshold

    def shown(self, score: int) -> float:
        """The score as a reader sees it."""
        return score / (self.alpha.denominator * self.v)

    def histogram_bin(self, score: int) -> int:
        """The bin of a score, 0 to 19; the top itself belongs to the last."""
        place = HISTOGRAM_BINS * score // (self.alpha.denominator * self.v)
        return min(HISTOGRAM_BINS - 1, place)


@dataclass(frozen=True, kw_only=True)
class Euclidean:
    """Primer 2.2.2. A score is the sum of squares in units of 2**-40.

    ``spreads`` holds one entry per variable, None for a categorical one.
    """

    v: int
    alpha: Fraction
    spreads: Sequence[Spread | None]
    threshold: Fraction | str = "paper"  # or "consistent"
    highest_first: bool = False

    @property
    def top(self) -> float:
        """The largest possible score: all variables differ, root(v) / v."""
        return 1 / math.sqrt(self.v)

    @property
    def threshold_shown(self) -> float:
        """The threshold as a reader sees it."""
        if self.threshold == "paper":
            return float(self.alpha / 2)
        if self.threshold == "consistent":
            return float(self.alpha) / math.sqrt(2 * self.v)
        return float(self.threshold)

    @cached_property
    def missing(self) -> int:
        """The squared score alpha of a variable that either side is missing."""
        return round(self.alpha**2 * ONE)

    def score(self, p: Cells, e: Cells) -> int:
        """The sum of squares under the L2 norm (Primer 2.2.2, steps 2-4)."""
        total = 0
        missing = self.missing
        for a, b, spread in zip(p, e, self.spreads, strict=True):
            if a is None or b is None:
                total += missing
            elif spread is not None and isinstance(a, float) and isinstance(b, float):
                total += squared_distance(a, b, spread)
            elif a != b:  # categories, or a number beside "not applicable"
                total += ONE
        return total

    def passes(self, score: int) -> bool:
        """Strictly below the threshold (Primer 2.2.2, step 5), both sides squared."""
        if self.threshold == "paper":  # root(S) / v < alpha / 2
            return 4 * score < self.v**2 * self.missing
        if self.threshold == "consistent":  # root(S) / v < alpha / root(2 v): half the pair missing
            return 2 * score < self.v * self.missing
        return score < Fraction(self.threshold) ** 2 * self.v**2 * ONE

    def shown(self, score: int) -> float:
        """The score as a reader sees it."""
        return math.sqrt(score / ONE) / self.v

    def histogram_bin(self, score: int) -> int:
        """The bin of a score, 0 to 19; the top itself belongs to the last."""
        # The place is the root of score / (v * ONE), times the number of bins.
        place = math.isqrt(HISTOGRAM_BINS**2 * score // (self.v * ONE))
        return min(HISTOGRAM_BINS - 1, place)


def squared_distance(a: float, b: float, spread: Spread) -> int:
    """(2 * logistic(x) - 1)**2 of the capped z-score difference x (Primer 2.2.2, step 3).

    2 / (1 + exp(-x)) - 1 is tanh(x / 2), which loses no digits near 0.
    """
    t = math.tanh(z_difference(a, b, spread) / 2)
    return round(t * t * ONE)
