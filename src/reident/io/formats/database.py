"""Tables of databases: DuckDB files, SQLite files, and what an installed DuckDB can attach.

`duckdb:file.db::table` names a file; `env:NAME::table` an environment variable with the connection:
`duckdb:FILE`, `sqlite:FILE`, or a text for DuckDB's ATTACH. A connection is never shown. A table is
looked up by name among the tables that are there and quoted; its name is never a part of a
statement as it stands. Databases are opened for reading only, and nothing is ever installed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import polars as pl

from reident.encode.text import EXACT, text_of
from reident.errors import DataError, Fault
from reident.io.formats.presence import refuse_unless_there

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reident.model.files import DatabaseTable, SourceFile

BATCH = 50_000
"""Records of an SQLite table that are turned into columns at a time."""
CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_unsigned_extensions": "false",
}
"""Nothing is fetched from anywhere."""


class Place(NamedTuple):
    """Where a database is: the kind of connection and its text."""

    kind: str
    text: str

    @property
    def file(self) -> Path | None:
        """The file of the database, where it is one."""
        return Path(self.text) if self.kind in {"duckdb", "sqlite"} else None


class _Opened(Protocol):
    """A table in an open database."""

    def names(self) -> list[str]: ...

    def read(self, columns: list[str]) -> pl.DataFrame: ...


def place_of(file: SourceFile, source: DatabaseTable) -> Place:
    """The place of a database; an environment variable that is not set raises DataError."""
    if source.door == "duckdb":
        return Place("duckdb", source.place)
    connection = os.environ.get(source.place)
    if not connection:
        raise _fault(
            file,
            f"the environment variable {source.place} is not set",
            "Set it to duckdb:FILE, sqlite:FILE or what DuckDB can attach",
        )
    kind, _, text = connection.partition(":")
    if kind in {"duckdb", "sqlite"} and text:
        return Place(kind, text)
    return Place("attach", connection)


def file_of(file: SourceFile) -> Path | None:
    """The file whose bytes a source stands for: its own, or its database's, if there is one."""
    if file.database is None:
        return file.path
    held = place_of(file, file.database).file
    return held if held is not None and held.is_file() else None


def names(file: SourceFile, source: DatabaseTable) -> list[str]:
    """The names of the columns of a table."""
    with _table(file, source) as table:
        return table.names()


