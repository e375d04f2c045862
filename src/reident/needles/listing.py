"""The restricted lists: unique records and minimal sets by number and key, in file order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reident.needles.transforms import VALUES, sums_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from reident.encode.categories import Coded
    from reident.model.uniques import MinimalUniques, RiskFound


def listed(
    at: npt.NDArray[np.int64], counts: npt.NDArray[np.uint32], keys: pl.DataFrame
) -> pl.DataFrame:
    """The unique records in file order: number, key, count."""
    own = [keys[name].alias(f"key_{name}") for name in keys.columns]
    return pl.DataFrame([pl.Series("record", at + 1), *own, pl.Series("count", counts)])


def sums(method: str, rows: Coded) -> Iterator[pl.Series]:
    """The sums by which T1 or T2 told records apart, where one of them was asked for."""
    if method in VALUES:
        yield pl.Series("sum", [str(total) for total in sums_of(rows, method)], pl.String)


def scores(
    at: npt.NDArray[np.int64], risk: RiskFound | None, minimal: MinimalUniques | None
) -> Iterator[pl.Series]:
    """Risk and score of some records."""
    if risk is not None:
        yield pl.Series("risk", risk.records[at])
    if minimal is not None:
        yield pl.Series("score", minimal.scores[at])
        yield pl.Series("dis", minimal.dis[at]).fill_nan(None)


def with_keys(sets: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """The minimal sets with the keys of their records."""
    at = sets["record"].to_numpy() - 1
    own = [keys[name][at].alias(f"key_{name}") for name in keys.columns]
    return pl.DataFrame([sets["record"], *own, *(sets[name] for name in sets.columns[1:])])
