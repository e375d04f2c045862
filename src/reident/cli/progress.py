"""Progress: a bar with the time left on a terminal, a line per attack elsewhere."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reident.cli.talk import stderr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reident.engine.job import Progress as Event
    from reident.engine.job import Watch


@contextlib.contextmanager
def progress() -> Iterator[Watch]:
    """Draw what an engine reports."""
    console = stderr()
    if not console.is_terminal:
        yield _lines()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("pairs"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[str, object] = {}

        def draw(event: Event) -> None:
            if event.label not in tasks:
                tasks[event.label] = bars.add_task(event.label, total=event.total)
            bars.update(tasks[event.label], completed=event.done)  # type: ignore[arg-type]  # its id

        yield draw


def _lines() -> Watch:
    console = stderr()
    started: set[str] = set()

    def line(event: Event) -> None:
        if event.label not in started:
            started.add(event.label)
            console.print(f"{event.label}: {event.total:,} pairs")

    return line
