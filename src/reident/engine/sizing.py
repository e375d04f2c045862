"""What a job would take on a cluster, also for files larger than those at hand (docs/spark.md).

Seconds are those of tiles timed on this machine; a core of the cluster counts as one of its cores.
Larger files are taken to cost as much for each pair and to hold as much for each record. Lookups
cost less for each pair the larger the files are, so that their seconds are an upper bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from reident.engine.forecast import Forecast

WRITTEN = 250e6
"""Bytes a second at which a job is written down, and read again by every machine: a disk's."""
START = 10.0
"""Seconds until the Python of a worker has loaded the kernels: a first run less a second one."""
PROCESS = 350_000_000
"""Bytes of a worker's Python beside the job that it maps."""
RETURNED = 100
"""Bytes of a PUF record's shortlist, as it comes back."""
ASSUMED = (
    "a core of the cluster is as fast as one here",
    "a pair costs as much as in the files at hand, of which parts of tiles were timed",
    f"a job is written and read at {WRITTEN / 1e6:.0f} MB a second",
    f"workers take {START:.0f} seconds to begin, and {PROCESS / 1e6:.0f} MB beside the job",
    "reading and coding the files is not counted: it is done once, before",
)


class Sized(NamedTuple):
    """Seconds of an attack on a cluster, bytes of its job, of a worker, and of all that returns."""

    seconds: float
    shipped: int
    worker: int
    returned: int


def sized(
    found: Forecast, cores: int, records: tuple[int, int], asked: tuple[int, int] | None
) -> Sized:
    """The cost on so many cores, for files of `asked` PUF and EIF records in place of `records`."""
    puf, eif = (want / max(1, have) for want, have in zip(asked or records, records, strict=True))
    larger = max(puf, eif)
    # Workers load kernels too, which is in START.
    busy = found.left * puf * eif
    shipped = int(found.size * larger)
    return Sized(
        seconds=found.prepared * larger + 2 * shipped / WRITTEN + START + busy / cores,
        shipped=shipped,
        worker=shipped + int(found.made * larger) + PROCESS,
        returned=int(records[0] * puf * RETURNED),
    )
