"""A file in batches: the columns asked for, some rows at a time, in file order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from polars.selectors import by_name

from reident.io.csv import csv_batches
from reident.io.formats.broken import told_as
from reident.io.formats.columnar import BROKEN_ARROW, BROKEN_PARQUET
from reident.io.formats.presence import refuse_unless_there
from reident.io.tables import all_columns, ending_of, no_records, read, refuse_absent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reident.model.files import SourceFile

ROWS = 1 << 17
EXPANDS = {".csv": 4, ".csv.gz": 24, ".csv.zst": 24, ".parquet": 16, ".arrow": 4, ".feather": 4}
"""How many times its size a file may take in memory while it is read and coded, about."""
COLUMNAR = {".parquet": BROKEN_PARQUET, ".arrow": BROKEN_ARROW, ".feather": BROKEN_ARROW}


def outgrows(file: SourceFile, memory: int) -> bool:
    """Whether a file that can be read in batches is too large to be held in so many bytes."""
    if file.path is None or not file.path.is_file():
        return False
    return file.path.stat().st_size * EXPANDS.get(ending_of(file.path.name), 0) > memory


def batches(file: SourceFile, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The named columns in file order; formats that are only read whole are cut afterwards."""
    ending = "" if file.path is None else ending_of(file.path.name)
    if file.path is None or ending not in EXPANDS:
        yield from read(file, columns).iter_slices(ROWS)
        return
    refuse_unless_there(file.path, file)
    parts = _columnar if ending in COLUMNAR else csv_batches
    records = 0
    for part in parts(file.path, file, columns, ROWS):
        refuse_absent(file, part.columns, columns)
        records += len(part)
        if len(part):
            yield part[list(columns)]
    if not records:
        raise no_records(file)


def _columnar(
    path: Path, file: SourceFile, columns: Sequence[str], rows: int
) -> Iterator[pl.DataFrame]:
    ending = ending_of(path.name)
    broken = COLUMNAR[ending]
    refuse_absent(file, all_columns(file), columns)
    with told_as(file.name, broken):
        whole = pl.scan_parquet(path) if ending == ".parquet" else pl.scan_ipc(path)
        parts = whole.select(by_name(*columns)).collect_batches(
            chunk_size=rows, maintain_order=True
        )
    part: pl.DataFrame | None = pl.DataFrame()
    while part is not None:
        with told_as(file.name, broken):
            part = next(parts, None)
        if part is not None:
            yield part
