"""What each attack of a run was expected to take when its first tiles were done.

`plan` times tiles beforehand (engine/forecast); a run does no tile twice for the sake of a figure.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from reident.engine.forecast import held
from reident.engine.job import UNTOLD, Done, Job, Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reident.engine.job import Fold, Watch


class Expected:
    """Listens to a fold, and to its tiles on `threads`, for one attack after another.

    Events go on to whoever else is to `watch`.
    """

    def __init__(self, threads: int, watch: Watch | None) -> None:
        self._threads, self._passed_on = threads, watch
        self._begun = self._started = 0.0
        self._seconds: float | None = None
        self._bytes: int | None = None
        self._waiting = False

    def begin(self) -> None:
        """An attack begins: what comes before its first tile counts from here."""
        self._begun = time.perf_counter()
        self._seconds = self._bytes = None
        self._waiting = False

    def told(self) -> dict[str, float | int | None]:
        """Seconds and bytes of the attack's jobs; none where it has no tiles."""
        return {"seconds": self._seconds, "bytes": self._bytes}

    def listening(self, fold: Fold) -> Fold:
        """The same fold; jobs that are told of are expected to take what their first tiles say."""

        def noted(job: Job[Any, Done], label: str) -> Iterator[Done]:
            if label != UNTOLD:
                self._started, self._waiting = time.perf_counter(), True
                self._bytes = max(self._bytes or 0, held(job))
            return fold(job, label)

        return noted

    def watch(self, event: Progress) -> None:
        """Work was done: by the first tile of a job all of it is expected to take so long."""
        if self._waiting and event.done:
            self._waiting = False
            now = time.perf_counter()
            # The other threads have about as much behind them by now.
            done = min(event.total, event.done * self._threads)
            before = self._started - self._begun if self._seconds is None else self._seconds
            self._seconds = before + (now - self._started) * event.total / done
        if self._passed_on:
            self._passed_on(event)
