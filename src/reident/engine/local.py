"""The engine of one machine: strips on a pool of threads, tiles of a strip one after another."""

from __future__ import annotations

import itertools
from collections import deque
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from reident.engine.checkpoint import digest_of
from reident.engine.how import BUDGET
from reident.engine.job import UNTOLD, Done, Job, Tile
from reident.engine.ledger import Ledger, settled
from reident.engine.memory import hold_on

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from reident.engine.checkpoint import Checkpoints, Steps
    from reident.engine.job import Fold, Watch
    from reident.engine.ledger import Books


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
    # One pool for all jobs of an attack, which are many and short; threads start when needed, and
    # end with the fold. A tile must not fold with it: it would wait for its own thread.
    pool = ThreadPoolExecutor(jobs)
    hold_on()

    def fold(job: Job[Any, Done], label: str) -> Iterator[Done]:
        tiles = job.tiles(budget)
        strips = [list(group) for _, group in itertools.groupby(tiles, key=lambda t: t.strip)]
        told = None if label == UNTOLD else watch
        ledger = Ledger(label, tiles, told, memory)
        kind = getattr(job, "part", None)
        steps = None
        if keep is not None and kind is not None:
            steps = keep.steps(kind, lambda: (label, tiles, digest_of(job)))
        done: Iterator[Done]
        if jobs == 1 or len(strips) == 1:
            done = (_run(job, strip, ledger, steps) for strip in strips)
        else:
            done = _on_threads(job, strips, jobs, pool, ledger, steps)
        return settled(done, ledger, {} if books is None else books)

    return fold


def _run(job: Job[Any, Done], strip: list[Tile], ledger: Ledger, steps: Steps[Any] | None) -> Done:
    number = strip[0].strip
    part = None if steps is None else steps.found(number)
    if part is not None:
        ledger.add(*strip)
        return job.finish(strip[0], part)
    for tile in strip:
        if ledger.stopped.is_set():
            raise CancelledError
        new = job.run(tile, part)
        part = new if part is None else job.merge(part, new)
        ledger.add(tile)
    if steps is not None:
        steps.add(number, part)
    return job.finish(strip[0], part)


def _on_threads(
    job: Job[Any, Done],
    strips: list[list[Tile]],
    jobs: int,
    pool: ThreadPoolExecutor,
    ledger: Ledger,
    steps: Steps[Any] | None,
) -> Iterator[Done]:
    """Strips in order; a few more than there are threads are under way, so memory is bounded."""
    waiting: deque[Future[Done]] = deque()
    upcoming = iter(strips)
    try:
        for strip in itertools.islice(upcoming, 4 * jobs):
            waiting.append(pool.submit(_run, job, strip, ledger, steps))
        while waiting:
            # Whoever interrupts this finds it among those that are waited for in the end.
            wait([waiting[0]])
            yield waiting.popleft().result()
            for strip in itertools.islice(upcoming, 1):
                waiting.append(pool.submit(_run, job, strip, ledger, steps))
    finally:
        # An error or Ctrl-C: threads stop at their next tile, what waits is never begun.
        ledger.stopped.set()
        for future in waiting:
            future.cancel()
        wait(waiting)
