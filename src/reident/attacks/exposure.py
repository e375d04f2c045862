"""How records are exposed: by how small an interaction, and alone in their own file."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.kernels.keys import counts, row_keys

if TYPE_CHECKING:
    from reident.encode.strata import Layout

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


def first_orders(
    puf: Codes, eif: Codes, layout: Layout, orders: int, reading: str, suspected: Flags
) -> Ints:
    """For each suspected PUF row the size of the smallest interaction that exposes it.

    Searched level by level up to `orders`, while a suspected row is not yet exposed; 0 above.
    """
    v = puf.shape[1]
    order = np.zeros(len(puf), np.int64)
    if reading == "highest":
        # Only the interaction of all variables counts, so it is also the smallest.
        return np.where(suspected & (v <= orders), v, 0)
    eif_stratum = _eif_strata(layout, len(eif))
    for size in range(1, min(orders, v) + 1):
        for chosen in combinations(range(v), size):
            if not (suspected & (order == 0)).any():
                return order
            rows, partners = _shared_uniques(
                puf[:, chosen], eif[:, chosen], layout.stratum, eif_stratum
            )
            if reading == "consistent":
                agree = _consistent(puf[rows], eif[partners])
                rows = rows[agree]
            rows = rows[suspected[rows] & (order[rows] == 0)]
            order[rows] = size
    return order


def _eif_strata(layout: Layout, records: int) -> Ints:
    """The stratum of each EIF row that a PUF row meets; -1 for the others."""
    stratum = np.full(records, -1, np.int64)
    starts, at = np.unique(layout.first, return_index=True)
    for first, row in zip(starts, at, strict=True):
        stratum[first : layout.last[row]] = layout.stratum[row]
    return stratum


def _shared_uniques(
    puf: Codes, eif: Codes, puf_stratum: Ints, eif_stratum: Ints
) -> tuple[Ints, Ints]:
    """Rows that are sample uniques of one cell in both files (Primer 2.1 steps 3-5)."""
    puf_rows = np.flatnonzero((puf >= 0).all(axis=1))
    eif_rows = np.flatnonzero((eif >= 0).all(axis=1) & (eif_stratum >= 0))
    stratum = np.concatenate([puf_stratum[puf_rows], eif_stratum[eif_rows]])
    keys = row_keys([stratum, *np.concatenate([puf[puf_rows], eif[eif_rows]]).T])
    mine, theirs = keys[: len(puf_rows)], keys[len(puf_rows) :]
    mine_alone, theirs_alone = counts(mine) == 1, counts(theirs) == 1
    _, at, other = np.intersect1d(
        mine[mine_alone], theirs[theirs_alone], assume_unique=True, return_indices=True
    )
    return puf_rows[mine_alone][at], eif_rows[theirs_alone][other]


def _consistent(puf: Codes, eif: Codes) -> Flags:
    """Whether two rows agree wherever both are present."""
    return np.asarray(((puf == eif) | (puf < 0) | (eif < 0)).all(axis=1))


def present_uniques(codes: Codes, stratum: Ints) -> int:
    """Rows that no other row of their stratum agrees with on all values they have present."""
    patterns = row_keys(list((codes >= 0).T.astype(np.int64)))
    unique = 0
    for pattern in np.unique(patterns):
        mine = patterns == pattern
        chosen = codes[np.argmax(mine)] >= 0
        if not chosen.any():
            continue
        complete = (codes[:, chosen] >= 0).all(axis=1)
        keys = row_keys([stratum[complete], *codes[complete][:, chosen].T])
        unique += int((counts(keys) == 1)[mine[complete]].sum())
    return unique
