"""Work on spans of records, on threads; kernels run without the interpreter's lock."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def spans(pieces: int, n: int) -> list[tuple[int, int]]:
    """Cut 0..n - 1 into at most so many spans; none is empty unless n is 0.

    >>> spans(2, 5)
    [(0, 2), (2, 5)]
    """
    cuts = np.linspace(0, n, max(1, min(pieces, n)) + 1).astype(int).tolist()
    return list(pairwise(cuts))


def on_threads(jobs: int, n: int, work: Callable[[int, int], object]) -> None:
    """Do some work on 0..n - 1, a span for each thread."""
    together(jobs, [partial(work, first, last) for first, last in spans(jobs, n)])


def together(jobs: int, tasks: Sequence[Callable[[], object]]) -> None:
    """Run tasks on so many threads."""
    if jobs == 1 or len(tasks) == 1:
        for task in tasks:
            task()
        return
    with ThreadPoolExecutor(jobs) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result()
