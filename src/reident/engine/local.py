"""The engine of one machine: strips on a pool of threads, tiles of a strip one after another."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from reident.engine.job import UNTOLD, Done, Job, Progress, Tile
from reident.engine.memory import refuse_beyond, taken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from reident.engine.checkpoint import Checkpoints, Steps
    from reident.engine.job import Fold, Watch

BUDGET = 1 << 24
"""Pairs a tile: some tens of milliseconds, so that progress is smooth and a stop is prompt."""


def local(
    jobs: int = 1,
    budget: int = BUDGET,
    watch: Watch | None = None,
    keep: Checkpoints | None = None,
    memory: int | None = None,
) -> Fold:
    """A fold on this machine with so many threads; kernels run without the interpreter's lock.

    Strips of jobs that name their `part` are kept, if there is something to `keep` them in; those
    that are there already are not run again. Beyond so many bytes of `memory` it stops.
    """

    def fold(job: Job[Any, Done], label: str) -> Iterator[Done]:
        tiles = job.tiles(budget)
        strips = [list(group) for _, group in itertools.groupby(tiles, key=lambda t: t.strip)]
        told = None if label == UNTOLD else watch
        counter = _Counter(label, sum(tile.work for tile in tiles), told, memory)
        kind = getattr(job, "part", None)
        steps = None if keep is None or kind is None else keep.steps(kind, (label, tiles, job))
        if jobs == 1 or len(strips) == 1:
            return (_run(job, strip, counter, steps) for strip in strips)
        return _on_threads(job, strips, jobs, counter, steps)

    return fold


class _Counter:
    """Work done so far, told to whoever watches; also the sign for threads to stop."""

    def __init__(self, label: str, total: int, watch: Watch | None, memory: int | None) -> None:
        self._label, self._total, self._watch, self._memory = label, total, watch, memory
        self._done = 0
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def add(self, work: int) -> None:
        if self._memory is not None:
            refuse_beyond(self._memory, taken(), "the run takes")
        with self._lock:
            self._done += work
            if self._watch:
                self._watch(Progress(self._label, self._done, self._total))


def _run(
    job: Job[Any, Done], strip: list[Tile], counter: _Counter, steps: Steps[Any] | None
) -> Done:
    number = strip[0].strip
    part = None if steps is None else steps.found(number)
    if part is not None:
        counter.add(sum(tile.work for tile in strip))
        return job.finish(strip[0], part)
    for tile in strip:
        if counter.stopped.is_set():
            raise CancelledError
        new = job.run(tile, part)
        part = new if part is None else job.merge(part, new)
        counter.add(tile.work)
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
