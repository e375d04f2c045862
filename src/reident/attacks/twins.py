"""Records that are alike are met once: identical rows lead to identical shortlists.

PUF rows that are alike share a shortlist. Of EIF rows that are alike only keep + 1 are needed: if
there are more, their rank is too large to be kept whole, and keep + 1 of them show that just as
well (Primer 2.2, step 4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.attacks.spread import together
from reident.kernels.pairs import Rows
from reident.kernels.twins import FACTOR, hashes, stand_ins, twins_of

if TYPE_CHECKING:
    from reident.attacks.pairwise import Metric
    from reident.engine.job import Fold

Ints = npt.NDArray[np.int64]
WORTH = 1 / 32
"""The share of rows that must fall away."""
ROOM = 2**64
"""Numbers that a hash can be."""


@dataclass(frozen=True, kw_only=True)
class Distinct:
    """A metric over fewer rows, which decide all pairs.

    PUF row p, in place of all that are like it, meets EIF rows meets[p, 0] to meets[p, 1] - 1 and
    so decides pairs[p] pairs; `stratum` is that of PUF and of EIF rows. `of` names the row that
    stands for each PUF row of the layout, and `eif` the EIF rows of the layout that are met.
    """

    metric: Metric
    stratum: tuple[Ints, Ints]
    meets: Ints
    pairs: Ints
    of: Ints
    eif: Ints


def distinct(metric: Metric, stratum: tuple[Ints, Ints], meets: Ints, fold: Fold) -> Distinct:
    """The rows that must be met: every PUF row once, and of equal EIF rows keep + 1."""
    sides = zip((metric.puf, metric.eif), stratum, strict=True)
    (first, _), (_, before) = together(fold, *(partial(_twins, *side) for side in sides))
    mine, of, alike = stand_ins(first)
    needed = before <= metric.keep
    theirs = np.flatnonzero(needed)
    met, own = meets, stratum
    pairs = meets[:, 1] - meets[:, 0]
    if _worth(mine, first):
        met, own = meets.take(mine, axis=0), (stratum[0].take(mine), own[1])
        pairs = alike * pairs.take(mine)
    else:
        mine = of = np.arange(len(first))
    if _worth(theirs, before):
        # EIF rows of a stratum stay side by side.
        met = np.concatenate([[0], np.cumsum(needed)])[met]
        own = (own[0], stratum[1][theirs])
    else:
        theirs = np.arange(len(before))
    scale = metric.scorer.scale
    puf, eif = together(fold, partial(_some, metric.puf, mine), partial(_some, metric.eif, theirs))
    return Distinct(
        metric=replace(
            metric,
            puf=puf,
            eif=eif,
            scorer=metric.scorer._replace(scale=scale[mine] if len(scale) else scale),
        ),
        stratum=own,
        meets=met,
        pairs=pairs,
        of=of,
        eif=theirs,
    )


def _worth(chosen: Ints, rows: Ints) -> bool:
    """Whether so many rows are left out that it is worth the copying."""
    return len(chosen) <= (1 - WORTH) * len(rows)


def _twins(rows: Rows, stratum: Ints) -> tuple[Ints, Ints]:
    """Which rows are alike. Numbers are compared as they are stored: missing ones are alike too."""
    numbers = rows.numbers.view(np.int64) if _measured(rows) else np.zeros((0, 0), np.int64)
    radix = rows.codes.max(axis=1, initial=-1).astype(np.uint64) + np.uint64(2)
    combinations = math.prod(radix.tolist(), start=int(stratum.max(initial=0)) + 2)
    apart = not len(numbers) and combinations <= ROOM
    if not apart:
        radix = np.full(len(radix), FACTOR)
    hashed = hashes(rows.codes, numbers, stratum, radix)
    return twins_of(hashed, apart, rows.codes, numbers, stratum)


def _measured(rows: Rows) -> bool:
    """Whether there are numbers: without any a placeholder stands for them."""
    return rows.numbers.shape == rows.codes.shape


def _some(rows: Rows, chosen: Ints) -> Rows:
    """Chosen rows; as they are if these are all."""
    if len(chosen) == rows.codes.shape[1]:
        return rows
    # Unlike an index, this leaves each variable in one piece.
    numbers = rows.numbers.take(chosen, axis=1) if _measured(rows) else rows.numbers
    return Rows(rows.codes.take(chosen, axis=1), numbers)
