"""Tie groups: who may be the one guess for a PUF record, and with what chance.

PUF records that look alike to an attack share a cell, and so do EIF records; a tie group links a
cell of PUF records with the cells of EIF records that tie for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.model.truth import Truth

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NOBODY = -1


@dataclass(frozen=True, kw_only=True)
class Ties:
    """Cells of both files (-1: none), and links from PUF to EIF cells in order of PUF cell.

    `chance` is that of each single EIF record of the linked cell to be the guess.
    """

    puf: Ints
    eif: Ints
    left: Ints
    right: Ints
    chance: Floats


def evenly(puf: Ints, eif: Ints, left: Ints, right: Ints) -> Ties:
    """Ties in which all records of a group are equally likely."""
    held = np.bincount(eif[eif >= 0], minlength=int(right.max(initial=-1)) + 1)
    size = np.bincount(left, held[right], int(puf.max(initial=-1)) + 1)
    return Ties(puf=puf, eif=eif, left=left, right=right, chance=1 / size[left])


@dataclass(frozen=True, kw_only=True)
class Guesses:
    """For each PUF record the lowest record of its tie group (-1: none), and its size.

    `truth_chance` is the chance of each true pair to be the guess.
    """

    first: Ints
    size: Ints
    truth_chance: Floats


def guesses(ties: Ties, truth: Truth | None) -> Guesses:
    """What tie groups say of each record. Positions follow the keys: the lowest is the first."""
    cells = int(ties.puf.max(initial=-1)) + 1
    theirs = int(ties.eif.max(initial=-1)) + 1
    lowest = np.full(theirs, len(ties.eif), np.int64)
    inside = np.flatnonzero(ties.eif >= 0)
    np.minimum.at(lowest, ties.eif[inside], inside)
    held = np.bincount(ties.eif[inside], minlength=theirs)
    first = np.full(cells, len(ties.eif), np.int64)
    np.minimum.at(first, ties.left, lowest[ties.right])
    size = np.zeros(cells, np.int64)
    np.add.at(size, ties.left, held[ties.right])
    known = ties.puf >= 0
    known[known] = size[ties.puf[known]] > 0
    at = ties.puf[known]
    out = Guesses(
        first=np.full(len(known), NOBODY, np.int64),
        size=np.zeros(len(known), np.int64),
        truth_chance=_chances(ties, truth),
    )
    out.first[known], out.size[known] = first[at], size[at]
    return out


def _chances(ties: Ties, truth: Truth | None) -> Floats:
    """The chance of each true pair: that of the link between its cells, if there is one."""
    if truth is None:
        return np.zeros(0)
    if not len(ties.left):
        return np.zeros(len(truth))
    span = int(ties.eif.max(initial=0)) + 1
    links = ties.left * span + ties.right
    order = np.argsort(links)
    mine, theirs = ties.puf[truth.puf], ties.eif[truth.eif]
    asked = np.where((mine >= 0) & (theirs >= 0), mine * span + theirs, -1)
    at = order[np.minimum(np.searchsorted(links, asked, sorter=order), len(links) - 1)]
    return np.where(links[at] == asked, ties.chance[at], 0.0)


def either(found: Guesses, rest: Guesses, truth: Truth | None) -> Guesses:
    """The first guesses, and for records without one those of the rest."""
    mine = found.first != NOBODY
    pairs = mine[truth.puf] if truth is not None else np.zeros(0, np.bool_)
    return Guesses(
        first=np.where(mine, found.first, rest.first),
        size=np.where(mine, found.size, rest.size),
        truth_chance=np.where(pairs, found.truth_chance, rest.truth_chance),
    )


def numbered(keys: Sequence[Ints] | Ints) -> Ints:
    """Keys numbered from 0 in their order; keys below 0 stay -1."""
    keys = np.asarray(keys)
    out = np.full(len(keys), NOBODY, np.int64)
    inside = keys >= 0
    out[inside] = np.unique(keys[inside], return_inverse=True)[1]
    return out
