"""reident plan: what a run would do, before it does it."""

from __future__ import annotations

from pathlib import Path

from reident.cli.flags import Count, bytes_in, names_in


def plan(
    study: Path,
    /,
    *,
    only: str = "",
    jobs: Count = 0,
    memory: str = "",
    json: bool = False,
) -> int:
    """Forecast a study: pairs with and without strata, method, seconds, memory, per attack.

    Args:
        study: The study file (TOML).
        only: Labels of the attacks, separated by commas.
        jobs: Threads; by default one per core.
        memory: The most memory that the run may take, such as 2GB: fail if it would take more.
        json: Print the forecast as JSON.
    """
    import os

    from rich.table import Table

    from reident.api import Study
    from reident.cli import talk
    from reident.io.outputs import as_json

    rows = Study.read(study).plan(
        only=names_in(only),
        jobs=jobs or len(os.sched_getaffinity(0)),
        memory=bytes_in(memory, "memory"),
    )
    if json:
        talk.stdout().print(as_json({"attacks": rows}), end="", soft_wrap=True)
        return 0
    table = Table("Attack", "Pairs", "Without strata", "Method", "Seconds", "MB")
    for row in rows:
        table.add_row(
            row["attack"],
            f"{row['pairs']:,}",
            f"{row['pairs_without_strata']:,}",
            row["method"],
            f"{row['seconds']:.1f}",
            f"{row['bytes'] / 1e6:.0f}",
        )
    talk.stdout().print(table)
    return 0
