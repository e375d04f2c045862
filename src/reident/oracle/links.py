"""The suspected pairs of one PUF record, and of a whole attack.

Primer 2.1, step 5 and 2.2, steps 1-5. One record takes about m * v steps: slow enough to read, fast
enough to check single records of large files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from . import microagg
from .guesses import Guess, guess
from .prepared import GUESSES, Prepared, Row
from .ranks import RankGroup, kept_groups, rank_groups
from .unicity import READINGS, partners
from .values import Cells, Key


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
    guess for each PUF record, all of them. ``steps``: for attacks that go from variable to variable
    the candidates that each compared record has left after each.
    """

    links: tuple[Link, ...]
    first_ranks: Mapping[Key, RankGroup[Key]]
    readings: Mapping[str, frozenset[tuple[Key, Key]]]
    guesses: Mapping[Key, Guess] = field(default_factory=dict)
    steps: Mapping[Key, list[list[Key]]] = field(default_factory=dict)


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
    if prepared.microaggregated:
        fit = fitting(prepared, row)
        return [(fit.keys[0], shown_fit(prepared, fit.score), 1)] if len(fit.keys) == 1 else []
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
    if prepared.microaggregated:
        return by_fits(prepared)
    if prepared.method in GUESSES:
        return by_guesses(prepared)
    return by_unicity(prepared) if prepared.method == "unicity" else by_ranks(prepared)


def others_of(prepared: Prepared, row: Row) -> list[tuple[Key, Cells]]:
    """The EIF records that a PUF record meets, with their cells."""
    return [(one.key, one.cells) for one in prepared.eif_strata.get(row.stratum, [])]


def fitting(prepared: Prepared, row: Row, variables: int | None = None) -> microagg.Fit:
    """What an attack of Winkler guesses for a PUF record, on the first variables or on all."""
    others, options = others_of(prepared, row), prepared.options
    v = prepared.v if variables is None else variables
    if prepared.method == "microagg_interval":
        return microagg.most_agreements(
            row.cells,
            others,
            lambda j, x: microagg.agrees(row.cells[j], x, prepared.bounds[j]),
            v,
            1,
        )
    if prepared.method == "microagg_nearest":
        steps = microagg.stepwise(row.cells, others, 3 * int(options.get("k", 3)))
        alone = [j for j, keys in enumerate(steps, start=1) if len(keys) == 1]
        return microagg.Fit(alone[0] if alone else 0, steps[v - 1])
    agree = int(options.get("agree", 7))
    if prepared.method == "microagg_trimmed":
        return microagg.trimmed(row.cells, others, agree)
    columns = [[cells[j] for _, cells in others] for j in range(v)]
    tests = [
        microagg.window_test(row.cells[j], columns[j], prepared.bounds[j], options)
        for j in range(v)
    ]
    return microagg.most_agreements(row.cells, others, lambda j, x: tests[j](x), v, agree)


def shown_fit(prepared: Prepared, score: int) -> float:
    """A score as a reader sees it: for trimmed the mean relative difference, else a count."""
    if prepared.method != "microagg_trimmed":
        return float(score)
    return score / (microagg.UNIT * int(prepared.options.get("agree", 7)))


def by_fits(prepared: Prepared) -> Linked:
    """One guess for each PUF record, none where several fit equally well."""
    links, steps = [], {}
    for row in prepared.puf.values():
        if row.stratum not in prepared.eif_strata or all(cell is None for cell in row.cells):
            continue
        fit = fitting(prepared, row)
        if len(fit.keys) == 1:
            links.append(Link(puf=row.key, eif=fit.keys[0], score=fit.score, rank=1, tied=1))
        if prepared.method in microagg.STEPPED:
            told = range(1, min(3, prepared.v) + 1)
            steps[row.key] = [fitting(prepared, row, j).keys for j in told]
    return Linked(links=tuple(links), first_ranks={}, readings={}, steps=steps)


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
