"""Values blanked (Dalenius 6.3) or replaced by others nearby (6.4): rounding, noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.moments import moments
from reident.encode.text import EXACT, text_of

if TYPE_CHECKING:
    from decimal import Decimal

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
MOST_PLACES = 9
"""Decimal places that a column of measurements may have; more are none, but arithmetic."""


def blanked(column: pl.Series, rows: Mask) -> pl.Series:
    """The column without the values of some records (Dalenius 6.3).

    >>> blanked(pl.Series([1, 2]), np.array([True, False])).to_list()
    [None, 2]
    """
    nothing = pl.Series("cell", [None], column.dtype).new_from_index(0, len(column))
    return exchanged(column, rows, nothing)


def exchanged(column: pl.Series, rows: Mask, others: pl.Series) -> pl.Series:
    """The column with the values of another one in some records."""
    # Without its name, because polars takes some names, as ^a.*$, for patterns of names.
    return others.alias("cell").zip_with(pl.Series(rows), column.alias("cell")).alias(column.name)


def rounded(values: Floats, base: Decimal, draws: Floats | None = None) -> Floats:
    """Values as multiples of a base: the nearest (half to even), or by `draws` in [0, 1).

    With draws a value goes up with the probability that makes its expectation itself: it is
    unbiased, as Cox's rounding of counts. A multiple of the base stays as it is.

    >>> from decimal import Decimal
    >>> rounded(np.array([7.0, 10.0]), Decimal(5)).tolist()
    [5.0, 10.0]
    >>> rounded(np.array([7.0, 7.0]), Decimal(5), np.array([0.39, 0.4])).tolist()
    [10.0, 5.0]
    """
    step = float(base)
    # Beyond this a double is coarser than the base, or the quotient is no number.
    fine = np.abs(values) < step * EXACT
    quotients = np.where(fine, values, 0.0) / step
    nearest = np.rint(quotients)
    if draws is None:
        times = nearest
    else:
        low = np.floor(quotients)
        times = np.where(
            _multiples(nearest, base) == values, nearest, low + (draws < quotients - low)
        )
    return np.where(fine, _multiples(times, base), values)


def _multiples(times: Floats, base: Decimal) -> Floats:
    """Multiples of a decimal, each the double nearest to it: 3 times 0.1 is 0.3."""
    distinct, at = np.unique(times, return_inverse=True)
    return np.array([float(int(one) * base) for one in distinct.tolist()], np.float64)[at]


def noised(values: Floats, present: Mask, scale: float, draws: Floats) -> Floats:
    """Values with normal noise of `scale` standard deviations of the present values.

    The result has as many decimal places as the values have, so that noise does not mark them.
    """
    own = moments(values[present])
    noise = np.ldexp(own.sd * scale * draws, own.exponent)
    places = _places(values[present])
    blurred = values + noise
    return blurred if places is None else np.round(blurred, places)


def _places(values: Floats) -> int | None:
    """The least number of decimal places that holds all values; None where there is no such."""
    for places in range(MOST_PLACES + 1):
        if np.array_equal(np.round(values, places), values):
            return places
    return None


def stored_as(numbers: Floats, column: pl.Series) -> pl.Series:
    """Numbers as a column of the same type: whole numbers stay whole, texts are texts."""
    kind = column.dtype
    if kind == pl.String:
        return text_of(pl.Series(column.name, numbers))
    if kind.is_integer():
        bits = int(str(kind).lstrip("UInt"))
        top = 2.0**bits if kind.is_unsigned_integer() else 2.0 ** (bits - 1)
        low = 0.0 if kind.is_unsigned_integer() else -top
        # The double below the top is cut to the largest number that the type holds.
        numbers = np.clip(np.rint(numbers), low, np.nextafter(top, 0.0))
    return pl.Series(column.name, numbers).cast(kind)
