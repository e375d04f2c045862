"""Made-up files and what is measured on them, written to a folder: what `scenario` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident import claims, contest, disk
from reident.errors import Fault, RefusalError, SpecError
from reident.io.outputs import as_json
from reident.paperwork import write_report
from reident.report import charts
from reident.report.claims import picture
from reident.scenario.microagg import Situation
from reident.scenario.population import study_scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reident.scenario.population import Scenario


def write_scenario(folder: Path, *, records: int, seed: int, force: bool = False) -> Path:
    """Write the made-up files of `scenario study`; returns the path of the study file."""
    if records < 1:
        raise SpecError(Fault(where="records", found="less than one", remedy="Give at least 1"))
    return _write_made_up(folder, lambda: study_scenario(records=records, seed=seed), force=force)


def write_microagg(folder: Path, asked: dict[str, Any], *, force: bool = False) -> Path:
    """Write the made-up files of `scenario microagg`; returns the path of the study file."""
    situation = Situation(**asked)
    return _write_made_up(folder, lambda: claims.made_up(situation), force=force)


def write_claims(
    folder: Path,
    asked: dict[str, Any],
    *,
    ks: Sequence[int] = (),
    seeds: int = 1,
    jobs: int = 1,
    force: bool = False,
    tell: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """Measure what Winkler (2002) claims; writes claims.json and the picture claims.svg."""
    situation = Situation(**asked)
    path = folder / "claims.json"
    _refuse_earlier(path, force=force)
    rows = [
        claim.to_dict()
        for claim in claims.claims(situation, ks or claims.DEFAULT_K, seeds, jobs, tell)
    ]
    disk.make_folder(folder)
    disk.write_text(folder / "claims.svg", picture(rows))
    disk.write_text(path, as_json({"asked": asked, "seeds": seeds, "claims": rows}))
    write_report(folder)
    return rows


def _write_made_up(folder: Path, make: Callable[[], Scenario], *, force: bool) -> Path:
    path = folder / "study.toml"
    _refuse_earlier(path, force=force)
    made = make()
    disk.make_folder(folder)
    for name, frame in (("puf", made.puf), ("eif", made.eif), ("iuf", made.iuf)):
        with disk.create(folder / f"{name}.csv") as stream:
            frame.write_csv(stream)
    disk.write_text(path, made.study)
    return path


def _refuse_earlier(path: Path, *, force: bool) -> None:
    if path.exists() and not force:
        raise RefusalError(
            Fault(where=str(path), found="an earlier scenario", remedy="Replace it by --force")
        )


def write_contest(
    folder: Path, *, records: int, seed: int, figures: bool = False, force: bool = False
) -> dict[str, Any]:
    """Write the made-up file of `scenario pwscup` and its releases; returns what was measured."""
    if records < contest.SAMPLE:
        least = f"Give at least {contest.SAMPLE}"
        raise SpecError(Fault(where="records", found="fewer than the sample", remedy=least))
    contest.write_releases(folder, records=records, seed=seed, force=force)
    found = contest.contest(records, seed)
    disk.write_text(folder / "tables.json", as_json(found))
    write_report(folder)
    if figures:
        drawn = contest.figures(records, seed)
        disk.write_text(folder / "figures.json", as_json(drawn))
        for number, (role, what) in enumerate(contest.FIGURES, start=1):
            rows = [
                charts.Bar(str(row["count"]), row[what], f"{row[what]:.3f}") for row in drawn[role]
            ]
            disk.write_text(folder / f"figure{number}.svg", charts.bars(rows, what))
    return found
