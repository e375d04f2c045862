"""One guess for each PUF record: the attacks of PWSCUP2015, from their definitions.

Identify-euc (Identification by Euclidean distance) 2.3 and 3: X, the original data, is the EIF; B,
the anonymised data, is the PUF. QI are categories, SA are numbers. Sums and distances are rational
numbers, so a tie is a tie.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction

from .moments import spread_of
from .prepared import Prepared, Row
from .values import Cell, Key


@dataclass(frozen=True, kw_only=True)
class Guess:
    """What an attack says of one PUF record.

    ``chances``: the chance of each EIF record of the tie group to be the guess. ``listed``: the
    guess that is written down, None for a give-up. ``aside``: a record that takes no part.
    """

    chances: dict[Key, Fraction] = field(default_factory=dict)
    listed: Key | None = None
    score: float | None = None
    tied: int = 0
    gave_up: bool = False
    aside: bool = False


def guess(prepared: Prepared, key: Key) -> Guess:
    """The guess for one PUF record, inside its stratum."""
    row = prepared.puf[key]
    others = prepared.eif_strata.get(row.stratum, [])
    if not others:
        return Guess()
    if prepared.method == "identify_sort":
        return by_sums(prepared, row, others)
    alike = [other for other in others if same_vector(prepared, row, other)]
    if prepared.method == "identify_rand":
        return at_random(prepared, row, alike)
    nearest: dict[Key, Fraction] = {}
    if prepared.method != "identify_sa21":
        nearest = nearest_of(prepared, row, alike)
    if not nearest and prepared.method != "euc1":
        nearest = nearest_of(prepared, row, others)  # E2 and EUC2 without a match; E4 always
    if nearest:
        chances = {key: Fraction(1, len(nearest)) for key in nearest}
        return settled(prepared, chances, root(min(nearest.values())))
    if prepared.options.get("give_up", "none") == "index":
        return own_position(prepared, row, others)
    return Guess(gave_up=True)


# Who is compared by what ------------------------------------------------------------------------


def names_of_qi(prepared: Prepared) -> list[str]:
    """The quasi-identifiers: those named, or all categorical variables."""
    categorical = [one.name for one in prepared.used if one.kind == "categorical"]
    return list(prepared.options.get("qi") or categorical)


def names_of_sa(prepared: Prepared) -> list[str]:
    """The sensitive attributes that count: one for E2 and E4, those named, or all numbers."""
    numbers = [one.name for one in prepared.used if one.kind != "categorical"]
    chosen = list(prepared.options.get("sa") or sorted(numbers))
    if prepared.method in ("identify_sa", "identify_sa21"):
        return [prepared.options.get("variable") or chosen[0]]
    return chosen


def cell(prepared: Prepared, row: Row, name: str) -> Cell:
    """A record's cell of the variable of that name."""
    return row.cells[[one.name for one in prepared.used].index(name)]


def number(prepared: Prepared, row: Row, name: str) -> Fraction | None:
    """A record's number as a rational; None where it is missing or not applicable."""
    value = cell(prepared, row, name)
    return Fraction(value) if isinstance(value, float) else None


def same_vector(prepared: Prepared, row: Row, other: Row) -> bool:
    """Whether two records have the same vector of QI; a missing one equals nothing."""
    for name in names_of_qi(prepared):
        a, b = cell(prepared, row, name), cell(prepared, other, name)
        if a is None or b is None or a != b:
            return False
    return True


# The attacks ------------------------------------------------------------------------------------


def at_random(prepared: Prepared, row: Row, alike: Sequence[Row]) -> Guess:
    """E1: one of the records with the same QI, all equally likely."""
    if not alike:
        return Guess(gave_up=True)
    keys = sorted(other.key for other in alike)
    seed, label = prepared.options["seed"], prepared.options["label"]
    text = "\0".join([str(seed), label, *row.key])
    drawn = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    chances = {key: Fraction(1, len(keys)) for key in keys}
    return Guess(chances=chances, listed=keys[drawn % len(keys)], tied=len(keys))


