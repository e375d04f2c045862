"""A fold that measures instead of running: what `plan` knows before any work is done."""

from __future__ import annotations

import time
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reident.engine.job import in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reident.engine.job import Done, Fold, Job

PROBES = 5
"""Tiles that are timed, spread over the work."""
SECONDS = 2.0
"""No more tiles are timed after this."""
LOADING = 1.0
"""Seconds that loading kernels may take; what took longer has compiled them, as no run will."""


class Forecast(Exception):  # noqa: N818  # no error: it carries the answer out of an attack
    """How a job would run, its expected seconds, and the bytes of its arrays.

    Of the seconds, so many are `prepared` by one thread before the first tile, and so many go into
    `loading` kernels, however large the files are. Tiles have `made` so many bytes beside the job.
    """

    def __init__(  # one value for each figure of a forecast
        self,
        how: str,
        seconds: float,
        size: int,
        made: int = 0,
        prepared: float = 0.0,
        loading: float = 0.0,
    ) -> None:
        super().__init__(how)
        self.how, self.seconds, self.size, self.made = how, seconds, size, made
        self.prepared, self.loading = prepared, loading


def forecasting(jobs: int, budget: int) -> Fold:
    """A fold that times some tiles of a job and raises a Forecast for all of them.

    What comes before the first tile, the coding of columns and the making of an index, is done in
    full and counts from here. So are jobs that only prepare another. Jobs that a job names in
    `also` come after it and count too.
    """
    begun = time.perf_counter()

    def fold(job: Job[Any, Done], label: str) -> Iterator[Done]:
        if getattr(job, "prepares", False):
            return in_turn(job, label)
        prepared = time.perf_counter() - begun
        if not any(tile.work for tile in job.tiles(budget)):
            raise Forecast(job.how, 0.0, held(job))
        following = job.also() if hasattr(job, "also") else ()
        expected = [_expected(one, jobs, budget) for one in (job, *following)]
        loading, working = (sum(part) for part in zip(*expected, strict=True))
        seconds = prepared + loading + working
        raise Forecast(job.how, seconds, held(job), made(job), prepared, loading)

    return fold


def _expected(job: Job[Any, Any], jobs: int, budget: int) -> tuple[float, float]:
    """Seconds that a job takes to load its kernels, and then, from those of some tiles."""
    tiles = [tile for tile in job.tiles(budget) if tile.work]
    if not tiles:
        return 0.0, 0.0
    places = np.unique(np.linspace(0, len(tiles) - 1, PROBES).astype(int))
    # The last tile is most often the smallest: it loads kernels, and warms the caches.
    start = time.perf_counter()
    job.run(tiles[-1], None)
    first = time.perf_counter() - start
    done, start = 0, time.perf_counter()
    for place in places:
        job.run(tiles[place], None)
        done += tiles[place].work
        if time.perf_counter() - start > SECONDS:
            break
    each = (time.perf_counter() - start) / done
    total = sum(tile.work for tile in tiles)
    loading = min(LOADING, max(0.0, first - each * tiles[-1].work))
    return loading, each * total / min(jobs, len({tile.strip for tile in tiles}))


def held(value: Any) -> int:
    """Bytes of all arrays that a value holds."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, (tuple, list)):
        return sum(held(part) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return sum(held(getattr(value, part.name)) for part in fields(value))
    return 0


def made(job: Job[Any, Any]) -> int:
    """Bytes of what a job has made of its fields when it was first asked for it."""
    own = {part.name for part in fields(job)} if is_dataclass(job) else set(vars(job))
    return sum(held(value) for name, value in vars(job).items() if name not in own)
