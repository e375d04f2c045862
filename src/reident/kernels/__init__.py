"""Arrays in, arrays out: numpy and numba, nothing that raises, draws or prints.

Read `pairs` first (score a tile of pairs into shortlists), then `shortlist` (the rank rule as an
associative merge) and `masks` (agreement sets for unicity).

Compiled code is cached in a private folder named by a digest of every kernel's source and of the
processor that numba was told to compile for. numba does not notice when a function called from
another file has changed, nor that registers are taken to be of another width (kernels/lanes), so
without the digest a stale caller could give wrong answers. Nor does it keep apart what several
processes compile of one kernel at the same moment, so each file has a name of its own.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import uuid
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

config: Any = numba.config  # its attributes are made at run time
Kernel = TypeVar("Kernel", bound="Callable[..., Any]")


def source_digest() -> str:
    """A digest of all kernel sources, of numba's version, and of the processor it was told of."""
    told = (numba.__version__, config.CPU_NAME, config.CPU_FEATURES, config.ENABLE_AVX)
    digest = hashlib.sha256(repr(told).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reident"
    named = config.CACHE_DIR
    folder = (Path(named) if named else home) / source_digest()
    try:
        for part in [*reversed(folder.parents), folder]:
            if not part.exists():
                # Compiled code is run as it is found: nobody else may put any there.
                part.mkdir(mode=0o700)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="reident-"))
    return folder


CACHE = _cache_folder()
config.CACHE_DIR = str(CACHE)

_numba_njit: Any = partial(numba.njit, cache=True, nogil=True, no_cfunc_wrapper=True)
"""The entry for C, which nobody uses, took the compiler a quarter of its time."""


def _njit(kernel: Kernel, **how: Any) -> Kernel:
    """A kernel whose compiled files are numbered at random.

    numba takes the first number that it finds free. Of two processes that compile a kernel for
    different types at the same moment, one could then be handed the other's code.
    """
    made = _numba_njit(**how)(kernel)
    if not config.DISABLE_JIT:
        files = made._cache._cache_file  # noqa: SLF001  # numba has no door to it
        name = files._data_name  # noqa: SLF001  # as above
        files._data_name = lambda _: name(uuid.uuid4().int)  # noqa: SLF001  # as above
    return cast("Kernel", made)


def compiled(kernel: Kernel) -> Kernel:
    """A kernel: compiled once and kept, free of the interpreter's lock."""
    return _njit(kernel)


def inlined(kernel: Kernel) -> Kernel:
    """A kernel that becomes part of those that call it."""
    return _njit(kernel, inline="always")


def uncounted(kernel: Kernel) -> Kernel:
    """A small kernel that makes no arrays: who holds the arrays handed to it is not counted.

    To count takes longer than such a kernel does, all the more where threads share arrays. It may
    return no array either, nor a tuple with one: numba does not notice, and lets it go too soon.
    """
    return _njit(kernel, _nrt=False)


def compiled_before() -> bool:
    """Whether an earlier run has left compiled kernels, so that this one need not wait."""
    return any(CACHE.glob("**/*.nbi"))
