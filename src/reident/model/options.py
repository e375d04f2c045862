"""The attacks and their options; every choice that a paper leaves open has a name here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from reident.errors import Fault, SpecError
from reident.model.rules import Judged, Rule, rule_of
from reident.model.value import Names, Number, Value
from reident.model.variables import Kind

MOST_PLACES = 9


def _few_places(score: Decimal) -> Decimal:
    """Scores are whole numbers of the last decimal place, which must fit 64 bits in sum."""
    if score != round(score, MOST_PLACES):
        raise ValueError(f"Give at most {MOST_PLACES} decimal places")
    return score


MissingScore = Annotated[Number, Field(gt=0, le=1), AfterValidator(_few_places)]
Keep = Annotated[int, Field(ge=1, le=1000)]
Cuts = Literal["puf", "pooled", "each"]
BinsMethod = Literal["quantile", "sas_rank"]
Scale = Literal["study", "stratum"]
Bins = Annotated[int, Field(ge=2, le=1000)]
Ties = Literal["first", "none"]
MOST_VARIABLES = 64
"""Agreement sets are held as 64-bit masks."""


class Attack(Value):
    """A method with its settings; `variables` narrows the study's linking variables."""

    method: ClassVar[str]
    kinds: ClassVar[tuple[Kind, ...]] = ("numeric", "categorical", "date")
    """Kinds of variables that it compares."""
    stepwise: ClassVar[bool] = False
    """Whether the order of its variables counts."""
    variables: Names = ()

    @property
    def needs(self) -> int:
        """The fewest variables that it can work with."""
        return 1

    @property
    def named(self) -> tuple[str, ...]:
        """The linking variables that were chosen by name; none where all are meant."""
        return self.variables

    def options(self) -> dict[str, Any]:
        """Every option with its value, as results.json records it."""
        return {name: _plain(getattr(self, name)) for name in type(self).model_fields}


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: decimals as numbers, rules as written."""
    if isinstance(value, Judged):
        return value.name
    if isinstance(value, Rule):
        given = (name for name in type(value).model_fields if name in value.model_fields_set)
        return {name: _plain(getattr(value, name)) for name in given}
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return value


class _Binned(Attack):
    """Numeric variables become bins before they are compared (Primer 2.1 and 2.2.1, step 1)."""

    bins: Bins = 5
    bins_method: BinsMethod = "quantile"
    cuts: Cuts = "puf"
    scale: Scale = "study"

    def model_post_init(self, _context: Any) -> None:
        """Check what no option can check alone."""
        if self.bins_method == "sas_rank" and self.cuts != "puf":
            raise SpecError(
                Fault(
                    where=f"{type(self).__name__}.cuts",
                    found="a choice that sas_rank does not have",
                    remedy="Leave cuts out: sas_rank ranks each file by itself",
                )
            )


class Unicity(_Binned):
    """Sample uniques that share a cell of some interaction (Primer 2.1).

    >>> Unicity().interactions
    'all'
    """

    method: ClassVar[str] = "unicity"
    interactions: Literal["all", "consistent", "highest"] = "all"
    orders: Annotated[int, Field(ge=0, le=MOST_VARIABLES)] = 3
    pairs: Literal["all", "auto", "none"] = "auto"


class Taxicab(_Binned):
    """The mean of 0, 1 or the missing score over the variables (Primer 2.2.1).

    >>> Taxicab(missing_score=0.5).keep
    5
    """

    method: ClassVar[str] = "taxicab"
    missing_score: MissingScore = Decimal("0.5")
    threshold: Literal["paper"] | Number = "paper"
    keep: Keep = 5


class Euclidean(Attack):
    """The root of the sum of squared scores, divided by their number (Primer 2.2.2).

    >>> Euclidean().threshold
    'paper'
    """

    method: ClassVar[str] = "euclidean"
    missing_score: MissingScore = Decimal("0.5")
    threshold: Literal["paper", "consistent"] | Number = "paper"
    keep: Keep = 5
    scale: Scale = "study"


def _rules(data: Any) -> Any:
    """Rules by variable; the faults of all of them are told under the variable's name."""
    if not isinstance(data, Mapping):
        return data
    rules, faults = {}, []
    for name, given in data.items():
        try:
            rules[name] = rule_of(given)
        except SpecError as error:
            faults += [
                replace(fault, where=".".join(["AdHoc.rules", name, *fault.where.split(".")[1:]]))
                for fault in error.faults
            ]
    if faults:
        raise SpecError(*faults)
    return rules


class AdHoc(Attack):
    """The sum of the data owner's scores, 0 to 5 a variable (Primer 2.2.3).

    >>> AdHoc(rules={"sex": {"equal": 5}}).threshold
    'paper'
    """

    method: ClassVar[str] = "adhoc"
    rules: Annotated[dict[str, Rule], BeforeValidator(_rules)] = Field(min_length=1)
    threshold: Literal["paper"] | Number = "paper"
    keep: Keep = 5

    def __init__(self, rules: Any = None, **options: Any) -> None:
        super().__init__(**({} if rules is None else {"rules": rules}), **options)


UNCORRELATED, ALL = "uncorrelated", "all"
Agree = Annotated[int, Field(ge=1, le=MOST_VARIABLES)]
Share = Annotated[Number, Field(gt=0, lt=1)]


