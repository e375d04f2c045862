"""One file as categories: every variable's distinct values numbered in order of text.

A file that need not fit memory is gone through twice: once to see which values there are, once to
number them batch by batch. A frame in memory is one batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.cells import MISSING, cells
from reident.encode.distinct import places_of
from reident.model.variables import categorical

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reident.model.files import SourceFile

Codes = npt.NDArray[np.unsignedinteger]


class Coded(NamedTuple):
    """Records as codes: codes[j, r] is the category of record r in variable j, below sizes[j].

    Where the variable has missing values, missing[j] is their code; else it is -1.
    """

    codes: Codes
    sizes: tuple[int, ...]
    missing: tuple[int, ...]

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.codes.shape[1])

    def take(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Coded:
        """The same variables for some of the records."""
        return self._replace(codes=np.ascontiguousarray(self.codes[:, rows]))

    def only(self, variables: Sequence[int]) -> Coded:
        """Some of the variables for the same records."""
        return Coded(
            np.ascontiguousarray(self.codes[list(variables)]),
            tuple(self.sizes[j] for j in variables),
            tuple(self.missing[j] for j in variables),
        )


@dataclass(frozen=True, kw_only=True)
class Codebook:
    """The categories of one variable. `labels` are their texts; the code of missing comes last.

    A column of a type that declares its categories has them all, in its own order.
    """

    labels: tuple[str, ...]
    values: pl.Series
    numbers: npt.NDArray[np.uint32]
    holds_missing: bool

    @property
    def missing(self) -> int:
        """The code of missing, or -1 where nothing is."""
        return len(self.labels) if self.holds_missing else MISSING

    @property
    def size(self) -> int:
        """How many codes there are."""
        return max(1, len(self.labels) + self.holds_missing)

    def codes(self, column: pl.Series) -> npt.NDArray[np.uint32]:
        """The codes of a column's cells."""
        numbers = np.append(self.numbers, np.uint32(len(self.labels)))
        return np.asarray(numbers[places_of(column, self.values)])


def survey(
    batches: Iterable[pl.DataFrame], names: Sequence[str], file: SourceFile
) -> list[Codebook]:
    """The categories of the named columns over all batches."""
    met: dict[str, list[pl.Series]] = {name: [] for name in names}
    for batch in batches:
        for name, parts in met.items():
            # Without its name, because polars takes some names, as ^a.*$, for patterns of names.
            parts.append(batch[name].alias("cell").unique())
            if len(parts) > 1:
                met[name] = [pl.concat(parts).unique()]
    return [codebook(met[name][0].alias(name), file) for name in names]


def codebook(distinct: pl.Series, file: SourceFile) -> Codebook:
    """Number the distinct values of a column; values without a text are missing."""
    values = distinct.alias("cell").drop_nulls()
    read = cells(values.alias(distinct.name), categorical(distinct.name), file)
    assert read.text is not None  # noqa: S101  # categories are texts
    missing = pl.Series(read.state == MISSING)
    texts = read.text.alias("text")
    declared = distinct.dtype.categories if isinstance(distinct.dtype, pl.Enum) else None
    if declared is None:
        labels = texts.filter(~missing).unique().sort()
    else:
        labels = declared.filter(~declared.is_in(texts.filter(missing).to_list()))
    places = {text: place for place, text in enumerate(labels.to_list())}
    other = len(places)
    numbers = [
        other if gone else places[text]
        for text, gone in zip(texts.to_list(), missing.to_list(), strict=True)
    ]
    return Codebook(
        labels=tuple(places),
        values=values,
        numbers=np.array(numbers, np.uint32),
        holds_missing=bool(missing.any()) or len(values) < len(distinct),
    )


def coded(frame: pl.DataFrame, names: Sequence[str], books: Sequence[Codebook]) -> Coded:
    """The named columns of a batch as codes, in the narrowest type that holds them all."""
    sizes = tuple(book.size for book in books)
    codes = np.empty((len(books), len(frame)), np.min_scalar_type(max(sizes) - 1))
    for row, name, book in zip(codes, names, books, strict=True):
        row[:] = book.codes(frame[name])
    return Coded(codes, sizes, tuple(book.missing for book in books))
