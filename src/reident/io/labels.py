"""A table with what statistical packages keep beside the values: labels and kinds of missing.

Labels are shown, never compared. A cell that is missing of some kind is null in the frame; which
kind it was is kept here: SAS `.A` to `.Z` and `._`, Stata `.a` to `.z`, and for SPSS the text of
the value that is declared as missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Self

import polars as pl

from reident.errors import DataError, Fault

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


class Span(NamedTuple):
    """A range of numbers that SPSS declares as missing, ends included."""

    low: float
    high: float


Declared = str | Span
"""A value, as text, or a range that SPSS declares as missing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels:
    """Labels of variables and of values (by the text of the value), and kinds of missing.

    `missing` has a column of texts as long as the table for each variable with such cells; null
    where the cell has a value or is plainly missing. `declared` is what SPSS says is missing.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing: Mapping[str, pl.Series] = field(default_factory=dict)
    declared: Mapping[str, tuple[Declared, ...]] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labels) and not self.differences(other)

    __hash__ = None  # type: ignore[assignment]  # holds mappings

    def __bool__(self) -> bool:
        return any((self.variables, self.values, self.missing, self.declared))

    def differences(self, other: Labels) -> list[str]:
        """The columns whose labels or kinds of missing are not the same."""
        plain = [
            {*_unlike(self.variables, other.variables)},
            {*_unlike(self.values, other.values)},
            {*_unlike(self.declared, other.declared)},
        ]
        kinds = {
            name
            for name in {*self.missing, *other.missing}
            if name not in self.missing
            or name not in other.missing
            or not self.missing[name].equals(other.missing[name])
        }
        return sorted(kinds.union(*plain))

    def select(self, columns: Collection[str]) -> Self:
        """The labels of some columns."""
        return replace(
            self,
            variables={name: self.variables[name] for name in self.variables if name in columns},
            values={name: self.values[name] for name in self.values if name in columns},
            missing={name: self.missing[name] for name in self.missing if name in columns},
            declared={name: self.declared[name] for name in self.declared if name in columns},
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A frame and its labels.

    >>> frame = pl.DataFrame({"sex": [1, 2, None]})
    >>> kinds = pl.Series("sex", [None, None, ".a"])
    >>> table = Table(frame=frame, labels=Labels(missing={"sex": kinds}))
    >>> table.labels.missing["sex"].to_list()
    [None, None, '.a']
    """

    frame: pl.DataFrame
    labels: Labels = field(default_factory=Labels)

    def __post_init__(self) -> None:
        faults = [
            Fault(
                where=f"column {name!r}",
                found="kinds of missing that do not fit its cells",
                remedy="Give one for each record, and only where there is no value",
            )
            for name, kinds in self.labels.missing.items()
            if name not in self.frame.columns
            or len(kinds) != len(self.frame)
            or kinds.dtype != pl.String
            # Without their names, which polars might take for patterns.
            or (kinds.alias("kind").is_not_null() & self.frame[name].alias("c").is_not_null()).any()
        ]
        if faults:
            raise DataError(*faults)

    def select(self, columns: Sequence[str]) -> Table:
        """The table with some of its columns, in the order asked for."""
        return Table(frame=self.frame[list(columns)], labels=self.labels.select(columns))


def kinds_found(kinds: Mapping[str, pl.Series]) -> dict[str, pl.Series]:
    """Only the columns in which some cell has a kind of missing."""
    return {name: one.rename(name) for name, one in kinds.items() if one.null_count() < len(one)}


def _unlike(mine: Mapping[str, object], theirs: Mapping[str, object]) -> set[str]:
    return {name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name)}
