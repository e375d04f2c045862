"""Unique records in one file (Dalenius 1986): what is asked, and what was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reident.errors import Fault, SpecError
from reident.model.value import Names, Number, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from reident.model.notes import Note

Missing = Literal["category", "drop", "wildcard"]
Method = Literal["auto", "sort", "stream", "catalogue", "t1", "t2"]
MOST_VARIABLES = 64
"""Sets of variables are held as 64-bit masks."""
MOST_SETS = 20
"""Minimal sets that the results name; the restricted list holds them all."""


class UniquesOptions(Value):
    """What is asked of a file: its variables, k, and every choice that the paper leaves open.

    >>> UniquesOptions(variables=["age", "sex"]).k
    2
    """

    variables: Names = Field(min_length=1)
    key: Names = ()
    k: Annotated[int, Field(ge=1, le=1_000_000)] = 2
    missing: Missing = "category"
    method: Method = "auto"
    weight: str = ""
    household: str = ""
    minimal: Annotated[int, Field(ge=0, le=MOST_VARIABLES)] = 0
    fraction: Annotated[Number, Field(gt=0, lt=1)] = Decimal("0.01")

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
        twice = len(set(self.variables)) < len(self.variables)
        yield twice, "variables", "a variable named twice", "Name each once"
        both = bool(set(self.variables) & set(self.key))
        yield both, "key", "a key that is also a variable", "A key makes every record unique"
        alone = bool(self.household) and not self.weight
        yield alone, "household", "households without weights", "Name the weight too"
        wild = self.missing == "wildcard"
        yield (
            wild and self.method != "auto",
            "method",
            "a way to count cells, and missing = wildcard has none",
            "Leave the method out",
        )
        yield (
            wild and bool(self.weight),
            "weight",
            "weights of cells, and missing = wildcard has none",
            "Take missing = category or drop",
        )
        whole = bool(self.weight) or bool(self.minimal)
        yield (
            self.method == "stream" and whole,
            "method",
            "stream, which does not hold the file that weight and minimal need",
            "Leave the method out",
        )
        many = bool(self.minimal) and len(self.variables) > MOST_VARIABLES
        yield many, "minimal", "more than 64 variables", "Name fewer variables"


@dataclass(frozen=True, kw_only=True)
class RiskFound:
    """Individual risk with weights: expected number of true matches, mean and largest risk.

    `records` (NaN where set aside) and `households` are restricted. In `crowded` cells the weights
    add up to less than the records.
    """

    records: npt.NDArray[np.float64] = field(repr=False)
    households: npt.NDArray[np.float64] | None = field(repr=False, default=None)
    crowded: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON."""
        rated = self.records[self.records == self.records]  # NaN is not itself
        return _summary(rated) | {
            "household": None if self.households is None else _summary(self.households)
        }


def _summary(risks: npt.NDArray[np.float64]) -> dict[str, Any]:
    # Sorted, so that the order of records cannot matter.
    total = float(sum(sorted(risks.tolist())))
    some = len(risks) > 0
    return {
        "rated": len(risks),
        "expected": total,
        "mean": total / len(risks) if some else None,
        "largest": float(risks.max()) if some else None,
    }


@dataclass(frozen=True, kw_only=True)
class MinimalUniques:
    """Minimal sample uniques: for each record the few variables that make it stand alone.

    `sets` (a row for each record and set), `values` (what each value contributes), `scores` and
    `dis` (by record, NaN where there is no set) are restricted. `beyond` counts records that are
    unique on all variables, but on no set up to `size`.
    """

    size: int
    records: int
    beyond: int
    by_size: tuple[int, ...]
    contributions: Mapping[str, float | None]
    file_dis: float | None
    fraction: float
    sets: pl.DataFrame = field(repr=False)
    values: pl.DataFrame = field(repr=False)
    scores: npt.NDArray[np.float64] = field(repr=False)
    dis: npt.NDArray[np.float64] = field(repr=False)

    def to_polars(self) -> pl.DataFrame:
        """The minimal sets, record by record: restricted."""
        return self.sets

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON: aggregates only."""
        return {
            "size": self.size,
            "records": self.records,
            "beyond": self.beyond,
            "by_size": [{"size": s, "sets": n} for s, n in enumerate(self.by_size, start=1)],
            "contributions": [
                {"variable": name, "share": share} for name, share in self.contributions.items()
            ],
            "by_set": self._by_set(),
            "largest_score": float(self.scores.max()) if len(self.scores) else None,
            "dis": self.file_dis,
            "fraction": self.fraction,
        }

    def _by_set(self) -> list[dict[str, Any]]:
        """The sets that most records stand alone by, and how many these are."""
        # As texts that sort alike on every machine; variables stand in the order they were named.
        found = Counter(tuple(names) for names in self.sets["variables"].to_list())
        most = sorted(found.items(), key=lambda one: (-one[1], len(one[0]), one[0]))
        return [{"variables": list(names), "records": n} for names, n in most[:MOST_SETS]]

    def _repr_html_(self) -> str:
        return counts_html(self.to_dict())


@dataclass(frozen=True, kw_only=True)
class Uniques:
    """Who stands alone, or nearly, in one file. A notebook shows the counts.

    `listed` is restricted: the unique records with number, key and count. `counts` holds for each
    record how many share its cell, 0 where it was set aside; None where the file was streamed.
    `method` and `why` say how the cells were counted, which never changes the rest. `protected`
    records have had their data blanked or encrypted; these are no cell.
    """

    records: int
    compared: int
    cells: int | None
    k: int
    missing: str
    by_count: tuple[Mapping[str, int | None], ...]
    unique_records: int
    smallest: int | None
    violations: Mapping[int, int]
    variables: tuple[Mapping[str, Any], ...]
    risk: RiskFound | None
    minimal: MinimalUniques | None
    notes: tuple[Note, ...]
    method: str
    why: str
    listed: pl.DataFrame = field(repr=False)
    counts: npt.NDArray[np.uint32] | None = field(repr=False, default=None)
    protected: int = 0

    @property
    def mean(self) -> float | None:
        """Records a cell, on average."""
        return self.compared / self.cells if self.cells else None

    def to_polars(self) -> pl.DataFrame:
        """The unique records, by key: restricted."""
        return self.listed

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON: aggregates only."""
        apart = {"missing": self.records - self.compared - self.protected}
        apart["protected"] = self.protected
        return {
            "records": self.records,
            "cells": self.cells,
            "k": self.k,
            "missing": self.missing,
            "by_count": [dict(row) for row in self.by_count],
            "unique_records": self.unique_records,
            "smallest": self.smallest,
            "mean": self.mean,
            "violations": {str(level): n for level, n in self.violations.items()},
            "set_aside": [{"rule": rule, "records": n} for rule, n in apart.items() if n],
            "variables": [dict(row) for row in self.variables],
            "risk": None if self.risk is None else self.risk.to_dict(),
            "minimal": None if self.minimal is None else self.minimal.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
        }

    def _repr_html_(self) -> str:
        return counts_html(self.to_dict())


def counts_html(found: Mapping[str, Any]) -> str:
    """Counts for a notebook: a row for each plain number."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(f'{value:,}')}</td></tr>"
        for name, value in found.items()
        if isinstance(value, (int, float))
    )
    return f"<table>{rows}</table>"
