"""What a job is expected to take, before it runs: what `plan` tells, and the manifest of a run.

Rows share what they look up, so that a few of them cost more each than many. Slices of tiles are
timed, each round of them larger than the last, while they take a small part of what is expected.
Two laws go through the last two rounds: a line, as if what is shared were the same for any number
of rows, and a power, as if it grew with them at every size as between these two. Tiles cost less
than the one and more than the other; their geometric mean is expected.
"""

from __future__ import annotations

import itertools
import math
import time
from bisect import bisect_right
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reident.engine.job import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reident.engine.job import Done, Fold, Job, Tile

Ints = npt.NDArray[np.int64]
PLACES = 2
"""Places of the work where slices are timed: the fewer there are, the larger slices may be."""
SHARE, FINER, ROUNDS = 32, 4, 5
"""One PUF row of so many is timed in the last of so many rounds; each is so many times finer."""
SPARED, UNNOTICED, SECONDS = 24, 0.02, 1.0
"""Timing a job goes on for such a part of what it may take, or so long; nobody notices a little."""
LOADING = 1.0
"""Seconds that loading kernels may take; what took longer has compiled them, as no run will."""


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """How a job of so much `work` would run, its expected seconds, and the bytes of its arrays.

    Of the seconds, so many are `prepared` by one thread before the first tile, and so many go into
    `loading` kernels, however large the files are. Tiles have `made` so many bytes beside the job.
    """

    how: str
    seconds: float
    work: int = 0
    size: int = 0
    made: int = 0
    prepared: float = 0.0
    loading: float = 0.0

    def then(self, after: Forecast) -> Forecast:
        """With another job after it."""
        return replace(
            self,
            seconds=self.seconds + after.seconds,
            work=self.work + after.work,
            loading=self.loading + after.loading,
            size=max(self.size, after.size),
            made=max(self.made, after.made),
        )

    @property
    def left(self) -> float:
        """Seconds from the first tile on, where kernels have been loaded for the forecast."""
        return self.seconds - self.prepared - self.loading

    @property
    def bytes(self) -> int:
        """All of them."""
        return self.size + self.made


class Forecasted(Exception):  # noqa: N818  # no error: it carries the answer out of an attack
    """Ends an attack that is to be forecast only."""

    def __init__(self, forecast: Forecast) -> None:
        super().__init__(forecast.how)
        self.forecast = forecast


def forecasting(jobs: int, budget: int) -> Fold:
    """A fold that raises Forecasted, and does nothing but what prepares a job."""

    def end(forecast: Forecast) -> None:
        raise Forecasted(forecast)

    return noting(in_turn, jobs, budget, end)


def noting(fold: Fold, jobs: int, budget: int, note: Callable[[Forecast], None]) -> Fold:
    """The same fold; what its first job is expected to take is noted before it runs.

    What comes before the first tile, the coding of columns and the making of an index, is done by
    then and counts from here. So are jobs that only prepare another. Jobs that a job names in
    `also` come after it and count too. Where more jobs have the same label, each is noted.
    """
    begun = time.perf_counter()
    told = None

    def listened(job: Job[Any, Done], label: str) -> Iterator[Done]:
        nonlocal told
        if told in {None, label} and not getattr(job, "prepares", False):
            prepared = time.perf_counter() - begun if told is None else 0.0
            told = label
            note(forecast(job, jobs, budget, prepared))
        return fold(job, label)

    return listened


def forecast(job: Job[Any, Any], jobs: int, budget: int, prepared: float) -> Forecast:
    """What a job on so many threads is expected to take, from some slices that are timed."""
    work = sum(tile.work for tile in job.tiles(budget))
    if not work:
        return Forecast(how=job.how, seconds=0.0, size=held(job))
    following = job.also() if hasattr(job, "also") else ()
    expected = [_expected(one, jobs, budget) for one in (job, *following)]
    loading, working = (sum(part) for part in zip(*expected, strict=True))
    return Forecast(
        how=job.how,
        seconds=prepared + loading + working,
        work=work,
        size=held(job),
        made=made(job),
        prepared=prepared,
        loading=loading,
    )


