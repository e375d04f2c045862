"""What each way of finding cells costs: the function that Dalenius asks for (5.3).

Seconds are nanoseconds of one thread, measured once and rounded; they need only be right enough to
put the ways in order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from reident.needles.find import MOST_COUNTERS
from reident.needles.transforms import bits_of, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

RADIX, POWER = 0.8, 2.0
"""Adding one value to a T2 sum, to a T1 sum."""
DEAL, COUNT = 25.0, 50.0
"""Dealing a key into its partition, counting it there."""
COMPARE = 6.0
"""One of the log2(n) comparisons that sort a record."""
LOOK, COUNTER = 15.0, 1.5
"""Counting a record in a catalogue, and making and reading one of its counters."""
READ, KEEP = 40.0, 120.0
"""Reading and coding one value of a batch, twice; counting a key of a stream."""
STREAM_BYTES = 1 << 29
"""Bytes that the cells of a stream may take before it goes over the file in shares."""
BATCH_BYTES = 1 << 27
REASONS = {
    "sort": "there are few records",
    "catalogue": "there are few possible cells",
    "t1": "its sums are the cheapest to make",
    "t2": "equal sums are found by hashing, without sorting",
}


class Way(NamedTuple):
    """A way to count the cells: bits of its keys, bytes beside the codes, seconds, if it can."""

    method: str
    key_bits: int
    bytes: int
    seconds: float
    possible: bool


def ways(records: int, sizes: Sequence[int], jobs: int) -> list[Way]:
    """Every way with its cost."""
    variables = len(sizes)
    cells = math.prod(sizes)
    count = (DEAL + COUNT) / jobs
    radix = variables * RADIX / jobs + (len(words_of(sizes, records, "t2")) - 1) * count
    windows = len(words_of(sizes, records, "t1"))
    power = (variables + windows) * POWER / jobs + (windows - 1) * count
    keys = 8 * records
    held = 2 * min(records, cells) * (8 * len(words_of(sizes, 2, "t2")) + 4)
    t1, t2 = bits_of(sizes, "t1"), bits_of(sizes, "t2")
    costs = (
        ("sort", t2, 4 * keys, radix + COMPARE * math.log2(records + 1), True),
        ("stream", t2, min(held, STREAM_BYTES) + BATCH_BYTES, variables * READ + KEEP, True),
        (
            "catalogue",
            t2,
            keys + 4 * min(cells, 1 << 62),
            radix + LOOK + COUNTER * cells / max(records, 1) if cells < 1 << 62 else math.inf,
            cells <= MOST_COUNTERS,
        ),
        ("t1", t1, 3 * keys, power + count, True),
        ("t2", t2, 3 * keys, radix + count, True),
    )
    return [
        Way(method, bits, size, records * each * 1e-9, possible)
        for method, bits, size, each, possible in costs
    ]


def cheapest(all_ways: Sequence[Way]) -> tuple[str, str]:
    """The way that takes the least time for a file that is held in memory, and why."""
    held = [way for way in all_ways if way.possible and way.method in REASONS]
    best = min(held, key=lambda way: way.seconds)
    return best.method, REASONS[best.method]
