"""The engine of a Spark cluster: groups of tiles as rows of a frame, parts back as Arrow.

Workers map the job from a folder that all of them see, with the same kernels and merges as the
engine of one machine. Groups are sent in waves, a few at a time, so that parts come back, are kept
and are told of while others are under way; quick groups share a task, because Spark takes its time
over each. Jobs that name no `part` are quick: they stay at home.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import socket
import sys
import time
import uuid
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from reident import disk
from reident.engine.checkpoint import digest_of
from reident.engine.job import UNTOLD, Done, Job, Tile
from reident.engine.ledger import Ledger, settled
from reident.engine.parcel import receive, unpack_part
from reident.engine.remote import (
    DONE,
    OTHER,
    SEALED,
    UNSEEN,
    Wave,
    commission,
    dispatch,
    greet,
    grouped,
    made_of,
    waves_of,
    work,
)
from reident.errors import ClusterError, Fault, SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from reident.engine.checkpoint import Steps
    from reident.engine.how import How
    from reident.engine.job import Fold
    from reident.engine.remote import Errand, Made
    from reident.model.engines import Spark

GROUPS = 16
"""Groups for each core, unless told: a worker that is lost costs little."""
WAVES = 2
"""Waves under way: the next one fills the cores that the last one leaves."""
AGAIN = 0.2
"""Seconds after which what is still under way is cancelled again."""
SCHEMA = "said string, attempt int, seconds double, strip long, first long, last long, part binary"
EXTRA = "pip install 'reident[spark]'"
WHERE = "engine spark"
LOOPBACK = "127.0.0.1"
STANDALONE = "spark://"
ANSWER = 10.0
"""Seconds that a master may take to answer."""
FAULTS = {
    OTHER: (
        "a worker has another version of reident, numpy or numba, or computes tanh otherwise",
        "Install the same versions on all machines, which must be of one kind",
    ),
    UNSEEN: (
        "a worker does not see the folder of the run",
        "Name a folder that this machine and all workers see under the same name",
    ),
    SEALED: (
        "a worker cannot write to the folder of the run",
        "Let all workers write there, and see that there is room for the job",
    ),
    "unknown": (
        "a worker's Python has no reident",
        f"Install it on every worker ({EXTRA}), and name its Python by PYSPARK_PYTHON",
    ),
    "unreached": (
        "a cluster that does not answer",
        "See that the cluster runs and that its name is right: --master spark://host:7077",
    ),
    "failed": (
        "the cluster gave up, after it had tried again",
        "Look into the logs of its workers",
    ),
}

NEVER = {
    "spark.app.name": "reident",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "false",
    "spark.log.level": "ERROR",
}
"""Settings of a session of our own: it serves no page, keeps no log of events and is quiet."""


class _Lying(NamedTuple):
    """A job, the folder of its files, and what is known of one that workers have made there."""

    job: Any
    home: Path
    made: Made | None


class _Way(NamedTuple):
    """A session, the folder that its workers see, and how jobs are done.

    `lying` are jobs, by their id, that workers have made and nobody has folded yet.
    """

    session: SparkSession
    folder: Path
    partitions: int
    how: How
    lying: dict[int, _Lying]


def refuse_unready(asked: Spark) -> None:
    """Refuse before any work what cannot run: no library, no Java, no cluster."""
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415  # an extra
    except ImportError:
        raise _unready("pyspark is not installed", f"Install it: {EXTRA}") from None
    found = asked.session or SparkSession.getActiveSession()
    if found is not None:
        _refuse_other(asked, found)
        return
    home = os.environ.get("JAVA_HOME")
    if not shutil.which("java", path=f"{home}/bin" if home else None):
        raise _unready("no Java", "Install Java 17 or later, or name it by JAVA_HOME")
    # Without a master Spark would quietly run on this machine alone.
    if not asked.master and "PYSPARK_GATEWAY_PORT" not in os.environ:
        raise _unready("no cluster is named", "Give --master, such as spark://host:7077")
    if asked.master.startswith(STANDALONE) and not any(
        map(_answers, asked.master.removeprefix(STANDALONE).split(","))
    ):
        raise _unready(*FAULTS["unreached"])


def _answers(address: str) -> bool:
    """Whether a master can be reached; Spark itself would try for minutes, and say so nowhere."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), ANSWER):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _refuse_other(asked: Spark, found: SparkSession) -> None:
    """Refuse a session that cannot be used, or that is not the one that was meant."""
    if not hasattr(found, "sparkContext"):
        raise _unready("a session of Spark Connect", "Use one that is connected to the cluster")
    if asked.master not in ("", found.sparkContext.master):
        raise _unready("a session with another master", "Stop it, or leave the master out")


def _unready(found: str, remedy: str) -> SpecError:
    return SpecError(Fault(where=WHERE, found=found, remedy=remedy))


