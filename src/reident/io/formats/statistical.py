"""SAS, Stata and SPSS files: values by one reader, the header and stored times by a second.

polars-readstat reads fast, only the columns asked for, and tells kinds of missing. pyreadstat sees
the header first: a broken header makes the fast reader ask for more memory than there is, and the
process dies. Both must find the same columns and records.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from polars.selectors import by_name

from reident.encode.text import text_of
from reident.errors import DataError, Fault
from reident.io.formats import xpt
from reident.io.formats.broken import told_as
from reident.io.formats.moments import (
    SAS,
    SPSS,
    SPSS_KINDS,
    STATA,
    Clock,
    Kind,
    moments,
    sas_kind,
    stata_kind,
)
from reident.io.labels import Declared, Labels, Span, Table, kinds_found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reident.model.files import SourceFile

MARK = "\x1fkind"
"""Ends the name of a column of kinds while it is read: no name in a file ends so."""

STATA_BEGIN, STATA_END = b"<stata_dta>", b"</stata_dta>"
"""Around the content of Stata files since version 13."""

ALIGNED = 8
"""Records of a SAS file are filled up to a multiple of so many bytes."""

CLOCKS = {".xpt": SAS, ".sas7bdat": SAS, ".dta": STATA, ".sav": SPSS}
PADDED = (".xpt", ".sas7bdat", ".sav")
"""Formats that fill texts up with blanks, so that blanks at the end of a text are lost."""
PACKAGES = {".xpt": "SAS transport", ".sas7bdat": "SAS", ".dta": "Stata", ".sav": "SPSS"}


@dataclass(frozen=True, kw_only=True)
class Header:
    """What both readers say of a file before its values are read."""

    path: Path
    where: str
    names: list[str]
    records: int | None
    variables: Mapping[str, Mapping[str, Any]]
    kinds: Mapping[str, Kind]
    records_at: xpt.Layout | None
    reader: Any
    second_reader: Callable[..., Any]


def names(path: Path, file: SourceFile) -> list[str]:
    """The names of the columns."""
    return _header(path, file).names


def frame(path: Path, file: SourceFile, columns: Sequence[str] | None) -> pl.DataFrame:
    """Read the named columns; every kind of missing is null, and so is blank text."""
    return _values(_header(path, file), columns)


def table(path: Path, file: SourceFile, columns: Sequence[str] | None) -> Table:
    """Read the named columns with their labels and kinds of missing."""
    header = _header(path, file, marked=True)
    values = _values(header, columns)
    marks = {
        name.removesuffix(MARK): values[name] for name in values.columns if name.endswith(MARK)
    }
    values = values.drop([f"{name}{MARK}" for name in marks])
    if header.records_at is not None:
        marks = xpt.kinds(path, header.records_at, len(values))
    labels = Labels(
        variables={
            name: held["label"] for name, held in header.variables.items() if held.get("label")
        },
        values=_value_labels(header, file),
        missing={name: _plain_codes(one, values[name]) for name, one in kinds_found(marks).items()},
        declared={
            name: declared
            for name, held in header.variables.items()
            if (declared := tuple(_declared(held)))
        },
    )
    return Table(frame=values, labels=labels.select(values.columns))


# The header ---------------------------------------------------------------------------------------


def _header(path: Path, file: SourceFile, *, marked: bool = False) -> Header:
    # Only who reads such a file waits for these.
    import polars_readstat as fast  # noqa: PLC0415
    import pyreadstat as second  # noqa: PLC0415

    ending = path.suffix.lower()
    readers: dict[str, Callable[..., Any]] = {
        ".xpt": second.read_xport,
        ".sas7bdat": second.read_sas7bdat,
        ".dta": second.read_dta,
        ".sav": second.read_sav,
    }
    second_reader = readers[ending]
    with told_as(file.name, f"not a whole {PACKAGES[ending]} file"):
        _, seen = second_reader(str(path), metadataonly=True, output_format="polars")
        nulls = fast.InformativeNullOpts(suffix=MARK, use_value_labels=False)
        reader = fast.ScanReadstat(
            str(path.absolute()), preserve_order=True, informative_nulls=nulls if marked else None
        )
        held = reader.metadata
        schema = dict(reader.schema)
        variables = {one["name"]: one for one in held.get("variables") or held["columns"]}
        if list(variables) != seen.column_names or not variables or _is_cut(path, held):
            raise ValueError
    return Header(
        path=path,
        where=file.name,
        names=list(variables),
        records=seen.number_rows,
        variables=variables,
        kinds=_kinds(ending, variables, schema),
        records_at=xpt.layout(path, held, file.name) if ending == ".xpt" else None,
        reader=reader,
        second_reader=second_reader,
    )


def _is_cut(path: Path, held: Mapping[str, Any]) -> bool:
    """Whether a file is less than its header says, which neither reader looks at."""
    size = path.stat().st_size
    if "page_count" in held:
        pages = held["header_length"] + held["page_count"] * held["page_size"]
        return bool(size < pages or _overfull(held, size))
    with path.open("rb") as stream:
        tagged = stream.read(len(STATA_BEGIN)) == STATA_BEGIN
        stream.seek(max(size - len(STATA_END), 0))
        return tagged and stream.read() != STATA_END


def _overfull(held: Mapping[str, Any], size: int) -> bool:
    """Whether the columns of a SAS file do not fill its records, or the records not its file.

    The fast reader asks for as much memory as the header says, and the process dies if there is
    not so much.
    """
    width = max(column["offset"] + column["length"] for column in held["columns"])
    filled = width <= held["row_length"] < width + ALIGNED
    least = 1 if held["compression"] != "None" else held["row_length"]
    return bool(not filled or held["row_count"] * least > size)


def _kinds(
    ending: str, variables: Mapping[str, Mapping[str, Any]], schema: Mapping[str, pl.DataType]
) -> dict[str, Kind]:
    """Which columns hold dates, moments or times, by the format that each is shown in."""
    found: dict[str, Kind | None] = {}
    for name, held in variables.items():
        if str(held["type"]).startswith(("Str", "Character")):
            continue
        if ending == ".sav":
            found[name] = SPSS_KINDS.get(held["format_type"])
        elif ending == ".dta":
            found[name] = stata_kind(held["format"] or "")
        else:
            found[name] = sas_kind(schema[name])
    return {name: kind for name, kind in found.items() if kind is not None}


# Values -------------------------------------------------------------------------------------------


def _values(header: Header, columns: Sequence[str] | None) -> pl.DataFrame:
    """The wanted columns and their marks, times and texts as stored put right."""
    wanted = [name for name in header.names if columns is None or name in columns]
    if not wanted:
        return pl.DataFrame()
    marks = [f"{name}{MARK}" for name in wanted if f"{name}{MARK}" in header.reader.schema]
    ending = header.path.suffix.lower()
    with told_as(header.where, f"not a whole {PACKAGES[ending]} file"):
        # By name, because polars takes a text such as ^a.*$ for a pattern.
        read: pl.DataFrame = header.reader.df.select(by_name(*wanted, *marks)).collect()
        timed = [name for name in wanted if name in header.kinds]
        # The fast reader drops blanks at the end of a text, which Stata keeps: keys would run
        # together.
        texts = [name for name in wanted if ending == ".dta" and read[name].dtype == pl.String]
        stored = _stored(header, [*timed, *texts]) if timed or texts else pl.DataFrame()
        short = header.records is not None and header.records != len(read)
        if short or (stored.columns and len(stored) != len(read)):
            raise ValueError
        read = read.with_columns(stored[name] for name in texts)
    clock = CLOCKS[ending]
    return read.with_columns(
        *(moments(stored[name], header.kinds[name], clock, header.where) for name in timed),
        *(_value(read[name], header, clock) for name in wanted if name not in header.kinds),
    )


def _stored(header: Header, timed: list[str]) -> pl.DataFrame:
    """Columns as the file holds them: times as numbers, texts with their blanks."""
    values, _ = header.second_reader(
        str(header.path), usecols=timed, disable_datetime_conversion=True, output_format="polars"
    )
    return pl.DataFrame(values)


def _value(column: pl.Series, header: Header, clock: Clock) -> pl.Series:
    if column.dtype == pl.String:
        return column.set(column == "", None)
    if column.dtype == pl.Date:
        # Stata's weeks, months, quarters, halves and years, which the reader takes for days.
        return column.cast(pl.Int32) - clock.offset
    if isinstance(column.dtype, pl.Datetime | pl.Time):
        return _stored(header, [column.name])[column.name]
    if column.dtype == pl.Duration:
        return column.cast(pl.Duration("us")).cast(pl.Int64).cast(pl.Float64) / 1e6
    return column


# Labels and kinds of missing ----------------------------------------------------------------------


def _value_labels(header: Header, file: SourceFile) -> dict[str, dict[str, str]]:
    found = {
        name: _by_text(held["value_labels"], texts=str(held["type"]).startswith("Str"))
        for name, held in header.variables.items()
        if held.get("value_labels")
    }
    if file.catalog:
        for name, labels in _catalogue(header, file).items():
            texts = header.variables[name]["type"] == "Character"
            found[name] = _by_text(labels, texts=texts)
    return found


def _catalogue(header: Header, file: SourceFile) -> Mapping[str, Mapping[Any, str]]:
    """Labels of values by column, from the format catalogue of a SAS file."""
    from polars_readstat import ScanReadstat  # noqa: PLC0415  # as in _header
    from pyreadstat import read_sas7bcat  # noqa: PLC0415

    if header.path.suffix.lower() != ".sas7bdat":
        found = "a format catalogue declared for a file that is no sas7bdat"
        raise DataError(Fault(where=file.name, found=found, remedy="Leave catalog out"))
    if not Path(file.catalog).is_file():
        where = f"{file.name}, catalog"
        raise DataError(Fault(where=where, found="no such file", remedy="Check the path"))
    with told_as(f"{file.name}, catalog", "not a whole SAS format catalogue"):
        read_sas7bcat(file.catalog, output_format="polars")
        reader = ScanReadstat(str(header.path.absolute()), catalog=file.catalog)
        return reader.catalog_labels or {}


def _by_text(labels: Mapping[Any, str], *, texts: bool) -> dict[str, str]:
    """Labels by the text of the value; a kind of missing is its letter after a point."""
    if texts:
        return {str(value): label for value, label in labels.items()}
    return {_code(value): label for value, label in labels.items()}


def _code(value: object) -> str:
    text = str(value).removeprefix("MISSING_")
    try:
        number = float(text)
    except ValueError:
        return f".{text}"
    return str(text_of(pl.Series([number]))[0])


def _plain_codes(kinds: pl.Series, column: pl.Series) -> pl.Series:
    """Kinds as letters, or as the text of the number or of the text that SPSS declares missing."""
    if column.dtype == pl.String:
        return kinds
    codes = kinds.drop_nulls().unique()
    numbers = codes.filter(~codes.str.starts_with("."))
    return kinds.replace(numbers, pl.Series([_code(one) for one in numbers], dtype=pl.String))


def _declared(held: Mapping[str, Any]) -> Iterator[Declared]:
    """What SPSS declares as missing: up to three values, or a range and a value."""
    numbers = list(held.get("missing_doubles") or ())
    if held.get("missing_range"):
        yield Span(min(numbers[:2]), max(numbers[:2]))
        numbers = numbers[2:]
    yield from (_code(number) for number in numbers)
    yield from held.get("missing_strings") or ()
