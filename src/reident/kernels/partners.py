"""Partners of one PUF record at a time, without meeting every other record (Primer 2.1).

All rows that agree with record p on some set S of variables are its cell of S. A row that agrees
with p on all that an EIF row e of the cell agrees on lies in the same cell. So a small cell settles
whether its EIF rows are partners, whatever the rest of the files holds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.holders import EXACT, WILD, WORD, Asked, Table, find, present, slot
from reident.kernels.masks import TAKEN
from reident.kernels.records import (
    Both,
    Chain,
    Record,
    add,
    mask_of,
    new_chain,
    record_of,
    roomy,
    variables_in,
)
from reident.kernels.sieves import EIF, PUF, stream

ROOM = 4
"""A cell may hold so many times the rows that it should; a larger one takes one more variable."""
SEEDS = 12
"""Cells that give the first masks of a sieve."""
TRIES = 16
"""Cells that are searched for a partner before all rows are looked at."""
NOT_EXPOSED = -1
NO_PAIRS, CONSISTENT_PAIRS, ALL_PAIRS = 0, 1, 2


class Aim(NamedTuple):
    """What is asked of a record besides its reading.

    `pairs` says which partners are listed: NO_PAIRS, those that contradict it nowhere
    (CONSISTENT_PAIRS), ALL_PAIRS. `few` is how many rows a cell should hold.
    """

    pairs: int
    few: int


class Verdicts(NamedTuple):
    """For each record its reading and the partners that are listed.

    A reading is 0, 1 or 2 (all, consistent, highest interactions), or NOT_EXPOSED.
    """

    reading: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]
    partners: npt.NDArray[np.int64]


@compiled
def uncontested(both: Both, record: Record, mask: Any) -> Any:
    """Whether one row of each file alone agrees with a record on a mask; they are known to."""
    asked = Asked(record.codes, variables_in(mask), EXACT)
    two = np.empty(2, np.int64)
    if find(both.puf, asked, record.puf[0], record.puf[1], two) > 1:
        return False
    return find(both.eif, asked, record.eif[0], record.eif[1], two) == 1


@compiled
def settle(both: Both, record: Record, chain: Chain, doubted: Any, most: int) -> Any:
    """Keep the owners that are partners, until there are `most`; returns how many there are.

    Masks that are doubted may be those of other rows too.
    """
    count = 0
    for k in range(chain.size[0]):
        if chain.owners[k] < 0:
            continue
        sure = not (doubted == chain.masks[k]).any()
        if count < most and (sure or uncontested(both, record, chain.masks[k])):
            count += 1
        else:
            chain.owners[k] = TAKEN
    return count


@compiled
def consistent(both: Both, record: Record, found: npt.NDArray[np.int64]) -> Chain:
    """The chain of the EIF rows that contradict the record nowhere; all partners are among them."""
    asked = Asked(record.codes, record.has, WILD)
    chain = new_chain(len(found))
    start = record.eif[0]
    while True:
        count = find(both.eif, asked, start, record.eif[1], found)
        chain = roomy(chain, count)
        for row in found[:count]:
            add(chain, mask_of(record, both.eif, row), row)
        if count < len(found):
            return chain
        start = found[count - 1] + 1


@compiled
def search_cell(
    both: Both, record: Record, order: int, few: int, rows: npt.NDArray[np.int64]
) -> Chain:
    """The chain of a small cell of the record, on variables in some order; empty if none is small.

    rows[0] and rows[1] are room for the rows of either file.
    """
    room = rows.shape[1]
    chain = new_chain(2 * room)
    chosen = np.empty(len(record.has), np.int64)
    width = 0
    expected = float(record.puf[1] - record.puf[0] + record.eif[1] - record.eif[0])
    for j in both.orders[order]:
        if record.codes[j] < 0:
            continue
        chosen[width] = j
        width += 1
        expected *= both.share[slot(both.eif, j, record.codes[j])]
        if expected > few and width < len(chosen):
            continue
        asked = Asked(record.codes, chosen[:width], EXACT)
        theirs = find(both.eif, asked, record.eif[0], record.eif[1], rows[1])
        if theirs == 0:
            break
        if theirs == room:
            continue
        mine = find(both.puf, asked, record.puf[0], record.puf[1], rows[0])
        if mine == room:
            continue
        for row in rows[1, :theirs]:
            add(chain, mask_of(record, both.eif, row), row)
        for row in rows[0, :mine]:
            if row != record.row:
                add(chain, mask_of(record, both.puf, row), TAKEN)
        break
    return chain


@compiled
def everything(both: Both, record: Record, few: int, most: int, rows: npt.NDArray[np.int64]) -> Any:
    """A chain whose owners are the partners of the record, at most so many; returns how many."""
    chain = new_chain(WORD)
    served = new_chain(WORD)
    for order in range(min(SEEDS, len(both.orders))):
        cell = search_cell(both, record, order, few, rows)
        chain = roomy(chain, cell.size[0])
        for k in range(cell.size[0]):
            add(chain, cell.masks[k], cell.owners[k])
    # A loop: for each of two constants `stream` would be compiled once more.
    for file in (PUF, EIF):
        chain, served = stream(both, record, chain, file, served)
    return settle(both, record, chain, served.masks[: served.size[0]], most), chain


@compiled
def every_row(both: Both, record: Record) -> Chain:
    """The chain of all EIF rows of the record's stratum, where they are few."""
    start, stop = record.eif
    chain = new_chain(stop - start)
    for row in range(start, stop):
        add(chain, mask_of(record, both.eif, row), row)
    return chain


