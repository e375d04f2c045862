"""reident compare: finished runs side by side."""

from __future__ import annotations

from pathlib import Path


def compare(*runs: Path, out: Path | None = None, force: bool = False, json: bool = False) -> int:
    """Rates and utility of finished runs side by side, the first one to compare with.

    Args:
        runs: Run folders; the first is what the others are held against.
        out: Also write a page: rates, utility, notes, and the map of risk and utility.
        force: Replace a page that is there.
        json: Print the comparison as JSON.
    """
    from reident.beside import compare_runs
    from reident.cli import talk
    from reident.errors import Fault, SpecError
    from reident.io.outputs import as_json
    from reident.report import beside as report

    if len(runs) < 2:
        raise SpecError(Fault(where="runs", found="fewer than two", remedy="Name at least two"))
    found = compare_runs(runs)
    if json:
        talk.stdout().print(as_json(found), end="", soft_wrap=True)
    else:
        talk.stdout().print(report.summary(found))
    if out is not None:
        from reident.paperwork import write_comparison

        write_comparison(found, out, force=force)
        talk.say(f"Page: {out}")
    return 0
