"""What a worker does that is elsewhere: it maps a job, does a group of tiles, and returns parts.

Knows no cluster: an engine sends groups by number, in the waves that are told here, and hands back
what `work` gives. A worker that would compute otherwise than the machine that sent the job does
nothing, and says so.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
import time
import uuid
from bisect import bisect_right
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from reident.engine.checkpoint import digest_of
from reident.engine.job import UNTOLD, Tile, in_turn
from reident.engine.parcel import Parcel, pack_part, receive, send
from reident.kernels import source_digest
from reident.kernels.pairs import CAP, squared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reident.engine.job import Job

WAVE = 4
"""Groups of a wave for each core."""
ROWS = 1 << 22
"""PUF rows of a wave at most: some hundred megabytes come back."""
LONG, MOMENT = 2.0, 0.001
"""Seconds of a task of several groups, to which a cluster adds some 0.1, and of a group at least.
"""
TRIAL, TRIALS = 128, 4
"""PUF rows of a tile that show how quick a job is, and of how many tiles."""
PROBES = 4096
"""Gaps whose scores tell one tanh from another."""
DONE, OTHER, UNSEEN, SEALED = "done", "other", "unseen", "sealed"
"""What a worker says: it is done; it computes otherwise; it does not see the job, or may not write.
"""


class Errand(NamedTuple):
    """Where a job and its tiles are, and a digest of how the sender computes.

    A job's file holds a row of values, the job first. A job without tiles makes another, to be left
    in `folder`, and tells its digest if parts of it will be `kept`; an errand without a job is a
    greeting.
    """

    alike: str
    job: Parcel | None = None
    tiles: Parcel | None = None
    folder: str = ""
    kept: bool = False


class Made(NamedTuple):
    """Where a job lies that a worker has made, and its digest if parts of it are kept.

    Its `pace` are the seconds that a PUF row may take.
    """

    parcel: Parcel
    digest: str
    pace: float


class Returned(NamedTuple):
    """The part of tiles first..last - 1 of a strip, as bytes, and how it went."""

    said: str
    strip: int
    first: int
    last: int
    part: bytes


class Wave(NamedTuple):
    """Groups first..last - 1, in so many tasks."""

    first: int
    last: int
    tasks: int


class _Load(NamedTuple):
    """A job with its tiles, and the bounds of the groups that they are cut into."""

    job: Any
    tiles: list[Tile]
    groups: list[int]


_LOADS: dict[Errand, _Load] = {}
"""The job of this process by errand: groups that follow find it mapped."""


@cache
def likeness() -> str:
    """A digest of all that decides how this machine computes: versions, kernels, and its tanh."""
    digest = hashlib.sha256(sys.byteorder.encode())
    for name in ("reident", "numpy", "numba"):
        digest.update(f"{name} {version(name)} ".encode())
    digest.update(source_digest().encode())
    gaps = np.linspace(0.0, CAP, PROBES)
    digest.update(np.array([squared(gap) for gap in gaps], np.int64).tobytes())
    return digest.hexdigest()


def grouped(tiles: Sequence[Tile], groups: int) -> list[int]:
    """Bounds of at most so many groups of tiles, of about the same work, none of them empty.

    >>> grouped([Tile(n, n, n, n + 1, 0, 1, 5) for n in range(5)], 2)
    [0, 3, 5]
    """
    # A tile without pairs is work too: it is asked about.
    done = np.cumsum([tile.work + 1 for tile in tiles])
    shares = done[-1] * np.arange(1, groups) / groups
    cuts = (np.searchsorted(done, shares, "left") + 1).tolist()
    return sorted({0, *cuts, len(tiles)})


def waves_of(
    tiles: Sequence[Tile], groups: Sequence[int], cores: int, took: Sequence[float], *, alone: bool
) -> Iterator[Wave]:
    """Groups that go out together: some for each core, and what the driver can take in.

    First a group for each core. When it is known what one `took`, quick ones share a task, unless
    each is to go `alone`.
    """
    rows = [
        sum(last - begin for begin, last in {tile[2:4] for tile in tiles[start:stop]})
        for start, stop in itertools.pairwise(groups)
    ]
    before = [0, *itertools.accumulate(rows)]
    first, end = 0, len(rows)
    while first < end:
        fitting = max(1, bisect_right(before, before[first] + ROWS) - 1 - first)
        number = min(end - first, fitting, (WAVE if took else 1) * cores)
        share = 1
        if took and not alone:
            # Each core is to have its part.
            share = max(1, min(int(LONG / max(took[-1], MOMENT)), number // cores))
        yield Wave(first, first + number, -(-number // share))
        first += number


def dispatch(
    folder: Path, job: Job[Any, Any] | Parcel, tiles: Sequence[Tile], groups: list[int]
) -> Errand:
    """Write a job down where workers see it, unless it lies there, and its tiles beside it."""
    table = np.array(tiles, np.int64).reshape(-1, len(Tile._fields))
    return Errand(
        alike=likeness(),
        job=job if isinstance(job, Parcel) else send(folder / "own.job", (job,)),
        tiles=send(folder / "own.tiles", (table, np.array(groups, np.int64))),
    )


def commission(folder: Path, making: Job[Any, Any], *, kept: bool) -> Errand:
    """Write down what a job is to be made from; the worker leaves it there, too."""
    parcel = send(folder / "own.making", (making,))
    return Errand(alike=likeness(), job=parcel, folder=str(folder), kept=kept)


def greet() -> Errand:
    """An errand without a job: workers load what they need, and tell whether they are alike."""
    return Errand(alike=likeness())


def work(errand: Errand, group: int) -> Iterator[Returned]:
    """The tiles of a group, strip by strip: what a strip knows so far prunes its other tiles."""
    if likeness() != errand.alike:
        yield Returned(OTHER, 0, 0, 0, b"")
        return
    if errand.job is None:
        import_module("reident.attacks")
        yield Returned(DONE, 0, 0, 0, b"")
        return
    try:
        job, tiles, groups = _load(errand)
    except FileNotFoundError:
        yield Returned(UNSEEN, 0, 0, 0, b"")
        return
    if errand.tiles is None:
        yield _made(job, Path(errand.folder), kept=errand.kept)
        return
    mine = range(groups[group], groups[group + 1])
    for strip, places in itertools.groupby(mine, key=lambda place: tiles[place].strip):
        held = list(places)
        part = None
        for place in held:
            new = job.run(tiles[place], part)
            part = new if part is None else job.merge(part, new)
        assert part is not None  # noqa: S101  # a group of a strip holds a tile
        yield Returned(DONE, strip, held[0], held[-1] + 1, pack_part(part))


def _made(making: Any, folder: Path, *, kept: bool) -> Returned:
    """Make a job and leave it for all, under a name of its own: another attempt may do the same."""
    (made,) = in_turn(making, UNTOLD)
    try:
        parcel = send(folder / f"{uuid.uuid4().hex}.job", made)
    except OSError:
        return Returned(SEALED, 0, 0, 0, b"")
    own = digest_of(made[0]) if kept else ""
    return Returned(DONE, 0, 0, 0, json.dumps([*parcel, own, _pace(made[0])]).encode())


def _pace(job: Any) -> float:
    """The seconds that a PUF row may take, from a few of each of some tiles."""
    tiles, took = job.tiles(ROWS), list[float]()
    # The first one is done twice: it loads kernels.
    for tile in [tiles[0], *tiles[:: 1 + len(tiles) // TRIALS]]:
        rows = min(TRIAL, tile.last - tile.first)
        begun = time.monotonic()
        job.run(tile._replace(last=tile.first + rows), None)
        took.append((time.monotonic() - begun) / rows)
    return max(took[1:])


def made_of(content: memoryview | bytes) -> Made:
    """What a worker has told of the job that it made."""
    path, digest, *own = json.loads(bytes(content))
    return Made(Parcel(path, digest), *own)


def _load(errand: Errand) -> _Load:
    if errand not in _LOADS:
        # One job is worked on at a time; the map of another would only take room.
        _LOADS.clear()
        assert errand.job is not None  # noqa: S101  # a greeting is answered before
        job, *_ = receive(errand.job)
        tiles, groups = [], []
        if errand.tiles is not None:
            table, bounds = receive(errand.tiles)
            tiles, groups = [Tile(*row) for row in table.tolist()], bounds.tolist()
        _LOADS[errand] = _Load(job, tiles, groups)
    return _LOADS[errand]
