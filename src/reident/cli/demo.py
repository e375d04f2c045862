"""reident demo: the whole study on made-up data."""

from __future__ import annotations

from pathlib import Path


def demo(*, out: Path = Path("reident-demo"), force: bool = False) -> int:
    """Make a small population up, attack it with all four metrics, and show the rates.

    Args:
        out: Where the files, the study and its run folder go.
        force: Replace an earlier demo.
    """
    from reident.api import Study
    from reident.cli.scenario import write
    from reident.cli.study import run_study

    path = write(out, records=2000, seed=20261115, force=force)
    # The demo's limit is there to be exceeded: it shows what a board would see, and is no failure.
    run_study(Study.read(path), path.with_suffix(".run"), force=force)
    return 0
