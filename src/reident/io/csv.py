"""The csv door: every column as text, and no silent repair.

A csv parser made for speed forgives short rows, blank lines and doubled names. Here a forgiven
row is a wrong risk, so the bytes are looked at first.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reident.errors import DataError, Fault
from reident.kernels import fields

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reident.model.files import SourceFile

FAULTS = {
    fields.RAGGED: ("another number of fields than the header", "Correct this line"),
    fields.UNCLOSED_QUOTE: ("a quote that is never closed", "Close it"),
    fields.NUL_BYTE: ("a NUL byte", "Save the file as plain text"),
    fields.STRAY_QUOTE: (
        "a quote inside a field that is not quoted as a whole",
        "Quote the whole field and double the quotes in it",
    ),
}


def read_csv(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read the named columns as text; anything irregular raises DataError with its line."""
    data = _utf8(_content(path, file), file)
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    if not data:
        raise _fault(file, "", "an empty file", "Give a header line and records")
    records = _records(data, file)
    names = _header(data, file)
    wanted = [name for name in names if columns is None or name in columns]
    try:
        frame = pl.read_csv(
            data, infer_schema=False, separator=file.separator, columns=wanted, n_rows=None
        )
    except pl.exceptions.PolarsError:
        # The parser's own message would quote the data.
        raise _fault(file, "", "not readable as csv", "Check separator and quotes") from None
    if len(frame) != records - 1:
        raise _fault(file, "", "a mixture of line ends", "Save it with one kind of line end")
    return frame


def _content(path: Path, file: SourceFile) -> bytes:
    data = path.read_bytes()
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        raise _fault(file, "", "not a whole gzip file", "Compress it again") from None


def _utf8(data: bytes, file: SourceFile) -> bytes:
    try:
        text = data.decode(file.encoding)
    except LookupError:
        raise _fault(file, "", "an unknown encoding", "Name one that Python knows") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _fault(
            file,
            f", line {line}",
            f"bytes that are not {file.encoding}",
            "Declare the file's encoding",
        ) from None
    return data if file.encoding == "utf-8" else text.encode()


def _records(data: bytes, file: SourceFile) -> int:
    verdict, line, records, _ = fields.scan(np.frombuffer(data, np.uint8), ord(file.separator))
    if verdict != fields.FINE:
        found, remedy = FAULTS[verdict]
        raise _fault(file, f", line {line}", found, remedy)
    return int(records)


def _header(data: bytes, file: SourceFile) -> list[str]:
    lines = io.StringIO(data[: data.find(b"\n") + 1 or None].decode(), newline="")
    names = next(csv.reader(lines, delimiter=file.separator, strict=True))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise _fault(
            file, ", line 1", f"columns named twice: {', '.join(twice)}", "Rename one of them"
        )
    return names


def _fault(file: SourceFile, place: str, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=f"{file.name}{place}", found=found, remedy=remedy))
