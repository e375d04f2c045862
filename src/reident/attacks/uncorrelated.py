"""The first three variables of a release that are pairwise nearly uncorrelated (Winkler 2002)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.model.notes import Note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.cells import Cells
    from reident.model.variables import Variable

Floats = npt.NDArray[np.float64]
WANTED = 3
MOST = Fraction(1, 5)
"""The largest R2 that counts as uncorrelated."""
DOUBT = 1e-6
"""Nearer to MOST than this, R2 is worked out exactly."""


def uncorrelated(release: Sequence[Cells], variables: Sequence[Variable]) -> list[int]:
    """Places of the first three variables that vary and have R2 <= 0.2 with each other.

    All of them where none varies.
    """
    chosen: list[int] = []
    for place, cells in enumerate(release):
        if len(chosen) == WANTED:
            break
        if len(np.unique(_numbers(cells)[cells.present])) > 1 and all(
            _apart(release[other], cells) for other in chosen
        ):
            chosen.append(place)
    return chosen or list(range(len(variables)))


def too_few(chosen: Sequence[int]) -> list[Note]:
    """A note where the release has fewer such variables than the attack is meant to use."""
    if len(chosen) >= WANTED:
        return []
    return [
        Note(
            code="few_uncorrelated",
            text=f"Only {len(chosen)} of the variables are pairwise uncorrelated (R2 <= 0.2) in "
            'the released file; variables = "all" compares more.',
            count=len(chosen),
        )
    ]


def _apart(one: Cells, other: Cells) -> bool:
    """Whether R2 of two variables, where both are present, is at most MOST."""
    both = one.present & other.present
    x, y = (_numbers(cells)[both] for cells in (one, other))
    if not len(x):
        return True
    x, y = (np.ldexp(v, -math.frexp(float(np.abs(v).max()))[1]) for v in (x, y))
    dx, dy = x - x.mean(), y - y.mean()
    spread = float((dx * dx).sum() * (dy * dy).sum())
    squared = float((dx * dy).sum()) ** 2
    if abs(squared - float(MOST) * spread) > DOUBT * spread:
        return squared < MOST * spread
    return _exactly_apart(x, y)


def _exactly_apart(x: Floats, y: Floats) -> bool:
    n = len(x)
    a, b = ([Fraction(value) for value in v.tolist()] for v in (x, y))
    xy = n * sum(p * q for p, q in zip(a, b, strict=True)) - sum(a) * sum(b)
    xx, yy = (n * sum(p * p for p in v) - sum(v) ** 2 for v in (a, b))
    return xy * xy <= MOST * xx * yy


def _numbers(cells: Cells) -> Floats:
    assert cells.number is not None  # noqa: S101  # numeric and date cells hold numbers
    return cells.number
