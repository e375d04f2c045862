"""The adhoc metric: the data owner's rules, 0 to 5 for each variable.

Primer 2.2.3. Scores are whole millionths. Numbers are compared as the decimals that were
written, so that 1.1 and 1.0 are at most 0.1 apart.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any, TypeAlias

from rapidfuzz import distance

from .scores import HISTOGRAM_BINS
from .values import Cell, Cells, NotApplicable, as_written

Rule: TypeAlias = Mapping[str, Any] | Callable[..., Any]
UNIT = 10**6
BEST = 5 * UNIT
SIMILARITIES: dict[str, Callable[[str, str], float]] = {
    "jaro_winkler": distance.JaroWinkler.normalized_similarity,
    "jaro": distance.Jaro.normalized_similarity,
    "levenshtein": distance.Levenshtein.normalized_similarity,
    "indel": distance.Indel.normalized_similarity,
    "osa": distance.OSA.normalized_similarity,
    "damerau_levenshtein": distance.DamerauLevenshtein.normalized_similarity,
}


@dataclass(frozen=True, kw_only=True)
class Adhoc:
    """Primer 2.2.3. A score is the sum of the variables' scores, highest best."""

    v: int
    rules: Sequence[Rule]
    threshold: Fraction | None = None  # None: the paper's 5 v / 2
    highest_first: bool = True

    @cached_property
    def remembering(self) -> list[Callable[[Cell, Cell], int]]:
        """The rules, each with a memory: in a large file the same two values meet often."""
        return [lru_cache(maxsize=2**17)(partial(rule_score, rule)) for rule in self.rules]

    @property
    def top(self) -> float:
        """The largest possible score (Primer 2.2.3, step 4)."""
        return 5.0 * self.v

    @property
    def threshold_shown(self) -> float:
        """The threshold as a reader sees it."""
        return float(Fraction(5 * self.v, 2) if self.threshold is None else self.threshold)

    def score(self, p: Cells, e: Cells) -> int:
        """The sum of the scores (Primer 2.2.3, step 4), in millionths."""
        return sum(rule(a, b) for rule, a, b in zip(self.remembering, p, e, strict=True))

    def passes(self, score: int) -> bool:
        """Strictly above the threshold (Primer 2.2.3, step 5)."""
        if self.threshold is None:
            return 2 * score > 5 * self.v * UNIT
        return Fraction(score, UNIT) > self.threshold

    def shown(self, score: int) -> float:
        """The score as a reader sees it."""
        return score / UNIT

    def histogram_bin(self, score: int) -> int:
        """The bin of a score, 0 to 19; the top itself belongs to the last."""
        return min(HISTOGRAM_BINS - 1, HISTOGRAM_BINS * score // (self.v * BEST))


def rule_score(rule: Rule, a: Cell, b: Cell) -> int:
    """The score of one variable, a in the PUF and b in the EIF (Primer 2.2.3, steps 2 and 3)."""
    if a is None or b is None:
        return 0
    skipped = isinstance(a, NotApplicable) or isinstance(b, NotApplicable)
    if callable(rule):
        if skipped:
            return BEST if a == b else 0
        return by_callable(rule, a, b)
    if "table" in rule:
        return by_table(rule, text(a), text(b))
    if skipped and a != b:
        return 0
    return by_kind(rule, a, b)


def by_kind(rule: Mapping[str, Any], a: Cell, b: Cell) -> int:
    """The score of two values, or of a not-applicable code beside itself."""
    if "difference" in rule:
        return at_most(rule["difference"], distance_between(a, b), Fraction(1))
    if "days" in rule:
        return at_most(rule["days"], distance_between(a, b), Fraction(1))
    if "ratio" in rule:
        # |a - b| / |a| <= t without the division: 0 beside 0 reaches every step, 0 beside
        # anything else reaches none.
        return at_most(rule["ratio"], distance_between(a, b), size_of(a))
    if "prefix" in rule:
        return at_least(rule["prefix"], Fraction(common_prefix(text(a), text(b))))
    if "similarity" in rule:
        similarity = SIMILARITIES[rule["similarity"]](text(a), text(b))  # 1 for a code and itself
        return at_least(rule["steps"], as_written(similarity))
    if "equal" in rule:
        return units(rule["equal"]) if a == b else 0
    raise ValueError("a rule of no known kind")


def units(score: float | Decimal) -> int:
    """A score as whole millionths; more places or a score outside 0..5 is an error."""
    exact = as_written(score) * UNIT
    if exact.denominator != 1 or not 0 <= exact <= BEST:
        raise ValueError("a score is a decimal from 0 to 5 with at most 6 places")
    return exact.numerator


def text(cell: Cell) -> str:
    """The text of a category, or of a code."""
    return cell.code if isinstance(cell, NotApplicable) else str(cell)


def distance_between(a: Cell, b: Cell) -> Fraction:
    """|a - b| as decimals; two equal not-applicable codes are at distance 0."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(as_written(a) - as_written(b))
    return Fraction(0)


def size_of(a: Cell) -> Fraction:
    """|a| as a decimal; for a not-applicable code any number does, its distance being 0."""
    return abs(as_written(a)) if isinstance(a, float) else Fraction(1)


def at_most(steps: Sequence[Sequence[Any]], found: Fraction, scale: Fraction) -> int:
    """The score of the first step whose bound, times the scale, is not exceeded; else 0."""
    for bound, score in steps:
        if found <= as_written(bound) * scale:
            return units(score)
    return 0


def at_least(steps: Sequence[Sequence[Any]], found: Fraction) -> int:
    """The score of the first step whose bound is reached; else 0."""
    for bound, score in steps:
        if found >= as_written(bound):
            return units(score)
    return 0


def common_prefix(a: str, b: str) -> int:
    """The number of leading characters that two texts share."""
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length


def by_table(rule: Mapping[str, Any], a: str, b: str) -> int:
    """A listed pair of texts; unlisted ones are equal or not. Listed pairs come first."""
    for puf_text, eif_text, score in rule["table"]:
        if (a, b) == (puf_text, eif_text):
            return units(score)
        if not rule.get("ordered", False) and (b, a) == (puf_text, eif_text):
            return units(score)
    return units(rule.get("equal", 5)) if a == b else units(rule.get("otherwise", 0))


def by_callable(rule: Callable[..., Any], a: Cell, b: Cell) -> int:
    """A rule in Python, which by its contract gets two arrays: here of one value each."""
    import numpy as np  # noqa: PLC0415  only this contract needs arrays, the oracle does not

    kind = "float64" if isinstance(a, float) else "object"
    (score,) = rule(np.array([a], dtype=kind), np.array([b], dtype=kind))
    rounded = Decimal(repr(float(score))).quantize(Decimal("0.000001"), rounding=ROUND_HALF_EVEN)
    return units(rounded)
