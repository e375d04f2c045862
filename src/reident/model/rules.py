"""The data owner's adhoc rules: how two values of a variable score, 0 to 5 (Primer 2.2.3)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from reident.errors import Fault, SpecError
from reident.model.value import Number, Value

PLACES = 6
UNITS = 10**PLACES
"""Scores are decimals with at most six places, held as integers of this many units."""
BEST = 5
"""The highest score of a variable."""


def _in_range(score: Decimal) -> Decimal:
    if not 0 <= score <= BEST:
        raise ValueError("Give a score from 0 to 5")
    if score * UNITS != int(score * UNITS):
        raise ValueError("Give a score with at most six decimal places")
    return score


Score = Annotated[Number, AfterValidator(_in_range)]
Steps = Annotated[tuple[tuple[Number, Score], ...], Field(min_length=1)]


def units(score: Decimal) -> int:
    """A score in exact integer units."""
    return int(score * UNITS)


def _strictly(steps: Steps, *, rising: bool) -> Steps:
    bounds = [bound for bound, _ in steps]
    if bounds != sorted(set(bounds), reverse=not rising):
        raise ValueError(f"Order the bounds strictly {'upwards' if rising else 'downwards'}")
    return steps


def _rising(steps: Steps) -> Steps:
    if steps[0][0] < 0:
        raise ValueError("Give bounds of at least 0")
    return _strictly(steps, rising=True)


def _falling(steps: Steps) -> Steps:
    return _strictly(steps, rising=False)


Rising = Annotated[Steps, AfterValidator(_rising)]
Falling = Annotated[Steps, AfterValidator(_falling)]
Similarity = Literal["jaro_winkler", "jaro", "levenshtein", "indel", "osa", "damerau_levenshtein"]


class Rule(Value):
    """A rule for one variable; `kinds` are the kinds of variable it can judge."""

    kinds: ClassVar[tuple[str, ...]] = ("categorical",)


class Equal(Rule):
    """`equal` if the values are equal, else 0."""

    kinds: ClassVar[tuple[str, ...]] = ("categorical", "numeric", "date")
    equal: Score


class Difference(Rule):
    """The score of the first bound that |a - b| does not pass, else 0."""

    kinds: ClassVar[tuple[str, ...]] = ("numeric",)
    difference: Rising


class Ratio(Rule):
    """The score of the first bound that |a - b| / |a| does not pass, a the PUF value, else 0."""

    kinds: ClassVar[tuple[str, ...]] = ("numeric",)
    ratio: Rising


class Days(Rule):
    """The score of the first bound that the difference in days does not pass, else 0."""

    kinds: ClassVar[tuple[str, ...]] = ("date",)
    days: Rising


class Prefix(Rule):
    """The score of the first length that the common leading characters reach, else 0."""

    prefix: Falling


class Similar(Rule):
    """The score of the first bound that the string similarity reaches, else 0."""

    similarity: Similarity
    steps: Falling


def _entry_texts(value: Any) -> Any:
    """Table entries are texts; whole numbers stand for their texts."""
    if isinstance(value, (list, tuple)):
        return tuple(
            tuple(
                str(part) if position < 2 and isinstance(part, int) else part
                for position, part in enumerate(row)
            )
            if isinstance(row, (list, tuple))
            else row
            for row in value
        )
    return value


class Table(Rule):
    """Scores of listed pairs [PUF value, EIF value, score]; both directions unless ordered."""

    table: Annotated[tuple[tuple[str, str, Score], ...], BeforeValidator(_entry_texts)]
    equal: Score = Decimal(5)
    otherwise: Score = Decimal(0)
    ordered: bool = False

    def model_post_init(self, _context: Any) -> None:
        """Check what no entry can check alone."""
        if len(self.entries()) != len(self._all_entries()):
            raise SpecError(
                Fault(
                    where="Table.table",
                    found="a pair of values with two scores",
                    remedy="Give each pair one score, or set ordered = true",
                )
            )

    def _all_entries(self) -> set[tuple[tuple[str, str], Decimal]]:
        both = {((a, b), score) for a, b, score in self.table}
        return both if self.ordered else both | {((b, a), score) for a, b, score in self.table}

    def entries(self) -> dict[tuple[str, str], Decimal]:
        """Score by (PUF value, EIF value)."""
        return dict(self._all_entries())


class Judged(Rule):
    """A Python function f(puf_values, eif_values) -> scores, called on blocks of distinct pairs."""

    kinds: ClassVar[tuple[str, ...]] = ("categorical", "numeric", "date")
    function: Callable[[Any, Any], Any]

    @property
    def name(self) -> str:
        """What the result and the manifest call it; such a run cannot be resumed."""
        return f"callable {getattr(self.function, '__name__', 'object')}"


BY_KEY: dict[str, type[Rule]] = {
    "table": Table,
    "equal": Equal,
    "difference": Difference,
    "ratio": Ratio,
    "days": Days,
    "prefix": Prefix,
    "similarity": Similar,
}
"""A rule is known by its key; a table may also carry `equal`, so it comes first."""


def rule_of(data: Any) -> Rule:
    """The rule that a study file's table, or a Python callable, stands for.

    >>> rule_of({"equal": 5})
    Equal(equal=Decimal('5'))
    """
    if isinstance(data, Rule):
        return data
    if callable(data):
        return Judged(function=data)
    for key, kind in BY_KEY.items():
        if isinstance(data, dict) and key in data:
            return kind.model_validate(data)
    known = ", ".join(sorted(BY_KEY))
    raise SpecError(Fault(where="Rule", found="no rule", remedy=f"Give one of: {known}"))
