"""Content of a file that may be compressed, counted before it is held in memory.

A file of a few megabytes can expand to more than a machine holds. So a compressed file is run
through once without keeping anything: if it is broken or a bomb, nothing was ever held.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import tempfile
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING

from reident.errors import DataError, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reident.model.files import SourceFile

ENDINGS = (".gz", ".zst")
BOMB_RATIO = 200
BOMB_BYTES = 1_000_000_000
"""More output than this, and more than so many times the input, is taken for a bomb."""
PIECE = 1 << 20
ZSTD_INPUT = 1 << 11
"""Bytes given to zstd at a time: its worst case makes 32 kB of each byte."""


def content(path: Path, file: SourceFile) -> bytes:
    """The bytes of a file, expanded by its ending; broken or a bomb raises DataError."""
    if path.suffix not in ENDINGS:
        return path.read_bytes()
    held = io.BytesIO()
    for piece in _pieces(path, file):
        held.write(piece)
    return held.getvalue()


@contextlib.contextmanager
def on_disk(path: Path, file: SourceFile) -> Iterator[Path]:
    """A compressed file expanded into a nameless file, which nobody else can open or find later."""
    with tempfile.TemporaryFile() as held:
        for piece in _pieces(path, file):
            held.write(piece)
        held.flush()
        yield Path(f"/proc/self/fd/{held.fileno()}")


def size_of(path: Path, file: SourceFile) -> int:
    """How many bytes a file holds, expanded; broken or a bomb raises DataError."""
    if path.suffix not in ENDINGS:
        return path.stat().st_size
    most = max(BOMB_BYTES, BOMB_RATIO * path.stat().st_size)
    size = 0
    for piece in _pieces(path, file):
        size += len(piece)
        if size > most:
            raise _fault(
                file,
                f"compressed content of more than {BOMB_RATIO} times its size and over 1 GB",
                "Expand it yourself and give the expanded file, if this is meant",
            )
    return size


def _pieces(path: Path, file: SourceFile) -> Iterator[bytes]:
    with path.open("rb") as stream:
        yield from _gzip(stream, file) if path.suffix == ".gz" else _zstd(stream, file)


def _gzip(stream: IO[bytes], file: SourceFile) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=stream) as expanded:
            while piece := expanded.read(PIECE):
                yield piece
    except (OSError, EOFError, zlib.error):
        raise _fault(file, "not a whole gzip file", "Compress it again") from None


def _zstd(stream: IO[bytes], file: SourceFile) -> Iterator[bytes]:
    import zstandard  # noqa: PLC0415  # only who reads such a file waits for it

    # The library's own reader ends a truncated stream without a word, so every frame's end is
    # looked for here.
    broken = _fault(file, "not a whole zstd file", "Compress it again")
    frame = None
    while piece := stream.read(ZSTD_INPUT):
        while piece:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                expanded = frame.decompress(piece)
            except zstandard.ZstdError:
                raise broken from None
            yield expanded
            piece, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    if frame is not None:
        raise broken


def _fault(file: SourceFile, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=file.name, found=found, remedy=remedy))
