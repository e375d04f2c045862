"""What each variable contributes: every attack again with one variable left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from reident import disk
from reident.errors import DataError, Fault
from reident.io.finished import CONTRIBUTION, digest, read_manifest, read_results
from reident.io.outputs import as_json
from reident.io.spec import study_dict
from reident.paperwork import write_report
from reident.run import chosen, plan, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reident.engine.job import Watch
    from reident.io.intake import Intake
    from reident.model.study import Study

METHODS = ("unicity", "taxicab", "euclidean", "adhoc")
"""Attacks that take any number of variables; the others need the ones that they name."""
FIELDS = ("suspected", "confirmed", "suspected_rate", "confirmed_rate", "conditional_rate")


class LeftOut(NamedTuple):
    """An attack of a study without one variable, or with all where `variable` is None."""

    label: str
    variable: str | None
    study: Study


def left_out(study: Study, only: Sequence[str] = ()) -> Iterator[LeftOut]:
    """Each attack with all its variables, then without each; an attack on one has none to spare."""
    for label, attack in chosen(study, only).items():
        names = [variable.name for variable in study.linking(attack)]
        if attack.method not in METHODS or len(names) == 1:
            continue
        for name in (None, *names):
            rest = tuple(one for one in names if one != name)
            asked = attack.model_copy(update={"variables": rest})
            alone = {"attacks": {label: asked}, "limits": {}, "utility": None}
            yield LeftOut(label, name, study.model_copy(update=alone))


def forecast(study: Study, taken: Intake, only: Sequence[str], jobs: int) -> tuple[int, float]:
    """How many attacks that is, and how many seconds they should take; parts of tiles are timed."""
    rows = [row for one in left_out(study, only) for row in plan(one.study, taken, jobs=jobs)]
    return len(rows), sum(row["seconds"] for row in rows)


def contributions(
    study: Study, taken: Intake, only: Sequence[str], jobs: int, watch: Watch | None = None
) -> dict[str, list[dict[str, Any]]]:
    """By attack what is found with all variables, and without each."""
    found: dict[str, list[dict[str, Any]]] = {}
    for label, variable, one in left_out(study, only):
        told = run(one, taken, jobs=jobs, watch=_naming(watch, variable))[label].to_dict()
        row = {"variable": variable, **{name: told[name] for name in FIELDS}}
        found.setdefault(label, []).append(row)
    return found


def _naming(watch: Watch | None, variable: str | None) -> Watch | None:
    """A watch that is told which variable an attack goes without."""
    if watch is None or variable is None:
        return watch
    return lambda event: watch(event._replace(label=f"{event.label} without {variable}"))


def add_to_run(
    folder: Path, study: Study, taken: Intake, found: dict[str, list[dict[str, Any]]]
) -> list[Path]:
    """Put contributions beside the results of a finished run, and make its report again."""
    read_results(folder)
    manifest = read_manifest(folder)
    same = manifest.get("study") == json.loads(as_json(study_dict(study))) and all(
        manifest["inputs"][side]["sha256"] == file["sha256"] for side, file in taken.inputs.items()
    )
    if not same or manifest.get("unperturbed"):
        raise DataError(
            Fault(
                where=folder.name,
                found="a run of another study, or of other files",
                remedy="Run the study again, or name its run by --run",
            )
        )
    disk.write_text(folder / CONTRIBUTION, as_json({"results": digest(folder), "attacks": found}))
    return [folder / CONTRIBUTION, *write_report(folder)]
