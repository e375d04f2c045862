"""Meet every EIF row, but for tiles of rows in which none can be near enough.

EIF rows stand in an order in which near ones lie together. A PUF row first looks at the tile in
which it would stand itself: that brings its cutoff down, and most other tiles need no look. What a
tile scores at least is known for each class of a variable from the classes that occur in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.bitmaps import CLASSES, DIGITS
from reident.kernels.candidates import no_candidates, settle
from reident.kernels.desk import Asked, Classes, Least, clear_desk, limit_of, show_words
from reident.kernels.pairs import EQUAL, Records, Scorer
from reident.kernels.tiles import scan_tile

if TYPE_CHECKING:
    from reident.kernels.runs import Block
    from reident.kernels.shortlist import Shortlist

Ints = npt.NDArray[np.int64]
WIDE = 64
"""Words of a tile: narrow enough that its rows are alike."""
ROWS = 64 * WIDE


class Crowd(NamedTuple):
    """Tiles of EIF rows: nearest[t, j, c] is what PUF class c of variable j scores there at least.

    In sixteenths; the last c stands for missing values. `places` is where PUF rows would stand.
    """

    nearest: npt.NDArray[np.uint8]
    places: Ints


@compiled
def least_by_tiles(
    theirs: npt.NDArray[np.uint8], scorer: Scorer, least: Least
) -> npt.NDArray[np.uint8]:
    """What each class scores at least in each tile, by the classes of EIF rows that it holds."""
    v, rows = theirs.shape
    tiles = -(-rows // ROWS)
    nearest = np.zeros((tiles, v, CLASSES + 1), np.uint8)
    there = np.empty(CLASSES + 1, np.bool_)
    for t in range(tiles):
        graded = 0
        for j in range(v):
            there[:] = False
            for i in range(t * ROWS, min(t * ROWS + ROWS, rows)):
                there[min(theirs[j, i], CLASSES)] = True
            gone = np.uint8(min(least.missing[j], 1 << DIGITS))
            for c in range(CLASSES):
                lowest = np.uint8(1 << DIGITS)
                if scorer.kind[j] != EQUAL:
                    for b in range(CLASSES):
                        if there[b]:
                            lowest = min(lowest, least.digits[graded, c, b])
                elif there[c] or scorer.other[j] == 0:
                    lowest = np.uint8(0)
                elif there[CLASSES]:
                    lowest = gone
                nearest[t, j, c] = lowest
            nearest[t, j, CLASSES] = gone
            graded += scorer.kind[j] != EQUAL
    return nearest


@compiled
def near_enough(mine: npt.NDArray[np.uint8], nearest: npt.NDArray[np.uint8], limit: int) -> bool:
    """Whether some row of a tile may score less than a limit, for the classes of a PUF row."""
    total = 0
    for j in range(len(mine)):
        total += nearest[j, min(mine[j], CLASSES)]
    return total < limit


@compiled
def scan_everyone(
    records: Records,
    classes: Classes,
    scorer: Scorer,
    least: Least,
    block: Block,
    crowd: Crowd,
    asked: Asked,
    short: Shortlist,
) -> None:
    """Score what the asked PUF rows meet; they stand in order of stratum and place."""
    rows, keys, base = asked.rows, asked.keys, asked.base
    places, mine = crowd.places, classes.mine
    desk = clear_desk(block.bits.shape[1], len(least.graded), len(block.first))
    candidates = no_candidates()
    chosen = Asked(np.empty(len(rows), np.int64), keys, asked.complete, asked.stratum, base)
    # Values of a type: for a plain 0 or True whatever is called would be compiled once more.
    now, waiting, begin = 0, int(np.int64(0)), 0
    from_here, agreed = int(np.int64(0)), bool(np.bool_(True))
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and keys[end] == keys[begin]:
            end += 1
        first, last = int(block.starts[keys[begin]]), int(block.starts[keys[begin] + 1])
        for sweep in range(2):
            at = begin
            for t in range(first // ROWS, -(-last // ROWS)):
                start, stop = max(first, t * ROWS), min(last, t * ROWS + ROWS)
                number = 0
                if sweep == 0:
                    # Those at home here: places ascend.
                    while at < end and (places[rows[at]] < stop or stop == last):
                        chosen.rows[number] = rows[at]
                        number += 1
                        at += 1
                else:
                    for k in range(begin, end):
                        p = rows[k]
                        place = min(max(places[p], first), last - 1)
                        limit = limit_of(short.cutoff[p - base], least.cost, least.grain)
                        if not start <= place < stop and near_enough(
                            mine[p], crowd.nearest[t], limit
                        ):
                            chosen.rows[number] = p
                            number += 1
                if not number:
                    continue
                now += 1
                size = show_words(start, stop, desk.source, desk.valid)
                waiting = scan_tile(
                    records, classes, scorer, least, block, chosen, from_here, number, size, now,
                    agreed, desk, candidates, waiting, short,
                )  # fmt: skip
        begin = end
    settle(records, scorer, candidates, waiting, base, least.cost, short)
