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
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np
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
PIECE = 1 << 22
"""Bytes that are looked at, or parsed, at a time."""
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


class Piece(NamedTuple):
    """Bytes from start to stop that hold so many records, a header in front of them included."""

    start: int
    stop: int
    records: int


class Look(NamedTuple):
    """A file that was found to be regular: names of columns, what ends its lines, its pieces."""

    names: list[str]
    eol: str
    pieces: tuple[Piece, ...]

    @property
    def records(self) -> int:
        """Records of the whole file, its header included."""
        return sum(piece.records - 1 for piece in self.pieces) + 1

    def header(self, file: SourceFile) -> bytes:
        """A header for a piece without one."""
        return (file.separator.join(map(str, range(len(self.names)))) + self.eol).encode()


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
    records, *_ = _scanned(data, file, 0, 1, last=True)
    piece = Piece(0, len(data), records)
    look = Look(_header(data, file, columns), _line_end(data), (piece,))
    return _parse(data, file, look, columns, records)


def csv_names(path: Path, file: SourceFile) -> list[str]:
    """The names of the columns of a file that is sound; a large one is not held in memory."""
    if path.suffix in ENDINGS or file.encoding != "utf-8" or path.stat().st_size < LARGE:
        return read_csv(path, file, None).columns
    _check_separator(file)
    return _looked_at(path, file, None).names


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
        look = _looked_at(path, file, columns)
        with path.open("rb") as stream:
            for piece in look.pieces:
                # Read, not mapped: pages of a mapped file would count as memory of the process.
                stream.seek(piece.start)
                data = stream.read(piece.stop - piece.start)
                if piece.start > look.pieces[0].start:
                    data = look.header(file) + data
                yield from _parse(data, file, look, columns, piece.records).iter_slices(rows)


def _read_large(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read a file that need not fit memory: checked piece by piece, parsed in batches from disk."""
    look = _looked_at(path, file, columns)
    return _parse(path, file, look, columns, look.records)


def _looked_at(path: Path, file: SourceFile, columns: Sequence[str] | None) -> Look:
    """Check a file piece by piece."""
    _check_utf8(path, file)
    with path.open("rb") as stream:
        # A header is a line or a few, and a csv reader takes no more of a file than it needs.
        head = stream.read(len(BOM) + PIECE)
        start = len(BOM) if head.startswith(BOM) else 0
        stop = _text_end(stream, start)
        if stop == start:
            raise _fault(file, "", "an empty file", "Give a header line and records")
        pieces = tuple(_pieces(stream, start, stop, file))
    return Look(_header(head[start:], file, columns), _line_end(head[start:]), pieces)


def _text_end(stream: IO[bytes], start: int) -> int:
    """Where a file ends but for the line ends at its end."""
    stop = stream.seek(0, io.SEEK_END)
    while stop > start:
        first = max(start, stop - PIECE)
        stream.seek(first)
        left = len(stream.read(stop - first).rstrip(b"\r\n"))
        if left:
            return first + left
        stop = first
    return stop


def _pieces(stream: IO[bytes], start: int, stop: int, file: SourceFile) -> Iterator[Piece]:
    """Cut a file between records, about PIECE bytes each; a faulty record raises DataError."""
    width, line, size = 0, 1, PIECE
    while start < stop:
        end = min(start + size, stop)
        stream.seek(start)
        data = stream.read(end - start)
        records, width, taken, lines = _scanned(data, file, width, line, last=end == stop)
        if not taken:
            # A record longer than the piece.
            size *= 2
            continue
        # The parser is given a header before every piece.
        yield Piece(start, start + taken, records + (line > 1))
        start, line, size = start + taken, line + lines, PIECE


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
    look: Look,
    columns: Sequence[str] | None,
    records: int,
) -> pl.DataFrame:
    """Let the fast parser read what was found to be regular, the named columns alone."""
    wanted = [at for at, name in enumerate(look.names) if columns is None or name in columns]
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
            eol_char=look.eol,
        )
        frame.columns = [look.names[at] for at in wanted]
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


def _scanned(
    data: bytes, file: SourceFile, width: int, line: int, *, last: bool
) -> tuple[int, int, int, int]:
    """Records, fields, bytes and lines of a piece that begins in a line; a fault is an error."""
    verdict, at, *found = fields.scan(
        np.frombuffer(data, np.uint8), ord(file.separator), width, last
    )
    if verdict != fields.FINE:
        said, remedy = FAULTS[verdict]
        raise _fault(file, f", line {line + at - 1}", said, remedy)
    records, fields_each, taken, lines = (int(one) for one in found)
    return records, fields_each, taken, lines


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
