"""The three files of a study (Primer 1.1): public use, external intruder, internal use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from reident.model.value import Codes, Names, Value


class SourceFile(Value):
    """A table on disk or in memory, and how to read it."""

    source: Any = Field(alias="path", exclude=True, repr=False)
    missing: Codes = ()
    separator: str = ","
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""

    def __init__(self, source: Any = None, **details: Any) -> None:
        # The table comes first in a call, as in PublicFile(frame, key="id"); in a study file it
        # is called path.
        super().__init__(**({"path": source} if source is not None else {}), **details)

    @property
    def path(self) -> Path | None:
        """Where the file is, or None for a frame in memory."""
        return Path(self.source) if isinstance(self.source, (str, Path)) else None

    @property
    def name(self) -> str:
        """What messages and the manifest call it."""
        return self.path.name if self.path else f"{type(self.source).__name__} in memory"


class PublicFile(SourceFile):
    """The public-use file, PUF: what would be released."""

    key: Names = Field(min_length=1)


class IntruderFile(SourceFile):
    """The external intruder file, EIF: what an intruder could hold."""

    key: Names = Field(min_length=1)


class TruthFile(SourceFile):
    """The internal use file, IUF: which PUF record is which EIF record.

    With `values = true` it also holds the unperturbed linking values under the PUF's names.
    """

    puf_key: Names = ()
    eif_key: Names = ()
    values: bool = False
