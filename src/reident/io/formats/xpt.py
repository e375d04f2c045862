"""The records of a SAS transport file: whether they are whole, and which kind of missing they hold.

No reader tells `.A` from `.B` in these files, and none notices that one was cut. The records are
of fixed length and stand at the end of the file, so both can be seen in the bytes: a missing
number is its letter (`.`, `_`, `A` to `Z`) and zeros; the last record is filled up with blanks to a
multiple of 80.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.errors import DataError, Fault
from reident.io.labels import kinds_found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LINE = 80
HEADERS = 640
"""Bytes before the descriptions of the columns."""
DESCRIPTION = 136
"""Least bytes of one description."""
RECORDS = b"HEADER RECORD*******OBS"
MEMBER = b"HEADER RECORD*******MEM"
LETTERS = b"_ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Layout(NamedTuple):
    """Where the records begin, how long one is, and where in it the numbers stand."""

    start: int
    length: int
    numbers: Mapping[str, tuple[int, int]]


def layout(path: Path, metadata: Mapping[str, Any], where: str) -> Layout:
    """Find the records of a file; one that was cut or holds several tables raises DataError."""
    columns = metadata["columns"]
    size = path.stat().st_size
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = next(_lines(data, RECORDS, HEADERS + len(columns) * DESCRIPTION), size) + LINE
        length = sum(column["storage_width"] for column in columns)
        rest = (size - start) % length
        cut = size % LINE or start > size or rest >= LINE or data[size - rest :].strip(b" ")
        if cut:
            raise _fault(where, "not a whole xpt file", "Write it again, or correct its extension")
        if next(_lines(data, MEMBER, start), None) is not None:
            raise _fault(where, "several tables in one xpt file", "Keep one table in each file")
    numbers, at = {}, 0
    for column in columns:
        if column["type"] == "Numeric":
            numbers[column["name"]] = (at, column["storage_width"])
        at += column["storage_width"]
    return Layout(start, length, numbers)


def kinds(path: Path, found: Layout, records: int) -> dict[str, pl.Series]:
    """The kinds of missing of every column of numbers that has any, as `.A`, `._`."""
    cells = _cells(np.memmap(path, np.uint8, "r"), found, records)
    return kinds_found({name: _kinds_of(one) for name, one in cells})


def write_kinds(path: Path, found: Layout, marks: Mapping[str, pl.Series], records: int) -> None:
    """Put the letters of missing numbers into a file whose missing numbers are all plain."""
    data = np.memmap(path, np.uint8, "r+")
    for name, cells in _cells(data, found, records):
        if name in marks:
            letters = marks[name].str.slice(1, 1).str.to_uppercase()
            at = np.flatnonzero(letters.is_not_null().to_numpy())
            cells[at, 0] = np.frombuffer("".join(letters.drop_nulls()).encode(), np.uint8)
    data.flush()


def _cells(
    data: npt.NDArray[np.uint8], found: Layout, records: int
) -> Iterator[tuple[str, npt.NDArray[np.uint8]]]:
    """Views of the bytes of each column of numbers: a row for each record."""
    whole = data[found.start : found.start + records * found.length]
    rows = whole.reshape(records, found.length)
    for name, (at, width) in found.numbers.items():
        yield name, rows[:, at : at + width]


def _kinds_of(cells: npt.NDArray[np.uint8]) -> pl.Series:
    first = cells[:, 0]
    special = np.isin(first, np.frombuffer(LETTERS, np.uint8)) & ~cells[:, 1:].any(axis=1)
    letter = pl.Series(np.where(special, first, 0))
    texts = {code: f".{chr(code)}" for code in LETTERS}
    return letter.replace_strict(texts, default=None, return_dtype=pl.String)


def _lines(data: mmap.mmap, text: bytes, start: int) -> Iterator[int]:
    """Where lines that begin with a text stand."""
    at = data.find(text, start)
    while at >= 0:
        if at % LINE == 0:
            yield at
        at = data.find(text, at + 1)


def _fault(where: str, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=where, found=found, remedy=remedy))
