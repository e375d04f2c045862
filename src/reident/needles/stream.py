"""Approach 2 (3.2.2 and 5.3): one pass in batches, in memory that does not grow with the file.

A cell is held as its key and a count; a cell that passed k is a mere count, its records are not
kept track of. Where even the cells would take too much room, the file is gone over in shares: each
pass counts the keys of one share, and no cell lies in two.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.engine.checkpoint import part_of
from reident.kernels import cells
from reident.needles.costs import STREAM_BYTES
from reident.needles.find import complete, tally_of
from reident.needles.summary import Counted
from reident.needles.transforms import t2_word, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reident.encode.categories import Coded
    from reident.engine.checkpoint import Checkpoints, Steps
    from reident.needles.find import Counts

FIRST_SLOTS = 1 << 16


class Table(NamedTuple):
    """Cells by key: held[s] are the words of the key in slot s, sizes[s] its records or 0."""

    held: npt.NDArray[np.uint64]
    sizes: npt.NDArray[np.uint32]
    cells: int


class Streamed(NamedTuple):
    """What was counted, and the records in cells of at most k: their positions and counts."""

    counted: Counted
    rows: npt.NDArray[np.int64]
    counts: Counts


class Share(NamedTuple):
    """What one pass over the file shows: the cells of a share of the keys.

    `records` are all that the pass has seen; `smallest` is empty where the share has no cell.
    """

    records: npt.NDArray[np.int64]
    smallest: npt.NDArray[np.int64]
    tally: npt.NDArray[np.int64]
    by_count: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    counts: Counts


class _TooFullError(Exception):
    """The cells of a share do not fit."""


def stream(
    batches: Callable[[], Iterator[Coded]],
    k: int,
    *,
    drop: bool,
    most: int = STREAM_BYTES,
    keep: Checkpoints | None = None,
) -> Streamed:
    """Count cells batch by batch; `batches` goes over the file anew each time it is called.

    With `drop`, records with a missing value are set aside. `most` bytes are held at a time.
    Shares that are counted are kept, if there is something to `keep` them in.
    """
    bits = 0
    while True:
        steps = None if keep is None else keep.steps(Share, partial(tuple, (k, drop, most, bits)))

        def share(which: int, bits: int = bits, steps: Steps[Share] | None = steps) -> Share:
            count = partial(_share, batches, k, (which, bits), drop=drop, most=most)
            return part_of(steps, which, count)

        try:
            return _together([share(which) for which in range(1 << bits)])
        except _TooFullError:
            bits += 2


def _share(
    batches: Callable[[], Iterator[Coded]],
    k: int,
    share: tuple[int, int],
    *,
    drop: bool,
    most: int,
) -> Share:
    """Count the cells of one share, and find the records of those with at most k."""
    table, records = None, 0
    for batch in batches():
        words = words_of_batch(batch, drop=drop)
        table = add_batch(words, share, table or empty_table(words), most)
        records += batch.records
    sizes = np.zeros(0, np.uint32) if table is None else table.sizes[table.sizes > 0]
    rows, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.uint32)]
    if table is not None and len(sizes):
        first = 0
        for batch in batches():
            at, found = _few(batch, table, share, k, drop=drop)
            rows.append(first + at)
            counts.append(found)
            first += batch.records
    return Share(
        records=np.array([records]),
        smallest=np.array([sizes.min()] if len(sizes) else [], np.int64),
        tally=tally_of(sizes, k),
        by_count=tally_of(sizes, k, sizes),
        rows=np.concatenate(rows),
        counts=np.concatenate(counts),
    )


def _together(shares: Sequence[Share]) -> Streamed:
    """What all shares show: no cell lies in two."""
    smallest = np.concatenate([share.smallest for share in shares])
    where = np.concatenate([share.rows for share in shares])
    order = np.argsort(where, kind="stable")
    counted = Counted(
        records=int(shares[-1].records[0]),
        by_count=np.sum([share.by_count for share in shares], axis=0),
        tally=np.sum([share.tally for share in shares], axis=0),
        smallest=int(smallest.min()) if len(smallest) else None,
    )
    each = np.concatenate([share.counts for share in shares])
    return Streamed(counted, where[order], each[order])


def words_of_batch(batch: Coded, *, drop: bool) -> npt.NDArray[np.uint64]:
    """The keys of a batch, as many words each as T2 needs; row by row."""
    if drop:
        batch = batch.take(complete(batch))
    spans = words_of(batch.sizes, 2, "t2")
    return np.ascontiguousarray(np.stack([t2_word(batch, span, 1)[0] for span in spans], axis=1))


def empty_table(words: npt.NDArray[np.uint64]) -> Table:
    """A table without cells for keys of so many words."""
    shape = (FIRST_SLOTS, words.shape[1])
    return Table(np.empty(shape, np.uint64), np.zeros(FIRST_SLOTS, np.uint32), 0)


def add_batch(
    words: npt.NDArray[np.uint64], share: tuple[int, int], table: Table, most: int
) -> Table:
    """The table with the keys of one more batch; it grows as cells come."""
    at, found = cells.add_words(words, share, 0, *table)
    while at < len(words):
        larger = Table(
            np.empty((2 * len(table.held), words.shape[1]), np.uint64),
            np.zeros(2 * len(table.sizes), np.uint32),
            found,
        )
        if larger.held.nbytes + larger.sizes.nbytes > most:
            raise _TooFullError
        cells.move_words(table.held, table.sizes, larger.held, larger.sizes)
        table = larger
        at, found = cells.add_words(words, share, at, *table)
    return table._replace(cells=found)


def _few(
    batch: Coded, table: Table, share: tuple[int, int], k: int, *, drop: bool
) -> tuple[npt.NDArray[np.int64], Counts]:
    """The records of a batch whose cell is of the share and has at most k records."""
    words = words_of_batch(batch, drop=drop)
    found = np.zeros(len(words), np.uint32)
    cells.look_up_words(words, share, table.held, table.sizes, found)
    few = (found > 0) & (found <= k)
    at = np.flatnonzero(complete(batch))[few] if drop else np.flatnonzero(few)
    return at, found[few]
