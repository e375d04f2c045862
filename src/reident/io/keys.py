"""Keys: who a record is. They are text, they exist only here and in reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.text import float_beyond_whole_numbers, text_of
from reident.errors import DataError, Fault, SpecError
from reident.model.notes import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.model.files import SourceFile

Positions = npt.NDArray[np.int64]


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
    doubled = keys.is_duplicated()
    if doubled.any():
        first = int(np.argmax(doubled.to_numpy())) + 1
        raise DataError(
            _fault(
                file,
                keys.columns,
                f"{doubled.sum():,} records share a key with another, the first is record {first}",
                "Make keys unique, or name more key columns",
            )
        )
    # By place, because a name like "*" would stand for all columns.
    named = _by_place(keys)
    ordered = named.with_row_index("row").sort(named.columns)
    return ordered["row"].to_numpy().astype(np.int64)


def find(wanted: pl.DataFrame, keys: pl.DataFrame) -> Positions:
    """The position of each wanted key in a table of keys, -1 where it is not there."""
    known, asked = _by_place(keys), _by_place(wanted)
    found = asked.join(
        known.with_row_index("at"), on=known.columns, how="left", maintain_order="left"
    )["at"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64)


def _by_place(keys: pl.DataFrame) -> pl.DataFrame:
    return keys.rename({name: f"{place}" for place, name in enumerate(keys.columns)})


def _fault(file: SourceFile, columns: Sequence[str], found: str, remedy: str) -> Fault:
    named = ", ".join(repr(name) for name in columns)
    return Fault(where=f"{file.name}, key {named}", found=found, remedy=remedy)
