"""What an attack found, before and apart from the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reident.model.notes import Note
    from reident.model.pairs import Pairs

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

READINGS = ("all", "consistent", "highest")
"""Readings of "all potential interactions" (Primer 2.1), each a subset of the one before."""
BARS = 20
"""Bars of a histogram of scores."""
NOT_EXPOSED = -1
UNMET = -1
"""Units of a true pair whose records never meet, because their strata differ."""


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """What the ranked metrics look at before the cut (Primer 2.2 step 4).

    `passing` flags PUF records with a pair under the threshold; `tied_out` those of them whose
    first rank is larger than `keep`, with that rank's units in `first_units`.
    """

    keep: int
    passing: Flags
    tied_out: Flags
    first_units: npt.NDArray[np.integer]
    first_size: npt.NDArray[np.integer]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How exact units are shown: as a score, and as a bar of the histogram."""

    score: Callable[[Ints], npt.NDArray[np.float64]]
    bar: Callable[[Ints], Ints]
    top: float
    threshold: float


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """What unicity knows of each PUF record.

    `reading` is the index in READINGS of the narrowest reading that suspects it, NOT_EXPOSED if
    none does; `order` the size of the smallest interaction that exposes it under the headline
    reading, 0 where that is above `orders`.
    """

    reading: npt.NDArray[np.int64]
    order: Ints
    orders: int
    puf_uniques: int
    eif_uniques: int


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What a stepwise attack knows after each variable, in the order of `names`.

    `puf` are the compared records; candidates[i, s] EIF records fit record i after s + 1 variables,
    and eif[i, s] is one of them.
    """

    names: tuple[str, ...]
    puf: Ints
    candidates: Ints
    eif: Ints


@dataclass(frozen=True, kw_only=True)
class Guessed:
    """What methods with one guess for each PUF record know besides.

    `gave_up` flags the records without a candidate, or with too many; `score` is the distance of
    each listed pair, None where the method has none; `truth_chance` the chance of each true pair
    to be the guess when ties are broken at random.
    """

    gave_up: Flags
    score: npt.NDArray[np.float64] | None
    truth_chance: npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Linked:
    """Suspected records and pairs. `truth_units` and `truth_reading` judge the true pairs alike.

    `how` names the way that pairs were found, for the manifest. `listed` is False where there
    were too many pairs to list; then `pairs` holds the true ones.
    """

    pairs: Pairs
    suspected: Flags
    listed: bool
    set_aside: list[tuple[str, int]]
    notes: list[Note]
    encoding: Mapping[str, Any]
    how: str = "brute"
    scale: Scale | None = None
    ranking: Ranking | None = None
    exposure: Exposure | None = None
    steps: Steps | None = None
    truth_units: Ints | None = None
    truth_reading: Ints | None = None
    random_units: Ints | None = None
    guessed: Guessed | None = None
