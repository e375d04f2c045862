"""The seam between attacks and engines: a job is cut into tiles, run, merged and finished.

An engine knows no attack, an attack knows no engine. How the tiles are cut, in which order and
where they run must never change what `finish` returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Part = TypeVar("Part")
Done = TypeVar("Done", covariant=True)  # noqa: PLC0105  # reads as a noun in signatures


class Tile(NamedTuple):
    """PUF rows first..last - 1 against other rows start..stop - 1; `work` counts its pairs.

    Tiles of one strip have the same PUF rows; only they share what is already known.
    """

    number: int
    strip: int
    first: int
    last: int
    start: int
    stop: int
    work: int


class Job(Protocol[Part, Done]):
    """Work on pairs of rows that can be cut up. A Part is a named tuple of arrays.

    `how` names the way it works, for plan and manifest. A job whose parts are worth keeping for a
    run that is interrupted and resumed also names their class: `part`. What jobs without it do is
    quick, and done again. Of these one that says that it `makes` gives another job, with what
    belongs to it: a named tuple whose first is the job. It may be made and left where there is
    room for it. One that `prepares` another is no end in itself: a forecast needs its answer. Parts
    of tiles of any other may be run beforehand, for a forecast, and what they give thrown away; a
    job whose PUF rows differ in their work names what each takes: `weights`.
    """

    @property
    def how(self) -> str:
        """One word."""
        ...

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Cut the work into tiles of about `budget` pairs; strips in order, deterministic."""
        ...

    def run(self, tile: Tile, so_far: Part | None) -> Part:
        """Do one tile; what the strip knows so far may only prune."""
        ...

    def merge(self, one: Part, other: Part) -> Part:
        """Join two parts of a strip; associative and commutative."""
        ...

    def finish(self, tile: Tile, part: Part) -> Done:
        """The answer for a strip whose tiles are all merged."""
        ...


def in_turn(job: Job[Any, Done], label: str) -> Iterator[Done]:
    """A fold without an engine: jobs of one tile a strip, one after another, told to nobody."""
    del label
    return (job.finish(tile, job.run(tile, None)) for tile in job.tiles(1))


UNTOLD = ""
"""The label of work beside the pairs, which is quick: no progress is told."""


class Progress(NamedTuple):
    """How far a piece of work is: pairs decided of all pairs.

    What is told before the first of them may say how many seconds all are expected to take.
    """

    label: str
    done: int
    total: int
    seconds: float | None = None


if TYPE_CHECKING:
    Watch = Callable[[Progress], None]

    class Fold(Protocol):
        """An engine's promise: the finished strips of a job, in order of strip."""

        def __call__(self, job: Job[Any, Done], label: str) -> Iterator[Done]:
            """Run all tiles of a job."""
            ...
