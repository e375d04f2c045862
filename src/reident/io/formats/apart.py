"""Read files of statistical packages in a process apart, with limits of memory and time.

Compiled parsers of binary formats trust what they read: a broken or hostile file may make one ask
for any amount of memory, run without end, or abort its process. The process that does so here holds
nothing else, and its end is an error about that file. It is started at the first such file, serves
the later ones, and ends with the process that started it.

    python -m reident.io.formats.apart

reads questions from stdin, a line of JSON each, and answers on stdout: a line of JSON, then the
tables whose sizes it names, as Arrow streams.
"""

from __future__ import annotations

import atexit
import io
import json
import math
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import polars as pl

from reident import errors
from reident.errors import DataError, Fault, ReidentError
from reident.io.formats import statistical
from reident.io.labels import Labels, Span, Table
from reident.model.files import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOM = 1 << 30
ROOM_PER_BYTE = 200
"""Memory that reading may take beyond what the process holds: so much, and so much for each byte of
the file. A file that unpacks to more is a bomb."""
SECONDS = 60.0
BYTES_PER_SECOND = 1 << 20
"""Time that reading may take: so much, and a second for so many bytes."""


def names(path: Path, file: SourceFile) -> list[str]:
    """As `statistical.names`."""
    said, _ = _asked("names", path, file, None)
    return list(said["names"])


def frame(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """As `statistical.frame`."""
    _, (values, _) = _asked("frame", path, file, columns)
    return values


def table(path: Path, file: SourceFile, columns: Sequence[str] | None) -> Table:
    """As `statistical.table`."""
    said, (values, kinds) = _asked("table", path, file, columns)
    declared = {
        name: tuple(one if isinstance(one, str) else Span(*one) for one in held)
        for name, held in said["declared"].items()
    }
    missing = {one.name: one for one in kinds}
    labels = Labels(
        variables=said["variables"], values=said["values"], missing=missing, declared=declared
    )
    return Table(frame=values, labels=labels)


# The process that asks ----------------------------------------------------------------------------


class _Reader:
    """The process apart, one question at a time; one that has died is replaced by the next."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, question: dict[str, Any], seconds: float) -> tuple[dict[str, Any], list[bytes]]:
        """Raises EOFError where the process has ended without an answer."""
        with self._lock:
            if self._process is None:
                self._process = _started()
            watch = threading.Timer(seconds, self._process.kill)
            watch.start()
            try:
                return _answer(self._process, question)
            except BaseException:
                # Half an answer may be on its way: nothing more can be asked of this process.
                self._end()
                raise
            finally:
                watch.cancel()

    def stop(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


_READER = _Reader()
atexit.register(_READER.stop)


def _started() -> subprocess.Popen[bytes]:
    # -P: no module is taken from the folder with the data. Its stderr may quote the data.
    return subprocess.Popen(  # noqa: S603  # our own interpreter and module
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _answer(
    process: subprocess.Popen[bytes], question: dict[str, Any]
) -> tuple[dict[str, Any], list[bytes]]:
    assert process.stdin is not None  # noqa: S101  # a pipe
    assert process.stdout is not None  # noqa: S101  # a pipe
    try:
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
    except BrokenPipeError:
        raise EOFError from None
    line = process.stdout.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    said = json.loads(line)
    parts = [process.stdout.read(size) for size in said["sizes"]]
    if [len(part) for part in parts] != said["sizes"]:
        raise EOFError
    return said, parts


def _asked(
    what: str, path: Path, file: SourceFile, columns: Sequence[str] | None
) -> tuple[dict[str, Any], list[pl.DataFrame]]:
    size = path.stat().st_size
    question = {
        "what": what,
        "path": str(path.absolute()),
        "catalog": str(Path(file.catalog).absolute()) if file.catalog else "",
        "columns": None if columns is None else list(columns),
        "room": ROOM + ROOM_PER_BYTE * size,
        "seconds": (seconds := SECONDS + size / BYTES_PER_SECOND),
    }
    try:
        said, parts = _READER.ask(question, seconds)
    except EOFError:
        package = statistical.PACKAGES[path.suffix.lower()]
        found = f"not a whole {package} file: reading it broke the limits of memory or time"
        raise DataError(Fault(where=file.name, found=found, remedy="Write it again")) from None
    if "error" in said:
        kind: type[ReidentError] = getattr(errors, said["error"])
        raise kind(*(Fault(**fault) for fault in said["faults"]))
    return said, [pl.read_ipc_stream(io.BytesIO(part)) for part in parts]


# The process apart --------------------------------------------------------------------------------


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer questions until there are no more."""
    for line in questions:
        question = json.loads(line)
        _limit(question["room"], question["seconds"])
        said, parts = _told(question)
        said["sizes"] = [len(part) for part in parts]
        answers.write(json.dumps(said).encode() + b"\n")
        for part in parts:
            answers.write(part)
        answers.flush()


def _limit(room: int, seconds: float) -> None:
    """Let this process take so much memory and time more than it has taken.

    Who asked looks at the clock as well, but may be dead by then.
    """
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    used = resource.getrusage(resource.RUSAGE_SELF)
    limits = {
        resource.RLIMIT_AS: pages * resource.getpagesize() + room,
        resource.RLIMIT_CPU: math.ceil(
            used.ru_utime + used.ru_stime + (os.cpu_count() or 1) * (seconds + 1)
        ),
    }
    for kind, limit in limits.items():
        resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))


def _told(question: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    path = Path(question["path"])
    file = SourceFile(path, catalog=question["catalog"])
    try:
        return _TOLD[question["what"]](path, file, question["columns"])
    except ReidentError as error:
        faults = [vars(fault) for fault in error.faults]
        return {"error": type(error).__name__, "faults": faults}, []


def _told_names(path: Path, file: SourceFile, _: Any) -> tuple[dict[str, Any], list[bytes]]:
    return {"names": statistical.names(path, file)}, []


def _told_frame(path: Path, file: SourceFile, columns: Any) -> tuple[dict[str, Any], list[bytes]]:
    return {}, [_stream(statistical.frame(path, file, columns)), _stream(pl.DataFrame())]


def _told_table(path: Path, file: SourceFile, columns: Any) -> tuple[dict[str, Any], list[bytes]]:
    held = statistical.table(path, file, columns)
    labels = held.labels
    kinds = [column.alias(name) for name, column in labels.missing.items()]
    said = {"variables": labels.variables, "values": labels.values, "declared": labels.declared}
    return said, [_stream(held.frame), _stream(pl.DataFrame(kinds))]


_TOLD: dict[str, Callable[[Path, SourceFile, Any], tuple[dict[str, Any], list[bytes]]]] = {
    "names": _told_names,
    "frame": _told_frame,
    "table": _told_table,
}


def _stream(values: pl.DataFrame) -> bytes:
    held = io.BytesIO()
    values.write_ipc_stream(held)
    return held.getvalue()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
