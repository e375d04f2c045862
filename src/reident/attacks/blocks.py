"""Blocks of an index: which variables share one, and the EIF rows in order of their key on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.kernels.bitmaps import SUMS
from reident.kernels.desk import in_lines
from reident.kernels.lanes import LANES
from reident.kernels.pairs import EQUAL
from reident.kernels.planes import AT_LEAST, DIFFERENT, DIGIT
from reident.kernels.runs import Block, directory, keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reident.attacks.lookups import IndexedJob

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
SAMPLE = 20_000
"""Values that tell how a variable is spread."""
COPIES = 3
"""Rows and copies of a block that are worth their room, for each row."""
CELLS = 1 << 16
"""Keys that any block may have, however few the rows; more rows may have more."""


def shares(entropy: Mapping[int, float], most: int) -> list[list[int]]:
    """Variables of blocks for at most `most` mismatches: one block more, of balanced entropy."""
    parts: list[list[int]] = [[] for _ in range(most + 1)]
    weight = np.zeros(most + 1)
    for j in sorted(entropy, key=lambda j: -entropy[j]):
        lightest = int(np.argmin(weight))
        parts[lightest].append(j)
        weight[lightest] += entropy[j]
    return parts


def entropy_of(classes: Bytes) -> float:
    """How much a variable tells about a record."""
    some = classes[:: 1 + len(classes) // SAMPLE]
    share = np.bincount(some) / max(1, len(some))
    share = share[share > 0]
    return float(-(share * np.log(share)).sum())


def block_on(job: IndexedJob, share: list[int]) -> tuple[Block, Ints]:
    """EIF rows by their key on the variables of a share, as many as its directory has room for.

    Its bitmaps are yet to be made, by the marks that come with it.
    """
    sizes, variables = [], []
    strata = int(max(side.max(initial=0) for side in job.stratum)) + 1
    room = max(CELLS, 4 * len(job.stratum[1])) // strata
    for j in share:
        # One more for missing values.
        size = int(job.codes[j]) + 1
        if size <= room:
            room //= size
            sizes.append(size)
            variables.append(j)
    # A row that misses the last variable finds all its codes side by side: let them be many.
    by_size = np.argsort(sizes, kind="stable")
    weights = np.cumprod([1, *np.array(sizes, np.int64)[by_size][::-1]])[::-1].astype(np.int64)
    held = np.array(variables, np.int64)[by_size]
    keys, complete = keys_of(job.columns[1], 0, len(job.order), job.stratum[1], held, weights)
    most = COPIES * len(keys)
    starts, rows, filled_in, once = directory(
        keys, complete, weights, strata * int(weights[0]), most
    )
    first, present, marks, bitmaps = _marks(job, variables)
    pieces = -(-len(rows) // (64 * LANES))
    block = Block(
        variables=held,
        weights=weights,
        starts=starts,
        rows=rows,
        filled_in=filled_in,
        once=once,
        first=first,
        present=present,
        bits=in_lines(pieces * bitmaps * LANES).reshape(pieces, bitmaps, LANES),
    )
    return block, marks


def _marks(job: IndexedJob, left_out: list[int]) -> tuple[Ints, Ints, Ints, int]:
    """What bitmaps tell of all variables but those that the block's key holds.

    Where those of each variable begin, which one tells that it is present, the marks by which they
    are made (kernels/planes), and how many there are.
    """
    least, scorer = job.least, job.scorer
    v = len(scorer.kind)
    first, present = np.full((2, v), -1, np.int64)
    marks, held = [(v, DIGIT, 1, SUMS)], 1 + SUMS
    for j, kind in enumerate(scorer.kind.tolist()):
        size = int(least.classes[j])
        # A value that a block's key holds is never different, but it may be missing.
        used = size if kind != EQUAL or (j not in left_out and scorer.other[j] > 0) else 0
        if used:
            first[j] = held
        if kind == EQUAL:
            present[j] = held + used
        marks.append((j, DIFFERENT if kind == EQUAL else AT_LEAST, held, used))
        held += used + (kind == EQUAL)
    return first, present, np.array(marks, np.int64), held
