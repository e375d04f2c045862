"""A ceiling on memory: a run that passes it stops by itself, and can be resumed.

While a run goes on, arrays take the place of those let go before them; between its steps what was
let go is given back, so that it counts no longer. What a thread keeps for itself stays.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from reident.errors import CapacityError, Fault

PAGE = os.sysconf("SC_PAGE_SIZE")
LARGE = 32 << 20
"""Bytes of an array that goes back to the system as soon as it is let go: the most glibc allows."""
HELD = 32 << 20
"""Bytes at the end of a thread's room that may be free before they are given back."""
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""What glibc's malloc.h calls these settings."""


def taken() -> int:
    """Bytes of memory that this process takes now."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


def hold_on() -> None:
    """Let arrays below `LARGE` take the place of those let go before them, in this whole process.

    Else each takes fresh pages, which the system clears one by one, and other threads stand still
    whenever some are given back.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # as in glibc
        mallopt(MMAP_THRESHOLD, LARGE)
        mallopt(TRIM_THRESHOLD, HELD)


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
