"""The truth: which PUF record is which EIF record (Primer 1.1, the IUF)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


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

    def holds(self, puf: Ints, eif: Ints) -> npt.NDArray[np.bool_]:
        """Which of the given pairs are true."""
        return self.find(puf, eif) >= 0

    def find(self, puf: Ints, eif: Ints) -> Ints:
        """Where each given pair stands among the true pairs, -1 if it does not."""
        numbers = self.puf * self.eif_records + self.eif
        asked = puf * self.eif_records + eif
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
