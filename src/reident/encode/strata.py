"""Strata: who meets whom (Primer 3), and the order of records that makes strata contiguous."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.text import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.model.files import SourceFile

Ints = npt.NDArray[np.int64]
NO_STRATUM = -1


def stratum_texts(frame: pl.DataFrame, columns: Sequence[str], file: SourceFile) -> list[pl.Series]:
    """The strata columns as text; null where missing."""
    texts = []
    for name in columns:
        text = text_of(frame[name].alias("stratum"))
        missing = (text.str.strip_chars() == "") | text.is_in([*file.missing])
        texts.append(text.set(missing.fill_null(value=False), None))
    return texts


@dataclass(frozen=True, kw_only=True)
class Strata:
    """The stratum of every record of both files, as a number, -1 where a value is missing.

    `values` lists each stratum's texts; numbers follow their order.
    """

    names: tuple[str, ...]
    values: list[tuple[str, ...]]
    puf: Ints
    eif: Ints


def strata_of(
    names: tuple[str, ...], puf: list[pl.Series], eif: list[pl.Series], n: int, m: int
) -> Strata:
    """Number the strata of both files together; without strata all records share one."""
    if not names:
        return Strata(names=(), values=[()], puf=np.zeros(n, np.int64), eif=np.zeros(m, np.int64))
    columns = [f"{place}" for place in range(len(names))]
    both = pl.DataFrame(
        {column: pl.concat([a, b]) for column, a, b in zip(columns, puf, eif, strict=True)}
    )
    known = both.drop_nulls().unique().sort(columns)
    number = both.join(
        known.with_row_index("number"), on=columns, how="left", maintain_order="left"
    )["number"]
    numbers = number.cast(pl.Int64).fill_null(NO_STRATUM).to_numpy().astype(np.int64)
    return Strata(names=names, values=known.rows(), puf=numbers[:n], eif=numbers[n:])


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Both files ordered by stratum, then key, and for each PUF row the EIF rows that it meets.

    `puf` and `eif` are positions in key order; PUF row i meets EIF rows first[i] to last[i] - 1 of
    this order. PUF records without a stratum, or whose stratum holds no EIF record, are not in it.
    """

    puf: Ints
    eif: Ints
    first: Ints
    last: Ints
    stratum: Ints

    @property
    def pairs(self) -> int:
        """How many pairs must be decided."""
        return int((self.last - self.first).sum())


def layout(strata: Strata) -> Layout:
    """Order both files by stratum; ties keep key order."""
    if not strata.names:
        # All meet all. What holds nothing but zeros takes no room until it is written to.
        puf, eif = np.arange(len(strata.puf)), np.arange(len(strata.eif))
        first, last = np.zeros(len(puf), np.int64), np.broadcast_to(np.int64(len(eif)), len(puf))
        return Layout(puf=puf, eif=eif, first=first, last=last, stratum=strata.puf)
    eif = np.argsort(strata.eif, kind="stable")
    eif = eif[strata.eif[eif] >= 0]
    puf = np.argsort(strata.puf, kind="stable")
    puf = puf[strata.puf[puf] >= 0]
    held = strata.eif[eif]
    first = np.searchsorted(held, strata.puf[puf], "left")
    last = np.searchsorted(held, strata.puf[puf], "right")
    meets = last > first
    puf = puf[meets]
    return Layout(puf=puf, eif=eif, first=first[meets], last=last[meets], stratum=strata.puf[puf])
