"""The three files of a study (Primer 1.1): public use, external intruder, internal use."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from reident.model.value import Codes, Names, Value

DATABASES = ("duckdb", "env")
"""How a source that is a table of a database begins."""


class DatabaseTable(NamedTuple):
    """A table of a database: `duckdb:file.db::table` or `env:NAME::table`.

    The place is a file for duckdb and, for env, the environment variable with the connection.
    """

    door: str
    place: str
    table: str


def located(text: str, folder: Path) -> Path | str:
    """The source that a study file in a folder names; relative paths start from the folder.

    >>> located("duckdb:survey.db::persons", Path("/data"))
    'duckdb:/data/survey.db::persons'
    """
    match _database(text):
        case DatabaseTable(door="duckdb", place=place, table=table):
            return f"duckdb:{folder / place}::{table}"
        case None:
            return folder / text
    return text


def _database(text: str) -> DatabaseTable | None:
    door, _, rest = text.partition(":")
    place, mark, table = rest.partition("::")
    if door in DATABASES and place and mark and table:
        return DatabaseTable(door, place, table)
    return None


class SourceFile(Value):
    """A table on disk or in memory, and how to read it."""

    source: Any = Field(alias="path", exclude=True, repr=False)
    missing: Codes = ()
    separator: str = ","
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""
    sheet: str = ""
    catalog: str = ""

    def __init__(self, source: Any = None, **details: Any) -> None:
        # The table comes first in a call, as in PublicFile(frame, key="id"); in a study file it
        # is called path.
        super().__init__(**({"path": source} if source is not None else {}), **details)

    @property
    def database(self) -> DatabaseTable | None:
        """The database and the table in it, or None where the source is no such text."""
        return _database(str(self.source)) if isinstance(self.source, (str, Path)) else None

    @property
    def path(self) -> Path | None:
        """Where the file is, or None for a frame in memory and for a table of a database."""
        if self.database or not isinstance(self.source, (str, Path)):
            return None
        return Path(self.source)

    @property
    def name(self) -> str:
        """What messages and the manifest call it."""
        if self.database:
            return f"{Path(self.database.place).name}::{self.database.table}"
        return self.path.name if self.path else f"{type(self.source).__name__} in memory"

    @property
    def location(self) -> str:
        """What a study file that can be run anywhere on this machine says of it."""
        if self.database:
            return str(located(str(self.source), Path.cwd()))
        return str(self.path.absolute()) if self.path else self.name


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
