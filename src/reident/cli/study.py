"""What `run`, `link` and `demo` share: run a study into its folder and show the result."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from reident.cli import talk
from reident.cli.progress import progress
from reident.io.outputs import as_json
from reident.kernels import compiled_before
from reident.report import terminal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reident.api import Study
    from reident.model.engines import Spark

LIMIT_EXCEEDED = 3


def run_study(  # noqa: PLR0913  # the flags of a whole study
    study: Study,
    folder: Path,
    *,
    only: Sequence[str] = (),
    jobs: int = 0,
    audit_records: int = 0,
    unperturbed: bool = False,
    memory: int | None = None,
    resume: bool = False,
    force: bool = False,
    engine: Spark | None = None,
    as_json_text: bool = False,
) -> int:
    """Run, write, show; returns the exit code."""
    if not compiled_before():
        talk.say("Compiling kernels, once on this machine: about 20 seconds.")
    with progress() as watch:
        result = study.run_to(
            folder,
            only=only,
            jobs=jobs or len(os.sched_getaffinity(0)),
            audit_records=audit_records,
            unperturbed=unperturbed,
            memory=memory,
            resume=resume,
            force=force,
            watch=watch,
            engine=engine,
        )
    for label, tiles in result.manifest["retried_tiles"].items():
        talk.say(f"{label}: tiles done again: {', '.join(map(str, tiles))}")
    results = result.to_dict()
    if as_json_text:
        talk.stdout().print(as_json(results), end="", soft_wrap=True)
    else:
        talk.stdout().print(terminal.summary(results))
    for note in results["notes"]:
        talk.say(f"note: {note['text']}")
    if audit_records:
        talk.say(f"Audit: {audit_records:,} PUF records derived again by the plain oracle agree.")
    talk.say(f"Report: {folder / 'report.html'}")
    return LIMIT_EXCEEDED if result.exceeded else 0
