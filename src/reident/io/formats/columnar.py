"""Parquet and Arrow files. They hold every type as it is; parquet holds labels too.

Labels stand in the parquet file's metadata under one name: labels as JSON, kinds of missing as a
small parquet table in it. Other programs see an ordinary parquet file. polars cannot write metadata
into Arrow files, so these hold values only.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
from typing import TYPE_CHECKING, Any

import polars as pl

from reident.errors import DataError, Fault
from reident.io.labels import Labels, Span, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import TypeVar

    from reident.model.files import SourceFile

    T = TypeVar("T")

KEY = "reident.labels"


def parquet_names(path: Path, file: SourceFile) -> list[str]:
    """The names of the columns."""
    return _whole(file, "parquet", lambda: list(pl.read_parquet_schema(path)))


def parquet_frame(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read the named columns of a parquet file."""
    held = parquet_names(path, file)
    wanted = [name for name in held if columns is None or name in columns]
    return _whole(file, "parquet", lambda: pl.read_parquet(path, columns=wanted))


def parquet_table(path: Path, file: SourceFile, columns: Sequence[str] | None) -> Table:
    """Read the named columns of a parquet file, with the labels that reident wrote there."""
    frame = parquet_frame(path, file, columns)
    text = _whole(file, "parquet", lambda: pl.read_parquet_metadata(path)).get(KEY)
    if text is None:
        return Table(frame=frame)
    try:
        labels = _labels(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
        raise _fault(file, "labels that are not readable", "Write the file again") from None
    except pl.exceptions.PolarsError:
        raise _fault(file, "kinds of missing that are not readable", "Write it again") from None
    return Table(frame=frame, labels=labels.select(frame.columns))


def arrow_names(path: Path, file: SourceFile) -> list[str]:
    """The names of the columns."""
    return _whole(file, "Arrow", lambda: list(pl.read_ipc_schema(path)))


def arrow_frame(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read the named columns of an Arrow or Feather file."""
    held = arrow_names(path, file)
    wanted = [name for name in held if columns is None or name in columns]
    return _whole(file, "Arrow", lambda: pl.read_ipc(path, columns=wanted))


def write_parquet(table: Table, path: Path) -> None:
    """Write values as they are, and the labels into the metadata."""
    metadata = {KEY: json.dumps(_as_json(table.labels))} if table.labels else None
    table.frame.write_parquet(path, metadata=metadata)


def write_arrow(table: Table, path: Path) -> None:
    """Write values as they are; labels have no place."""
    table.frame.write_ipc(path)


def _as_json(labels: Labels) -> dict[str, Any]:
    kinds = io.BytesIO()
    pl.DataFrame([one.alias(name) for name, one in labels.missing.items()]).write_parquet(kinds)
    return {
        "variables": dict(labels.variables),
        "values": {name: dict(values) for name, values in labels.values.items()},
        "declared": {
            name: [list(one) if isinstance(one, Span) else one for one in declared]
            for name, declared in labels.declared.items()
        },
        "missing": base64.b64encode(kinds.getvalue()).decode() if labels.missing else "",
    }


def _labels(held: dict[str, Any]) -> Labels:
    missing = held["missing"]
    kinds = pl.read_parquet(base64.b64decode(missing, validate=True)) if missing else pl.DataFrame()
    return Labels(
        variables=dict(held["variables"]),
        values={name: dict(values) for name, values in held["values"].items()},
        missing=kinds.to_dict(),
        declared={
            name: tuple(Span(*one) if isinstance(one, list) else one for one in declared)
            for name, declared in held["declared"].items()
        },
    )


def _whole(file: SourceFile, kind: str, step: Callable[[], T]) -> T:
    try:
        return step()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise _fault(
            file, f"not a whole {kind} file", "Write it again, or correct its extension"
        ) from None


def _fault(file: SourceFile, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=file.name, found=found, remedy=remedy))
