"""Frames in memory: polars (also lazy), pandas, pyarrow tables and DuckDB relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from reident.errors import DataError, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.model.files import SourceFile


def names(file: SourceFile) -> list[str]:
    """The names of the columns."""
    return list(_native(file).collect_schema().names())


def frame(file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """The named columns of a frame as polars; a lazy one computes only these."""
    given = _native(file)
    held = given.collect_schema().names()
    twice = sorted({str(name) for name in held if held.count(name) > 1})
    if twice:
        raise _fault(
            file, f"columns of the same name: {', '.join(map(repr, twice))}", "Rename one of them"
        )
    wanted = [name for name in held if columns is None or name in columns]
    if not wanted:
        return pl.DataFrame()
    try:
        chosen = given.select(wanted)
        if isinstance(chosen, nw.DataFrame):
            return pl.DataFrame(chosen.to_polars())
        native: Any = chosen.to_native()
        if isinstance(native, pl.LazyFrame):
            return native.collect()
        if hasattr(native, "__arrow_c_stream__"):
            # DuckDB's own way to polars asks for pyarrow; this one does not.
            return pl.DataFrame(native)
        return pl.DataFrame(chosen.collect(backend="polars").to_native())
    except (ImportError, AttributeError):
        raise _fault(
            file,
            "a frame that only pyarrow can convert",
            "Install it: pip install 'reident[arrow]'",
        ) from None
    except Exception:  # noqa: BLE001  # libraries differ in what they raise, and may quote data
        raise _fault(file, "a frame that cannot be computed", "Collect it first") from None


def _native(file: SourceFile) -> Any:
    try:
        return nw.from_native(file.source)
    except TypeError:
        raise _fault(
            file,
            "neither a path nor a frame",
            "Give a path or a frame of polars, pandas, pyarrow or DuckDB",
        ) from None


def _fault(file: SourceFile, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=file.name, found=found, remedy=remedy))
