"""Agreement sets as bit masks: unicity without enumerating interactions (Primer 2.1).

Bit j of the mask of two records is set where variable j is present in both and equal. An EIF
record e is a partner of PUF record p when its mask is a maximal one among the masks of p with all
other PUF records and all EIF records, and no other record attains it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled

TAKEN = -1
"""Owner of a mask that is attained twice, or by a PUF record: it blocks, and pairs with nobody."""


class Antichains(NamedTuple):
    """Maximal masks of each PUF row: entries bounds[i] to bounds[i + 1], with their owners."""

    bounds: npt.NDArray[np.int64]
    masks: npt.NDArray[np.uint64]
    owners: npt.NDArray[np.int64]


@compiled
def agreement(puf: npt.NDArray[np.int32], p: int, other: npt.NDArray[np.int32], q: int) -> Any:
    """The mask of PUF row p and a row of another table."""
    mask = np.uint64(0)
    for j in range(puf.shape[1]):
        if puf[p, j] >= 0 and puf[p, j] == other[q, j]:
            mask |= np.uint64(1) << np.uint64(j)
    return mask


@compiled
def insert(
    masks: npt.NDArray[np.uint64],
    owners: npt.NDArray[np.int64],
    size: int,
    mask: int,
    owner: int,
) -> int:
    """Add a mask to an antichain with room for it; returns the new size."""
    for k in range(size):
        if mask & masks[k] == mask:
            if mask == masks[k] and owners[k] != owner:
                owners[k] = TAKEN
            # A mask that covers one covers many: it moves up, and is met sooner next time.
            up = k // 2
            masks[k], masks[up] = masks[up], masks[k]
            owners[k], owners[up] = owners[up], owners[k]
            return size
    left = 0
    for k in range(size):
        if mask & masks[k] != masks[k]:
            masks[left] = masks[k]
            owners[left] = owners[k]
            left += 1
    masks[left] = mask
    owners[left] = owner
    return left + 1


@compiled
def maximal_masks(
    puf: npt.NDArray[np.int32],
    others: npt.NDArray[np.int32],
    owner: npt.NDArray[np.int64],
    meets: npt.NDArray[np.int64],
    tile: npt.NDArray[np.int64],
) -> Antichains:
    """Antichains of PUF rows tile[0]..tile[1] - 1 over other rows tile[2]..tile[3] - 1.

    owner[q] is the EIF row of q, TAKEN, or -2 - p where q is PUF row p itself. PUF row p meets the
    other rows meets[p, 0] to meets[p, 1] - 1.
    """
    rows = tile[1] - tile[0]
    bounds = np.zeros(rows + 1, np.int64)
    masks = np.empty(64, np.uint64)
    owners = np.empty(64, np.int64)
    out_masks = np.empty(64 * (rows + 1), np.uint64)
    out_owners = np.empty(64 * (rows + 1), np.int64)
    for p in range(tile[0], tile[1]):
        size = 0
        for q in range(max(meets[p, 0], tile[2]), min(meets[p, 1], tile[3])):
            if owner[q] == -2 - p:
                continue
            mask = agreement(puf, p, others, q)
            if mask == 0:
                continue
            if size == len(masks):
                masks = np.concatenate((masks, np.empty_like(masks)))
                owners = np.concatenate((owners, np.empty_like(owners)))
            size = insert(masks, owners, size, mask, max(owner[q], TAKEN))
        first = bounds[p - tile[0]]
        while first + size > len(out_masks):
            out_masks = np.concatenate((out_masks, np.empty_like(out_masks)))
            out_owners = np.concatenate((out_owners, np.empty_like(out_owners)))
        # One by one: as slices they take seconds to compile, see holders.
        for k in range(size):
            out_masks[first + k] = masks[k]
            out_owners[first + k] = owners[k]
        bounds[p - tile[0] + 1] = first + size
    total = bounds[rows]
    return Antichains(bounds, out_masks[:total].copy(), out_owners[:total].copy())


@compiled
def merge(one: Antichains, other: Antichains) -> Antichains:
    """The antichains over the rows of both; the two must have seen different rows."""
    rows = len(one.bounds) - 1
    bounds = np.zeros(rows + 1, np.int64)
    masks = np.empty(len(one.masks) + len(other.masks), np.uint64)
    owners = np.empty(len(masks), np.int64)
    for row in range(rows):
        first = bounds[row]
        size = 0
        for part in (one, other):
            for k in range(part.bounds[row], part.bounds[row + 1]):
                size = insert(masks[first:], owners[first:], size, part.masks[k], part.owners[k])
        bounds[row + 1] = first + size
    total = bounds[rows]
    return Antichains(bounds, masks[:total].copy(), owners[:total].copy())
