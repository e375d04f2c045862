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


@app.command
def pwscup(
    *,
    out: Path,
    records: Annotated[int, Parameter(name="--records")] = 8333,
    seed: int = 20261115,
    figures: bool = False,
    force: bool = False,
    json: bool = False,
) -> int:
    """Families with expenses in the shape of PWSCUP2015's file, anonymised in eight ways.

    Prints Tables 12, 13 and 16 of Identify-euc for a sample of 100 records and for the whole:
    measured beside expected. Every release lies in a folder with a study ready to run.

    Args:
        out: The folder to write into.
        records: Records of the file.
        seed: Names the file; the same seed gives the same bytes.
        figures: Draw Figures 1 to 4 as well: rate and seconds by the number of QI and of SA.
        force: Replace files of an earlier scenario.
        json: Print the measurements as JSON.
    """
    from reident.api import write_contest  # noqa: PLC0415  # see cli/__init__
    from reident.cli import talk  # noqa: PLC0415
    from reident.io.outputs import as_json  # noqa: PLC0415
    from reident.report import contest as report  # noqa: PLC0415

    found = write_contest(out, records=records, seed=seed, figures=figures, force=force)
    if json:
        talk.stdout().print(as_json(found), end="", soft_wrap=True)
    else:
        talk.stdout().print(report.summary(found))
    talk.say(f"Written: {out}")
    return 0


def write(out: Path, *, records: int, seed: int, force: bool) -> Path:
    """Write a scenario's files and return the path of its study."""
    from reident.api import write_scenario  # noqa: PLC0415  # see cli/__init__

    return write_scenario(out, records=records, seed=seed, force=force)
