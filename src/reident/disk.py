"""The one way to create a file or a folder: private, whole, and never half-written.

A file is written under a temporary name in the folder it will live in, with mode 0600 whatever
the umask, flushed to the disk if it is to last, and renamed. A reader sees the old file or the new
one.
"""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


def make_folder(path: Path) -> Path:
    """Create a folder that only its owner can enter; parents that are missing likewise."""
    for folder in [*reversed(path.parents), path]:
        if not folder.exists():
            # mkdir's own mode is cut by the umask, and never widened by it: 0700 survives every
            # umask but one that takes the owner's rights away.
            folder.mkdir(mode=PRIVATE_FOLDER)
            folder.chmod(PRIVATE_FOLDER)
    return path


@contextlib.contextmanager
def create(path: Path, *, replace: bool = True, lasting: bool = True) -> Iterator[IO[bytes]]:
    """Open a new binary file that appears under its name only when the block ends well.

    Without `replace`, FileExistsError is raised if the name is taken by then. A file that need not
    outlast a power cut is not `lasting`. What a process that was killed has left of such a file is
    removed.
    """
    _remove_orphans(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        with os.fdopen(handle, "wb") as stream:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(stream, fcntl.LOCK_SH)
            os.fchmod(stream.fileno(), PRIVATE_FILE)
            yield stream
            stream.flush()
            if lasting:
                os.fsync(stream.fileno())
        if replace:
            temporary.replace(path)
        else:
            # Unlike a rename, a link never takes the place of another file.
            path.hardlink_to(temporary)
            temporary.unlink()
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _remove_orphans(path: Path) -> None:
    """Remove temporary files of this name that nobody holds: the system frees locks of the dead."""
    for orphan in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        # Its owner may hold it, or be done with it by now.
        with contextlib.suppress(OSError), orphan.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            orphan.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a whole UTF-8 text file."""
    with create(path) as stream:
        stream.write(text.encode())


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
