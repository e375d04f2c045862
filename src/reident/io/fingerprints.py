"""What a file was when a run began, and whether it still is when the run ends."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from reident.errors import ChangedError, Fault
from reident.io.formats.database import file_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reident.model.files import SourceFile


def fingerprint(file: SourceFile, records: int | None = None) -> dict[str, Any]:
    """Name, records, size and SHA-256 of an input.

    A frame in memory has no bytes, and neither has a file that is not there.
    """
    size, digest, path = None, None, file_of(file)
    if path is not None and path.is_file():
        size = path.stat().st_size
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"name": file.name, "records": records, "bytes": size, "sha256": digest}


def refuse_changed(files: Mapping[str, SourceFile], inputs: Mapping[str, Any]) -> None:
    """Refuse to end a run if a file is not what it was when its fingerprint was taken."""
    faults = [
        changed(file)
        for side, file in files.items()
        if inputs[side]["sha256"] != fingerprint(file)["sha256"]
    ]
    if faults:
        raise ChangedError(*faults)


def changed(file: SourceFile) -> Fault:
    """What is wrong with a file that is not what it was."""
    return Fault(
        where=file.name,
        found="the file has changed since the run began",
        remedy="Run again when nobody writes to it; nothing was written",
    )
