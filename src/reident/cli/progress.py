"""Progress: a line per piece of work, and on a terminal a bar with the time left."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reident.cli.talk import stderr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import TaskID

    from reident.engine.job import Progress as Event
    from reident.engine.job import Watch


UNITS = (("hours", 3600), ("minutes", 60), ("s", 1))


@contextlib.contextmanager
def progress() -> Iterator[Watch]:
    """Draw what an engine reports."""
    console = stderr()
    line = _lines(console)
    if not console.is_terminal:
        yield line
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("pairs"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def draw(event: Event) -> None:
            line(event)
            if event.label not in tasks:
                tasks[event.label] = bars.add_task(event.label, total=event.total)
            elif event.seconds is not None:
                bars.reset(tasks[event.label], total=event.total)
            bars.update(tasks[event.label], completed=event.done)

        yield draw


def _lines(console: Console) -> Watch:
    """Say of each piece of work how many pairs it decides, and how long that should take.

    An attack may have several: what is told with its expected seconds begins one.
    """
    started: set[str] = set()

    def line(event: Event) -> None:
        if event.label not in started or event.seconds is not None:
            started.add(event.label)
            expected = "" if event.seconds is None else f", {in_words(event.seconds)}"
            console.print(f"{event.label}: {event.total:,} pairs{expected}")

    return line


def in_words(seconds: float) -> str:
    """Seconds as people say them: no more figures than a forecast is good for."""
    if seconds < 1:
        return "less than a second"
    unit, size = next((unit, size) for unit, size in UNITS if seconds >= 2 * size or size == 1)
    return f"about {seconds / size:.0f} {unit}"