@compiled
def some_partner(both: Both, record: Record, few: int, rows: npt.NDArray[np.int64]) -> Any:
    """Whether some small cells hold a partner of the record."""
    for order in range(min(TRIES, len(both.orders))):
        cell = search_cell(both, record, order, few, rows)
        if (cell.owners[: cell.size[0]] >= 0).any():
            return True
    return False


@compiled
def judge(both: Both, record: Record, aim: Aim, rows: npt.NDArray[np.int64]) -> Any:
    """Reading and a chain of the partners to list, in their order.

    The record is one that no row agrees with on all that it has.
    """
    most = 1 if aim.pairs == NO_PAIRS else len(both.eif.codes)
    chain = consistent(both, record, rows[0])
    agreeing = settle(both, record, chain, chain.masks, most)
    if agreeing and aim.pairs != ALL_PAIRS:
        return 1, chain
    reading = 1 if agreeing else 0
    if record.eif[1] - record.eif[0] <= aim.few:
        partners = every_row(both, record)
        count = settle(both, record, partners, partners.masks, most)
    elif aim.pairs != ALL_PAIRS and some_partner(both, record, aim.few, rows):
        return reading, chain
    else:
        count, partners = everything(both, record, aim.few, most, rows)
    return reading if count else NOT_EXPOSED, partners if aim.pairs == ALL_PAIRS else chain


@compiled
def judge_all(
    both: Both, asked: npt.NDArray[np.int64], spans: npt.NDArray[np.int64], aim: Aim
) -> Verdicts:
    """Verdicts on PUF rows; row asked[i] meets rows of the PUF and of the EIF.

    They are spans[i, 0] to spans[i, 1] - 1 and spans[i, 2] to spans[i, 3] - 1.
    """
    number = len(asked)
    reading = np.full(number, NOT_EXPOSED, np.int64)
    bounds = np.zeros(number + 1, np.int64)
    listed = new_chain(number)
    rows = np.empty((2, ROOM * aim.few), np.int64)
    two = np.empty(2, np.int64)
    for i in range(number):
        bounds[i + 1] = bounds[i]
        record = record_of(both, asked[i], spans[i])
        has, mine, theirs = record.has, record.puf, record.eif
        whole = Asked(record.codes, has, EXACT)
        # A row that agrees on all that the record has attains or covers every mask.
        if not len(has) or find(both.puf, whole, mine[0], mine[1], two) > 1:
            continue
        hits = find(both.eif, whole, theirs[0], theirs[1], two)
        if hits == 0:
            reading[i], chain = judge(both, record, aim, rows)
        elif hits == 1:
            reading[i] = 2 if len(has) == len(record.codes) else 1
            chain = new_chain(1)
            add(chain, np.uint64(1), two[0])
        else:
            continue
        if aim.pairs != NO_PAIRS:
            listed.size[0] = bounds[i]
            listed = roomy(listed, chain.size[0])
            for owner in chain.owners[: chain.size[0]]:
                if owner >= 0:
                    listed.owners[bounds[i + 1]] = owner
                    bounds[i + 1] += 1
    return Verdicts(reading, bounds, listed.owners[: bounds[number]].copy())


@compiled
def judge_pairs(
    both: Both, pairs: npt.NDArray[np.int64], spans: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The reading of pairs of a PUF row and an EIF row that it meets, spans as above."""
    reading = np.full(len(pairs), NOT_EXPOSED, np.int64)
    for i in range(len(pairs)):
        record = record_of(both, pairs[i, 0], spans[i])
        mask = mask_of(record, both.eif, pairs[i, 1])
        if mask == 0 or not uncontested(both, record, mask):
            continue
        equal = len(variables_in(mask))
        jointly = 0
        for j in record.has:
            if both.eif.codes[pairs[i, 1], j] >= 0:
                jointly += 1
        reading[i] = (1 if equal == jointly else 0) + (1 if equal == len(record.codes) else 0)
    return reading


@compiled
def uniques(held: Table, spans: npt.NDArray[np.int64], first: int, last: int) -> Any:
    """Rows first..last - 1 with a value that no other row agrees with on all they have.

    Others are rows spans[i, 0] to spans[i, 1] - 1.
    """
    two = np.empty(2, np.int64)
    count = 0
    for i in range(first, last):
        has = present(held.codes[i])
        if len(has):
            asked = Asked(held.codes[i], has, EXACT)
            if find(held, asked, spans[i, 0], spans[i, 1], two) == 1:
                count += 1
    return count