@contextlib.contextmanager
def spark(asked: Spark, folder: Path, at_home: Fold, how: How) -> Iterator[Fold]:
    """A fold on a cluster, while its session is open; quick jobs are folded `at_home`.

    `folder` is private, and seen by all workers.
    """
    with _session(asked, folder) as session, _greeted(session) as greeting:
        way = _Way(session, folder, asked.partitions, how, {})

        def fold(job: Job[Any, Done], label: str) -> Iterator[Done]:
            makes = getattr(job, "makes", False)
            if not makes and not hasattr(job, "part"):
                return at_home(job, label)
            _refuse_hindered(greeting)
            return iter([_made(way, job)]) if makes else _folded(way, job, label)

        yield fold


@contextlib.contextmanager
def _greeted(session: SparkSession) -> Iterator[Future[pa.Table]]:
    """A first round to the workers, while this machine makes the first job ready.

    They load what they need, which takes seconds, and whoever computes otherwise says so at once.
    """
    name = f"reident-{uuid.uuid4().hex}"
    cores = session.sparkContext.defaultParallelism
    with ThreadPoolExecutor(1) as pool:
        greeting = pool.submit(_wave, session, name, greet(), Wave(0, cores, cores))
        try:
            yield greeting
        finally:
            _cancel(session, name, [greeting])


def _refuse_hindered(greeting: Future[pa.Table]) -> None:
    """Wait for what workers say; raise what hinders them."""
    try:
        deque(_heard(greeting.result()), 0)
    except _cluster_errors() as error:
        raise ClusterError(_fault(_kind(error))) from None


@contextlib.contextmanager
def _session(asked: Spark, folder: Path) -> Iterator[SparkSession]:
    """The session that was given, the active one, or one of our own while it is needed."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  # an extra

    found = asked.session or SparkSession.getActiveSession()
    if found is not None:
        yield found
        return
    # Workers look for Python under this name; by default where it is on this machine.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.config("spark.local.dir", str(disk.make_folder(folder / "own")))
    for name, value in NEVER.items():
        builder = builder.config(name, value)
    if asked.master:
        builder = builder.master(asked.master)
    if asked.master.startswith(("local", f"spark://{LOOPBACK}:")):
        # Nobody else takes part, so nobody else can connect.
        builder = builder.config("spark.driver.host", LOOPBACK)
        builder = builder.config("spark.driver.bindAddress", LOOPBACK)
    try:
        session = builder.getOrCreate()
    except _cluster_errors():
        raise ClusterError(_fault("unreached")) from None
    try:
        yield session
    finally:
        session.stop()


def _made(way: _Way, making: Any) -> Any:
    """Let a worker make a job. Its arrays are mapped here: they take room where they are looked at.

    Returns it with what belongs to it.
    """
    home = _new_home(way)
    with contextlib.ExitStack() as otherwise:
        otherwise.callback(shutil.rmtree, home, ignore_errors=True)
        errand = commission(home, making, kept=way.how.keep is not None)
        ((*_, content),) = _rows(way, errand, [Wave(0, 1, 1)], [])
        made = made_of(content)
        found = receive(made.parcel)
        otherwise.pop_all()
    way.lying[id(found[0])] = _Lying(found[0], home, made)
    return found


def _new_home(way: _Way) -> Path:
    """A folder for all files of a job."""
    return disk.make_folder(way.folder / uuid.uuid4().hex)


def _folded(way: _Way, job: Any, label: str) -> Iterator[Any]:
    """Finished strips in order: those that an earlier run has kept, and those of the cluster."""
    how = way.how
    tiles = job.tiles(how.budget)
    ledger = Ledger(label, tiles, None if label == UNTOLD else how.watch, how.memory)
    lying = way.lying.pop(id(job), None) or _Lying(job, _new_home(way), None)
    steps = None
    if how.keep is not None:
        steps = how.keep.steps(job.part, lambda: (label, tiles, _digest(lying)))
    strips = {n: list(own) for n, own in itertools.groupby(tiles, key=lambda tile: tile.strip)}
    return settled(_strips(way, lying, label, strips, ledger, steps), ledger, how.books)


def _digest(lying: _Lying) -> str:
    """Of all that a job computes from: of one that was made elsewhere it is known."""
    return digest_of(lying.job) if lying.made is None else lying.made.digest


def _strips(
    way: _Way,
    lying: _Lying,
    label: str,
    strips: dict[int, list[Tile]],
    ledger: Ledger,
    steps: Steps[Any] | None,
) -> Iterator[Any]:
    job = lying.job
    whole, missing = {}, {number: len(own) for number, own in strips.items()}
    for number, own in strips.items():
        part = None if steps is None else steps.found(number)
        if part is not None:
            whole[number], missing[number] = part, 0
            ledger.add(*own)
    tiles = [tile for number, own in strips.items() if missing[number] for tile in own]
    upcoming = deque(strips)
    try:
        for part, done in itertools.chain([(None, ())], _parts(way, lying, label, tiles)):
            if done:
                number = done[0].strip
                whole[number] = job.merge(whole[number], part) if number in whole else part
                missing[number] -= len(done)
                ledger.add(*done)
                if steps is not None and not missing[number]:
                    steps.add(number, whole[number])
            while upcoming and not missing[upcoming[0]]:
                number = upcoming.popleft()
                yield job.finish(strips[number][0], whole.pop(number))
    finally:
        shutil.rmtree(lying.home, ignore_errors=True)


def _parts(
    way: _Way, lying: _Lying, label: str, tiles: Sequence[Tile]
) -> Iterator[tuple[Any, Sequence[Tile]]]:
    """Parts as they come back, each with its tiles; Spark sees to it that a group comes once."""
    if not tiles:
        return
    job, home, made = lying
    cores = way.session.sparkContext.defaultParallelism
    groups = grouped(tiles, way.partitions or GROUPS * cores)
    errand = dispatch(home, job if made is None else made.parcel, tiles, groups)
    took: list[float] = []
    if made is not None:
        # A strip of a job that was made is a tile.
        took.append(made.pace * sum(tile.last - tile.first for tile in tiles) / (len(groups) - 1))
    waves = waves_of(tiles, groups, cores, took, alone=way.partitions > 0)
    for attempt, *_, first, last, content in _rows(way, errand, waves, took):
        done = tiles[first:last]
        if attempt:
            way.how.retried.setdefault(label, []).extend(tile.number for tile in done)
        yield unpack_part(job.part, content), done


def _rows(
    way: _Way, errand: Errand, waves: Iterable[Wave], took: list[float]
) -> Iterator[tuple[Any, ...]]:
    """What workers return, wave after wave; the seconds that a group `took` go to the list."""
    name = f"reident-{uuid.uuid4().hex}"
    with ThreadPoolExecutor(WAVES) as pool:
        upcoming = ((wave, pool.submit(_wave, way.session, name, errand, wave)) for wave in waves)
        under_way = deque(itertools.islice(upcoming, WAVES))
        try:
            while under_way:
                wave, future = under_way[0]
                rows = list(_heard(future.result()))
                under_way.popleft()
                took.append(sum(row[1] for row in rows) / (wave.last - wave.first))
                # While its parts are folded, others are under way.
                under_way.extend(itertools.islice(upcoming, 1))
                yield from rows
        except _cluster_errors() as error:
            raise ClusterError(_fault(_kind(error))) from None
        finally:
            _cancel(way.session, name, [future for _, future in under_way])


def _cancel(session: SparkSession, name: str, under_way: Iterable[Future[pa.Table]]) -> None:
    """After an error or Ctrl-C: end tasks under way. A wave may just be about to begin."""
    left = [future for future in under_way if not future.cancel()]
    while left:
        session.sparkContext.cancelJobGroup(name)
        wait(left, AGAIN)
        left = [future for future in left if not future.done()]


def _wave(session: SparkSession, name: str, errand: Errand, wave: Wave) -> pa.Table:
    """Send groups. Only their numbers are in Spark's plans."""
    session.sparkContext.setJobGroup(name, "reident", interruptOnCancel=True)
    frame = session.range(wave.first, wave.last, 1, wave.tasks)
    return frame.mapInArrow(partial(_work, errand), SCHEMA).toArrow()


