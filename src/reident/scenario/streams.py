"""Random numbers, one stream for each thing that is drawn, so that none depends on another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def stream(seed: int, name: str) -> np.random.Generator:
    """The stream of one name; a new thing to draw leaves all others as they were."""
    return np.random.default_rng([seed, int.from_bytes(name.encode(), "big")])


def exchanged(
    values: npt.NDArray[np.str_], share: float, draw: np.random.Generator
) -> npt.NDArray[np.str_]:
    """The values, about so many of them replaced by somebody else's."""
    return np.where(draw.random(len(values)) < share, draw.permutation(values), values)
