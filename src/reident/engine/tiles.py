"""Cut a range of PUF rows and the rows that they meet into tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.engine.job import Tile

if TYPE_CHECKING:
    from collections.abc import Iterator

STRIP = 512
"""PUF rows a strip at most: few enough to share out evenly, enough to be worth a call."""


def cut(meets: npt.NDArray[np.int64], budget: int) -> list[Tile]:
    """Tiles of about `budget` pairs that cover every pair once.

    PUF row p meets rows meets[p, 0] to meets[p, 1] - 1; both bounds never decrease.
    """
    return list(_cut(meets, budget))


def strips(
    meets: npt.NDArray[np.int64], rows: int, weights: npt.NDArray[np.int64] | None = None
) -> list[Tile]:
    """Strips of so many PUF rows that are one tile each, for work not to be cut along the EIF.

    PUF row p takes the pairs that it meets or, where it stands for others, weights[p].
    """
    rows = max(1, rows)
    pairs = meets[:, 1] - meets[:, 0] if weights is None else weights
    tiles = []
    for strip, first in enumerate(range(0, len(meets), rows)):
        mine = meets[first : first + rows]
        work = int(pairs[first : first + rows].sum())
        span = int(mine[0, 0]), int(mine[-1, 1])
        tiles.append(Tile(strip, strip, first, first + len(mine), *span, work))
    return tiles


def _cut(meets: npt.NDArray[np.int64], budget: int) -> Iterator[Tile]:
    rows = max(1, min(STRIP, budget))
    number = 0
    for strip, first in enumerate(range(0, len(meets), rows)):
        last = min(first + rows, len(meets))
        mine = meets[first:last]
        begin, end = int(mine[0, 0]), int(mine[-1, 1])
        width = max(1, budget // (last - first))
        for start in range(begin, max(end, begin + 1), width):
            stop = min(start + width, end)
            low = np.maximum(mine[:, 0], start)
            high = np.minimum(mine[:, 1], stop)
            work = int(np.maximum(high - low, 0).sum())
            yield Tile(number, strip, first, last, start, stop, work)
            number += 1
