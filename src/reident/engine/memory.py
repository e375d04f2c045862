"""A ceiling on memory: a run that passes it stops by itself, and can be resumed.

What a run has let go is given back, so that it counts no longer.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from reident.errors import CapacityError, Fault

PAGE = os.sysconf("SC_PAGE_SIZE")


def taken() -> int:
    """Bytes of memory that this process takes now."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


def give_back() -> None:
    """Give the system what was let go: the C library would keep much of it for later."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # as in glibc; others keep less
        trim(0)


def refuse_beyond(limit: int, need: int, what: str) -> None:
    """Raise CapacityError if more is needed than the limit allows."""
    if need > limit:
        raise CapacityError(
            Fault(
                where="memory",
                found=f"{what} {need / 1e9:.3g} GB, and {limit / 1e9:.3g} GB are allowed",
                remedy="Raise --memory, run fewer attacks at a time, or link on fewer variables",
            )
        )
