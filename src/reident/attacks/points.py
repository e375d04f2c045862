"""Classes and losses in points, where a data owner's rules give few: the filter of adhoc studies.

Scores of 0 to 5 are whole points, as a rule (Primer 2.2.3). Then sums of points over classes are
sharp, and EIF classes may be fine; PUF classes are fewer, for each of them has bitmaps of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.attacks.blocks import entropy_of
from reident.attacks.coarse import GONE, by_rule, grain_of
from reident.kernels.keys import sort_keys
from reident.kernels.pairs import DISTANCE, EQUAL
from reident.kernels.points import LAST, MOST_LIMIT, MOST_POINTS, Points

if TYPE_CHECKING:
    from reident.attacks.pairwise import Metric

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
MINE, THEIRS = 64, 250
"""Classes of a variable's PUF and EIF values at most; the first one is for missing values."""
ROOM = 2**62


def point_of(metric: Metric) -> int:
    """Units of a point: what divides all scores. 0 where points would be too many."""
    scorer = metric.scorer
    point = grain_of(scorer)
    most = max(int(units.max(initial=0)) for units in (scorer.missing, scorer.other, scorer.units))
    few = most <= MOST_POINTS * point and metric.bound <= MOST_LIMIT * point
    return point if few and not (scorer.kind == DISTANCE).any() else 0


def points_of(metric: Metric, order: Ints, stratum: Ints) -> Points:
    """Classes of both files, EIF rows in an order; `stratum` is that of PUF rows."""
    kind, point = metric.scorer.kind.tolist(), point_of(metric)
    made = [(_by_equality if kind[j] == EQUAL else _by_rule)(metric, j) for j in range(len(kind))]
    nobody = [np.zeros(rows.codes.shape[1], np.uint8) for rows in (metric.puf, metric.eif)]
    while len(made) < LAST:
        made.append((nobody[0], nobody[1], np.zeros((1, 1), np.int64)))
    # PUF rows that agree on the first variables share their sums: many do if these tell little.
    made.sort(key=lambda one: entropy_of(one[0]))
    mine = np.stack([one[0] for one in made], axis=1)
    losses = np.zeros((len(made), MINE, THEIRS), np.uint8)
    for place, (_, _, units) in enumerate(made):
        losses[place, : units.shape[0], : units.shape[1]] = units // point
    sizes = [int(own) + 1 for own in mine.max(axis=0, initial=0)]
    return Points(
        mine=mine,
        theirs=np.stack([one[1][order] for one in made]),
        losses=losses,
        first=np.cumsum([0, *sizes]),
        turn=_turn(mine, sizes, stratum),
        point=point,
    )


def _by_equality(metric: Metric, j: int) -> tuple[Bytes, Bytes, Ints]:
    """Categories as classes; many of them share one."""
    scorer = metric.scorer
    puf, eif = (
        np.where(codes < 0, 0, 1 + codes % (MINE - 1)).astype(np.uint8)
        for codes in (metric.puf.codes[j], metric.eif.codes[j])
    )
    least = np.where(np.eye(MINE, dtype=np.bool_), 0, scorer.other[j])
    least[0], least[:, 0] = scorer.missing[j], scorer.missing[j]
    return puf, eif, least


def _by_rule(metric: Metric, j: int) -> tuple[Bytes, Bytes, Ints]:
    """Classes of codes and what the nearest of them lose."""
    mine, theirs, least = by_rule(metric, j, MINE, THEIRS)
    mine[metric.puf.codes[j] < 0], theirs[metric.eif.codes[j] < 0] = GONE, GONE
    least[GONE], least[:, GONE] = metric.scorer.missing[j], metric.scorer.missing[j]
    return mine, theirs, least


def _turn(mine: Bytes, sizes: list[int], stratum: Ints) -> Ints:
    """The place of each PUF row by stratum, then by its classes, the first variable first."""
    keys = stratum.copy()
    room = ROOM // (int(stratum.max(initial=0)) + 1)
    for own, size in zip(mine.T, sizes, strict=True):
        if size > room:
            break
        room //= size
        keys = keys * size + own
    turn = np.empty(len(keys), np.int64)
    turn[sort_keys(keys)] = np.arange(len(keys))
    return turn
