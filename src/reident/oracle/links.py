"""The suspected pairs of a whole attack.

Primer 2.1, step 5 and 2.2, step 5.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .prepared import Prepared, passing_groups, unicity_partners
from .ranks import RankGroup, kept_groups
from .unicity import READINGS
from .values import Key


@dataclass(frozen=True, kw_only=True)
class Link:
    """A suspected pair; the score is the metric's whole number. Unicity has no scores."""

    puf: Key
    eif: Key
    score: int | None = None
    rank: int | None = None
    tied: int | None = None  # pairs of the PUF record that share the rank


@dataclass(frozen=True, kw_only=True)
class Linked:
    """The links of an attack in order of PUF key, rank, EIF key, and what was seen on the way.

    ``first_ranks``: for every PUF record with a passing pair its first rank (Primer 2.2, step 4).
    ``readings``: for unicity the pairs under each reading.
    """

    links: tuple[Link, ...]
    first_ranks: Mapping[Key, RankGroup[Key]]
    readings: Mapping[str, frozenset[tuple[Key, Key]]]


def linked(prepared: Prepared) -> Linked:
    """All suspected pairs of an attack."""
    return by_unicity(prepared) if prepared.method == "unicity" else by_ranks(prepared)


def by_unicity(prepared: Prepared) -> Linked:
    """Primer 2.1, step 5, under each reading; the option names the one that counts."""
    readings: dict[str, frozenset[tuple[Key, Key]]] = {}
    for reading in READINGS:
        readings[reading] = frozenset(
            (row.key, e)
            for row in prepared.puf.values()
            for e in unicity_partners(prepared, row, reading)
        )
    links = tuple(Link(puf=p, eif=e) for p, e in sorted(readings[prepared.reading]))
    return Linked(links=links, first_ranks={}, readings=readings)


def by_ranks(prepared: Prepared) -> Linked:
    """Primer 2.2, steps 1-5, for every PUF record."""
    links: list[Link] = []
    first_ranks: dict[Key, RankGroup[Key]] = {}
    for row in prepared.puf.values():
        groups = passing_groups(prepared, row)
        if groups:
            first_ranks[row.key] = groups[0]
        for rank, (score, keys) in enumerate(kept_groups(groups, prepared.keep), start=1):
            for e in sorted(keys):
                links.append(Link(puf=row.key, eif=e, score=score, rank=rank, tied=len(keys)))
    return Linked(links=tuple(links), first_ranks=first_ranks, readings={})
