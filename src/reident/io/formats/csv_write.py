"""Writing csv: every cell by the one rule for the text of a value, so that it is read back as such.

Data files keep data exact: a cell that begins with = + - @ is written as it is, not guarded as in
tables made for people. Labels and kinds of missing have no place in csv; a missing cell is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from reident.encode.text import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reident.io.labels import Table

COMPRESSIONS: Mapping[str, Literal["gzip", "zstd"]] = {".gz": "gzip", ".zst": "zstd"}


def as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Every value as its text."""
    return pl.DataFrame([text_of(column) for column in frame])


def write_csv(table: Table, path: Path) -> None:
    """Write a table of texts, compressed by the ending; the same table makes the same bytes."""
    texts = table.frame
    if texts.width == 1:
        # An empty line is no record; two quotes are a record without a value.
        texts = texts.fill_null("")
    texts.write_csv(path, compression=COMPRESSIONS.get(path.suffix, "uncompressed"))
