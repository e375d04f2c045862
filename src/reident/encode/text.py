"""The text of a value: the one function behind keys, categories, strata and codes.

Text as stored; a whole number without point or exponent; other numbers by shortest repr; booleans
true and false; dates in ISO form.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

EXACT = 2**53
EXACT_SINGLE = 2**24
"""Beyond these a column of doubles, or of singles, no longer holds every whole number."""


def text_of(column: pl.Series) -> pl.Series:
    """The texts of a column's values; null where there is none.

    >>> text_of(pl.Series([1.0, 0.5, None])).to_list()
    ['1', '0.5', None]
    """
    # Without its name, because polars takes some names, as ^a.*$, for patterns of names.
    return _text_of(column.alias("text")).alias(column.name)


def _text_of(column: pl.Series) -> pl.Series:
    kind = column.dtype
    if kind == pl.String:
        return column
    if kind.is_integer() or isinstance(kind, pl.Boolean | pl.Date | pl.Categorical | pl.Enum):
        return column.cast(pl.String)
    if kind == pl.Float32:
        return _by_distinct_value(column.fill_nan(None), _single_text)
    if kind.is_float():
        return _by_distinct_value(column.cast(pl.Float64).fill_nan(None), _float_text)
    if isinstance(kind, pl.Decimal):
        return _by_distinct_value(column, _decimal_text)
    if kind == pl.Null:
        return pl.Series(column.name, [None] * len(column), pl.String)
    return _by_distinct_value(column, lambda value: value.isoformat())


def float_beyond_whole_numbers(column: pl.Series) -> int:
    """How many values of a float column are whole and too large to be told apart."""
    if not column.dtype.is_float():
        return 0
    # NaN would count as the largest number of all.
    most = EXACT_SINGLE if column.dtype == pl.Float32 else EXACT
    return int((column.alias("number").fill_nan(None).abs() > most).sum())


def _float_text(value: float) -> str:
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(value)


def _single_text(value: float) -> str:
    """The shortest decimal of a stored single, which is not that of the same number as double."""
    return _float_text(float(str(np.float32(value))))


def _decimal_text(value: Decimal) -> str:
    """As for a float that is the same number; digits that no float has are kept."""
    if value == value.to_integral_value():
        return str(int(value))
    text = repr(float(value))
    return text if Decimal(text) == value else f"{value:f}".rstrip("0")


def _by_distinct_value(column: pl.Series, text: Callable[[Any], str]) -> pl.Series:
    values = column.drop_nulls().unique()
    texts = [text(value) for value in values.to_list()]
    return column.replace_strict(values, pl.Series(texts, dtype=pl.String), default=None)
