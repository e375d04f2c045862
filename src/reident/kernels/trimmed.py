"""The nearest record on the variables that fit best, by relative difference (Winkler 2002).

A relative difference |x - y| / |y| is a whole number of 2**-40, at most CAP. A record's score is
the sum of its `agree` smallest ones. If that is at most S, then for each t at least t of its
differences are at most S / (agree + 1 - t); so it lies in at least t spans of that reach, and in
one of any v - t + 1 of them. S grows until the best record found is as good; others are worse.
Bitmaps, where there are any, name the records that lie in all `agree` spans of reach S.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from reident.kernels.prefixes import Prefixes, Room, room_for, rows_in_many
from reident.kernels.windows import Asked, Orders, by_length, first_from, met_before

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
UNIT = 2**40
"""A relative difference of one."""
CAP = 2**50
"""The largest difference: a thousand times the released value, or anything beside a released 0."""
FIRST = 2**28
"""The sum that is tried first, for each variable that counts: about a four-thousandth."""
FIRST_WIDE = 2**34
"""The same where bitmaps are at hand, to which a wide span is no dearer than a narrow one."""
GROWTH = 4


class Mine(NamedTuple):
    """One released record: its values, their blocks of places, and the rows that it meets."""

    values: Floats
    blocks: Places
    met: Places


class Scratch(NamedTuple):
    """Room for one record at a time."""

    spans: Places
    trial: Places
    turn: Ints
    units: Ints


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def span_of_units(values: Floats, begin: int, end: int, y: float, most: int) -> tuple[int, int]:
    """The places of a block whose values differ from y by at most so many units."""
    split = first_from(values, begin, end, y)
    low, high = begin, split
    while low < high:
        middle = (low + high) // 2
        if difference(values[middle], y) > most:
            low = middle + 1
        else:
            high = middle
    first = low
    low, high = split, end
    while low < high:
        middle = (low + high) // 2
        if difference(values[middle], y) <= most:
            low = middle + 1
        else:
            high = middle
    return first, low


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def fill_spans(
    orders: Orders, values: Floats, blocks: Places, reach: int, spans: Places, turn: Ints
) -> None:
    """The spans within so many units of each value, and the variables by their length."""
    for j in range(len(values)):
        found = span_of_units(orders.values[j], blocks[j, 0], blocks[j, 1], values[j], reach)
        spans[j, 0] = found[0]
        spans[j, 1] = found[1]
    by_length(spans, turn)


@numba.njit(cache=True, nogil=True)
def choose_spans(
    orders: Orders, values: Floats, blocks: Places, most: int, agree: int, room: Scratch
) -> int:
    """Fill `spans` and `turn` by the cheapest t; returns how many of the spans must be read.

    -1 where a sum no longer tells which records to read, because every difference is within CAP.
    """
    v = len(values)
    least, chosen = -1, 0
    for t in range(1, agree + 1):
        reach = most // (agree + 1 - t)
        if reach >= CAP:
            break
        fill_spans(orders, values, blocks, reach, room.trial, room.turn)
        total = 0
        for i in range(v - t + 1):
            j = room.turn[i]
            total += room.trial[j, 1] - room.trial[j, 0]
        if least < 0 or total < least:
            least, chosen = total, t
            room.spans[:] = room.trial
    if least < 0:
        return -1
    by_length(room.spans, room.turn)
    return v - chosen + 1


@numba.njit(cache=True, nogil=True)
def compare(
    orders: Orders, numbers: Floats, e: int, mine: Mine, agree: int, units: Ints, out: Ints
) -> None:
    """Hold a record against the best so far: sum, how many have it, the last of them."""
    total = trimmed_sum(numbers[e], orders.place[e], mine.values, mine.blocks, agree, units)
    if total < 0 or (out[1] and total > out[0]):
        return
    if total < out[0] or not out[1]:
        out[0], out[1] = total, 0
    out[1] += 1
    out[2] = e


@numba.njit(cache=True, nogil=True)
def search(
    orders: Orders,
    numbers: Floats,
    held: Prefixes,
    mine: Mine,
    most: int,
    agree: int,
    room: tuple[Scratch, Room],
    out: Ints,
) -> bool:
    """Compare all records whose sum may be at most so much, each once; whether these are all."""
    own, bits = room
    out[0], out[1], out[2] = 0, 0, -1
    if len(held.words) > 0 and most < CAP:
        fill_spans(orders, mine.values, mine.blocks, most, own.spans, own.turn)
        for i in range(rows_in_many(held, own.spans, mine.met, agree, bits)):
            compare(orders, numbers, bits.rows[i], mine, agree, own.units, out)
        return False
    read = choose_spans(orders, mine.values, mine.blocks, most, agree, own)
    if read < 0:
        for e in range(mine.met[0], mine.met[1]):
            compare(orders, numbers, e, mine, agree, own.units, out)
        return True
    for i in range(read):
        j = own.turn[i]
        for at in range(own.spans[j, 0], own.spans[j, 1]):
            e = orders.rows[j, at]
            if not met_before(orders.place[e], own.spans, own.turn, i):
                compare(orders, numbers, e, mine, agree, own.units, out)
    return False


@numba.njit(cache=True, nogil=True)
def nearest_trimmed(
    orders: Orders,
    numbers: Floats,
    held: Prefixes,
    asked: Asked,
    met: Places,
    agree: int,
    out: Ints,
) -> None:
    """For each released record the smallest sum, how many records have it, and the last of them.

    `met` are the rows it meets, `numbers` the values of all rows. 0, 0 and -1 where no record can
    be compared on `agree` variables.
    """
    v = asked.values.shape[1]
    room = (
        Scratch(
            np.zeros((v, 2), np.int32),
            np.zeros((v, 2), np.int32),
            np.zeros(v, np.int64),
            np.zeros(v + 1, np.int64),
        ),
        room_for(held),
    )
    for p in range(len(out)):
        out[p, 0], out[p, 1], out[p, 2] = 0, 0, -1
        if (asked.blocks[p, :, 0] >= 0).sum() < agree:
            continue
        mine = Mine(asked.values[p], asked.blocks[p], met[p])
        most = (FIRST_WIDE if len(held.words) else FIRST) * agree
        while not search(orders, numbers, held, mine, most, agree, room, out[p]):
            if out[p, 1] and out[p, 0] <= most:
                break
            # What was found bounds the best: no need to look farther than that.
            more = most * GROWTH
            most = min(more, out[p, 0]) if out[p, 1] else more
