"""The engine of one machine: strips on a pool of threads, tiles of a strip one after another."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from reident.engine.job import UNTOLD, Done, Job, Progress, Tile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from reident.engine.job import Fold, Watch

BUDGET = 1 << 24
"""Pairs a tile: some tens of milliseconds, so that progress is smooth and a stop is prompt."""


def local(jobs: int = 1, budget: int = BUDGET, watch: Watch | None = None) -> Fold:
    """A fold on this machine with so many threads; kernels run without the interpreter's lock."""

    def fold(job: Job[Any, Done], label: str) -> Iterator[Done]:
        tiles = job.tiles(budget)
        strips = [list(group) for _, group in itertools.groupby(tiles, key=lambda t: t.strip)]
        told = None if label == UNTOLD else watch
        counter = _Counter(label, sum(tile.work for tile in tiles), told)
        if jobs == 1 or len(strips) == 1:
            return (_run(job, strip, counter) for strip in strips)
        return _on_threads(job, strips, jobs, counter)

    return fold


class _Counter:
    """Work done so far, told to whoever watches; also the sign for threads to stop."""

    def __init__(self, label: str, total: int, watch: Watch | None) -> None:
        self._label, self._total, self._watch = label, total, watch
        self._done = 0
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def add(self, work: int) -> None:
        with self._lock:
            self._done += work
            if self._watch:
                self._watch(Progress(self._label, self._done, self._total))


def _run(job: Job[Any, Done], strip: list[Tile], counter: _Counter) -> Done:
    part = None
    for tile in strip:
        if counter.stopped.is_set():
            raise CancelledError
        new = job.run(tile, part)
        part = new if part is None else job.merge(part, new)
        counter.add(tile.work)
    return job.finish(strip[0], part)


def _on_threads(
    job: Job[Any, Done], strips: list[list[Tile]], jobs: int, counter: _Counter
) -> Iterator[Done]:
    """Strips in order; a few more than there are threads are under way, so memory is bounded."""
    waiting: deque[Future[Done]] = deque()
    upcoming = iter(strips)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for strip in itertools.islice(upcoming, 4 * jobs):
                waiting.append(pool.submit(_run, job, strip, counter))
            while waiting:
                yield waiting.popleft().result()
                for strip in itertools.islice(upcoming, 1):
                    waiting.append(pool.submit(_run, job, strip, counter))
        finally:
            # An error or Ctrl-C: threads stop at their next tile, what waits is never begun.
            counter.stopped.set()
            for future in waiting:
                future.cancel()
