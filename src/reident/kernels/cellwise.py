"""Exact scores of PUF rows whose block is filled in: what agrees with them stands side by side.

The EIF rows that agree with given codes stand under one key. Their bitmaps are read where they are,
a *part* of a piece at a time, as many rows as a register has bits: nothing is gathered, and nothing
is scored again. What a PUF row may keep of a cell is decided on bitmaps too (kernels/levels).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled, inlined, uncounted
from reident.kernels.bitmaps import ALL_BITS, CLASSES, DIGITS, NO_BITS, NO_CLASS, ONE
from reident.kernels.desk import STARTS, in_lines, limit_of
from reident.kernels.lanes import LANES, WIDTH
from reident.kernels.levels import PART, level_of, note
from reident.kernels.registers import (
    counted,
    fetch,
    filled,
    in_all,
    load,
    majority,
    odd,
    spread,
    store,
)
from reident.kernels.shortlist import NO_CUTOFF, TOGETHER, put_all
from reident.kernels.tally import (
    FEW,
    HALF,
    M0,
    M1,
    M2,
    MO,
    TALLY,
    H,
    begin_tally,
    tally_at,
    tally_eight,
)

if TYPE_CHECKING:
    from reident.kernels.desk import Least
    from reident.kernels.entries import Entries
    from reident.kernels.runs import Block
    from reident.kernels.shortlist import Shortlist

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.uint16]
PIECE = 64 * LANES
"""EIF rows of a piece."""
PIECES = 16
"""Pieces that are counted before what they hold is written down."""
PARTS = PIECES * LANES // WIDTH
"""Parts of so many pieces."""
AHEAD = 64
"""Entries between asking for what belongs to a PUF row and using it."""
ROOM = 1 << 12
"""Pairs that may wait to be put on shortlists."""
KNOWN = 16
"""Cutoffs whose limits are held, because to divide takes long."""
LAST = np.uint8(2 * CLASSES - 1)
"""Bits of a class that tell it from others, and from NO_CLASS."""


@compiled
def scan_cells(
    mine: Bytes,
    halves: Places,
    least: Least,
    block: Block,
    asked: Entries,
    base: int,
    short: Shortlist,
) -> int:
    """Put the pairs that entries, in order of key, find on shortlists; returns the rows read.

    `mine` are the classes of PUF rows, `halves` those of their missing values that cost half a
    mismatch, `base` is the first row of the shortlists, whose cutoffs are few mismatches.
    """
    # Plain local arrays: looking into a tuple of arrays for every row costs more than the row.
    rows, keys, until, _, once = asked
    sizes, eif, scores, cutoffs = short
    cells, places = block.starts, block.rows
    missing, cost, low, grain = least.missing, least.cost, least.low, least.grain
    # Whoever misses nothing misses what comes after the last variable: the bitmap there is empty.
    variables, present = block.variables, np.append(block.present, 0) * LANES
    bits, apart = block.bits.reshape(-1), block.bits.shape[1] * LANES
    compared, chosen, table = bitmaps_of(block.first)
    v, many, keep = len(compared), len(chosen), eif.shape[1]
    starts, made = in_lines(STARTS * PARTS * TALLY), np.zeros((STARTS, 2), np.int64)
    counter, passing = in_lines(PARTS * TALLY), in_lines(PARTS * WIDTH)
    valid, guess = in_lines(PARTS * WIDTH), np.full(1, FEW, np.int64)
    gap = np.zeros(len(present) + 1, np.int64)
    limits, known = np.zeros(TOGETHER, np.int64), np.full((KNOWN, 2), -1, np.int64)
    # Room for whatever a cell may add when as many wait as may.
    found = np.empty((ROOM + TOGETHER * keep, 2), np.int64)
    ends = np.empty((ROOM + TOGETHER, 3), np.int64)
    # A number of a type: for a plain 0 put_all would be compiled once more.
    now, read, begin, total, waiting = 0, 0, 0, 0, int(np.int64(0))
    while begin < len(rows):
        end = begin + 1
        while (
            end < len(rows)
            and end - begin < TOGETHER
            and keys[end] == keys[begin]
            and until[end] == until[begin]
        ):
            end += 1
        start, stop = int(cells[keys[begin]]), int(cells[until[begin]])
        whole = int(cells[keys[begin] + 1])
        read += (stop - start) * (end - begin)
        while start < stop:
            first = start // PIECE
            last = min(stop, (first + PIECES) * PIECE)
            begin_part, end_part = show_parts(start - first * PIECE, last - first * PIECE, valid)
            here = first * apart
            if last > whole:
                named = here + present[variables[len(variables) - 1]]
                drop_copies(bits, named, apart, whole - first * PIECE, end_part, valid)
            start, now = last, now + 1
            for at in range(begin, end):
                later = rows[min(at + AHEAD, len(rows) - 1)]
                fetch(cutoffs, later - base)
                fetch(mine, later * mine.shape[1])
                fetch(halves, later * halves.shape[1])
                cutoff = cutoffs[rows[at] - base]
                place = cutoff % KNOWN
                if known[place, 0] != cutoff:
                    known[place, 0] = cutoff
                    known[place, 1] = whole_limit(cutoff, cost, grain, low)
                limits[at - begin] = known[place, 1]
            for at in range(begin, end):
                limit = limits[at - begin]
                if limit <= 0:
                    continue
                row = rows[at]
                for k in range(v):
                    chosen[k] = table[k, mine[row, compared[k]] & LAST]
                one, other, gaps = present[halves[row, 0]], present[halves[row, 1]], 0
                if halves[row, 2]:
                    gaps = gaps_of(mine, halves, row, gap)
                slot = (limit >> low) % STARTS
                begun = slot * PARTS * TALLY
                if made[slot, 0] != now or made[slot, 1] != limit:
                    made[slot, 0], made[slot, 1] = now, limit
                    for part in range(begin_part, end_part):
                        own = here + part_at(part, apart)
                        begin_tally(FEW - limit, bits, own, low, starts, begun + part * TALLY)
                numbers, hit = spread(NO_BITS), 0
                for part in range(begin_part, end_part):
                    own, to = here + part_at(part, apart), part * TALLY
                    ready = begun + to
                    k, x, y = (
                        load(starts, ready + H),
                        load(bits, own + one),
                        load(bits, own + other),
                    )
                    half, carry = odd(k, x, y), majority(k, x, y)
                    m0, m1, m2, over = tally_eight(
                        bits, own, chosen, 0, load(starts, ready + M0), load(starts, ready + M1),
                        load(starts, ready + M2), carry,
                    )  # fmt: skip
                    over |= load(starts, ready + MO)
                    for eight in range(8, many, 8):
                        m0, m1, m2, more = tally_eight(
                            bits, own, chosen, eight, m0, m1, m2, spread(NO_BITS)
                        )
                        over |= more
                    if gaps:
                        put_down(counter, to, half, m0, m1, m2, over)
                        for q in range(low, DIGITS - 1):
                            store(counter, to + q * WIDTH, load(starts, ready + q * WIDTH))
                        fill_gaps(bits, own, gap, gaps, missing, present, low, counter, to)
                        half, over = load(counter, to + H), load(counter, to + MO)
                        m0, m1, m2 = (
                            load(counter, to + M0),
                            load(counter, to + M1),
                            load(counter, to + M2),
                        )
                    for d in range(len(variables) if once[at] else 0):
                        if once[at] >> d & 1:
                            over |= ~load(bits, own + present[variables[d]])
                    alive = ~over & load(valid, part * WIDTH)
                    if filled(alive):
                        put_down(counter, to, half, m0, m1, m2, alive)
                        for q in range(low, DIGITS - 1 if not gaps else low):
                            store(counter, to + q * WIDTH, load(starts, ready + q * WIDTH))
                        store(passing, part * WIDTH, alive)
                        numbers += counted(alive)
                        hit |= 1 << part
                if not hit:
                    continue
                level = limit
                if in_all(numbers) > keep:
                    level = level_of(counter, hit, keep, limit, low, guess, passing)
                ends[waiting, 2] = level * cost >> DIGITS if level < limit else NO_CUTOFF
                total = note(counter, hit, passing, limit, cost, low, first * PIECE, found, total)
                ends[waiting, 0], ends[waiting, 1] = rows[at] - base, total
                waiting += 1
            if total > ROOM or waiting > ROOM or start < stop:
                name_rows(found, total, places)
                put_all(ends, found, waiting, sizes, eif, scores, cutoffs)
                total, waiting = 0, int(np.int64(0))
        begin = end
    name_rows(found, total, places)
    put_all(ends, found, waiting, sizes, eif, scores, cutoffs)
    return read


@inlined
def part_at(part: int, apart: int) -> int:
    """Where the words of a part begin, in pieces that lie so many words `apart`."""
    word = part * WIDTH
    return word // LANES * apart + word % LANES


@inlined
def put_down(counter: Words, at: int, half: Any, m0: Any, m1: Any, m2: Any, last: Any) -> None:
    """Write the digits of a counter down, from the half on."""
    store(counter, at + H, half)
    store(counter, at + M0, m0)
    store(counter, at + M1, m1)
    store(counter, at + M2, m2)
    store(counter, at + MO, last)


@uncounted
def name_rows(found: Ints, total: int, places: npt.NDArray[np.int32]) -> None:
    """The EIF rows that stand at the places found.

    All at once: rows lie far from each other, and come in few waits.
    """
    for i in range(total):
        found[i, 0] = places[found[i, 0]]


@compiled
def bitmaps_of(first: Ints) -> tuple[npt.NDArray[np.uint64], Ints, Ints]:
    """Variables that have bitmaps, room for those chosen of them, and where those of classes begin.

    A missing value has the first bitmap, which is empty, and so has the room that is left over.
    """
    compared = np.flatnonzero(first >= 0)
    chosen = np.zeros(max(8, (len(compared) + 7) // 8 * 8), np.int64)
    table = np.zeros((len(compared), LAST + 1), np.int64)
    for k in range(len(compared)):
        for c in range(CLASSES):
            table[k, c] = (first[compared[k]] + c) * LANES
    return compared.astype(np.uint64), chosen, table


@compiled
def halves_of(mine: Bytes, missing: Ints) -> Places:
    """For each PUF row two variables that it misses for half a mismatch, and if there are more.

    These two are added at no cost; where there is none the number of variables stands instead.
    """
    rows, v = mine.shape
    out = np.empty((rows, 3), np.uint16)
    for row in range(rows):
        held = 0
        out[row, 0], out[row, 1], out[row, 2] = v, v, 0
        for j in range(v):
            if mine[row, j] == NO_CLASS:
                half = missing[j] == HALF and held < 2  # of two
                out[row, held if half else 2] = j if half else 1
                held += half
    return out


@uncounted
def gaps_of(mine: Bytes, halves: Places, row: int, gap: Ints) -> int:
    """Write down the other variables that a PUF row misses; returns how many.

    Missing EIF values are counted from the start; those present count with the PUF row.
    """
    gaps = 0
    for j in range(mine.shape[1]):
        gap[gaps] = j
        gaps += mine[row, j] == NO_CLASS and halves[row, 0] != j and halves[row, 1] != j
    return gaps


@uncounted
def fill_gaps(
    bits: Words,
    part: int,
    gap: Ints,
    gaps: int,
    missing: Ints,
    present: Ints,
    low: int,
    counter: Words,
    at: int,
) -> None:
    """Add what values cost that a PUF row misses, where EIF rows of a part have them."""
    for k in range(gaps):
        for q in range(low, DIGITS + 1):
            if missing[gap[k]] >> q & 1:
                tally_at(bits, part + present[gap[k]], q, counter, at)


@compiled
def whole_limit(cutoff: int, cost: int, grain: int, low: int) -> int:
    """Sixteenths that no pair below a cutoff reaches, as a multiple of what divides all sums."""
    step = 1 << low
    return (limit_of(cutoff, cost, grain) + step - 1) // step * step


@uncounted
def show_parts(start: int, stop: int, valid: Words) -> tuple[int, int]:
    """Which rows of parts are `start` to `stop` - 1; the first part and the one after the last."""
    first, last = start // PART, (stop - 1) // PART + 1
    for w in range(first * WIDTH, last * WIDTH):
        valid[w] = up_to(stop - w * 64) & ~up_to(start - w * 64)
    return first, last


@compiled
def up_to(number: int) -> Any:
    """A word whose first bits are set, so many of them."""
    if number <= 0:
        return NO_BITS
    if number >= 64:
        # A shift by all bits of a word may give anything.
        return ALL_BITS
    return (ONE << np.uint64(number)) - ONE


@uncounted
def drop_copies(bits: Words, named: int, apart: int, whole: int, parts: int, valid: Words) -> None:
    """Leave out the rows from the one at `whole` on that a bitmap does not name.

    It begins at `named` in the first piece; pieces lie `apart`.
    """
    for w in range(parts * WIDTH):
        own = named + w // LANES * apart + w % LANES
        valid[w] &= up_to(whole - w * 64) | bits[own]