def frame(file: SourceFile, source: DatabaseTable, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read the named columns of a table, in the order the database keeps."""
    with _table(file, source) as table:
        wanted = [name for name in table.names() if columns is None or name in columns]
        return table.read(wanted) if wanted else pl.DataFrame()


@contextlib.contextmanager
def _table(file: SourceFile, source: DatabaseTable) -> Iterator[_Opened]:
    place = place_of(file, source)
    if place.file is not None:
        refuse_unless_there(place.file, file)
    opener = _sqlite if place.kind == "sqlite" else _duckdb
    with opener(file, place, source.table) as table:
        yield table


def quoted(name: str) -> str:
    """A name inside a statement, whatever signs it holds.

    >>> quoted('a"; drop table b; --')
    '"a""; drop table b; --"'
    """
    return '"' + name.replace('"', '""') + '"'


# DuckDB -------------------------------------------------------------------------------------------


class _DuckTable:
    def __init__(self, connection: Any, name: str) -> None:
        self._connection, self._name = connection, name

    def names(self) -> list[str]:
        return list(self._connection.sql(f"from {self._name} limit 0").columns)

    def read(self, columns: list[str]) -> pl.DataFrame:
        chosen = ", ".join(quoted(name) for name in columns)
        query = f"select {chosen} from {self._name}"  # noqa: S608  # every name is quoted
        return pl.DataFrame(_Stream(self._connection.sql(query)))


class _Stream:
    """The values of a relation for polars, and nothing else of it.

    polars remembers the type of what it was given to the end of the process; DuckDB, whose type is
    then still held, tells of it at length on stderr.
    """

    def __init__(self, relation: Any) -> None:
        self._relation = relation

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._relation.__arrow_c_stream__(requested_schema)


@contextlib.contextmanager
def _duckdb(file: SourceFile, place: Place, table: str) -> Iterator[_DuckTable]:
    try:
        import duckdb  # noqa: PLC0415  # an extra, and imported nowhere else
    except ImportError:
        raise _fault(
            file, "a table for which DuckDB is needed", "Install it: pip install 'reident[duckdb]'"
        ) from None
    try:
        with _connected(duckdb, place) as connection:
            yield _DuckTable(connection, _found(file, _catalogue(connection), table))
    except (duckdb.Error, pl.exceptions.PolarsError):
        # The library's message may hold the connection or data.
        raise _fault(
            file,
            "a database that cannot be read",
            "Check that it is a whole database, that nobody is writing to it and, for other kinds, "
            "that DuckDB's extension for it is installed",
        ) from None


@contextlib.contextmanager
def _connected(duckdb: Any, place: Place) -> Iterator[Any]:
    if place.kind == "duckdb":
        # A view in the file must not reach for other files.
        config = CLOSED | {"enable_external_access": "false"}
        with duckdb.connect(place.text, read_only=True, config=config) as connection:
            yield connection
        return
    config = CLOSED | {"autoload_known_extensions": "true"}
    with duckdb.connect(":memory:", config=config) as connection:
        text = place.text.replace("'", "''")
        connection.execute(f"attach '{text}' as source (read_only)")
        connection.execute("use source")
        yield connection


def _catalogue(connection: Any) -> list[tuple[str, str]]:
    """Schemas and names of the tables and views that are there, the default schema first."""
    query = (
        "select table_schema, table_name from information_schema.tables "
        "where table_catalog = current_database() order by table_schema <> current_schema()"
    )
    return [(str(schema), str(name)) for schema, name in connection.execute(query).fetchall()]


def _found(file: SourceFile, there: list[tuple[str, str]], table: str) -> str:
    """The quoted name of a table, given by its name or as schema.name."""
    for schema, name in there:
        if table in {name, f"{schema}.{name}"}:
            return f"{quoted(schema)}.{quoted(name)}"
    raise _fault(file, "no such table in the database", "Check the name after ::")


# SQLite -------------------------------------------------------------------------------------------


class _SqliteTable:
    def __init__(self, connection: sqlite3.Connection, name: str, file: SourceFile) -> None:
        self._connection, self._name, self._file = connection, name, file

    def names(self) -> list[str]:
        query = f"select * from {self._name} limit 0"  # noqa: S608  # the name is quoted
        return [column[0] for column in self._connection.execute(query).description]

    def read(self, columns: list[str]) -> pl.DataFrame:
        chosen = ", ".join(quoted(name) for name in columns)
        query = f"select {chosen} from {self._name}"  # noqa: S608  # every name is quoted
        cursor = self._connection.execute(query)
        parts: list[list[list[Any]]] = [[] for _ in columns]
        while rows := cursor.fetchmany(BATCH):
            for held, values in zip(parts, zip(*rows, strict=True), strict=True):
                held.append(list(values))
        return pl.DataFrame(
            [
                self._column(name, [value for part in held for value in part])
                for name, held in zip(columns, parts, strict=True)
            ]
        )

    def _column(self, name: str, values: list[Any]) -> pl.Series:
        """A column of SQLite, whose cells have types of their own: mixed ones become texts."""
        kinds = {type(value) for value in values if value is not None}
        if bytes in kinds:
            raise _fault(self._file, f"bytes in column {name!r}", "Store texts or numbers")
        if kinds <= {int}:
            return pl.Series(name, values, pl.Int64)
        whole = (value for value in values if isinstance(value, int))
        if kinds <= {int, float} and all(abs(value) <= EXACT for value in whole):
            return pl.Series(name, values, pl.Float64, strict=False)
        if kinds <= {str}:
            return pl.Series(name, values, pl.String)
        return pl.Series(name, [_text(value) for value in values], pl.String)


def _text(value: Any) -> str | None:
    return None if value is None else str(text_of(pl.Series([value]))[0])


@contextlib.contextmanager
def _sqlite(file: SourceFile, place: Place, table: str) -> Iterator[_SqliteTable]:
    address = f"{Path(place.text).absolute().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
            query = "select name from sqlite_master where type in ('table', 'view')"
            there = [("main", str(name)) for (name,) in connection.execute(query)]
            yield _SqliteTable(connection, _found(file, there, table), file)
    except sqlite3.Error:
        raise _fault(
            file, "not a whole SQLite database", "Check the connection and the file"
        ) from None


def _fault(file: SourceFile, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=file.name, found=found, remedy=remedy))
