"""The door of finished runs: results.json and manifest.json, and contributions if any."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from reident.errors import DataError, Fault
from reident.io.outputs import FINISHED

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "manifest.json"
CONTRIBUTION = "contribution.json"
SUITES = ("claims.json", "tables.json")
"""What scenario microagg --claims and scenario pwscup write."""


def read_results(folder: Path) -> dict[str, Any]:
    """The aggregates of a finished run."""
    return _read(folder, FINISHED)


def read_manifest(folder: Path) -> dict[str, Any]:
    """How a finished run was made."""
    return _read(folder, MANIFEST)


def read_suite(folder: Path) -> tuple[str, dict[str, Any]] | None:
    """What a suite of a paper measured, with the name of its file; None where none ran here."""
    name = next((name for name in SUITES if (folder / name).exists()), None)
    return None if name is None else (name, _read(folder, name))


def read_contribution(folder: Path) -> dict[str, Any]:
    """What was found without each variable, by attack; nothing where nobody asked."""
    if not (folder / CONTRIBUTION).exists():
        return {}
    held = _read(folder, CONTRIBUTION)
    if held.get("results") != digest(folder):
        raise DataError(
            Fault(
                where=f"{folder.name}/{CONTRIBUTION}",
                found="contributions to another run",
                remedy="Make them again by reident contribution, or remove the file",
            )
        )
    found: dict[str, Any] = held["attacks"]
    return found


def digest(folder: Path) -> str:
    """The fingerprint of a run's results."""
    return hashlib.sha256((folder / FINISHED).read_bytes()).hexdigest()


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
