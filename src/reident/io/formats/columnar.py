"""Parquet and Arrow files. They hold every type as it is; parquet holds labels too.

Labels stand in the parquet file's metadata under one name: labels as JSON, kinds of missing as a
small parquet table in it. Other programs see an ordinary parquet file. polars cannot write metadata
into Arrow files, so these hold values only.
"""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from reident.io.formats.broken import told_as
from reident.io.labels import Labels, Span, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from reident.model.files import SourceFile

KEY = "reident.labels"
BROKEN_PARQUET = "not a whole parquet file"
BROKEN_ARROW = "not a whole Arrow file"


class Shape(NamedTuple):
    """What a file tells of itself before its values are read."""

    kinds: Mapping[str, pl.DataType]
    records: int


def parquet_shape(path: Path, file: SourceFile) -> Shape:
    """The kinds of the columns, and how many records there are."""
    with told_as(file.name, BROKEN_PARQUET):
        return _shape(pl.scan_parquet(path))


def arrow_shape(path: Path, file: SourceFile) -> Shape:
    """The kinds of the columns, and how many records there are."""
    with told_as(file.name, BROKEN_ARROW):
        return _shape(pl.scan_ipc(path))


def _shape(whole: pl.LazyFrame) -> Shape:
    return Shape(whole.collect_schema(), int(whole.select(pl.len()).collect().item()))


def parquet_names(path: Path, file: SourceFile) -> list[str]:
    """The names of the columns."""
    with told_as(file.name, BROKEN_PARQUET):
        return list(pl.read_parquet_schema(path))


def parquet_frame(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read the named columns of a parquet file."""
    held = parquet_names(path, file)
    # By place, because a name like "*" would stand for all columns.
    wanted = [at for at, name in enumerate(held) if columns is None or name in columns]
    with told_as(file.name, BROKEN_PARQUET):
        return pl.read_parquet(path, columns=wanted)


def parquet_table(path: Path, file: SourceFile, columns: Sequence[str] | None) -> Table:
    """Read the named columns of a parquet file, with the labels that reident wrote there."""
    frame = parquet_frame(path, file, columns)
    with told_as(file.name, BROKEN_PARQUET):
        text = pl.read_parquet_metadata(path).get(KEY)
    if text is None:
        return Table(frame=frame)
    with told_as(file.name, "labels that are not readable", "Write the file again"):
        return Table(frame=frame, labels=_labels(json.loads(text)).select(frame.columns))


def arrow_names(path: Path, file: SourceFile) -> list[str]:
    """The names of the columns."""
    with told_as(file.name, BROKEN_ARROW):
        return list(pl.read_ipc_schema(path))


def arrow_frame(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read the named columns of an Arrow or Feather file."""
    held = arrow_names(path, file)
    # By place, because a name like "*" would stand for all columns.
    wanted = [at for at, name in enumerate(held) if columns is None or name in columns]
    with told_as(file.name, BROKEN_ARROW):
        return pl.read_ipc(path, columns=wanted)


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
