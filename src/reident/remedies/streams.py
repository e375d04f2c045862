"""Random numbers, one for each record, that depend on nothing but seed, action and the record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Streams:
    """Streams keyed by seed, action and the name of what is drawn.

    `places` holds the place of each record: in order of key, so that the order of rows cannot
    matter, or in the file where there is no key. Every record has its own number whether or not
    it is used, so that the choice of records cannot matter either.
    """

    seed: int
    action: str
    places: Ints

    def uniform(self, name: str) -> Floats:
        """A number in [0, 1) for each record."""
        return self._stream(name).random(len(self.places))[self.places]

    def normal(self, name: str) -> Floats:
        """A standard normal number for each record."""
        return self._stream(name).standard_normal(len(self.places))[self.places]

    def below(self, bound: int, name: str) -> int:
        """One whole number in 0..bound - 1 for the whole file."""
        return int(self._stream(name).integers(bound))

    def permutation(self, size: int, name: str) -> Ints:
        """The numbers 0..size - 1 in some order, for the whole file."""
        return self._stream(name).permutation(size)

    def _stream(self, name: str) -> np.random.Generator:
        # The zero keeps apart what an action's name ends with and what the next name begins with.
        return np.random.default_rng([self.seed, *self.action.encode(), 0, *name.encode()])
