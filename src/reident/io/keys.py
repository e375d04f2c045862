"""Keys: who a record is. They are text, they exist only here and in reports."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.text import float_beyond_whole_numbers, text_of
from reident.errors import DataError, Fault, SpecError
from reident.model.notes import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reident.model.files import SourceFile

Positions = npt.NDArray[np.int64]
AT_ONCE = 1 << 17
"""Keys that are compared together: what comparing takes does not grow with a file."""


def keys_of(frame: pl.DataFrame, columns: Sequence[str], file: SourceFile) -> pl.DataFrame:
    """The key columns as text, in file order; a blank part of a key raises DataError."""
    if len(set(columns)) < len(columns):
        raise SpecError(_fault(file, columns, "a column named twice", "Name each column once"))
    for name in columns:
        if float_beyond_whole_numbers(frame[name]):
            raise DataError(
                _fault(
                    file,
                    [name],
                    "numbers beyond 2^53 in a column of floats, which cannot tell whole ones apart",
                    "Store the key as text or integer",
                )
            )
    keys = pl.DataFrame([text_of(frame[name]).alias(name) for name in columns])
    blank = keys.select(
        pl.any_horizontal(pl.all().is_null() | (pl.all().str.strip_chars() == ""))
    ).to_series()
    if blank.any():
        first = int(np.argmax(blank.to_numpy())) + 1
        raise DataError(
            _fault(
                file,
                columns,
                f"{plural(int(blank.sum()), 'record', 'records')} with a blank key, the first is "
                f"record {first}",
                "Give every record a key",
            )
        )
    return keys


def key_order(keys: pl.DataFrame, file: SourceFile) -> Positions:
    """File positions in order of key (text, byte order, column by column); doubles are an error."""
    if rising(keys):
        return np.arange(len(keys))
    # By place, because a name like "*" would stand for all columns.
    named = _by_place(keys)
    ordered = named.with_row_index("row").sort(named.columns)
    rows = ordered["row"].to_numpy()
    # In their order doubles are neighbours: to look for them by a hash would take far more room.
    again = np.concatenate([[False], *_neighbours(ordered[named.columns], _same), [False]])
    doubled = again[1:] | again[:-1]
    if doubled.any():
        raise DataError(
            _fault(
                file,
                keys.columns,
                f"{doubled.sum():,} records share a key with another, the first is record "
                f"{int(rows[doubled].min()) + 1}",
                "Make keys unique, or name more key columns",
            )
        )
    return rows.astype(np.int64)


def rising(keys: pl.DataFrame) -> bool:
    """Whether keys of one column are in their order, no two alike."""
    return keys.width == 1 and all(bool(one.all()) for one in _neighbours(keys, _above))


def _neighbours(
    keys: pl.DataFrame, compare: Callable[[pl.DataFrame, pl.DataFrame], pl.Series]
) -> Iterator[npt.NDArray[np.bool_]]:
    """What comparing each key but the first with the one before says, some at a time."""
    for first in range(0, len(keys) - 1, AT_ONCE):
        some = keys[first : first + AT_ONCE + 1]
        yield compare(some[1:], some[:-1]).to_numpy()


def _above(mine: pl.DataFrame, before: pl.DataFrame) -> pl.Series:
    return mine.to_series() > before.to_series()


def _same(mine: pl.DataFrame, before: pl.DataFrame) -> pl.Series:
    return reduce(and_, (a == b for a, b in zip(mine, before, strict=True)))


def find(wanted: pl.DataFrame, keys: pl.DataFrame) -> Positions:
    """The position of each wanted key in a table of keys, -1 where it is not there."""
    known, asked = _by_place(keys), _by_place(wanted)
    if rising(keys):
        return _looked_up(asked.to_series(), known.to_series())
    found = asked.join(
        known.with_row_index("at"), on=known.columns, how="left", maintain_order="left"
    )["at"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64)


def _looked_up(asked: pl.Series, known: pl.Series) -> Positions:
    """Keys looked up by halves among known ones in their order: a join would take far more room."""
    known = known.rechunk()
    found = np.empty(len(asked), np.int64)
    for first in range(0, len(asked), AT_ONCE):
        some = asked[first : first + AT_ONCE]
        at = np.minimum(known.search_sorted(some).to_numpy(), len(known) - 1).astype(np.int64)
        found[first : first + AT_ONCE] = np.where((known[at] == some).to_numpy(), at, -1)
    return found


def _by_place(keys: pl.DataFrame) -> pl.DataFrame:
    return keys.rename({name: f"{place}" for place, name in enumerate(keys.columns)})


def _fault(file: SourceFile, columns: Sequence[str], found: str, remedy: str) -> Fault:
    named = ", ".join(repr(name) for name in columns)
    return Fault(where=f"{file.name}, key {named}", found=found, remedy=remedy)
