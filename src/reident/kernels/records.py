"""A PUF record and the agreement masks that are known of it (Primer 2.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import lowest
from reident.kernels.holders import WORD, Table, present, slot
from reident.kernels.masks import insert


class Both(NamedTuple):
    """Both files, with the same bitmaps of the same values.

    `share` is the share of all rows in each bitmap; `orders` are orders of the variables, one for
    each cell that is tried. `shared` tells whether several categories share a bitmap.
    """

    puf: Table
    eif: Table
    share: npt.NDArray[np.float64]
    orders: npt.NDArray[np.int64]
    shared: bool


class Record(NamedTuple):
    """A PUF row, the variables that it has, and the rows of both files in its stratum.

    `slots` are the bitmaps of the values that it has.
    """

    row: int
    codes: npt.NDArray[np.int32]
    has: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int64]
    puf: tuple[int, int]
    eif: tuple[int, int]


class Chain(NamedTuple):
    """Maximal masks found so far, with their owners; size[0] of them."""

    masks: npt.NDArray[np.uint64]
    owners: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]


@compiled
def record_of(both: Both, row: int, span: npt.NDArray[np.int64]) -> Record:
    """A PUF row that meets PUF rows span[0] to span[1] - 1 and EIF rows span[2] to span[3] - 1."""
    codes = both.puf.codes[row]
    has = present(codes)
    slots = np.empty(len(has), np.int64)
    for k in range(len(has)):
        slots[k] = slot(both.puf, has[k], codes[has[k]])
    return Record(row, codes, has, slots, (span[0], span[1]), (span[2], span[3]))


@compiled
def new_chain(room: int) -> Chain:
    """An empty chain."""
    return Chain(np.empty(room, np.uint64), np.empty(room, np.int64), np.zeros(1, np.int64))


@compiled
def roomy(chain: Chain, more: int) -> Chain:
    """The chain, with room for so many more masks."""
    size = chain.size[0]
    if size + more <= len(chain.masks):
        return chain
    larger = new_chain(2 * len(chain.masks) + more)
    # One by one: as slices they take seconds to compile, see holders.
    for k in range(size):
        larger.masks[k] = chain.masks[k]
        larger.owners[k] = chain.owners[k]
    larger.size[0] = size
    return larger


@compiled
def mask_of(record: Record, held: Table, row: int) -> Any:
    """The variables that a record has and on which a row is equal."""
    mask = np.uint64(0)
    for j in record.has:
        if held.codes[row, j] == record.codes[j]:
            mask |= np.uint64(1) << np.uint64(j)
    return mask


@compiled
def add(chain: Chain, mask: Any, owner: int) -> None:
    """Add a mask to a chain that has room."""
    if mask != 0:
        chain.size[0] = insert(chain.masks, chain.owners, chain.size[0], mask, owner)


@compiled
def variables_in(mask: Any) -> Any:
    """The variables of a mask, in order."""
    chosen = np.empty(WORD, np.int64)
    count = 0
    left = np.uint64(mask)
    while left != 0:
        chosen[count] = lowest(left)
        count += 1
        left &= left - np.uint64(1)
    return chosen[:count]
