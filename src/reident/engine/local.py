"""The engine of one machine: strips on a pool of threads, tiles of a strip one after another."""

from __future__ import annotations

import itertools
import threading
from collections import Counter, deque
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from reident.engine.job import UNTOLD, Done, Job, Progress, Tile
from reident.engine.memory import refuse_beyond, taken
from reident.errors import Fault, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    from reident.engine.checkpoint import Checkpoints, Steps
    from reident.engine.job import Fold, Watch

Books = dict[str, Counter[str]]
"""By label: jobs, tiles and the work of tiles that were done."""
BUDGET = 1 << 24
"""Pairs a tile: some tens of milliseconds, so that progress is smooth and a stop is prompt."""


def local(
    jobs: int = 1,
    budget: int = BUDGET,
    watch: Watch | None = None,
    keep: Checkpoints | None = None,
    memory: int | None = None,
    books: Books | None = None,
) -> Fold:
    """A fold on this machine with so many threads; kernels run without the interpreter's lock.

    Strips of jobs that name their `part` are kept, if there is something to `keep` them in; those
    that are there already are not run again. Beyond so many bytes of `memory` it stops. Jobs whose
    tiles are all done, each once, are entered in `books` by label.
    """

    def fold(job: Job[Any, Done], label: str) -> Iterator[Done]:
        tiles = job.tiles(budget)
        strips = [list(group) for _, group in itertools.groupby(tiles, key=lambda t: t.strip)]
        told = None if label == UNTOLD else watch
        counter = _Counter(label, tiles, told, memory)
        kind = getattr(job, "part", None)
        steps = None if keep is None or kind is None else keep.steps(kind, (label, tiles, job))
        done: Iterator[Done]
        if jobs == 1 or len(strips) == 1:
            done = (_run(job, strip, counter, steps) for strip in strips)
        else:
            done = _on_threads(job, strips, jobs, counter, steps)
        return _settled(done, counter, {} if books is None else books)

    return fold


def _settled(strips: Iterator[Done], counter: _Counter, books: Books) -> Iterator[Done]:
    """The strips as they are; when all have come, the job is entered in the books."""
    yield from strips
    counter.settle(books)


class _Counter:
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


def _run(
    job: Job[Any, Done], strip: list[Tile], counter: _Counter, steps: Steps[Any] | None
) -> Done:
    number = strip[0].strip
    part = None if steps is None else steps.found(number)
    if part is not None:
        counter.add(*strip)
        return job.finish(strip[0], part)
    for tile in strip:
        if counter.stopped.is_set():
            raise CancelledError
        new = job.run(tile, part)
        part = new if part is None else job.merge(part, new)
        counter.add(tile)
    if steps is not None:
        steps.add(number, part)
    return job.finish(strip[0], part)


def _on_threads(
    job: Job[Any, Done],
    strips: list[list[Tile]],
    jobs: int,
    counter: _Counter,
    steps: Steps[Any] | None,
) -> Iterator[Done]:
    """Strips in order; a few more than there are threads are under way, so memory is bounded."""
    waiting: deque[Future[Done]] = deque()
    upcoming = iter(strips)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for strip in itertools.islice(upcoming, 4 * jobs):
                waiting.append(pool.submit(_run, job, strip, counter, steps))
            while waiting:
                yield waiting.popleft().result()
                for strip in itertools.islice(upcoming, 1):
                    waiting.append(pool.submit(_run, job, strip, counter, steps))
        finally:
            # An error or Ctrl-C: threads stop at their next tile, what waits is never begun.
            counter.stopped.set()
            for future in waiting:
                future.cancel()
