"""reident scenario: made-up files with planted truth and a ready study."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # cyclopts reads the signature
from typing import Annotated

from cyclopts import App, Parameter

app = App(name="scenario", help="Make up files with planted truth and a ready study.toml.")


@app.command
def study(
    *,
    out: Path,
    records: Annotated[int, Parameter(name="--records")] = 2000,
    seed: int = 20261115,
    force: bool = False,
) -> int:
    """Persons in households: a PUF, an intruder's file, the truth and a study of four metrics.

    Args:
        out: The folder to write into.
        records: PUF records.
        seed: Names the population; the same seed gives the same bytes.
        force: Replace files of an earlier scenario.
    """
    from reident.cli import talk  # noqa: PLC0415  # see cli/__init__
    from reident.report.plain import plain  # noqa: PLC0415

    path = write(out, records=records, seed=seed, force=force)
    talk.stdout().print(plain(f"Study: {path}"), soft_wrap=True)
    return 0


def write(out: Path, *, records: int, seed: int, force: bool) -> Path:
    """Write a scenario's files and return the path of its study."""
    from reident.api import write_scenario  # noqa: PLC0415  # see cli/__init__

    return write_scenario(out, records=records, seed=seed, force=force)
