"""The rank rule as a shortlist that folds in any order (Primer 2.2, steps 3-5).

For each PUF record: at most `keep` pairs, all below its *cutoff*. At the start the cutoff is the
threshold. When a pair more would pass `keep`, the worst score leaves as a whole, because ranks
are kept whole or not at all, and becomes the new cutoff; nothing at or above it can ever return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled, inlined, uncounted
from reident.kernels.narrow import narrowed

if TYPE_CHECKING:
    from collections.abc import Iterable

Ints = npt.NDArray[np.int64]
NO_CUTOFF = 2**62
"""A cutoff that lets everything through."""
TOGETHER = 64
"""Rows whose shortlists are fetched at once."""


class Shortlist(NamedTuple):
    """Per PUF row: how many pairs, their EIF rows and units (unordered), and the cutoff.

    Where a strip is done its pairs are `gathered`, end to end.
    """

    size: npt.NDArray[Any]
    eif: npt.NDArray[Any]
    units: npt.NDArray[Any]
    cutoff: npt.NDArray[Any]


class Kept(NamedTuple):
    """Shortlists end to end: the pairs of row i stand at start[i] to start[i + 1] - 1.

    They are held in narrow types.
    """

    start: npt.NDArray[np.integer]
    eif: npt.NDArray[np.uint32]
    units: npt.NDArray[np.integer]
    cutoff: npt.NDArray[np.integer]


def empty(cutoff: npt.NDArray[np.int64], keep: int) -> Shortlist:
    """A shortlist that has seen nothing."""
    rows = len(cutoff)
    return Shortlist(
        size=np.zeros(rows, np.int64),
        eif=np.zeros((rows, keep), np.int64),
        units=np.zeros((rows, keep), np.int64),
        cutoff=cutoff.copy(),
    )


@inlined
def put(
    sizes: Ints, held: Ints, scores: Ints, cutoffs: Ints, row: int, eif: int, units: int
) -> None:
    """Add a pair below the cutoff; on overflow drop the worst score and lower the cutoff to it.

    A pair that is there already stays as it is. Arrays are those of a Shortlist, one by one: a
    tuple of arrays that is opened for every pair costs more than the pair, and so do references
    that are counted at every call.
    """
    keep = held.shape[1]
    size = sizes[row]
    worst = units
    for k in range(size):
        if held[row, k] == eif:
            return
        worst = max(worst, scores[row, k])
    if size < keep:
        held[row, size] = eif
        scores[row, size] = units
        sizes[row] = size + 1
        return
    left = 0
    for k in range(size):
        if scores[row, k] < worst:
            held[row, left] = held[row, k]
            scores[row, left] = scores[row, k]
            left += 1
    if units < worst:
        held[row, left] = eif
        scores[row, left] = units
        left += 1
    sizes[row] = left
    cutoffs[row] = worst


@compiled
def put_some(
    sizes: Ints, held: Ints, scores: Ints, cutoffs: Ints, row: int, found: Ints, number: int
) -> None:
    """Add pairs (EIF row, units), each once, that no shortlist but this may hold already."""
    keep = held.shape[1]
    if sizes[row] == 0 and number > keep:
        # Too many for an empty shortlist: the one that would be the next decides.
        lowest = np.empty(keep + 1, np.int64)
        for i in range(number):
            at = min(i, keep)
            units = found[i, 1]
            if i > keep and units >= lowest[keep]:
                continue
            while at > 0 and lowest[at - 1] > units:
                lowest[at] = lowest[at - 1]
                at -= 1
            lowest[at] = units
        cutoffs[row] = min(cutoffs[row], lowest[keep])
    for i in range(number):
        if found[i, 1] < cutoffs[row]:
            put(sizes, held, scores, cutoffs, row, found[i, 0], found[i, 1])


@uncounted
def put_all(
    ends: Ints, found: Ints, waiting: int, sizes: Ints, held: Ints, scores: Ints, cutoffs: Ints
) -> int:
    """Add pairs (EIF row, units) of some finds: its row, where its pairs end, and a new cutoff.

    The pairs of a find begin where those of the one before end. Returns the bits of what it met.
    """
    met, done, keep = 0, 0, held.shape[1]
    for first in range(0, waiting, TOGETHER):
        last = min(first + TOGETHER, waiting)
        # Shortlists lie far from each other: asked for one after another they come in few waits.
        for k in range(first, last):
            row = ends[k, 0]
            met |= sizes[row] | held[row, 0] | scores[row, 0] | cutoffs[row]
            # A shortlist may begin in one line of the cache and end in the next.
            met |= held[row, keep - 1] | scores[row, keep - 1]
        for k in range(first, last):
            row, end, cutoff = ends[k, 0], ends[k, 1], ends[k, 2]
            if cutoff < cutoffs[row]:
                cutoffs[row] = cutoff
                left = 0
                for i in range(sizes[row]):
                    if scores[row, i] < cutoff:
                        held[row, left], scores[row, left] = held[row, i], scores[row, i]
                        left += 1
                sizes[row] = left
            if sizes[row] == 0 and end - done <= keep:
                # Nothing to be compared with, and room for all.
                size = 0
                for i in range(done, end):
                    held[row, size], scores[row, size] = found[i, 0], found[i, 1]
                    size += found[i, 1] < cutoffs[row]
                sizes[row], done = size, end
            while done < end:
                if found[done, 1] < cutoffs[row]:
                    put(sizes, held, scores, cutoffs, row, found[done, 0], found[done, 1])
                done += 1
    return met


@compiled
def push(short: Shortlist, row: int, eif: int, units: int) -> None:
    """Put a pair below the cutoff into a shortlist."""
    put(short.size, short.eif, short.units, short.cutoff, row, eif, units)


@compiled
def places(start: npt.NDArray[np.integer], rows: Ints) -> tuple[Ints, Ints]:
    """Where the pairs of some rows stand, one row after another; where those of each begin there.

    `start` is that of all rows; of what is returned, the second has one more than there are rows.
    """
    begins = np.zeros(len(rows) + 1, np.int64)
    for i in range(len(rows)):
        begins[i + 1] = begins[i] + np.int64(start[rows[i] + 1]) - np.int64(start[rows[i]])
    at = np.empty(begins[-1], np.int64)
    for i in range(len(rows)):
        first = np.int64(start[rows[i]]) - begins[i]
        for k in range(begins[i], begins[i + 1]):
            at[k] = first + k
    return at, begins


@compiled
def unfold(
    begins: Ints, puf: Ints, eif: Ints, units: Ints, out: Ints, ranks: npt.NDArray[np.int32]
) -> None:
    """Write pairs side by side: PUF and EIF position and units; rank and size of the rank.

    Pairs begins[i] to begins[i + 1] - 1, of EIF positions and units, are those of the PUF position
    puf[i]. They come by units, then by position.
    """
    for i in range(len(puf)):
        first, last = begins[i], begins[i + 1]
        for k in range(first, last):
            place, position, score = k, eif[k], units[k]
            while place > first and (
                out[2, place - 1] > score
                or (out[2, place - 1] == score and out[1, place - 1] > position)
            ):
                # Units and position, as below; a whole row takes seconds to compile, see holders.
                out[1, place], out[2, place] = out[1, place - 1], out[2, place - 1]
                place -= 1
            out[0, k], out[1, place], out[2, place] = puf[i], position, score
        rank, begin = 0, first
        while begin < last:
            end = begin
            while end < last and out[2, end] == out[2, begin]:
                end += 1
            rank += 1
            # One by one: to make a slice takes longer than most ranks.
            for k in range(begin, end):
                ranks[0, k], ranks[1, k] = rank, end - begin
            begin = end


@compiled
def pour(source: Shortlist, target: Shortlist) -> None:
    """Add every pair of one shortlist to another of the same rows."""
    for row in range(len(target.size)):
        target.cutoff[row] = min(target.cutoff[row], source.cutoff[row])
    for row in range(len(target.size)):
        for k in range(source.size[row]):
            if source.units[row, k] < target.cutoff[row]:
                push(target, row, source.eif[row, k], source.units[row, k])


def merge(one: Shortlist, other: Shortlist) -> Shortlist:
    """What both together would have seen; associative and commutative up to order inside a row."""
    both = empty(np.minimum(one.cutoff, other.cutoff), one.eif.shape[1])
    pour(one, both)
    pour(other, both)
    return both


def gathered(part: Shortlist) -> Shortlist:
    """Pairs of a strip end to end, in narrow types."""
    eif, units = gather(part.size, part.eif, part.units)
    return Shortlist(narrowed(part.size), eif, narrowed(units), narrowed(part.cutoff))


@compiled
def gather(sizes: Ints, held: Ints, scores: Ints) -> tuple[npt.NDArray[np.uint32], Ints]:
    """EIF rows and units of all shortlists, one after another."""
    pairs, at = sizes.sum(), 0
    eif, units = np.empty(pairs, np.uint32), np.empty(pairs, np.int64)
    for row in range(len(sizes)):
        for k in range(sizes[row]):
            eif[at], units[at] = held[row, k], scores[row, k]
            at += 1
    return eif, units


def end_to_end(strips: Iterable[Shortlist]) -> Kept:
    """Gathered strips one under the other."""
    none: npt.NDArray[np.integer] = np.zeros(0, np.int8)
    parts = [Shortlist(none, none, none, none), *strips]
    size, eif, units, cutoff = ([part[k] for part in parts] for k in range(4))
    del parts
    pairs = sum(map(len, eif))
    # One of two types, because kernels are compiled for each.
    start = np.zeros(sum(map(len, size)) + 1, np.result_type(np.uint32, np.min_scalar_type(pairs)))
    np.cumsum(_joined(size), out=start[1:])
    return Kept(start, _joined(eif).astype(np.uint32, copy=False), _joined(units), _joined(cutoff))


def _joined(parts: list[npt.NDArray[np.integer]]) -> npt.NDArray[np.integer]:
    """Parts end to end; they are let go."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole
