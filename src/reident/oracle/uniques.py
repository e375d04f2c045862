"""Unique records in one file, from the definitions (Dalenius 1986; minimal sample uniques).

A record is a tuple of texts, None where missing. Every count is a comparison of whole records.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Record = tuple[str | None, ...]
    Set = tuple[int, ...]


def same(one: Record, other: Record, variables: Sequence[int], missing: str) -> bool:
    """Whether two records count as the same on some variables, under a reading of missing."""
    for j in variables:
        a, b = one[j], other[j]
        if missing == "wildcard" and (a is None or b is None):
            continue
        if a != b:
            return False
    return True


def taking_part(records: Sequence[Record], missing: str) -> list[bool]:
    """Who is compared at all: with `drop` only records without a missing value (methods, 5)."""
    return [missing != "drop" or None not in record for record in records]


def counts(records: Sequence[Record], missing: str) -> list[int]:
    """For each record how many have its P-set of data, itself included; 0 if it takes no part."""
    part = taking_part(records, missing)
    found = []
    for r, record in enumerate(records):
        total = 0
        for q, other in enumerate(records):
            if part[r] and part[q] and same(record, other, range(len(record)), missing):
                total += 1
        found.append(total)
    return found


def t1_sum(codes: Sequence[int], sizes: Sequence[int]) -> int:
    """4.1: the categories after the first take the powers of two, one after another."""
    power, total = 1, 0
    for code, size in zip(codes, sizes, strict=True):
        for category in range(1, size):
            if category == code:
                total += power
            power *= 2
    return total


def t2_sum(codes: Sequence[int], sizes: Sequence[int]) -> int:
    """4.2: a variable counts as often as the variables before it have combinations."""
    weight, total = 1, 0
    for code, size in zip(codes, sizes, strict=True):
        total += weight * code
        weight *= size
    return total


def minimal_sets(records: Sequence[Record], size: int, missing: str) -> list[list[Set]]:
    """For each record the variable sets of up to `size` on which it is alone, and on no part."""
    part = taking_part(records, missing)
    found: list[list[Set]] = []
    for r, record in enumerate(records):
        mine: list[Set] = []
        for s in range(1, size + 1):
            for chosen in combinations(range(len(record)), s):
                if missing == "wildcard" and any(record[j] is None for j in chosen):
                    continue
                if any(set(smaller) <= set(chosen) for smaller in mine):
                    continue
                company = [
                    q
                    for q, other in enumerate(records)
                    if q != r and part[q] and same(record, other, chosen, missing)
                ]
                if part[r] and not company:
                    mine.append(chosen)
        found.append(mine)
    return found


def score(sets: Sequence[Set], variables: int, size: int) -> int:
    """The sum over minimal sets of size s of the product of ATT - i for i = s..M, M < ATT."""
    total = 0
    for one in sets:
        product = 1
        for i in range(len(one), min(size, variables - 1) + 1):
            product *= variables - i
        total += product
    return total


def risk(f: int, weight: float) -> float:
    """E[1/F] where F is f plus the failures of a negative binomial with p = f / weight.

    By its recurrence from f = 1, p/q ln(1/p), in so many digits that cancelling does no harm.
    """
    with localcontext() as context:
        context.prec = 400
        p = min(Decimal(1), Decimal(f) / Decimal(weight))
        q = 1 - p
        if q == 0:
            return float(Decimal(1) / f)
        value = p / q * (1 / p).ln()
        for smaller in range(1, f):
            value = p / q * (Decimal(1) / smaller - value)
        return float(value)
