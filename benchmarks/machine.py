"""What the figures were measured on; nothing that names the machine or a place on it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("reident", "numba", "numpy", "polars")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def load() -> float:
    """Processes that wanted to run in the last minute, on average."""
    return round(os.getloadavg()[0], 2)


def described() -> dict[str, object]:
    """Processor, cores, memory, system and versions."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": cores(),
        "memory_gb": round(pages / 2**30, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in LIBRARIES},
    }
