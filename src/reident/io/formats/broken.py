"""What libraries say of a broken file, said in our words: theirs may quote the data."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

from reident.errors import DataError, Fault, ReidentError

if TYPE_CHECKING:
    from collections.abc import Iterator

STDERR = 2
ONE_AT_A_TIME = threading.RLock()
"""A process has one stderr: two threads that set it aside would not find it again."""
WRITE_AGAIN = "Write it again, or correct its extension"


@contextlib.contextmanager
def told_as(where: str, found: str, remedy: str = WRITE_AGAIN) -> Iterator[None]:
    """Raise one DataError for whatever a library raises, also for a panic of compiled code."""
    try:
        with _unheard():
            yield
    except (ReidentError, MemoryError):
        raise
    except BaseException as error:
        # Each compiled library has a class of its own for panics, and none is an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DataError(Fault(where=where, found=found, remedy=remedy)) from None


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    """Keep stderr back, and let it be heard only if all went well.

    Compiled code writes a panic there before it raises, and its text may quote the data.
    """
    with ONE_AT_A_TIME, contextlib.ExitStack() as undo:
        try:
            heard = os.dup(STDERR)
        except OSError:  # there is none, and so nobody to hear
            yield
            return
        undo.callback(os.close, heard)
        held = os.memfd_create("stderr")
        undo.callback(os.close, held)
        undo.callback(os.dup2, heard, STDERR)
        os.dup2(held, STDERR)
        yield
        os.dup2(heard, STDERR)
        os.lseek(held, 0, os.SEEK_SET)
        while piece := os.read(held, 1 << 16):
            os.write(STDERR, piece)
