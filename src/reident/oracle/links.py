"""The suspected pairs of one PUF record, and of a whole attack.

Primer 2.1, step 5 and 2.2, steps 1-5. One record takes about m * v steps: slow enough to read, fast
enough to check single records of large files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .guesses import Guess, guess
from .prepared import GUESSES, Prepared, Row
from .ranks import RankGroup, kept_groups, rank_groups
from .unicity import READINGS, partners
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
    ``readings``: for unicity the pairs under each reading. ``guesses``: for methods that make one
    guess for each PUF record, all of them.
    """

    links: tuple[Link, ...]
    first_ranks: Mapping[Key, RankGroup[Key]]
    readings: Mapping[str, frozenset[tuple[Key, Key]]]
    guesses: Mapping[Key, Guess] = field(default_factory=dict)


def passing_groups(prepared: Prepared, row: Row) -> list[RankGroup[Key]]:
    """The rank groups of a PUF record over the pairs that pass (Primer 2.2, steps 1-4)."""
    scored = []
    metric = prepared.metric_in(row.stratum)
    for other in prepared.eif_strata.get(row.stratum, []):
        score = metric.score(row.cells, other.cells)
        if metric.passes(score):
            scored.append((score, other.key))
    return rank_groups(scored, highest_first=metric.highest_first)


def unicity_partners(prepared: Prepared, row: Row, reading: str) -> list[Key]:
    """The EIF keys that unicity suspects for a PUF record (Primer 2.1), inside its stratum."""
    if row.stratum not in prepared.eif_strata:
        return []
    eif = prepared.eif_strata[row.stratum]
    others = [one.cells for one in prepared.puf_strata[row.stratum] if one is not row]
    found = partners(row.cells, others, [one.cells for one in eif], reading)
    return [eif[position].key for position in found]


def suspects(prepared: Prepared, key: Key) -> list[tuple[Key, float | None, int | None]]:
    """(EIF key, score, rank) of every suspected pair of one PUF record, best first."""
    row = prepared.puf[key]
    if prepared.method == "unicity":
        return [(e, None, None) for e in unicity_partners(prepared, row, prepared.reading)]
    if prepared.method in GUESSES:
        guessed = guess(prepared, key)
        return [] if guessed.listed is None else [(guessed.listed, guessed.score, 1)]
    found: list[tuple[Key, float | None, int | None]] = []
    kept = kept_groups(passing_groups(prepared, row), prepared.keep)
    for rank, (score, keys) in enumerate(kept, start=1):
        shown = prepared.metric_in(row.stratum).shown(score)
        found.extend((e, shown, rank) for e in keys)
    return found


def linked(prepared: Prepared) -> Linked:
    """All suspected pairs of an attack."""
    if prepared.method in GUESSES:
        return by_guesses(prepared)
    return by_unicity(prepared) if prepared.method == "unicity" else by_ranks(prepared)


def by_guesses(prepared: Prepared) -> Linked:
    """One guess for each PUF record (Identify-euc 2.3, 3)."""
    guesses = {key: guess(prepared, key) for key in prepared.puf}
    links = tuple(
        Link(puf=key, eif=one.listed, rank=1, tied=one.tied)
        for key, one in guesses.items()
        if one.listed is not None
    )
    return Linked(links=links, first_ranks={}, readings={}, guesses=guesses)


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
            links.extend(
                Link(puf=row.key, eif=e, score=score, rank=rank, tied=len(keys))
                for e in sorted(keys)
            )
    return Linked(links=tuple(links), first_ranks=first_ranks, readings={})
