"""Frames in memory: polars (also lazy), pandas, pyarrow tables and DuckDB relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl
from polars.selectors import by_name

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
    wanted = [name for name in names(file) if columns is None or name in columns]
    if not wanted:
        return pl.DataFrame()
    if isinstance(file.source, pl.DataFrame):
        return file.source[wanted]
    try:
        # polars takes a name such as ^a.*$ for a pattern, unless it is chosen by name.
        lazy = isinstance(file.source, pl.LazyFrame)
        chosen = file.source.select(by_name(*wanted)) if lazy else given.select(wanted)
        if isinstance(chosen, pl.LazyFrame):
            return chosen.collect()
        if isinstance(chosen, nw.DataFrame):
            return pl.DataFrame(chosen.to_polars())
        native: Any = chosen.to_native()
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
        given = nw.from_native(file.source)
        given.collect_schema()
    except TypeError:
        raise _fault(
            file,
            "neither a path nor a frame",
            "Give a path or a frame of polars, pandas, pyarrow or DuckDB",
        ) from None
    except nw.exceptions.DuplicateError:
        raise _fault(file, "columns of the same name", "Rename one of them") from None
    return given


def _fault(file: SourceFile, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=file.name, found=found, remedy=remedy))
