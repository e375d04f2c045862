"""Results: frozen values that hold counts, and show themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reident.model.rates import Rates, percent
from reident.model.uniques import counts_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from reident.model.listed import Listed
    from reident.model.notes import Note
    from reident.model.utility import Utility

SCHEMA = 1
LARGEST_STRATA = 1000
"""Strata that results.json lists; the rest is merged into one row."""


@dataclass(frozen=True, kw_only=True)
class StratumCounts:
    """Counts of one stratum; `merged` says how many strata the row stands for, if not one."""

    stratum: Mapping[str, str]
    puf_records: int
    eif_records: int
    suspected: int
    confirmed: int | None
    pairs: int | None
    merged: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As in results.json."""
        named: dict[str, Any] = (
            {"stratum": "other", "strata": self.merged}
            if self.merged
            else {"stratum": dict(self.stratum)}
        )
        return named | {
            "puf_records": self.puf_records,
            "eif_records": self.eif_records,
            "suspected": self.suspected,
            "confirmed": self.confirmed,
            "pairs": self.pairs,
            "suspected_rate": percent(self.suspected, self.puf_records),
            "confirmed_rate": percent(self.confirmed, self.puf_records),
            "conditional_rate": percent(self.confirmed, self.suspected),
        }


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """One attack's findings. `pairs` is the restricted list: it names records by key.

    It is written out of `listed` when it is first asked for.
    """

    label: str
    method: str
    options: Mapping[str, Any]
    compared: int
    set_aside: tuple[tuple[str, int], ...]
    rates: Rates
    listed: Listed = field(repr=False)
    baseline_confirmed: float | None
    give_ups: int | None = None
    expected_confirmed: float | None = None
    expected_rate: float | None = None
    passing_records: int | None = None
    tied_out: int | None = None
    tied_out_true: int | None = None
    first_rank_sizes: tuple[Mapping[str, Any], ...] = ()
    by_rank: tuple[Mapping[str, Any], ...] = ()
    by_order: tuple[Mapping[str, Any], ...] = ()
    readings: tuple[Mapping[str, Any], ...] = ()
    steps: tuple[Mapping[str, Any], ...] = ()
    uniques: Mapping[str, int] | None = None
    by_stratum: tuple[StratumCounts, ...] = ()
    histogram: Mapping[str, Any] | None = None
    notes: tuple[Note, ...] = ()

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The suspected pairs, by key: restricted."""
        return self.listed.frame()

    @property
    def suspected(self) -> int:
        """PUF records with at least one suspected pair."""
        return self.rates.suspected_records

    @property
    def confirmed(self) -> int | None:
        """PUF records with at least one true suspected pair."""
        return self.rates.confirmed_records

    @property
    def lift(self) -> float | None:
        """How many times more records are confirmed than by blind guessing."""
        if self.confirmed is None or not self.baseline_confirmed:
            return None
        return self.confirmed / self.baseline_confirmed

    def to_polars(self) -> pl.DataFrame:
        """The suspected pairs, by key: restricted."""
        return self.pairs

    def to_dict(self) -> dict[str, Any]:
        """As in results.json: aggregates only."""
        interval = self.rates.conditional_interval
        return {
            "method": self.method,
            "options": dict(self.options),
            "compared": self.compared,
            "set_aside": [{"rule": rule, "records": n} for rule, n in self.set_aside],
            "suspected": self.suspected,
            "confirmed": self.confirmed,
            "recall": self.rates.recall,
            "give_ups": self.give_ups,
            "pairs": self.rates.pairs,
            "confirmed_pairs": self.rates.confirmed_pairs,
            "suspected_rate": self.rates.suspected,
            "confirmed_rate": self.rates.confirmed,
            "conditional_rate": self.rates.conditional,
            "conditional_interval": None if interval is None else list(interval),
            "pair_precision": self.rates.pair_precision,
            "expected_confirmed": self.expected_confirmed,
            "expected_rate": self.expected_rate,
            "baseline_confirmed": self.baseline_confirmed,
            "lift": self.lift,
            "passing_records": self.passing_records,
            "tied_out": self.tied_out,
            "tied_out_true": self.tied_out_true,
            "first_rank_sizes": [dict(row) for row in self.first_rank_sizes],
            "by_rank": [dict(row) for row in self.by_rank],
            "by_order": [dict(row) for row in self.by_order],
            "readings": [dict(row) for row in self.readings],
            "steps": [dict(row) for row in self.steps],
            "uniques": None if self.uniques is None else dict(self.uniques),
            "by_stratum": [row.to_dict() for row in largest(self.by_stratum)],
            "histogram": None if self.histogram is None else dict(self.histogram),
            "notes": [note.to_dict() for note in self.notes],
        }

    def _repr_html_(self) -> str:
        return counts_html(self.to_dict())


def largest(strata: tuple[StratumCounts, ...]) -> list[StratumCounts]:
    """The largest strata, and one row for the rest where there are too many."""
    shown, rest = list(strata[:LARGEST_STRATA]), strata[LARGEST_STRATA:]
    if rest:
        shown.append(
            StratumCounts(
                stratum={},
                merged=len(rest),
                puf_records=sum(row.puf_records for row in rest),
                eif_records=sum(row.eif_records for row in rest),
                suspected=sum(row.suspected for row in rest),
                confirmed=_total([row.confirmed for row in rest]),
                pairs=_total([row.pairs for row in rest]),
            )
        )
    return shown


def _total(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


@dataclass(frozen=True, kw_only=True)
class LimitCheck:
    """A limit that was agreed before the run, and what the run found."""

    attack: str
    rate: str
    limit: float
    value: float | None
    exceeded: bool

    def to_dict(self) -> dict[str, Any]:
        """As in results.json."""
        return {
            "attack": self.attack,
            "rate": self.rate,
            "limit": self.limit,
            "value": self.value,
            "exceeded": self.exceeded,
        }


@dataclass(frozen=True, kw_only=True)
class StudyResult:
    """All that a study found. Index it by an attack's label.

    `encoding` and `manifest` are what the run folder holds beside the aggregates.
    """

    title: str
    marking: str | None
    approval: str | None
    seed: int
    puf_records: int
    eif_records: int
    truth_pairs: int | None
    truth_unknown: Mapping[str, int] | None
    truth_pairs_split: int | None
    overlap: int | None
    true_pair_agreement: tuple[Mapping[str, Any], ...]
    variables: tuple[Mapping[str, str], ...]
    strata: tuple[str, ...]
    limits: tuple[LimitCheck, ...]
    attacks: Mapping[str, AttackResult]
    notes: tuple[Note, ...]
    utility: Utility | None = None
    encoding: Mapping[str, Any] = field(repr=False)
    manifest: Mapping[str, Any] = field(repr=False)

    def __getitem__(self, label: str) -> AttackResult:
        return self.attacks[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self.attacks)

    @property
    def exceeded(self) -> bool:
        """Whether a limit agreed before the run is exceeded."""
        return any(check.exceeded for check in self.limits)

    def to_dict(self) -> dict[str, Any]:
        """The content of results.json: aggregates only, no timings."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "marking": self.marking,
            "approval": self.approval,
            "seed": self.seed,
            "puf_records": self.puf_records,
            "eif_records": self.eif_records,
            "truth_pairs": self.truth_pairs,
            "truth_unknown": None if self.truth_unknown is None else dict(self.truth_unknown),
            "truth_pairs_split": self.truth_pairs_split,
            "overlap": self.overlap,
            "true_pair_agreement": [dict(row) for row in self.true_pair_agreement],
            "variables": [dict(row) for row in self.variables],
            "strata": list(self.strata),
            "limits": [check.to_dict() for check in self.limits],
            "attacks": {label: attack.to_dict() for label, attack in self.attacks.items()},
            "utility": None if self.utility is None else self.utility.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
        }
