"""The truth: which PUF record is which EIF record (Primer 1.1, the IUF)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.integer]
AT_ONCE = 1 << 17
"""Pairs that are looked up together: what that takes does not grow with their number."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Distinct true pairs as positions in key order, sorted, and what the IUF held besides."""

    puf: Ints
    eif: Ints
    unknown_puf: int
    unknown_eif: int
    eif_records: int

    def __len__(self) -> int:
        return len(self.puf)

    @property
    def overlap(self) -> int:
        """How many PUF records have a true pair."""
        return int((np.diff(self.puf, prepend=-1) > 0).sum())

    def holds(self, puf: Whole, eif: Whole) -> npt.NDArray[np.bool_]:
        """Which of the given pairs are true."""
        numbers = self._numbers()
        true = np.empty(len(puf), np.bool_)
        for first in range(0, len(puf), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            true[some] = self._find(numbers, puf[some], eif[some]) >= 0
        return true

    def find(self, puf: Whole, eif: Whole) -> Ints:
        """Where each given pair stands among the true pairs, -1 if it does not."""
        return self._find(self._numbers(), puf, eif)

    def _numbers(self) -> Ints:
        """One number for each true pair, in their order."""
        return self.puf * self.eif_records + self.eif

    def _find(self, numbers: Ints, puf: Whole, eif: Whole) -> Ints:
        asked = puf.astype(np.int64) * self.eif_records + eif
        at = np.minimum(np.searchsorted(numbers, asked), max(len(numbers) - 1, 0))
        if not len(numbers):
            return np.full(len(asked), -1, np.int64)
        return np.where(numbers[at] == asked, at, -1).astype(np.int64)


def truth_of(
    puf: Ints, eif: Ints, *, unknown_puf: int, unknown_eif: int, eif_records: int
) -> Truth:
    """Sort pairs of positions and drop repeated ones."""
    numbers = np.sort(puf * eif_records + eif)
    # Sorted ones are compared with their neighbours: faster than np.unique, which hashes them all.
    numbers = numbers[np.diff(numbers, prepend=-1) > 0]
    return Truth(
        puf=numbers // eif_records,
        eif=numbers % eif_records,
        unknown_puf=unknown_puf,
        unknown_eif=unknown_eif,
        eif_records=eif_records,
    )