def _expected(job: Job[Any, Any], jobs: int, budget: int) -> tuple[float, float]:
    """Seconds that a job takes to load its kernels, and then, from those of some slices."""
    tiles = [tile for tile in job.tiles(budget) if tile.work]
    if not tiles:
        return 0.0, 0.0
    work, number = _work(tiles) / len(tiles), len(tiles)
    threads = min(jobs, len({tile.strip for tile in tiles}))
    rounds = slices(tiles, getattr(job, "weights", None))
    # The first one loads kernels, and warms the caches.
    cold = _timed(job, rounds[0][0])
    warm = small = None
    spent = 0.0
    for some, following in itertools.zip_longest(rounds, rounds[1:], fillvalue=()):
        timed = [_timed(job, tile) for tile in some]
        warm = timed[0] if warm is None else warm
        large = _work(some) / len(some), sum(timed) / len(some)
        line, power = (number * one / threads for one in laws(small or large, large, work))
        small, spent = large, spent + sum(timed)
        coming = sum(timed) * _work(following) / _work(some)
        if spent + coming > min(SECONDS, max(UNNOTICED, line / SPARED)):
            break
    loading = max(0.0, cold - (warm or 0.0))
    return min(LOADING, loading), math.sqrt(line * power)


def _work(tiles: Sequence[Tile]) -> int:
    return sum(tile.work for tile in tiles)


def _timed(job: Job[Any, Any], tile: Tile) -> float:
    start = time.perf_counter()
    job.run(tile, None)
    return time.perf_counter() - start


def slices(tiles: Sequence[Tile], weights: Ints | None = None) -> list[tuple[Tile, ...]]:
    """Parts of tiles at some places spread over the work of all, larger ones in each round.

    None is larger than its tile, so that there may be fewer rounds. Few rows may differ much in
    their work: there each round is one of them. `weights` tell the work of each PUF row, as where
    strata differ in size; without them the rows of a tile are alike.
    """
    rows = sum(tile.last - tile.first for tile in tiles)
    if rows < SHARE * PLACES:
        return _single(tiles, weights)
    ends = list(itertools.accumulate(tile.work for tile in tiles))
    middles = [ends[-1] * (2 * k + 1) // (2 * PLACES) for k in range(PLACES)]
    hit = [(tiles[at := bisect_right(ends, middle)], ends[at] - middle) for middle in middles]
    places = [(tile, _row_at(tile, tile.work - left, weights)) for tile, left in hit]
    widest = rows // (SHARE * PLACES)
    widths = (max(1, widest // FINER**k) for k in reversed(range(ROUNDS)))
    rounds = (tuple(_part(*place, width, weights) for place in places) for width in widths)
    return list(dict.fromkeys(rounds))


def _single(tiles: Sequence[Tile], weights: Ints | None) -> list[tuple[Tile, ...]]:
    """A row of a tile in each round, with so many times the work of the one before."""
    rows = (_part(tile, (tile.first + tile.last) // 2, 1, weights) for tile in tiles)
    rounds: list[tuple[Tile, ...]] = []
    for row in sorted(rows, key=lambda row: row.work):
        if not rounds or row.work >= FINER * rounds[-1][0].work:
            rounds.append((row,))
    return rounds


def _row_at(tile: Tile, work: int, weights: Ints | None) -> int:
    """The PUF row of a tile that has so much of its work before it."""
    if weights is None:
        return tile.first + work * (tile.last - tile.first) // tile.work
    done = np.cumsum(weights[tile.first : tile.last])
    return tile.first + int(np.searchsorted(done, work, "right"))


def _part(tile: Tile, row: int, width: int, weights: Ints | None) -> Tile:
    """So many PUF rows of a tile around one of them, or all that it has."""
    first = max(tile.first, min(row - width // 2, tile.last - width))
    last = min(first + width, tile.last)
    if weights is None:
        work = round(tile.work * (last - first) / (tile.last - tile.first))
    else:
        work = int(weights[first:last].sum())
    return tile._replace(first=first, last=last, work=max(1, work))


def laws(small: Sequence[float], large: Sequence[float], work: float) -> tuple[float, float]:
    """Seconds of so much work by a line and by a power through those of two smaller pieces.

    Where no law goes through both, the larger piece decides alone.
    """
    (less, few), (more, many) = small, large
    alone = many * work / more
    if not (less < more and 0.0 < few <= many):
        return alone, alone
    line = many + (work - more) * min((many - few) / (more - less), many / more)
    bend = min(1.0, math.log(many / few) / math.log(more / less))
    return line, many * (work / more) ** bend


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
