"""The csv door: every column as text, and no silent repair.

A csv parser made for speed forgives short rows, blank lines and doubled names. Here a forgiven
row is a wrong risk, so the bytes are looked at first.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reident.errors import DataError, Fault
from reident.io.formats.compressed import content
from reident.kernels import fields

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reident.model.files import SourceFile

OTHER_SEPARATORS = (";", "\t", "|", ":", ",")
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
    _check_separator(file)
    data = _utf8(content(path, file), file)
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    if not data:
        raise _fault(file, "", "an empty file", "Give a header line and records")
    records = _records(data, file)
    names = _header(data, file, columns)
    wanted = [at for at, name in enumerate(names) if columns is None or name in columns]
    if not wanted:
        # The caller tells which columns are absent; a parser asked for none would count no record.
        return pl.DataFrame()
    try:
        # By place, because the parser leaves the quotes in a name doubled.
        frame = pl.read_csv(
            data, infer_schema=False, separator=file.separator, columns=wanted, n_rows=None
        )
        frame.columns = [names[at] for at in wanted]
    except pl.exceptions.PolarsError:
        # The parser's own message would quote the data.
        raise _fault(file, "", "not readable as csv", "Check separator and quotes") from None
    if len(frame) != records - 1:
        raise _fault(file, "", "a mixture of line ends", "Save it with one kind of line end")
    return frame


def _check_separator(file: SourceFile) -> None:
    one = len(file.separator) == 1 and file.separator.isascii()
    if not one or file.separator in '"\r\n\0':
        raise _fault(
            file, "", "a separator that cannot be one", 'Declare one sign, as in separator = ";"'
        )


def _utf8(data: bytes, file: SourceFile) -> bytes:
    try:
        text = data.decode(file.encoding)
        return data if file.encoding == "utf-8" else text.encode()
    except LookupError:
        raise _fault(file, "", "an unknown encoding", "Name one that Python knows") from None
    except ValueError as error:
        place = ""
        if isinstance(error, UnicodeDecodeError):
            line = data.count(b"\n", 0, error.start) + 1
            place = f", line {line}"
        raise _fault(
            file,
            place,
            f"bytes that are not {file.encoding}",
            "Declare the file's encoding",
        ) from None


def _records(data: bytes, file: SourceFile) -> int:
    verdict, line, records, _ = fields.scan(np.frombuffer(data, np.uint8), ord(file.separator))
    if verdict != fields.FINE:
        found, remedy = FAULTS[verdict]
        raise _fault(file, f", line {line}", found, remedy)
    return int(records)


def _header(data: bytes, file: SourceFile, columns: Sequence[str] | None) -> list[str]:
    """The names in the first record; a name of two columns raises DataError."""
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    names = next(csv.reader(lines, delimiter=file.separator, strict=True))
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, start=1):
        places.setdefault(name, []).append(place)
    for name, found in places.items():
        if len(found) > 1:
            # Without a header line these are data: only a name that the study uses is repeated.
            named = f", {name!r}" if name in (columns or ()) else ""
            raise _fault(
                file,
                ", line 1",
                f"columns {' and '.join(map(str, found))} have the same name{named}",
                "Rename them, or add the header line if there is none",
            )
    other = next((sign for sign in OTHER_SEPARATORS if sign in names[0]), None)
    if len(names) == 1 and columns and other and names[0] not in columns:
        raise _fault(
            file,
            ", line 1",
            f"a single column, with {other!r} in its name",
            f"If it separates columns, say so in a study file: separator = {json.dumps(other)}",
        )
    return names


def _fault(file: SourceFile, place: str, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=f"{file.name}{place}", found=found, remedy=remedy))
