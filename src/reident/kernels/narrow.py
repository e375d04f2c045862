"""Whole numbers in few bytes, where many are held or sent and none is reckoned with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.integer]


def narrowed(values: Whole) -> Whole:
    """The same numbers in the narrowest type with a sign that holds them."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    return values.astype(np.min_scalar_type(min(low, -1 - high)), copy=False)
