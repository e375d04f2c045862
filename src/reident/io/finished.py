"""The door of finished runs: results.json and manifest.json of a run folder, nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reident.errors import DataError, Fault
from reident.io.outputs import FINISHED

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "manifest.json"


def read_results(folder: Path) -> dict[str, Any]:
    """The aggregates of a finished run."""
    return _read(folder, FINISHED)


def read_manifest(folder: Path) -> dict[str, Any]:
    """How a finished run was made."""
    return _read(folder, MANIFEST)


def _read(folder: Path, name: str) -> dict[str, Any]:
    try:
        found = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise DataError(
            Fault(
                where=folder.name,
                found="no finished run",
                remedy=f"Name a folder that holds {name}",
            )
        ) from None
    return found
