"""Unicity, twice: by counting every interaction, and by agreement sets.

Primer 2.1. The rows given to these functions are the cells of one stratum, numeric variables
already binned. ``by_enumeration`` is the paper step by step and takes time 2**v; ``partners``
looks at one PUF record and needs no enumeration. A test holds them against each other.

Three readings of the paper: "all" interactions; "consistent", of these only the pairs that agree
wherever both records have a value; "highest", only the interaction of all variables (step 6).
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from .values import Cells

Interaction: TypeAlias = tuple[int, ...]
READINGS = ("all", "consistent", "highest")


def by_enumeration(
    puf: Sequence[Cells], eif: Sequence[Cells], reading: str = "all"
) -> set[tuple[int, int]]:
    """Suspected pairs of positions (Primer 2.1, steps 2-5), for at most 13 variables."""
    v = len(puf[0]) if puf else 0
    if v > 13:
        raise ValueError("enumeration is for at most 13 variables")
    pairs = set()
    for interaction in interactions(v, v, reading):
        pairs |= shared_uniques(puf, eif, interaction)
    if reading == "consistent":
        pairs = {(i, j) for i, j in pairs if agreement(puf[i], eif[j]) == present(puf[i], eif[j])}
    return pairs


def interactions(v: int, largest: int, reading: str) -> Iterable[Interaction]:
    """The interactions that count (Primer 2.1, step 2), smallest first, up to a size."""
    for size in range(1, min(v, largest) + 1):
        if reading != "highest" or size == v:
            yield from combinations(range(v), size)


def sample_uniques(rows: Sequence[Cells], interaction: Interaction) -> dict[Cells, int]:
    """The rows alone in their cell of an interaction (Primer 2.1, steps 3 and 4).

    A row with a missing value in the interaction takes no part in it (step 2).
    """
    members: dict[Cells, list[int]] = {}
    for position, row in enumerate(rows):
        cell = tuple(row[variable] for variable in interaction)
        if None not in cell:
            members.setdefault(cell, []).append(position)
    return {cell: rows_in[0] for cell, rows_in in members.items() if len(rows_in) == 1}


def shared_uniques(
    puf: Sequence[Cells], eif: Sequence[Cells], interaction: Interaction
) -> set[tuple[int, int]]:
    """Pairs of sample uniques in the same cell of one interaction (Primer 2.1, step 5)."""
    in_puf = sample_uniques(puf, interaction)
    in_eif = sample_uniques(eif, interaction)
    return {(in_puf[cell], in_eif[cell]) for cell in in_puf if cell in in_eif}


def agreement(a: Cells, b: Cells) -> frozenset[int]:
    """The variables that both rows have and on which they are equal."""
    return frozenset([i for i, value in enumerate(a) if value is not None and value == b[i]])


def present(*rows: Cells) -> frozenset[int]:
    """The variables that none of the rows is missing."""
    return frozenset(i for i in range(len(rows[0])) if all(row[i] is not None for row in rows))


def partners(
    p: Cells, others: Iterable[Cells], eif: Sequence[Cells], reading: str = "all"
) -> list[int]:
    """Positions of the EIF rows that are suspected partners of the PUF row p (Primer 2.1).

    ``others`` are the PUF rows of the stratum without p. An interaction that isolates p and e
    lies inside their agreement set A, and being alone on it implies being alone on A. So e is a
    partner exactly when A is not empty and no other row of either file agrees with p on all of A:
    when A is held by e alone and lies inside no other agreement set.
    """
    in_puf = {agreement(p, other) for other in others}
    holders: dict[frozenset[int], list[int]] = {}
    for position, e in enumerate(eif):
        holders.setdefault(agreement(p, e), []).append(position)
    found = []
    for a in maximal(in_puf | holders.keys()):
        if a and a not in in_puf and len(holders[a]) == 1:
            e = eif[holders[a][0]]
            if reading == "consistent" and a != present(p, e):
                continue
            if reading == "highest" and len(a) != len(p):
                continue
            found.append(holders[a][0])
    return sorted(found)


def maximal(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The sets that lie inside no other: taken largest first, each meets all it could lie in."""
    kept: list[frozenset[int]] = []
    for candidate in sorted(sets, key=len, reverse=True):
        if not any(candidate <= larger for larger in kept):
            kept.append(candidate)
    return kept


def first_orders(
    puf: Sequence[Cells],
    eif: Sequence[Cells],
    pairs: set[tuple[int, int]],
    orders: int,
    reading: str,
) -> dict[int, int]:
    """For each PUF row the size of the smallest interaction that exposes one of its pairs.

    Primer 2.1, step 6 looks at orders of interaction. Rows first exposed above ``orders`` are
    left out.
    """
    order: dict[int, int] = {}
    v = len(puf[0]) if puf else 0
    for interaction in interactions(v, orders, reading):
        for i, j in shared_uniques(puf, eif, interaction):
            if (i, j) in pairs:
                order.setdefault(i, len(interaction))
    return order


def count_sample_uniques(rows: Sequence[Cells]) -> int:
    """Rows alone on all the values they have (Primer 2.1, steps 3 and 4, highest order)."""
    count = 0
    for i, row in enumerate(rows):
        own = present(row)
        twins = [j for j, other in enumerate(rows) if j != i and own <= agreement(row, other)]
        if own and not twins:
            count += 1
    return count
