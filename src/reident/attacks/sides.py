"""Both files as unicity searches them: sorted, without needless copies, as bitmaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.attacks.spread import Spread
from reident.kernels.holders import MOST_SLOTS, Table, table
from reident.kernels.keys import row_keys
from reident.kernels.partners import uniques
from reident.kernels.records import Both

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.files import Files
    from reident.encode.matrix import Column

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
COPIES = 2
"""Equal rows that are kept: with two of them nothing is alone, and more say nothing new."""
ROWS = 1 << 13
"""Rows that are looked up in one go."""
ORDERS = 128
"""Orders of the variables in which cells are tried."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """A file's rows by stratum, then value: `records` are their positions in key order.

    Rows ends[s] to ends[s + 1] - 1 lie in stratum s.
    """

    records: Ints
    stratum: Ints
    ends: Ints
    table: Table

    def spans(self, stratum: Ints) -> Ints:
        """First and last + 1 of the rows of some strata."""
        return np.stack([self.ends[stratum], self.ends[stratum + 1]], axis=1)

    def uniques(self) -> Spread[int]:
        """Count the sample uniques of the file on all present values, within strata."""
        spans = self.spans(self.stratum)

        def counted(first: int, last: int) -> int:
            return int(uniques(self.table, spans, first, last))

        return Spread(how="uniques", rows=len(self.records), width=ROWS, do=counted)


@dataclass(frozen=True, kw_only=True)
class Sides:
    """PUF and EIF; variables stand in order of entropy, the most telling first."""

    puf: Side
    eif: Side
    categories: Ints

    @property
    def both(self) -> Both:
        """As the kernels take them."""
        counts = self.puf.table.holders + self.eif.table.holders
        rows = len(self.puf.records) + len(self.eif.records)
        shared = bool((self.categories > MOST_SLOTS).any())
        return Both(
            self.puf.table,
            self.eif.table,
            counts / max(rows, 1),
            _orders(len(self.categories)),
            shared,
        )


def _orders(v: int) -> Ints:
    """Orders of the variables; how cells are tried has no bearing on what is found.

    Most begin with one of the first two variables: rows are sorted by these, so that the rows of a
    cell lie close together.
    """
    stream = np.random.default_rng(0)
    orders = [list(range(v))]
    while len(orders) < ORDERS:
        order = stream.permutation(v).tolist()
        if len(orders) % 4:
            order.sort(key=(len(orders) % 2 % v).__ne__)
        orders.append(order)
    return np.array(orders, np.int64)


def sides_of(columns: Sequence[Column], files: Files) -> Sides:
    """Sort both files and make their bitmaps."""
    ordered = sorted(columns, key=_entropy, reverse=True)
    categories = np.array(
        [max(c.puf.max(initial=0), c.eif.max(initial=0)) + 1 for c in ordered], np.int64
    )
    strata = files.strata
    number = len(strata.values)
    return Sides(
        puf=_side([c.puf for c in ordered], strata.puf, number, categories),
        eif=_side([c.eif for c in ordered], strata.eif, number, categories),
        categories=categories,
    )


def _entropy(column: Column) -> float:
    counts = np.bincount(np.concatenate([column.puf, column.eif]) + 1)
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


def _side(columns: Sequence[Codes], stratum: Ints, strata: int, categories: Ints) -> Side:
    met = np.flatnonzero(stratum >= 0)
    keys = row_keys([stratum[met], *(column[met].astype(np.int64) for column in columns)])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    copies = np.zeros(len(keys), np.bool_)
    copies[COPIES:] = keys[COPIES:] == keys[:-COPIES]
    records = met[order[~copies]]
    codes = np.stack([column[records] for column in columns], axis=1)
    return Side(
        records=records,
        stratum=stratum[records],
        ends=np.searchsorted(stratum[records], np.arange(strata + 1)),
        table=table(codes, categories),
    )
