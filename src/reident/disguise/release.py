"""A file on its way to its release: what it holds, and which record was made from which."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.kernels.keys import row_keys

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Levels = Mapping[str, tuple[str, ...]]
"""For each value of a QI what it becomes, step by step."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """QI as texts and SA as numbers (null where missing), in the order of release.

    `source` is the original's record that each record really was made from, `declared` the one
    that the release says; `place` is its place in order of key.
    """

    qi: pl.DataFrame
    sa: pl.DataFrame
    source: Ints
    declared: Ints
    place: Ints

    def __len__(self) -> int:
        return len(self.source)

    def taken(self, rows: Ints) -> Release:
        """Some of the records, with all that is known of them."""
        return Release(
            qi=self.qi[rows],
            sa=self.sa[rows],
            source=self.source[rows],
            declared=self.declared[rows],
            place=self.place[rows],
        )

    def with_sa(self, change: Callable[[Floats, str], Floats]) -> Release:
        """The same records with other numbers; NaN stands for missing."""
        columns = [
            pl.Series(name, change(self.numbers(name), name), pl.Float64, nan_to_null=True)
            for name in self.sa.columns
        ]
        return replace(self, sa=pl.DataFrame(columns))

    def numbers(self, name: str) -> Floats:
        """The numbers of an SA, NaN where missing."""
        return self.sa[name].fill_null(float("nan")).to_numpy()

    def classes(self) -> Ints:
        """The class of each record: equal numbers for equal QI, missing as a value of its own."""
        codes = [
            column.rank("dense").cast(pl.Int64).fill_null(0).to_numpy()
            for column in self.qi.iter_columns()
        ]
        keys = row_keys([np.zeros(len(self), np.int64), *codes])
        return np.unique(keys, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the methods ask for besides the file."""

    k: int = 3
    share: float = 0.1
    scale: float = 0.1
    window: float = 0.05
    base: float = 5.0
    unify: str = ""
    hierarchies: Mapping[str, Levels] | None = None
