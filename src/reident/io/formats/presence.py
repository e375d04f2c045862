"""Whether a file is there at all, asked once for every door."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reident.errors import DataError, Fault

if TYPE_CHECKING:
    from pathlib import Path

    from reident.model.files import SourceFile


def refuse_unless_there(path: Path, file: SourceFile) -> None:
    """Raise DataError for what is absent, no file, or empty."""
    if not path.exists():
        found, remedy = "no such file", "Check the path"
    elif not path.is_file():
        found, remedy = "not a file", "Name a file"
    elif not path.stat().st_size:
        found, remedy = "an empty file", "Give a file with names of columns and records"
    else:
        return
    raise DataError(Fault(where=file.name, found=found, remedy=remedy))
