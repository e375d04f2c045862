"""reident scenario: made-up files with planted truth and a ready study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number

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
    from reident.cli import talk
    from reident.report.plain import plain

    path = write(out, records=records, seed=seed, force=force)
    talk.stdout().print(plain(f"Study: {path}"), soft_wrap=True)
    return 0


@app.command
def microagg(  # noqa: PLR0913  # the flags of a whole situation
    *,
    out: Path,
    situation: str = "basic",
    records: int = 100_000,
    seed: int = 20261115,
    k: str = "",
    method: str = "single",
    statistic: str = "mean",
    variables: int = 10,
    share: float = 0.01,
    deviation: float = 0.03,
    gross: float = 0.3,
    off: int = 3,
    claims: bool = False,
    seeds: Annotated[int, Parameter(validator=Number(gte=1))] = 1,
    force: bool = False,
    json: bool = False,
) -> int:
    """Micro-aggregated files and an intruder's, in one of three situations (Winkler 2002).

    Args:
        out: The folder to write into.
        situation: basic (all released), sample, or deviating (a sample, the intruder's differ).
        records: Originals.
        seed: Names the originals; the same seed gives the same bytes.
        k: Records in a group; with --claims several, separated by commas.
        method: single (one variable at a time) or mdav (all at once).
        statistic: mean or median of a group.
        variables: Variables of a record.
        share: Share of the records that a sample releases.
        deviation: The largest slight deviation, as a share of the value.
        gross: The gross deviation, as a share of the value.
        off: Variables of each record that deviate grossly.
        claims: Measure the paper's claims in all situations, for every k, and draw the picture.
        seeds: How many seeds to measure over, from --seed on.
        force: Replace files of an earlier scenario.
        json: Print the measurements as JSON.
    """
    from reident import made_up
    from reident.cli import talk
    from reident.cli.flags import numbers_in
    from reident.report.plain import plain

    asked = {
        "situation": situation, "records": records, "seed": seed, "method": method,
        "statistic": statistic, "variables": variables, "share": share, "deviation": deviation,
        "gross": gross, "off": off,
    }  # fmt: skip
    ks = numbers_in(k, "k")
    if claims:
        return _claims(out, asked, ks=ks, seeds=seeds, force=force, json=json)
    path = made_up.write_microagg(out, asked | ({"k": ks[0]} if ks else {}), force=force)
    talk.stdout().print(plain(f"Study: {path}"), soft_wrap=True)
    return 0


def _claims(
    out: Path, asked: dict[str, Any], *, ks: list[int], seeds: int, force: bool, json: bool
) -> int:
    import os

    from reident.cli import talk
    from reident.io.outputs import as_json
    from reident.made_up import write_claims
    from reident.report.claims import table

    rows = write_claims(
        out,
        asked,
        ks=ks,
        seeds=seeds,
        jobs=len(os.sched_getaffinity(0)),
        force=force,
        tell=lambda done, total: talk.say(f"{done:,} of {total:,} rounds measured"),
    )
    if json:
        talk.stdout().print(as_json({"claims": rows}), end="", soft_wrap=True)
    else:
        talk.stdout().print(table(rows))
    talk.say(f"Picture: {out / 'claims.svg'}")
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
    from reident.cli import talk
    from reident.io.outputs import as_json
    from reident.made_up import write_contest
    from reident.report import contest as report

    found = write_contest(out, records=records, seed=seed, figures=figures, force=force)
    if json:
        talk.stdout().print(as_json(found), end="", soft_wrap=True)
    else:
        talk.stdout().print(report.summary(found))
    talk.say(f"Written: {out}")
    return 0


def write(out: Path, *, records: int, seed: int, force: bool) -> Path:
    """Write a scenario's files and return the path of its study."""
    from reident.made_up import write_scenario

    return write_scenario(out, records=records, seed=seed, force=force)
