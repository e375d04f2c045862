"""The first run compiles kernels: a second process begins with those that are needed last.

The compiler works on one kernel at a time in a process. What either has compiled lies in a folder
where the other finds it (reident.kernels).
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from reident.cli import talk
from reident.kernels import compiled_before

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDS = 40
"""Of a made-up study: its attacks call for the same kernels as those of others."""


@contextlib.contextmanager
def compiling_ahead(processes: int) -> Iterator[None]:
    """While a first run goes on, say so, and have kernels compiled if it may use two processes."""
    if compiled_before():
        yield
        return
    talk.say("Compiling kernels, once on this machine: about 20 seconds.")
    if processes == 1:
        yield
        return
    with tempfile.TemporaryDirectory() as home:
        helper = subprocess.Popen(  # noqa: S603  # this Python, and this file
            [sys.executable, "-m", __name__, home],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield
        finally:
            helper.kill()
            helper.wait()


def main(home: Path) -> None:
    """Run a small attack for the sake of its kernels."""
    from reident.api import Study
    from reident.made_up import write_scenario
    from reident.model.options import Taxicab

    # All ranked attacks share their kernels.
    Study.read(write_scenario(home, records=RECORDS, seed=1)).run(Taxicab())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