class Microagg(Attack):
    """An attack on a file that was micro-aggregated one variable at a time (Winkler 2002).

    `variables` names the variables in the order in which they are compared, or says how they are
    chosen: "all", or "uncorrelated", the first three that vary and have pairwise R2 <= 0.2 in the
    released file. One guess a record; a tie is no guess.
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("numeric", "date")
    stepwise: ClassVar[bool] = True
    variables: Names = (ALL,)

    @property
    def named(self) -> tuple[str, ...]:
        """The variables by name; none where a word stands for them."""
        return () if self.variables in {(), (ALL,), (UNCORRELATED,)} else self.variables

    def options(self) -> dict[str, Any]:
        """As for every attack; a word instead of names stays a word."""
        word = {} if self.named else {"variables": self.variables[0] if self.variables else ALL}
        return super().options() | word


class MicroaggInterval(Microagg):
    """The record inside most of the intervals that the released values leave (Basic Situation).

    >>> MicroaggInterval(radius="half_gap").variables
    ('uncorrelated',)
    """

    method: ClassVar[str] = "microagg_interval"
    variables: Names = (UNCORRELATED,)
    radius: Literal["auto", "half_gap", "midpoint", "rank"] = "auto"


class MicroaggNearest(Microagg):
    """Of the 3k nearest on the first variable the nearest on the second (First Extension).

    >>> MicroaggNearest(k=10).k
    10
    """

    method: ClassVar[str] = "microagg_nearest"
    variables: Names = (UNCORRELATED,)
    k: Annotated[int, Field(ge=1)] = 3


class MicroaggWindows(Microagg):
    """The record in most windows around the released values, `agree` at least (Second Extension).

    >>> MicroaggWindows().window
    'auto'
    """

    method: ClassVar[str] = "microagg_windows"
    window: Literal["auto"] | Annotated[int, Field(ge=1)] = "auto"
    agree: Agree = 7
    deviation: Share = Decimal("0.03")

    @property
    def needs(self) -> int:
        """So many variables must agree."""
        return self.agree


class MicroaggTrimmed(Microagg):
    """The nearest record on the `agree` variables that fit best, by relative difference.

    >>> MicroaggTrimmed().agree
    7
    """

    method: ClassVar[str] = "microagg_trimmed"
    agree: Agree = 7

    @property
    def needs(self) -> int:
        """So many variables are compared at best."""
        return self.agree


Ranked = Taxicab | Euclidean | AdHoc


class Guess(Attack):
    """One guess for each PUF record (Identify-euc 2.3 and 3): B is the PUF, X the EIF.

    `qi` are the quasi-identifiers (default: the categorical variables), `sa` the sensitive
    attributes (default: the others).
    """

    qi: Names = ()
    sa: Names = ()


class IdentifyRand(Guess):
    """E1: one of the records with the same QI, at random (Identify-euc 2.3).

    >>> IdentifyRand(qi=["sex", "age_group"]).method
    'identify_rand'
    """

    method: ClassVar[str] = "identify_rand"


class _OneSA(Guess):
    """A guess by one SA: `variable`, or the first of `sa`, or the first of all by name."""

    variable: str = ""
    ties: Ties = "first"


class IdentifySA(_OneSA):
    """E2: of the records with the same QI the nearest on one SA; without any, of all records.

    >>> IdentifySA(variable="income").ties
    'first'
    """

    method: ClassVar[str] = "identify_sa"


class IdentifySA21(_OneSA):
    """E4: the nearest on one SA, whatever the QI (Identify-euc 2.3).

    >>> IdentifySA21(variable="income", ties="none").method
    'identify_sa21'
    """

    method: ClassVar[str] = "identify_sa21"


class IdentifySort(Guess):
    """E3: the record at the same place in order of the sum of the SAs (Identify-euc 2.3).

    >>> IdentifySort().ties
    'first'
    """

    method: ClassVar[str] = "identify_sort"
    ties: Ties = "first"


class _Euc(Guess):
    """The nearest in Euclidean distance on the SAs, as they are or in units of the PUF's sd."""

    ties: Ties = "first"
    give_up: Literal["none", "index"] = "none"
    standardize: bool = False


class EUC1(_Euc):
    """Among the records with the same QI; without any: give up (Identify-euc 3.2).

    >>> EUC1().give_up
    'none'
    """

    method: ClassVar[str] = "euc1"


class EUC2(_Euc):
    """Among the records with the same QI; without any: among all (Identify-euc 3.2).

    >>> EUC2(standardize=True).method
    'euc2'
    """

    method: ClassVar[str] = "euc2"


METHODS: dict[str, type[Attack]] = {
    attack.method: attack
    for attack in (
        *(Unicity, Taxicab, Euclidean, AdHoc),
        *(IdentifyRand, IdentifySA, IdentifySort, IdentifySA21, EUC1, EUC2),
        *(MicroaggInterval, MicroaggNearest, MicroaggWindows, MicroaggTrimmed),
    )
}
DEFAULT_ATTACKS: dict[str, Attack] = {
    "unicity": Unicity(),
    "taxicab": Taxicab(),
    "euclidean": Euclidean(),
}
"""What runs when a study names no attack; adhoc needs its owner's rules."""
