"""The nearest record on the variables that fit best, by relative difference (Winkler 2002).

A relative difference |x - y| / |y| is a whole number of 2**-40, at most CAP. A record's score is
the sum of its `agree` smallest ones. Let that be at most S, and t variables be left out. Then of r
blocks of variables r - t or more hold only such as count, and one of these adds up to at most
S / (r - t): the record lies in all spans of that reach of one of any r blocks. It also lies in
`agree` spans of reach S; and where each difference is cut down to whole quarters of S, these are
fewer than four together. S grows until the best record found is as good; others are worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.grids import (
    Grids,
    Sieve,
    add_step,
    by_work,
    first_met,
    rows_inside,
    set_sieve,
    sieve_for,
)

if TYPE_CHECKING:
    from reident.kernels.windows import Asked, Orders

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
UNIT = 2**40
"""A relative difference of one."""
CAP = 2**50
"""The largest difference: a thousand times the released value, or anything beside a released 0."""
FIRST = 2**32
"""The sum that is tried first, for each variable that counts: about a 256th."""
GROWTH = 2
LEVELS = 4
"""Steps in which differences are told apart by their codes alone: quarters of a sum."""


class Mine(NamedTuple):
    """One released record: its values, their blocks of places, and the rows that it meets."""

    values: Floats
    blocks: Places
    met: Places


class Scratch(NamedTuple):
    """Room for one record at a time."""

    spans: Places
    trial: Places
    work: Ints
    turn: Ints
    units: Ints
    sieve: Sieve


@compiled
def difference(x: float, y: float) -> int:
    """The relative difference of two values in whole units."""
    gap = abs(x - y)
    if gap == 0.0:
        return 0
    if y == 0.0:
        return CAP
    share = gap / abs(y)
    if share >= CAP // UNIT:
        return CAP
    return int(np.rint(share * UNIT))


@compiled
def trimmed_sum(
    numbers: Floats, place: Places, values: Floats, blocks: Places, agree: int, units: Ints
) -> int:
    """The sum of a record's `agree` smallest differences, -1 where fewer values can be compared.

    A place outside the block is that of another state: as far away as can be.
    """
    count = 0
    for j in range(len(values)):
        if blocks[j, 0] < 0 or place[j] < 0:
            continue
        apart = CAP
        if blocks[j, 0] <= place[j] < blocks[j, 1]:
            apart = difference(numbers[j], values[j])
        k = count
        while k > 0 and units[k - 1] > apart:
            units[k] = units[k - 1]
            k -= 1
        units[k] = apart
        count += 1
    if count < agree:
        return -1
    return int(units[:agree].sum())


@compiled
def span_of_parts(
    values: Floats, begin: int, end: int, y: float, reach: int, part: int
) -> tuple[int, int]:
    """Places of a block among which are all values within so many units of y, in whole parts.

    Only the first value of each part is looked at: few enough to stay in a near cache.
    """
    # The next unit up: rounding cannot bring what lies beyond it back within reach.
    distance = (reach + 1) / UNIT * abs(y)
    low, high = -(-begin // part), -(-end // part)
    while low < high:
        middle = (low + high) // 2
        if y - values[middle * part] > distance:
            low = middle + 1
        else:
            high = middle
    first, high = low, -(-end // part)
    while low < high:
        middle = (low + high) // 2
        if values[middle * part] - y <= distance:
            low = middle + 1
        else:
            high = middle
    return max(begin, (first - 1) * part), min(end, low * part)


@compiled
def fill_spans(orders: Orders, part: Ints, mine: Mine, reach: int, spans: Places) -> None:
    """`span_of_parts` of each variable."""
    for j in range(len(part)):
        begin, end = mine.blocks[j, 0], mine.blocks[j, 1]
        found = span_of_parts(orders.values[j], begin, end, mine.values[j], reach, part[j])
        spans[j, 0] = found[0]
        spans[j, 1] = found[1]


@compiled
def choose_blocks(
    orders: Orders, grids: Grids, mine: Mine, most: int, agree: int, room: Scratch
) -> int:
    """Fill `spans` and `turn` by the r with least to read; returns r."""
    allowed = len(mine.values) - agree
    least, chosen = -1, 0
    for read in range(allowed + 1, len(grids.pairs) + 1):
        fill_spans(orders, grids.part, mine, most // (read - allowed), room.trial)
        by_work(grids, room.trial, room.work, room.turn)
        total = 0
        for i in range(read):
            total += room.work[room.turn[i]]
        if least < 0 or total < least:
            least, chosen = total, read
            room.spans[:] = room.trial
    by_work(grids, room.spans, room.work, room.turn)
    return chosen


@compiled
def compare(
    orders: Orders, numbers: Floats, e: int, mine: Mine, agree: int, units: Ints, out: Ints
) -> None:
    """Hold a record against the best so far: sum, whether one (1) or more (2) have it, the last."""
    total = trimmed_sum(numbers[e], orders.place[e], mine.values, mine.blocks, agree, units)
    if total < 0 or (out[1] and total > out[0]):
        return
    if total < out[0] or not out[1]:
        out[0], out[1] = total, 0
    out[1] = min(out[1] + 1, 2)
    out[2] = e


@compiled
def search(
    orders: Orders,
    numbers: Floats,
    grids: Grids,
    mine: Mine,
    most: int,
    agree: int,
    room: Scratch,
    out: Ints,
) -> None:
    """Compare all records whose sum may be at most so much, each once."""
    out[0], out[1], out[2] = 0, 0, -1
    if most >= CAP:
        # Every difference is within reach: a sum no longer tells which records to read.
        for e in range(mine.met[0], mine.met[1]):
            compare(orders, numbers, e, mine, agree, room.units, out)
        return
    room.sieve.steps[:] = 0
    for level in range(1, LEVELS + 1):
        fill_spans(orders, grids.part, mine, most * level // LEVELS, room.trial)
        add_step(grids, room.trial, room.sieve.steps)
    set_sieve(grids, room.trial, room.sieve)
    for i in range(choose_blocks(orders, grids, mine, most, agree, room)):
        for k in range(rows_inside(grids, room.turn[i], room.spans, room.sieve, agree, LEVELS)):
            e = room.sieve.rows[k]
            if first_met(grids, orders.place[e], room.spans, room.turn, i):
                compare(orders, numbers, e, mine, agree, room.units, out)
                # Nothing is smaller than 0: where many values are 0, thousands may tie.
                if out[0] == 0 and out[1] == 2:
                    return


@compiled
def nearest_trimmed(
    orders: Orders,
    numbers: Floats,
    grids: Grids,
    asked: Asked,
    met: Places,
    agree: int,
    out: Ints,
) -> None:
    """For each released record the smallest sum, how many records have it, and the last of them.

    Two stand for more: a tie is no guess, however many tie. `met` are the rows it meets, `numbers`
    the values of all rows. 0, 0 and -1 where no record can be compared on `agree` variables.
    """
    v, blocks = asked.values.shape[1], len(grids.pairs)
    room = Scratch(
        np.zeros((v, 2), np.int32),
        np.zeros((v, 2), np.int32),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        np.zeros(v + 1, np.int64),
        sieve_for(grids),
    )
    for p in range(len(out)):
        out[p, 0], out[p, 1], out[p, 2] = 0, 0, -1
        if (asked.blocks[p, :, 0] >= 0).sum() < agree:
            continue
        mine = Mine(asked.values[p], asked.blocks[p], met[p])
        most = 0
        more = FIRST * agree
        while most < CAP and not (out[p, 1] and out[p, 0] <= most):
            # What was found bounds the best: no need to look farther than that.
            most = min(more, out[p, 0]) if out[p, 1] else more
            search(orders, numbers, grids, mine, most, agree, room, out[p])
            more = most * GROWTH
