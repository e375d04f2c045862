"""Find near pairs without meeting every pair: wildcard pigeonhole blocks, filtered by bitmaps.

Cut the categorical variables into t + 1 blocks. A pair with at most t mismatches has a block with
none (a missing value is a wildcard, not a mismatch), so it is found among the EIF rows that agree
with the PUF row on that whole block. A lookup may return more rows than that, never fewer: every
row that the bitmaps do not rule out is scored exactly, and no pair enters a shortlist twice. A
block without variables finds every row: that is meeting them all, 64 at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reident.kernels import compiled
from reident.kernels.bitmaps import ALL_BITS, NO_BITS, WORDS
from reident.kernels.candidates import no_candidates, settle
from reident.kernels.desk import Asked, Classes, Least, clear_desk
from reident.kernels.lanes import LANES
from reident.kernels.runs import MOST_RUNS, Block, find_runs
from reident.kernels.tiles import scan_tile

if TYPE_CHECKING:
    from reident.kernels.pairs import Records, Scorer
    from reident.kernels.shortlist import Shortlist


@compiled
def scan_block(
    records: Records,
    classes: Classes,
    scorer: Scorer,
    least: Least,
    block: Block,
    asked: Asked,
    short: Shortlist,
) -> int:
    """Score the pairs that a block finds for the asked PUF rows; returns how many rows it read.

    PUF rows of one key share what is gathered. A step of a lookup counts as a word of rows.
    """
    rows, keys = asked.rows, asked.keys
    bits, once, starts = block.bits, block.once, block.starts
    desk = clear_desk(bits.shape[1], len(least.graded), len(block.first))
    candidates = no_candidates()
    source, valid = desk.source, desk.valid
    runs = np.empty((MOST_RUNS, 2), np.int64)
    # Numbers of a type: for a plain 0 whatever is called would be compiled once more.
    now, read, waiting, begin = 0, 0, int(np.int64(0)), int(np.int64(0))
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and keys[end] == keys[begin]:
            end += 1
        p = rows[begin]
        found, agreed, copies = 1, bool(np.bool_(True)), asked.complete[begin]
        if copies:
            # Whatever agrees with a PUF row that has no missing value stands under its own key.
            runs[0, 0], runs[0, 1] = starts[keys[begin]], starts[keys[begin] + 1]
            found = int(runs[0, 0] < runs[0, 1])
        else:
            found, agreed, steps = find_runs(block, records.puf[p], asked.stratum[p], runs)
            read += 64 * steps
        size, run, word = 0, 0, -1
        while run < found or size:
            while run < found and size < WORDS:
                start, stop = runs[run]
                word = max(word, start >> 6)
                mask = ALL_BITS
                if word == start >> 6:
                    mask &= ALL_BITS << np.uint64(start & 63)
                if word == stop >> 6:
                    mask &= (np.uint64(1) << np.uint64(stop & 63)) - np.uint64(1)
                if not copies:
                    mask &= once[word]
                if size and source[size - 1] == word:
                    # Runs may share a word.
                    valid[size - 1] |= mask
                else:
                    source[size], valid[size] = word, mask
                    size += 1
                if word >= (stop - 1) >> 6:
                    run += 1
                else:
                    word += 1
            now += 1
            read += size * 64 * (end - begin)
            while size % LANES:
                source[size], valid[size] = source[size - 1], NO_BITS
                size += 1
            waiting = scan_tile(
                records, classes, scorer, least, block, asked, begin, end, size, now, agreed,
                desk, candidates, waiting, short,
            )  # fmt: skip
            size = 0
        begin = end
    settle(records, scorer, candidates, waiting, asked.base, least.cost, short)
    return read
