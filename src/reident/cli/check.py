"""reident check: all faults of a study and its files, before any work."""

from __future__ import annotations

from pathlib import Path


def check(study: Path, /, *, json: bool = False) -> int:
    """Check a study and its files without running it.

    Args:
        study: The study file (TOML).
        json: Print faults and notes as JSON.
    """
    from reident.api import check_study
    from reident.cli import talk
    from reident.io.outputs import as_json
    from reident.report.plain import plain

    faults, notes = check_study(study)
    if json:
        found = {
            "faults": [str(fault) for fault in faults],
            "notes": [note.to_dict() for note in notes],
        }
        talk.stdout().print(as_json(found), end="", soft_wrap=True)
    else:
        for fault in faults:
            talk.say_error(str(fault))
        for note in notes:
            talk.stdout().print(f"note: {plain(note.text)}", soft_wrap=True)
        if not faults:
            talk.stdout().print("No faults.")
    return 2 if faults else 0
