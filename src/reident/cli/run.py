"""reident run: a whole study."""

from __future__ import annotations

from pathlib import Path

from reident.cli.flags import Count, Engine, bytes_in, engine_of, names_in


def run(  # noqa: PLR0913  # the flags of a whole study
    study: Path,
    /,
    *,
    only: str = "",
    out: Path | None = None,
    jobs: Count = 0,
    audit: Count = 0,
    unperturbed: bool = False,
    memory: str = "",
    resume: bool = False,
    force: bool = False,
    engine: Engine = "local",
    master: str = "",
    json: bool = False,
) -> int:
    """Run a study: link, suspect, verify, report.

    Args:
        study: The study file (TOML).
        only: Labels of the attacks to run, separated by commas.
        out: The run folder; by default STUDY.run beside the study file.
        jobs: Threads; by default one per core. They never change the result.
        audit: Derive so many PUF records again with the plain oracle; fail on any difference.
        unperturbed: Use the IUF's unperturbed values in place of the PUF's.
        memory: The most memory that the run may take, such as 2GB; without it, all there is.
        resume: Go on with a run that was interrupted, if nothing has changed since.
        force: Replace a finished run.
        engine: Where it runs: this machine, or a Spark cluster. The result is the same.
        master: The cluster of --engine spark, such as spark://host:7077 or local[2].
        json: Print results.json instead of the table.
    """
    from reident.api import Study
    from reident.cli.study import run_study

    ending = ".unperturbed.run" if unperturbed else ".run"
    return run_study(
        Study.read(study),
        out or study.with_suffix(ending),
        only=names_in(only),
        jobs=jobs,
        audit_records=audit,
        unperturbed=unperturbed,
        memory=bytes_in(memory, "memory"),
        resume=resume,
        force=force,
        engine=engine_of(engine, master),
        as_json_text=json,
    )
