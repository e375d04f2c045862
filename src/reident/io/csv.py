"""The csv door: every column as text, and no silent repair.

A csv parser made for speed forgives short rows, blank lines and doubled names. Here a forgiven
row is a wrong risk, so the bytes are looked at first.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import json
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.errors import DataError, Fault
from reident.io.formats.compressed import ENDINGS, content, on_disk, size_of
from reident.kernels import fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reident.model.files import SourceFile

BOM = b"\xef\xbb\xbf"
LARGE = 1 << 26
"""Plain files from this size on are not held in memory as a whole."""
PIECE = 1 << 24
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
    if size_of(path, file) >= LARGE and file.encoding == "utf-8":
        if path.suffix not in ENDINGS:
            return _read_large(path, file, columns)
        with on_disk(path, file) as expanded:
            return _read_large(expanded, file, columns)
    data = _utf8(content(path, file), file)
    data = data.removeprefix(BOM).rstrip(b"\r\n")
    if not data:
        raise _fault(file, "", "an empty file", "Give a header line and records")
    records = _records(np.frombuffer(data, np.uint8), file)
    return _parse(data, file, _header(data, file, columns), columns, records, _line_end(data))


def csv_names(path: Path, file: SourceFile) -> list[str]:
    """The names of the columns of a file that is sound; a large one is not held in memory."""
    if path.suffix in ENDINGS or file.encoding != "utf-8" or path.stat().st_size < LARGE:
        return read_csv(path, file, None).columns
    _check_separator(file)
    return _looked_at(path, file, None)[0]


def csv_batches(
    path: Path, file: SourceFile, columns: Sequence[str], rows: int
) -> Iterator[pl.DataFrame]:
    """Read the named columns as text, so many rows at a time; the whole file is checked first."""
    _check_separator(file)
    if file.encoding != "utf-8":
        yield from read_csv(path, file, columns).iter_slices(rows)
        return
    with contextlib.ExitStack() as held:
        if path.suffix in ENDINGS:
            size_of(path, file)  # refuses a bomb before it is expanded
            path = held.enter_context(on_disk(path, file))
        names, records, eol = _looked_at(path, file, columns)
        wanted = [at for at, name in enumerate(names) if name in columns]
        lazy = pl.scan_csv(
            path,
            infer_schema=False,
            separator=file.separator,
            n_rows=records - 1,
            glob=False,
            eol_char=eol,
            with_column_names=lambda _: [f"{at}" for at in range(len(names))],
        ).select([f"{at}" for at in wanted])
        batches = lazy.collect_batches(chunk_size=rows, maintain_order=True)
        read = 0
        while (batch := _next(batches, file)) is not None:
            batch.columns = [names[at] for at in wanted]
            read += len(batch)
            yield batch
        if read != records - 1:
            raise _fault(file, "", "a mixture of line ends", "Save it with one kind of line end")


def _next(batches: Iterator[pl.DataFrame], file: SourceFile) -> pl.DataFrame | None:
    try:
        return next(batches, None)
    except pl.exceptions.PolarsError:
        # As in _parse.
        raise _fault(file, "", "not readable as csv", "Check separator and quotes") from None


def _read_large(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read a file that need not fit memory: checked piece by piece, parsed in batches from disk."""
    names, records, eol = _looked_at(path, file, columns)
    return _parse(path, file, names, columns, records, eol)


def _looked_at(
    path: Path, file: SourceFile, columns: Sequence[str] | None
) -> tuple[list[str], int, str]:
    """Check a file piece by piece: the names of its columns, its records, what ends its lines."""
    _check_utf8(path, file)
    data = np.memmap(path, np.uint8, "r")
    start = len(BOM) if bytes(data[: len(BOM)]) == BOM else 0
    stop = len(data)
    while stop > start and data[stop - 1] in b"\r\n":
        stop -= 1
    if stop == start:
        raise _fault(file, "", "an empty file", "Give a header line and records")
    records = _records(data[start:stop], file)
    with path.open("rb") as stream:
        # A header is a line or a few, and a csv reader takes no more of a file than it needs.
        head = stream.read(start + PIECE)[start:]
    return _header(head, file, columns), records, _line_end(head)


def _line_end(data: bytes) -> str:
    """Return alone ends lines only where there is no newline at all."""
    return "\r" if b"\n" not in data and b"\r" in data else "\n"


def _check_utf8(path: Path, file: SourceFile) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    with path.open("rb") as stream:
        while piece := stream.read(PIECE):
            try:
                decoder.decode(piece, final=len(piece) < PIECE)
            except UnicodeDecodeError as error:
                line += piece.count(b"\n", 0, error.start)
                raise _not_text(file, f", line {line}") from None
            line += piece.count(b"\n")


def _parse(
    source: bytes | Path,
    file: SourceFile,
    names: list[str],
    columns: Sequence[str] | None,
    records: int,
    eol: str,
) -> pl.DataFrame:
    """Let the fast parser read what was found to be regular, the named columns alone."""
    wanted = [at for at, name in enumerate(names) if columns is None or name in columns]
    if not wanted:
        # The caller tells which columns are absent; a parser asked for none would count no record.
        return pl.DataFrame()
    try:
        # By place, because the parser leaves the quotes in a name doubled.
        frame = pl.read_csv(
            source,
            infer_schema=False,
            separator=file.separator,
            columns=wanted,
            n_rows=records - 1,
            glob=False,
            eol_char=eol,
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
        raise _not_text(file, place) from None


def _not_text(file: SourceFile, place: str) -> DataError:
    found = f"bytes that are not {file.encoding}"
    return _fault(file, place, found, "Declare the file's encoding")


def _records(data: npt.NDArray[np.uint8], file: SourceFile) -> int:
    verdict, line, records, _ = fields.scan(data, ord(file.separator))
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
            f"If it separates columns, say so: separator = {json.dumps(other)} in a study file, "
            "--separator with link",
        )
    return names


def _fault(file: SourceFile, place: str, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=f"{file.name}{place}", found=found, remedy=remedy))
