"""Protective action on unique records (Dalenius 6): what is asked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reident.errors import Fault, SpecError
from reident.model.uniques import counts_html
from reident.model.value import Names, Number, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from reident.model.notes import Note
    from reident.model.uniques import Uniques

Action = Literal["destroy", "blank", "perturb", "encrypt"]
How = Literal["", "round", "noise", "swap", "pram", "table_round"]
TAKES = {
    "change": ("blank", "encrypt", "round", "noise", "swap", "pram"),
    "base": ("round", "table_round"),
    "rounding": ("round",),
    "scale": ("noise",),
    "share": ("pram",),
}
"""Options, and the actions or ways to perturb that take them."""


class ProtectOptions(Value):
    """What is done with unique records, and every choice that the paper leaves open.

    >>> ProtectOptions(action="perturb", how="noise").scale
    Decimal('0.1')
    """

    action: Action
    how: How = ""
    change: Names = ()
    domains: Names = ()
    base: Annotated[Number, Field(gt=0)] | None = None
    rounding: Literal["random", "nearest"] = "random"
    scale: Annotated[Number, Field(gt=0)] = Decimal("0.1")
    share: Annotated[Number, Field(gt=0, le=1)] = Decimal("0.5")
    seed: Annotated[int, Field(ge=0)] = 0

    @property
    def name(self) -> str:
        """The action, or the way to perturb."""
        return self.how or self.action

    def model_post_init(self, _context: Any) -> None:
        """Check what no option can check alone."""
        faults = [
            Fault(where=where, found=found, remedy=remedy)
            for wrong, where, found, remedy in self._rules()
            if wrong
        ]
        if faults:
            raise SpecError(*faults)

    def _rules(self) -> Iterator[tuple[bool, str, str, str]]:
        perturbs = self.action == "perturb"
        known = "round, noise, swap, pram or table_round"
        yield perturbs and not self.how, "how", "no way to perturb", f"Name one: {known}"
        yield (
            bool(self.how) and not perturbs,
            "how",
            f"a way to perturb, and the action is {self.action}",
            "Leave it out, or take the action perturb",
        )
        for option, names in TAKES.items():
            yield (
                option in self.model_fields_set and self.name not in names,
                option,
                f"an option that {self.name} does not take",
                f"Leave it out; {', '.join(names)} take it",
            )
        whole = self.base is None or self.base == int(self.base)
        yield (
            self.how == "table_round" and not whole,
            "base",
            "not a whole number, and counts are",
            "Give a whole number",
        )


@dataclass(frozen=True, kw_only=True)
class Protected:
    """A file after protective action: what it is now, what was changed, and what that did.

    `frame` is the new table and `changes` the log of every changed cell: record (from 1), key,
    variable, action; a destroyed record has one line, without a variable. The log is restricted:
    it names the unique records. `before` and `after` are what the finder found.
    """

    options: ProtectOptions
    records_in: int
    records_out: int
    cells_changed: int
    by_variable: Mapping[str, int]
    statistics: tuple[Mapping[str, Any], ...]
    by_domain: tuple[Mapping[str, Any], ...]
    before: Uniques
    after: Uniques
    notes: tuple[Note, ...]
    frame: pl.DataFrame = field(repr=False)
    changes: pl.DataFrame = field(repr=False)

    def to_polars(self) -> pl.DataFrame:
        """The new table."""
        return self.frame

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON: aggregates only."""
        return {
            "action": self.options.action,
            "how": self.options.how or None,
            "k": self.before.k,
            "seed": self.options.seed,
            "records_in": self.records_in,
            "records_out": self.records_out,
            "share_lost": share_lost(self.records_in, self.records_out),
            "cells_changed": self.cells_changed,
            "by_variable": [
                {"variable": name, "changed": changed} for name, changed in self.by_variable.items()
            ],
            "statistics": [dict(row) for row in self.statistics],
            "by_domain": [dict(row) for row in self.by_domain],
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
        }

    def _repr_html_(self) -> str:
        return counts_html(self.to_dict())


def share_lost(before: int, after: int) -> float | None:
    """How many records of a hundred are gone; None where there were none.

    >>> share_lost(8, 7)
    12.5
    """
    return 100 * (before - after) / before if before else None
