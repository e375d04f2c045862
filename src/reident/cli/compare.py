"""reident compare: finished runs side by side."""

from __future__ import annotations

from pathlib import Path


def compare(*runs: Path, json: bool = False) -> int:
    """Rates and utility of finished runs side by side, the first one to compare with.

    Args:
        runs: Run folders; the first is what the others are held against.
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
    return 0
