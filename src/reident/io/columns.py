"""The columns of a file as they are asked for: held already, or read one after another.

Parquet and Arrow files hold their columns apart. Of such a file a study need never hold more than
one column as it was written: it becomes cells, which take far less room, and is let go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reident.errors import ChangedError, DataError
from reident.io.fingerprints import changed
from reident.io.tables import read, shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reident.model.files import SourceFile

NO_VALUE = (pl.Binary, pl.Duration, pl.Object)
"""Kinds of column whose cells have no text that a user would recognise."""


def odd_columns(schema: Mapping[str, pl.DataType]) -> list[str]:
    """The columns that hold no plain values."""
    kinds = schema.items()
    return [name for name, kind in kinds if kind.is_nested() or isinstance(kind, NO_VALUE)]


@dataclass(frozen=True)
class Held:
    """Columns of a frame in memory."""

    frame: pl.DataFrame

    @property
    def names(self) -> list[str]:
        """The columns that there are."""
        return self.frame.columns

    def select(self, names: Sequence[str]) -> pl.DataFrame:
        """Some of the columns."""
        return self.frame[list(names)]


@dataclass(frozen=True, kw_only=True)
class Columnar:
    """Columns of a file, read when they are asked for."""

    file: SourceFile
    names: list[str]
    records: int

    def select(self, names: Sequence[str]) -> pl.DataFrame:
        """Some of the columns; ChangedError where the file is not the one that it was."""
        frame = read(self.file, names)
        if len(frame) != self.records:
            raise ChangedError(changed(self.file))
        return frame


def columnar(file: SourceFile, columns: Sequence[str]) -> Columnar | None:
    """The columns of a file that can be read one after another, if nothing is wrong with them.

    What is wrong is told by who reads the file as a whole.
    """
    try:
        held = shape_of(file)
    except DataError:
        return None
    if held is None or not held.records or any(name not in held.kinds for name in columns):
        return None
    if odd_columns({name: held.kinds[name] for name in columns}):
        return None
    return Columnar(file=file, names=list(columns), records=held.records)
