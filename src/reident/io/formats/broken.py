"""What libraries say of a broken file, said in our words: theirs may quote the data."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from reident.errors import DataError, Fault, ReidentError

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITE_AGAIN = "Write it again, or correct its extension"


@contextlib.contextmanager
def told_as(where: str, found: str, remedy: str = WRITE_AGAIN) -> Iterator[None]:
    """Raise one DataError for whatever a library raises, also for a panic of compiled code."""
    try:
        yield
    except (ReidentError, MemoryError):
        raise
    except BaseException as error:
        # Each compiled library has a class of its own for panics, and none is an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DataError(Fault(where=where, found=found, remedy=remedy)) from None
