"""A tile of EIF rows against some PUF rows: counted exactly where it can be, else bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reident.kernels import compiled
from reident.kernels.bounds import scan_bounds
from reident.kernels.candidates import Candidates, settle
from reident.kernels.exact import scan_exact

if TYPE_CHECKING:
    from reident.kernels.desk import Asked, Classes, Desk, Least
    from reident.kernels.pairs import Records, Scorer
    from reident.kernels.runs import Block
    from reident.kernels.shortlist import Shortlist

ENOUGH = 2048
"""Waiting pairs that are worth a call: settled soon, they bring cutoffs down for later tiles."""


@compiled
def scan_tile(
    records: Records,
    classes: Classes,
    scorer: Scorer,
    least: Least,
    block: Block,
    asked: Asked,
    begin: int,
    end: int,
    size: int,
    now: int,
    agreed: bool,
    desk: Desk,
    candidates: Candidates,
    waiting: int,
    short: Shortlist,
) -> int:
    """Look at a tile of `size` words for asked PUF rows `begin` to `end` - 1.

    `now` numbers the tile, `agreed` says that all its rows agree on the block. Returns how many
    candidates wait.
    """
    exact = least.exact and agreed
    at = begin
    while at < end:
        if exact:
            at = scan_exact(classes, least, block, asked, at, end, size, now, desk, short)
        if at < end:
            # A row whose cutoff is beyond exact sums, or all of them.
            at, waiting = scan_bounds(
                classes, scorer, least, block, asked, at, at + 1 if exact else end,
                short.cutoff, size, now, desk, candidates, waiting,
            )  # fmt: skip
        if waiting > ENOUGH:
            settle(records, scorer, candidates, waiting, asked.base, least.cost, short)
            waiting = int(np.int64(0))
    return waiting
