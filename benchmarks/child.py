"""A fresh process, timed from outside: wall and CPU seconds, peak memory, what it printed."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PAUSE = 0.002
"""Seconds between two looks at the process: the error of a measured wall time."""
LAST_WORDS = 2_000


class ChildFailedError(Exception):
    """A process that ended with an error; carries the end of what it said."""


class ChildUnfinishedError(Exception):
    """A process that was stopped because its time was up."""


@dataclass(frozen=True, kw_only=True)
class Child:
    """A process that has ended."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    said: str


def run(
    command: Sequence[str],
    *,
    limit: float,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    accepted: tuple[int, ...] = (0,),
) -> Child:
    """Run a command to its end, or stop it after `limit` seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=folder, env=env)
        try:
            status, used = _waited(process.pid, start + limit)
        except BaseException:
            process.send_signal(signal.SIGKILL)
            process.wait()
            raise
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            err.seek(0)
            raise ChildFailedError(err.read().decode(errors="replace")[-LAST_WORDS:])
        out.seek(0)
        return Child(
            seconds=seconds,
            cpu_seconds=used.ru_utime + used.ru_stime,
            peak_mb=used.ru_maxrss / 1024,
            said=out.read().decode(),
        )


def _waited(pid: int, until: float) -> tuple[int, object]:
    while True:
        ended, status, used = os.wait4(pid, os.WNOHANG)
        if ended:
            return status, used
        if time.perf_counter() > until:
            raise ChildUnfinishedError
        time.sleep(PAUSE)
