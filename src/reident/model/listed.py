"""Suspected pairs by key, written out when they are asked for.

There may be several pairs for each record, and a key takes more room than a position: so positions
are held, and a frame of all pairs exists only if somebody wants one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reident.model.linked import Scale
    from reident.model.pairs import Pairs

KEY, REST = 16, 25
"""Bytes of a frame for each key of a pair, if it is short, and for all else that is said of it."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """The pairs of an attack, and the tables that hold the keys of both files in order of position.

    A score is `score`, or the pair's units on a `scale`; some methods have neither, and those that
    are not `ranked` have no ranks. `confirmed` flags pairs, where the truth is known. `others` are
    suspected PUF records that stand there without a pair, where there are too many pairs to list.
    """

    puf: pl.DataFrame
    eif: pl.DataFrame
    pairs: Pairs
    score: npt.NDArray[np.float64] | None
    scale: Scale | None
    ranked: bool
    confirmed: npt.NDArray[np.bool_] | None
    others: npt.NDArray[np.int64] | None

    @property
    def room(self) -> int:
        """Bytes that the frame would take, about."""
        rows = len(self.pairs) + (0 if self.others is None else len(self.others))
        return rows * (KEY * (self.puf.width + self.eif.width) + REST)

    def frame(self) -> pl.DataFrame:
        """All pairs in order of PUF key, rank, EIF key."""
        frame = self._some(slice(None))
        if self.others is None:
            return frame
        others = pl.DataFrame(_keys(self.puf, self.others, "puf"))
        if self.confirmed is not None:
            others = others.with_columns(pl.lit(value=False).alias("confirmed"))
        both = pl.concat([frame, others], how="diagonal")
        return both.sort([name for name in both.columns if name.startswith(("puf_", "eif_"))])

    def slices(self, rows: int) -> Iterator[pl.DataFrame]:
        """The frame from its first row on, so many rows at a time; at least one, if it is empty."""
        if self.others is not None:
            frame = self.frame()
            for first in range(0, max(1, len(frame)), rows):
                yield frame[first : first + rows]
            return
        for first in range(0, max(1, len(self.pairs)), rows):
            yield self._some(slice(first, first + rows))

    def _some(self, rows: slice) -> pl.DataFrame:
        pairs = self.pairs
        puf, eif = pairs.puf[rows], pairs.eif[rows]
        scores, none = self._scores(rows), [None] * len(puf)
        rank, tied = (side[rows].astype(np.int64) for side in (pairs.rank, pairs.tied))
        return pl.DataFrame(
            [
                *_keys(self.puf, puf, "puf"),
                *_keys(self.eif, eif, "eif"),
                pl.Series(
                    "score", none if scores is None else scores, pl.Float64, nan_to_null=True
                ),
                pl.Series("rank", rank if self.ranked else none, pl.Int64),
                pl.Series("tied", tied if self.ranked else none, pl.Int64),
                pl.Series(
                    "confirmed",
                    none if self.confirmed is None else self.confirmed[rows],
                    pl.Boolean,
                ),
            ]
        )

    def _scores(self, rows: slice) -> npt.NDArray[np.float64] | None:
        """Scores as a reader sees them."""
        if self.score is not None:
            return self.score[rows]
        if self.scale is None:
            return None
        return self.scale.score(self.pairs.units[rows].astype(np.int64))


def _keys(keys: pl.DataFrame, at: Any, side: str) -> list[pl.Series]:
    return [keys[name][at].alias(f"{side}_{name}") for name in keys.columns]
