"""Suspected pairs: what an attack returns, before anyone looks at the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Suspected pairs in order of PUF position, rank, EIF position; positions in key order.

    `units` is the exact integer score (lower is closer), `rank` the dense rank from 1 and `tied`
    the size of the rank group. Unicity has none of the three and holds zeros. Whoever makes them
    may choose narrow types: there are many pairs, so who reckons with them widens them first.
    """

    puf: Whole
    eif: Whole
    units: Whole
    rank: Whole
    tied: Whole

    def __len__(self) -> int:
        return len(self.puf)

    def where(self, flags: Flags) -> Pairs:
        """The pairs that a flag names."""
        return Pairs(
            puf=self.puf[flags],
            eif=self.eif[flags],
            units=self.units[flags],
            rank=self.rank[flags],
            tied=self.tied[flags],
        )

    def records(self) -> Whole:
        """Distinct PUF positions: the suspected records."""
        return np.unique(self.puf)


def no_pairs() -> Pairs:
    """An empty list."""
    none = np.zeros(0, np.int64)
    return Pairs(puf=none, eif=none, units=none, rank=none, tied=none)
