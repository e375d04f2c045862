"""What is done stays done: finished parts of a job, written down while others are under way.

A file holds the parts of some strips as plain arrays and ends with a digest of itself. Each part
says which job it belongs to, by number and by a digest of all that the job computes from, so that
it is never taken for another. A part that is not there is computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import threading
import time
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

import numpy as np

from reident import disk
from reident.errors import Fault, RefusalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

Part = TypeVar("Part", bound=tuple[Any, ...])
EVERY = 5.0
"""Seconds between two files at least: a run that takes less writes none."""
SHARE = 50
"""And so many times as long as the last file took: a slow disk holds nobody up."""
MAGIC = b"reident parts 1\n"
ENDING = ".parts"
SEAL = hashlib.sha256().digest_size
START_AGAIN = "Start again without --resume"


class _Held(NamedTuple):
    """The arrays of one part as they were found."""

    digest: str
    arrays: list[np.ndarray]


class Checkpoints:
    """The parts of one run. Jobs are numbered in the order in which they begin.

    Files are in `folder`, which is private; what an earlier run has left there is found again.
    `every` is the number of seconds between two files; 0 writes each part at once.
    """

    def __init__(self, folder: Path, every: float = EVERY) -> None:
        self._folder, self._every = folder, every
        self._jobs = 0
        self._found: dict[tuple[int, int], _Held] = {}
        self._pending: list[tuple[Steps[Any], int, tuple[Any, ...]]] = []
        self._lock = threading.Lock()
        self._files = 0
        for path in sorted(folder.glob(f"*{ENDING}")):
            self._found |= _read(path)
            self._files = int(path.stem) + 1
        self._due = time.monotonic() + every
        self._open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """After an interrupt what is done is written down, if that is still possible."""
        with self._lock:
            # A thread that is still at its last tile comes too late.
            self._open = False
            batch, self._pending = self._pending, []
        if error is not None:
            with contextlib.suppress(OSError, MemoryError):
                self._write(batch)

    def steps(self, part: type[Part], basis: Callable[[], Any]) -> Steps[Part]:
        """The parts of the next job; `basis` gives all that they follow from, when it is needed."""
        self._jobs += 1
        return Steps(self, self._jobs, part, basis)

    def found(self, job: int, number: int) -> _Held | None:
        """What an earlier run has left of a part. It is handed out once, and then forgotten."""
        return self._found.pop((job, number), None)

    def add(self, steps: Steps[Any], number: int, part: tuple[Any, ...]) -> None:
        """Keep a part; if it is time, write down all that wait."""
        with self._lock:
            self._pending.append((steps, number, part))
            if not self._open or time.monotonic() < self._due:
                return
            batch, self._pending = self._pending, []
            self._due = float("inf")
        start = time.monotonic()
        self._write(batch)
        end = time.monotonic()
        self._due = end + (max(self._every, SHARE * (end - start)) if self._every else 0.0)

    def _write(self, batch: Sequence[tuple[Steps[Any], int, tuple[Any, ...]]]) -> None:
        if not batch:
            return
        entries = [
            {"job": steps.job, "digest": steps.digest, "number": number, "arrays": len(part)}
            for steps, number, part in batch
        ]
        body = io.BytesIO()
        body.write(MAGIC + json.dumps(entries).encode() + b"\n")
        for _, _, part in batch:
            for array in part:
                np.lib.format.write_array(body, array, allow_pickle=False)
        with disk.create(self._folder / f"{self._files:06}{ENDING}") as stream:
            stream.write(body.getbuffer())
            stream.write(hashlib.sha256(body.getbuffer()).digest())
        self._files += 1


def part_of(steps: Steps[Part] | None, number: int, compute: Callable[[], Part]) -> Part:
    """A part as an earlier run has left it, or computed and kept."""
    part = None if steps is None else steps.found(number)
    if part is None:
        part = compute()
        if steps is not None:
            steps.add(number, part)
    return part


class Steps(Generic[Part]):
    """The parts of one job by number: those that are there already, and those to be kept."""

    def __init__(
        self, home: Checkpoints, job: int, part: type[Part], basis: Callable[[], Any]
    ) -> None:
        self.job = job
        self._home, self._part = home, part
        self._basis: Callable[[], Any] | None = basis
        self._digest = ""
        self._lock = threading.Lock()

    @property
    def digest(self) -> str:
        """Of all that the job computes from; taken when it is first needed."""
        with self._lock:
            if self._basis is not None:
                self._digest = digest_of((self._part.__name__, self._basis()))
                self._basis = None
        return self._digest

    def found(self, number: int) -> Part | None:
        """A part that an earlier run has left; one of other data is refused."""
        held = self._home.found(self.job, number)
        if held is None:
            return None
        if held.digest != self.digest:
            raise RefusalError(
                Fault(
                    where="resume",
                    found="parts of other data, or of a machine that sorts them otherwise",
                    remedy=START_AGAIN,
                )
            )
        return self._part(*held.arrays)

    def add(self, number: int, part: Part) -> None:
        """Keep a part that is done."""
        self._home.add(self, number, part)


def _read(path: Path) -> dict[tuple[int, int], _Held]:
    """The parts in a file, by job and number; a file that is not as it was written is refused."""
    data = path.read_bytes()
    body, seal = memoryview(data)[:-SEAL], data[-SEAL:]
    if not data.startswith(MAGIC) or hashlib.sha256(body).digest() != seal:
        raise RefusalError(Fault(where=path.name, found="a damaged checkpoint", remedy=START_AGAIN))
    stream = io.BytesIO(body)
    stream.seek(len(MAGIC))
    found = {}
    for entry in json.loads(stream.readline()):
        arrays = [
            np.lib.format.read_array(stream, allow_pickle=False) for _ in range(entry["arrays"])
        ]
        found[entry["job"], entry["number"]] = _Held(entry["digest"], arrays)
    return found


def digest_of(value: Any) -> str:
    """A digest of all arrays and plain values that a value holds, wherever they are."""
    digest = hashlib.sha256()
    for piece in _pieces(value, {}):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(value: Any, seen: dict[int, tuple[bytes, np.ndarray]]) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        # An array that stands in several places is gone over once.
        if id(value) not in seen:
            own = hashlib.sha256(f"{value.dtype.str}{value.shape}".encode())
            if not value.dtype.hasobject:
                own.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
            seen[id(value)] = own.digest(), value
        yield seen[id(value)][0]
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} {len(value)} ".encode()
        for part in value:
            yield from _pieces(part, seen)
    elif is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__.encode()
        for one in fields(value):
            yield from _pieces(getattr(value, one.name), seen)
    elif value is None or isinstance(value, (bool, int, float, str, np.generic)):
        yield f"{type(value).__name__} {value!r} ".encode()
    # What is left, functions and remarks, follows from the study, which is compared by itself.
