"""A table becomes a file: private, whole, and read back before it gets its name.

What a format cannot hold is an error that says so. A new file is written in a private folder beside
its place, read by the doors of `tables`, and compared with the table cell by cell and label by
label; only then does it appear.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from reident import disk
from reident.encode.text import text_of
from reident.errors import DataError, Fault, ReidentError
from reident.io.formats import columnar, statistical_write
from reident.io.formats.csv_write import as_texts, write_csv
from reident.io.formats.limits import CSV, LABELLED, OTHER, XLSX, Limits, faults
from reident.io.labels import Labels, Table
from reident.io.tables import ending_of, read_table
from reident.model.files import SourceFile
from reident.model.notes import Note, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Writer(NamedTuple):
    """How a format is written, and its limits; None where it holds every type as it is."""

    write: Callable[[Table, Path], None]
    limits: Limits | None
    labelled: bool


def write_table(table: Table, path: Path) -> tuple[Note, ...]:
    """Write a table in the format of the path's ending; an older file is replaced.

    Column and row order, values, labels and kinds of missing are kept; csv, xlsx and Arrow files
    hold values only, which the notes tell. Anything else that would be lost raises DataError, and
    nothing is written.
    """
    writer = _writer(path)
    with (
        _drafted(table, path, writer) as (draft, _),
        disk.create(path) as stream,
        draft.open("rb") as made,
    ):
        shutil.copyfileobj(made, stream)
    return not_held(table, path)


def refuse_unless_writable(path: Path) -> None:
    """Raise DataError for a name whose ending is of no format that can be written."""
    _writer(path)


def not_held(table: Table, path: Path) -> tuple[Note, ...]:
    """What a file of this name will not hold of a table: labels, where it has values only."""
    return () if _writer(path).labelled else tuple(_not_held(table.labels, path))


def as_read_back(table: Table, path: Path) -> Table:
    """The table as it will be read from a file of this name; nothing is there afterwards."""
    with _drafted(table, path, _writer(path)) as (_, back):
        return back


@contextlib.contextmanager
def _drafted(table: Table, path: Path, writer: Writer) -> Iterator[tuple[Path, Table]]:
    """The file under its name in a private folder, read back and found to hold the table."""
    if not table.frame.width:
        raise _fault(path, "a table without columns", "Give at least one")
    if writer.limits is not None:
        found = faults(table, writer.limits, path.name)
        found += [] if writer.limits is not LABELLED[".sav"] else _undeclared(table, path)
        if found:
            raise DataError(*found)
    disk.make_folder(path.absolute().parent)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        draft = Path(folder) / path.name
        # The texts of values are made once, to be written and to be compared.
        held = Table(frame=as_texts(table.frame)) if writer.limits is CSV else table
        _attempt(writer, held, draft)
        yield draft, _compare(held, draft, writer)


def _writer(path: Path) -> Writer:
    match ending_of(path.name):
        case ".csv" | ".csv.gz" | ".csv.zst":
            return Writer(write_csv, CSV, labelled=False)
        case ".parquet":
            return Writer(columnar.write_parquet, None, labelled=True)
        case ".arrow" | ".feather" | ".ipc":
            return Writer(columnar.write_arrow, None, labelled=False)
        case ".xpt":
            return Writer(statistical_write.write_xpt, LABELLED[".xpt"], labelled=True)
        case ".dta":
            return Writer(statistical_write.write_dta, LABELLED[".dta"], labelled=True)
        case ".sav":
            return Writer(statistical_write.write_sav, LABELLED[".sav"], labelled=True)
        case ".xlsx":
            # Only who writes a workbook waits for its library.
            from reident.io.formats.workbook_write import write_xlsx  # noqa: PLC0415

            return Writer(write_xlsx, XLSX, labelled=False)
        case ".sas7bdat":
            raise _fault(path, "a format that only SAS itself writes", "Write xpt, which SAS reads")
        case _:
            raise _fault(path, "an extension of no known format", "Write csv, parquet or xpt")


def _attempt(writer: Writer, table: Table, draft: Path) -> None:
    try:
        writer.write(table, draft)
    except ReidentError:
        raise
    except (OSError, MemoryError):
        # Disk and memory are told by whoever called.
        raise
    except Exception:  # noqa: BLE001  # libraries differ in what they raise, and may quote data
        raise _fault(draft, "a name, label or value that the format cannot hold", OTHER) from None


# Reading back -------------------------------------------------------------------------------------


def _compare(table: Table, draft: Path, writer: Writer) -> Table:
    """Read a new file and return what it holds; DataError unless that is the table."""
    back = read_table(SourceFile(draft))
    wrong = []
    if back.frame.columns != table.frame.columns or len(back.frame) != len(table.frame):
        raise _fault(
            draft, "names, or records without any value, that are not read back as they are", OTHER
        )
    for column in table.frame:
        lost = _lost(column, back.frame[column.name])
        if lost:
            count = plural(lost, "value that is", "values that are")
            wrong.append((column.name, f"{count} not read back as written"))
    if writer.labelled:
        mine, theirs = (_as_compared(one.labels, draft) for one in (table, back))
        wrong += [
            (name, "labels or kinds of missing that are not read back as written")
            for name in mine.differences(theirs)
        ]
    if wrong:
        raise DataError(
            *(
                Fault(where=f"{draft.name}, column {name!r}", found=found, remedy=OTHER)
                for name, found in wrong
            )
        )
    return back


def _lost(mine: pl.Series, theirs: pl.Series) -> int:
    """How many values of a column are not what they were; blank text and NaN are missing."""
    # Without their names, which polars might take for patterns.
    mine, theirs = mine.alias("mine"), theirs.alias("theirs")
    if isinstance(mine.dtype, pl.Categorical | pl.Enum) and theirs.dtype == pl.String:
        mine = mine.cast(pl.String)
    mine, theirs = (_missing_as_null(one) for one in (mine, theirs))
    if mine.is_null().all() and theirs.is_null().all():
        return 0
    if _family(mine.dtype) != _family(theirs.dtype):
        return len(mine)
    if isinstance(mine.dtype, pl.Decimal) and mine.dtype != theirs.dtype:
        mine, theirs = text_of(mine), text_of(theirs)
    theirs = theirs.cast(mine.dtype, strict=False)
    return int((~mine.eq_missing(theirs)).sum())


def _missing_as_null(column: pl.Series) -> pl.Series:
    if column.dtype == pl.String:
        return column.set(column == "", None)
    return column.fill_nan(None) if column.dtype.is_float() else column


def _family(dtype: pl.DataType) -> object:
    return "number" if dtype.is_numeric() else dtype.base_type()


# Labels -------------------------------------------------------------------------------------------


def _as_compared(labels: Labels, draft: Path) -> Labels:
    """Labels with the letters of missing in one case: SAS writes capitals, Stata small letters."""
    found = {name: label for name, label in labels.variables.items() if label}
    values = {name: values for name, values in labels.values.items() if values}
    missing = {name: kinds for name, kinds in labels.missing.items() if kinds.is_not_null().any()}
    if ending_of(draft.name) in {".xpt", ".dta"}:
        values = {
            name: {_small_letter(value): label for value, label in held.items()}
            for name, held in values.items()
        }
        missing = {name: kinds.str.to_lowercase() for name, kinds in missing.items()}
    return Labels(variables=found, values=values, missing=missing, declared=labels.declared)


def _small_letter(value: str) -> str:
    return value.lower() if value.startswith(".") else value


def _undeclared(table: Table, path: Path) -> list[Fault]:
    """Kinds of missing that are not declared: SPSS would take them for values."""
    return [
        Fault(
            where=f"{path.name}, column {name!r}",
            found="kinds of missing that are not declared as missing values",
            remedy="Declare them, or write parquet",
        )
        for name in table.labels.missing
        if name not in table.labels.declared
    ]


def _not_held(labels: Labels, path: Path) -> list[Note]:
    """What a file of values does not hold of a table."""
    labelled = {*labels.variables, *labels.values}
    missing = {*labels.missing, *labels.declared}
    return [
        Note(
            code=code,
            text=f"{path.name} holds values only: {what} of "
            f"{plural(len(columns), 'column', 'columns')} are not in it.",
            count=len(columns),
        )
        for code, what, columns in (
            ("labels_not_written", "labels", labelled),
            ("kinds_not_written", "kinds of missing", missing),
        )
        if columns
    ]


def _fault(path: Path, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=path.name, found=found, remedy=remedy))
