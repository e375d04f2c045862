"""A ceiling on memory: a run that passes it stops by itself, and can be resumed.

What a run has let go is given back, so that it counts no longer.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from reident.errors import CapacityError, Fault

PAGE = os.sysconf("SC_PAGE_SIZE")
LARGE = 32 << 20
"""Bytes of an array that goes back to the system as soon as it is let go: the most glibc allows."""
HELD = 64 << 20
"""Bytes that a thread may hold on to after it let smaller arrays go."""
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""What glibc's malloc.h calls these settings."""


def taken() -> int:
    """Bytes of memory that this process takes now."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


def hold_on() -> None:
    """Let smaller arrays take the place of those let go before them.

    Else each takes fresh pages, which the system clears one by one, and other threads stand still
    whenever some are given back.
    """
    setting = getattr(ctypes.CDLL(None), "mallopt", None)
    if setting is not None:  # as in glibc
        setting(MMAP_THRESHOLD, LARGE)
        setting(TRIM_THRESHOLD, HELD)


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
