"""What is asked of an anonymisation, and what came out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field

from reident.model.value import Names, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

Method = Literal[
    "kanonymise",
    "noise",
    "cheat",
    "unify",
    "average",
    "swap",
    "delete",
    "rank_swap",
    "pram",
    "round",
    "microaggregate",
    "mdav",
]
Share = Annotated[float, Field(ge=0, lt=1)]


def _some(methods: tuple[str, ...]) -> tuple[str, ...]:
    """Asked only of sound methods, so that a wrong name is one fault and not two."""
    if not methods:
        raise ValueError("Name at least one")
    return methods


class AnonymiseOptions(Value):
    """Methods in order, the roles of the columns, and the settings of the methods.

    `k` is the smallest class after kanonymise, and the smallest group of microaggregate and mdav;
    `share` of the records is deleted, of the values replaced by pram; noise has `scale` standard
    deviations; rank_swap reaches `window` of the file; round makes multiples of `base`; `unify`
    names the QI to unify.
    """

    methods: Annotated[tuple[Method, ...], AfterValidator(_some)]
    key: Names = Field(min_length=1, max_length=1)
    qi: Names = Field(min_length=1)
    sa: Names = Field(min_length=1)
    k: Annotated[int, Field(ge=2)] = 3
    share: Share = 0.1
    scale: Annotated[float, Field(gt=0)] = 0.1
    window: Annotated[float, Field(gt=0, le=1)] = 0.05
    base: Annotated[float, Field(gt=0)] = 5.0
    unify: str = ""
    seed: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True, kw_only=True)
class Anonymised:
    """A release with its truth: which record was really made from which, and what is declared.

    `truth` and `declared` are restricted: they name records by key.
    """

    released: pl.DataFrame = field(repr=False)
    truth: pl.DataFrame = field(repr=False)
    declared: pl.DataFrame = field(repr=False)
    original: pl.DataFrame = field(repr=False)
    records_in: int
    by_variable: Mapping[str, int]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    log: tuple[Mapping[str, Any], ...]

    @property
    def cells_changed(self) -> int:
        """Values that are not what they were in the record they were made from."""
        return sum(self.by_variable.values())

    def to_dict(self) -> dict[str, Any]:
        """As `reident anonymise --json` prints it."""
        return {
            "records_in": self.records_in,
            "records_out": len(self.released),
            "cells_changed": self.cells_changed,
            "by_variable": dict(self.by_variable),
            "before": dict(self.before),
            "after": dict(self.after),
            "log": [dict(row) for row in self.log],
        }
