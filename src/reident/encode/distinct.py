"""The distinct values of a column, and which of them each cell holds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

NARROW = 1 << 20
WIDE = 1 << 62
"""Whole numbers inside of this that lie so close together are looked up in a table."""


def distinct_values(column: pl.Series) -> pl.Series:
    """Every value once, in no order."""
    # Without its name, because polars takes some names, as ^a.*$, for patterns of names.
    return column.alias("value").drop_nulls().unique()


def places_of(column: pl.Series, values: pl.Series) -> npt.NDArray[np.int32]:
    """For each cell the place of its value among distinct ones; their number where it has none."""
    column, none = column.alias("value"), len(values)
    order = np.arange(none, dtype=np.int32)
    span = _span(values)
    if span is not None:
        low, high = span
        table = np.full(high - low + 2, none, np.int32)
        table[values.cast(pl.Int64).to_numpy() - low] = order
        at = column.cast(pl.Int64, strict=False)
        at = at.set((at < low) | (at > high), None).fill_null(high + 1)
        return np.asarray(table[at.to_numpy() - low])
    found = column.replace_strict(values, pl.Series(order), default=none, return_dtype=pl.Int32)
    return np.asarray(found.to_numpy())


def _span(values: pl.Series) -> tuple[int, int] | None:
    """The least and the largest of whole numbers that lie close together."""
    if not values.dtype.is_integer() or not len(values):
        return None
    low, high = int(values.min()), int(values.max())  # type: ignore[arg-type]  # whole
    return (low, high) if high - low < NARROW and -WIDE < low < high < WIDE else None
