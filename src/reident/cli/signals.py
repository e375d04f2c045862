"""SIGINT and SIGTERM stop a command within seconds, whatever it is doing; a second one at once.

Python looks at signals between its own steps. Code that reads a file or runs a kernel may hold it
up for longer than that, so a thread of its own ends the process when it does not end by itself.
Files get their final names in one step, so nothing is half-written by then.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import threading
from typing import NoReturn

GRACE = 4.0
"""Seconds in which a command may put away what it has done."""
STDERR = 2
SIGNALS = (signal.SIGINT, signal.SIGTERM)
ENDED = b"Stopped at once; nothing was written under a final name.\n"


def watch() -> None:
    """Be ready for signals; what is in memory never goes to a core dump."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # Exit codes of signals are 128 and their number: 143.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    threading.Thread(target=_end_in_time, args=(reader,), daemon=True).start()


def _end_in_time(reader: int) -> NoReturn:
    """Wait for a signal, then for another or for the end of the grace."""
    number = 0
    while number not in SIGNALS:
        number = os.read(reader, 1)[0]
    select.select([reader], [], [], GRACE)
    os.write(STDERR, ENDED)
    os._exit(128 + number)
