"""Whole records destroyed (Dalenius 6.2), and values that move from one record to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def destroyed(frame: pl.DataFrame, rows: npt.NDArray[np.bool_]) -> pl.DataFrame:
    """The frame without some records; the others keep their order (Dalenius 6.2).

    >>> import numpy as np
    >>> destroyed(pl.DataFrame({"x": [1, 2, 3]}), np.array([False, True, False]))["x"].to_list()
    [1, 3]
    """
    return frame.filter(pl.Series(~rows))


def moved(column: pl.Series, donors: npt.NDArray[np.int64]) -> pl.Series:
    """The column in which each record has the cell of its donor, as stored, missing or not.

    >>> import numpy as np
    >>> moved(pl.Series(["a", None, "c"]), np.array([2, 1, 0])).to_list()
    ['c', None, 'a']
    """
    # Without its name, because polars takes some names, as ^a.*$, for patterns of names.
    return column.alias("cell").gather(donors).alias(column.name)
