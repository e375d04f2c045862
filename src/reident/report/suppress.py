"""What the public may see: no small count, and none that the rest gives away.

Rule: for every hidden count each value from 0 to small_cell - 1 stays possible, given all that is
published. Strata that hold a small count are not hidden cell by cell but told as one row with the
records without a stratum; decision 0075 shows why that row must be large, and hold two of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reident.errors import Fault, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Results = Mapping[str, Any]

FIELDS = ("suspected", "confirmed")
FEWEST = 2
"""Strata that a merged row holds at least: one alone would be what the others leave."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """Counts of a stratum, or of all that are merged; `attacks` holds those of each attack."""

    stratum: Mapping[str, str] | None
    puf_records: int
    eif_records: int
    attacks: Mapping[str, Mapping[str, int]]

    def counts(self) -> list[int]:
        """All counts of the row."""
        return [
            self.puf_records,
            self.eif_records,
            *(value for own in self.attacks.values() for value in own.values()),
        ]


@dataclass(frozen=True, kw_only=True)
class Published:
    """The counts that are told. `totals` are None where hidden, absent where not known."""

    small_cell: int
    totals: Mapping[str, int | None]
    attacks: Mapping[str, Mapping[str, int | None]]
    strata: tuple[Row, ...]
    merged: Row | None


def publish(results: Results, small_cell: int) -> Published:
    """Choose what is told, and check that it gives nothing else away."""
    totals = _large(
        {name: results[name] for name in ("puf_records", "eif_records", "overlap")}, small_cell
    )
    # What is confirmed is suspected too: of a small count no part is large.
    attacks = {
        label: _large({name: attack[name] for name in FIELDS}, small_cell)
        for label, attack in results["attacks"].items()
    }
    rows, merged = _strata(results, totals, attacks, small_cell)
    made = Published(
        small_cell=small_cell, totals=totals, attacks=attacks, strata=rows, merged=merged
    )
    _check(made)
    return made


def _large(counts: Mapping[str, int | None], small_cell: int) -> dict[str, int | None]:
    """Counts that exist; None in place of a small one."""
    return {
        name: value if value >= small_cell else None
        for name, value in counts.items()
        if value is not None
    }


# Strata -------------------------------------------------------------------------------------------


def _strata(
    results: Results,
    totals: Mapping[str, int | None],
    attacks: Mapping[str, Mapping[str, int | None]],
    small_cell: int,
) -> tuple[tuple[Row, ...], Row | None]:
    """The strata that are told, and one row for all else; nothing where that cannot be."""
    whole = {
        label: {name: value for name, value in told.items() if value is not None}
        for label, told in attacks.items()
        if None not in told.values()
    }
    puf, eif = totals["puf_records"], totals["eif_records"]
    if not results["strata"] or not whole or puf is None or eif is None:
        return (), None
    every = Row(stratum=None, puf_records=puf, eif_records=eif, attacks=whole)
    rows = _rows(results, whole)
    shown = [row for row in rows if row.stratum and min(row.counts()) >= small_cell]
    while shown:
        rest = _without(every, shown)
        if len(shown) == len(rows) and not any(rest.counts()):
            return tuple(shown), None
        if len(rows) - len(shown) >= FEWEST and _wide(rest, small_cell):
            return tuple(shown), rest
        # The smallest one joins those that are not told; rows stand in order of size.
        shown.pop()
    return (), None


def _rows(results: Results, whole: Mapping[str, Mapping[str, int]]) -> list[Row]:
    """One row for each stratum, with the counts of all attacks that tell theirs."""
    held = [results["attacks"][label]["by_stratum"] for label in whole]
    return [
        Row(
            # The row of strata too many to list has no values of its own.
            stratum=None if isinstance(same[0]["stratum"], str) else same[0]["stratum"],
            puf_records=same[0]["puf_records"],
            eif_records=same[0]["eif_records"],
            attacks={
                label: {name: row[name] for name in told}
                for (label, told), row in zip(whole.items(), same, strict=True)
            },
        )
        for same in zip(*held, strict=True)
    ]


def _without(every: Row, shown: Iterable[Row]) -> Row:
    """What is left of the whole: what anybody can work out."""
    rows = list(shown)
    return Row(
        stratum=None,
        puf_records=every.puf_records - sum(row.puf_records for row in rows),
        eif_records=every.eif_records - sum(row.eif_records for row in rows),
        attacks={
            label: {
                name: value - sum(row.attacks[label][name] for row in rows)
                for name, value in told.items()
            }
            for label, told in every.attacks.items()
        },
    )


def _wide(rest: Row, small_cell: int) -> bool:
    """Whether any count of any stratum in this row could be anything below small_cell."""
    return all(high >= small_cell for _, high in _inside(rest).values())


def _inside(rest: Row) -> dict[str, tuple[int, int]]:
    """Bounds of the counts of one stratum, of two or more, that the merged row holds.

    One stratum can hold all suspected and confirmed records or none. Records without a stratum are
    never suspected, so they are at most what the suspected ones leave; and so is a stratum of which
    nobody is suspected.
    """
    most = max(told["suspected"] for told in rest.attacks.values())
    bounds = {
        "puf_records": (0, rest.puf_records - most),
        "eif_records": (0, rest.eif_records),
    }
    for label, told in rest.attacks.items():
        bounds |= {f"{label} {name}": (0, value) for name, value in told.items()}
    return bounds


def bounds(made: Published) -> dict[str, tuple[int, int]]:
    """For each kind of hidden count the values that are possible given all that is published."""
    small = made.small_cell - 1
    hidden = {name: (0, small) for name, value in made.totals.items() if value is None}
    for label, told in made.attacks.items():
        hidden |= {f"{label} {name}": (0, small) for name, value in told.items() if value is None}
    if made.merged is not None:
        inside = _inside(made.merged)
        hidden |= {f"a stratum not told, {name}": ends for name, ends in inside.items()}
    return hidden


def _check(made: Published) -> None:
    """Fail rather than tell: every told count is large, every hidden one could be any small one."""
    told = [value for value in made.totals.values() if value is not None]
    told += [v for own in made.attacks.values() for v in own.values() if v is not None]
    rows = (*made.strata, *([] if made.merged is None else [made.merged]))
    told += [value for row in rows for value in row.counts()]
    small = made.small_cell
    if min(told, default=small) < small or any(
        low > 0 or high < small - 1 for low, high in bounds(made).values()
    ):
        raise InternalError(
            Fault(
                where="public report",
                found="a small count that could be worked out",
                remedy="Report this: nothing was written",
            )
        )