def _work(errand: Errand, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On a worker: a row for each strip of each group. An error tells its kind and nothing else."""
    import pyarrow as pa  # noqa: PLC0415  # an extra
    from pyspark import TaskContext  # noqa: PLC0415  # likewise

    task = TaskContext.get()
    attempt = 0 if task is None else task.attemptNumber()
    names = [part.split()[0] for part in SCHEMA.split(", ")]
    types = [pa.string(), pa.int32(), pa.float64(), *[pa.int64()] * 3, pa.binary()]
    try:
        for batch in batches:
            for group in batch.column(0).to_pylist():
                begun = time.monotonic()
                for said, *place, content in work(errand, group):
                    row = [said, attempt, time.monotonic() - begun, *place, content]
                    columns = [pa.array([one], kind) for one, kind in zip(row, types, strict=True)]
                    yield pa.RecordBatch.from_arrays(columns, names)
                    begun = time.monotonic()
    except Exception as error:  # noqa: BLE001  # whatever it is, its text may hold data
        raise RuntimeError(f"reident: {type(error).__name__}") from None


def _heard(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    """What workers that are done return, as plain values; a part is looked at where it lies."""
    for batch in table.to_batches():
        for row in range(batch.num_rows):
            said, *rest, part = (column[row] for column in batch.columns)
            if said.as_py() != DONE:
                raise ClusterError(_fault(said.as_py()))
            yield *(one.as_py() for one in rest), part.as_buffer()


def _cluster_errors() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError  # noqa: PLC0415  # comes with pyspark
    from pyspark.errors import PySparkException  # noqa: PLC0415  # an extra

    return (Py4JError, PySparkException)


def _kind(error: Exception) -> str:
    return "unknown" if "No module named 'reident'" in str(error) else "failed"


def _fault(said: str) -> Fault:
    found, remedy = FAULTS[said]
    return Fault(where=WHERE, found=found, remedy=remedy)
