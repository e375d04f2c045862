"""What was done, tile by tile: told while it goes on, and held against what was to be done."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

from reident.engine.job import UNTOLD, Done, Progress, Tile
from reident.engine.memory import refuse_beyond, taken
from reident.errors import Fault, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reident.engine.job import Watch

Books = dict[str, Counter[str]]
"""By label: jobs, tiles and the work of tiles that were done."""


def settled(strips: Iterator[Done], ledger: Ledger, books: Books) -> Iterator[Done]:
    """The strips as they are; when all have come, the job is entered in the books."""
    yield from strips
    ledger.settle(books)


class Ledger:
    """Tiles done so far, told to whoever watches; also the sign for threads to stop."""

    def __init__(
        self, label: str, tiles: Sequence[Tile], watch: Watch | None, memory: int | None
    ) -> None:
        self._label, self._watch, self._memory = label, watch, memory
        self._tiles = {tile.number: tile.work for tile in tiles}
        self._total = sum(tile.work for tile in tiles)
        self._numbers: list[int] = []
        self._done = 0
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def add(self, *tiles: Tile) -> None:
        """Enter tiles that are done."""
        if self._memory is not None:
            refuse_beyond(self._memory, taken(), "the run takes")
        with self._lock:
            self._numbers += [tile.number for tile in tiles]
            self._done += sum(tile.work for tile in tiles)
            if self._watch:
                self._watch(Progress(self._label, self._done, self._total))

    def settle(self, books: Books) -> None:
        """Every tile was done, and none twice: else no answer could be trusted."""
        if sorted(self._numbers) != sorted(self._tiles) or self._done != self._total:
            raise InternalError(
                Fault(
                    where="ledger",
                    found="tiles that were not done, or done twice",
                    remedy="Report this: the result would not be trustworthy",
                )
            )
        if self._label != UNTOLD:
            own = books.setdefault(self._label, Counter())
            own.update(jobs=1, tiles=len(self._numbers), work=self._done)