def unit_of(prepared: Prepared, name: str) -> Fraction | None:
    """What an SA is measured in: 1 as printed, or its sd in B; None where that is 0."""
    if not prepared.options.get("standardize", False):
        return Fraction(1)
    numbers = [number(prepared, one, name) for one in prepared.puf.values()]
    spread = spread_of([float(one) for one in numbers if one is not None])
    return Fraction(spread.sd) * Fraction(2) ** spread.exponent if spread.sd else None


def squared_distance(
    prepared: Prepared, row: Row, other: Row, units: dict[str, Fraction]
) -> Fraction | None:
    """The squared distance on the SAs that both have, rescaled to all of them; None if none."""
    total, present = Fraction(0), 0
    for name, unit in units.items():
        a, b = number(prepared, row, name), number(prepared, other, name)
        if a is not None and b is not None:
            total += ((a - b) / unit) ** 2
            present += 1
    return total * len(units) / present if present else None


def nearest_of(prepared: Prepared, row: Row, others: Sequence[Row]) -> dict[Key, Fraction]:
    """E2, E4, EUC1 step 3, EUC2 step 2: the nearest of these records, and how near they are."""
    units = {}
    for name in names_of_sa(prepared):
        unit = unit_of(prepared, name)
        if unit is not None:
            units[name] = unit
    measured = {}
    for other in others:
        squared = squared_distance(prepared, row, other, units)
        if squared is not None:
            measured[other.key] = squared
    best = min(measured.values(), default=None)
    return {key: squared for key, squared in measured.items() if squared == best}


def by_sums(prepared: Prepared, row: Row, others: Sequence[Row]) -> Guess:
    """E3: the record at the same place when both files are in order of the sum of their SAs.

    Records with the same sum stand in any order, each equally likely. A record without one of its
    SAs has no sum and takes no part.
    """
    own = total(prepared, row)
    if own is None:
        return Guess(aside=True)
    mine = [total(prepared, one) for one in prepared.puf_strata[row.stratum]]
    theirs = [(total(prepared, one), one.key) for one in others]
    places = block(own, [one for one in mine if one is not None])
    chances = {}
    for value, key in theirs:
        if value is not None:
            against = block(value, [one for one, _ in theirs if one is not None])
            shared = len(set(places) & set(against))
            if shared:
                chances[key] = Fraction(shared, len(places) * len(against))
    return settled(prepared, chances, None) if chances else Guess(gave_up=True)


def total(prepared: Prepared, row: Row) -> Fraction | None:
    """The sum of a record's SAs, None if one is not there."""
    numbers = [number(prepared, row, name) for name in names_of_sa(prepared)]
    present = [one for one in numbers if one is not None]
    return sum(present, Fraction(0)) if len(present) == len(numbers) else None


def block(value: Fraction, values: Sequence[Fraction]) -> range:
    """The places of the records with this sum, in ascending order of all sums."""
    first = sum(one < value for one in values)
    return range(first, first + sum(one == value for one in values))


def settled(prepared: Prepared, chances: dict[Key, Fraction], score: float | None) -> Guess:
    """A guess out of a tie group: its lowest key, or none where ties are given up."""
    if prepared.options.get("ties", "first") == "none" and len(chances) > 1:
        return Guess(gave_up=True)
    return Guess(chances=chances, listed=min(chances), score=score, tied=len(chances))


def own_position(prepared: Prepared, row: Row, others: Sequence[Row]) -> Guess:
    """EUC1 step 4 as printed: the record of X at the place of the record in B."""
    place = [one.key for one in prepared.puf_strata[row.stratum]].index(row.key)
    if place >= len(others):
        return Guess(gave_up=True)
    key = others[place].key
    return Guess(chances={key: Fraction(1)}, listed=key, tied=1, gave_up=True)


def root(squared: Fraction) -> float:
    """The root of a rational that may be too large or too small for a float."""
    with localcontext(prec=50):
        return float((Decimal(squared.numerator) / Decimal(squared.denominator)).sqrt())
