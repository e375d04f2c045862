"""reident contribution: what each variable contributes to what the attacks find."""

from __future__ import annotations

from pathlib import Path

from reident.cli.flags import Count, names_in


def contribution(
    study: Path,
    /,
    *,
    only: str = "",
    run: Path | None = None,
    jobs: Count = 0,
    plan: bool = False,
    json: bool = False,
) -> int:
    """Run each attack again with one variable left out at a time; says first how long it takes.

    Args:
        study: The study file (TOML).
        only: Labels of the attacks, separated by commas.
        run: Its finished run, whose report gets the pictures; by default STUDY.run if there is one.
        jobs: Threads; by default one per core.
        plan: Say how long it should take, and run nothing.
        json: Print the result as JSON.
    """
    import os

    from reident import contribution as leave_one_out
    from reident.cli import talk
    from reident.cli.progress import in_words, progress
    from reident.io.intake import take_in
    from reident.io.outputs import FINISHED, as_json
    from reident.io.spec import read_study
    from reident.report import contribution as report

    asked, threads = read_study(study), jobs or len(os.sched_getaffinity(0))
    taken = take_in(asked)
    attacks, seconds = leave_one_out.forecast(asked, taken, names_in(only), threads)
    talk.say(f"{attacks:,} attacks, {in_words(seconds)}.")
    if plan:
        return 0
    with progress() as watch:
        found = leave_one_out.contributions(asked, taken, names_in(only), threads, watch)
    if json:
        talk.stdout().print(as_json({"attacks": found}), end="", soft_wrap=True)
    else:
        talk.stdout().print(report.summary(found))
    folder = run or study.with_suffix(".run")
    if run is not None or (folder / FINISHED).exists():
        for path in leave_one_out.add_to_run(folder, asked, taken, found):
            talk.say(f"Written: {path}")
    return 0
