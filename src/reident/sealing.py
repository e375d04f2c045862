"""Tables with sealed records: the cells are gone, and texts in further columns hold them.

A text is bound to the place of its record and to a digest of everything else in the table: values,
names, labels, order, number of records. Whatever is altered or cut off, none of it opens.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.text import text_of
from reident.errors import DataError, Fault
from reident.io.labels import Labels, Table, kinds_found
from reident.remedies.encryption import (
    OtherKeyError,
    as_column,
    kind_of,
    plain_values,
    seal,
    split,
    told,
    unseal,
)
from reident.remedies.records import moved
from reident.remedies.values import blanked, exchanged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Mask = npt.NDArray[np.bool_]
SEALED = "sealed"
"""How the columns of sealed texts are called: sealed1, sealed2, .."""


def blanked_table(table: Table, rows: Mask, variables: Sequence[str]) -> Table:
    """The table without some cells; their kinds of missing go too."""
    new = {name: blanked(table.frame[name], rows) for name in variables}
    kinds = {
        name: blanked(one, rows) if name in new else one
        for name, one in table.labels.missing.items()
    }
    return with_columns(table, new, kinds)


def with_columns(
    table: Table, new: Mapping[str, pl.Series], kinds: Mapping[str, pl.Series]
) -> Table:
    """The table with other columns of the same names, and other kinds of missing."""
    old = table.labels
    labels = Labels(
        variables=old.variables,
        values=old.values,
        missing=kinds_found(kinds),
        declared=old.declared,
    )
    frame = pl.DataFrame([new.get(column.name, column) for column in table.frame])
    return Table(frame=frame, labels=labels)


def seal_table(
    table: Table,
    rows: Mask,
    variables: Sequence[str],
    key: bytes,
    held: Callable[[Table], Table] = lambda table: table,
) -> Table:
    """The table with the cells of some records sealed.

    `held` gives a table as it will be read back: a format may hold it a little otherwise.
    """
    pattern = re.compile(rf"{SEALED}\d+", re.IGNORECASE)
    taken = [name for name in table.frame.columns if pattern.fullmatch(name)]
    if taken:
        raise DataError(
            Fault(
                where=f"column {taken[0]!r}",
                found="a name that sealed records need: the file may be encrypted already",
                remedy="Decrypt it first, or rename the column",
            )
        )
    emptied = blanked_table(table, rows, variables)
    at = np.flatnonzero(rows)
    bound = digest(held(_with_texts(emptied, at, [["-"] * len(at)])), at)
    contents = zip(at.tolist(), _contents(table, at, variables), strict=True)
    return _with_texts(emptied, at, split(seal(key, list(contents), bound)))


def _contents(table: Table, at: npt.NDArray[np.int64], variables: Sequence[str]) -> list[Any]:
    """For each record its cells: name, type, value, kind of missing."""
    columns = []
    for name in variables:
        column = table.frame[name]
        kinds = table.labels.missing.get(name)
        missing = [None] * len(at) if kinds is None else moved(kinds, at).to_list()
        said = told(column.dtype)
        values = plain_values(moved(column, at).alias("cell"))
        columns.append([(name, said, *cell) for cell in zip(values, missing, strict=True)])
    return [list(record) for record in zip(*columns, strict=True)]


def _with_texts(table: Table, at: npt.NDArray[np.int64], parts: list[list[str]]) -> Table:
    """The table with columns of sealed texts in some of its records."""
    texts = []
    for number, part in enumerate(parts, start=1):
        column = np.full(len(table.frame), None, dtype=object)
        column[at] = part
        texts.append(pl.Series(f"{SEALED}{number}", column.tolist(), pl.String))
    return Table(frame=pl.DataFrame([*table.frame, *texts]), labels=table.labels)


def open_table(table: Table, key: bytes, name: str) -> Table:
    """The table as it was before records were sealed; DataError unless all of it is as it was."""
    texts, names = _texts(table.frame, name)
    at = np.flatnonzero(texts.is_not_null().to_numpy())
    sealed = list(zip(at.tolist(), texts.drop_nulls().to_list(), strict=True))
    try:
        found = unseal(key, sealed, digest(table, at))
    except OtherKeyError:
        raise DataError(
            Fault(
                where=name,
                found="sealed records that this key does not open: it is another key, or the file "
                "was altered",
                remedy="Give the key file of this file, and the file as it was written",
            )
        ) from None
    rest = table.select([column for column in table.frame.columns if column not in names])
    return _restored(rest, at, found)


def sealed_columns(frame: pl.DataFrame) -> list[str]:
    """The columns that hold sealed texts: sealed1, sealed2, .. as far as they go."""
    names: list[str] = []
    while f"{SEALED}{len(names) + 1}" in frame.columns:
        names.append(f"{SEALED}{len(names) + 1}")
    return names


def _texts(frame: pl.DataFrame, name: str) -> tuple[pl.Series, list[str]]:
    """The sealed texts by record, null where there is none, and the columns that hold them."""
    names = sealed_columns(frame)
    sealed = [text_of(frame[one]).replace("", None) for one in names]
    if not sealed or sealed[0].is_null().all():
        raise DataError(
            Fault(where=name, found="no sealed records", remedy="Name an encrypted file")
        )
    parts = pl.DataFrame([one.alias(str(place)) for place, one in enumerate(sealed)])
    return parts.select(pl.concat_str(pl.all())).to_series(), names


def _restored(table: Table, at: npt.NDArray[np.int64], found: list[Any]) -> Table:
    rows = np.zeros(len(table.frame), np.bool_)
    rows[at] = True
    new: dict[str, pl.Series] = {}
    kinds = dict(table.labels.missing)
    for cells in zip(*found, strict=True):
        name, said = cells[0][0], cells[0][1]
        kind = kind_of(said)
        column = _typed(table.frame[name], kind)
        values = _as_stored(as_column([cell[2] for cell in cells], kind), column)
        new[name] = exchanged(column, rows, _spread(values, at, rows))
        missing = pl.Series([cell[3] for cell in cells], dtype=pl.String)
        if missing.is_not_null().any():
            none = pl.Series([None], dtype=pl.String).new_from_index(0, len(rows))
            kinds[name] = exchanged(kinds.get(name, none), rows, _spread(missing, at, rows))
    return with_columns(table, new, kinds)


def _typed(column: pl.Series, kind: pl.DataType) -> pl.Series:
    """A column in the type that it had; a text column whose texts are no such values stays."""
    if isinstance(column.dtype, pl.Enum) or column.dtype == kind:
        return column
    if column.null_count() == len(column):
        return pl.Series(column.name, [None], kind).new_from_index(0, len(column))
    if column.dtype == pl.String:
        parsed = _parsed(column.alias("text"), kind).alias(column.name)
        return parsed if text_of(parsed).equals(column) else column
    cast = column.cast(kind, strict=False)
    if not cast.cast(column.dtype, strict=False).equals(column):
        raise DataError(
            Fault(
                where=f"column {column.name!r}",
                found="another type than before, in which sealed values have no place",
                remedy="Encrypt into a parquet file, which keeps every type",
            )
        )
    return cast


def _parsed(texts: pl.Series, kind: pl.DataType) -> pl.Series:
    """Texts of a csv file as the values that they are; null where one is none."""
    if kind == pl.Date:
        return texts.str.to_date(strict=False)
    if isinstance(kind, pl.Datetime):
        return texts.str.to_datetime(
            "%+" if kind.time_zone else None,
            time_unit=kind.time_unit,
            time_zone=kind.time_zone,
            strict=False,
        )
    if kind == pl.Time:
        return texts.str.to_time(strict=False)
    if kind == pl.Boolean:
        known = texts.is_in(["true", "false"])
        return (texts == "true").set(~known.fill_null(value=False), None)
    return texts.cast(kind, strict=False)


def _as_stored(values: pl.Series, column: pl.Series) -> pl.Series:
    """Values in the type of their column: texts, where it stayed a column of texts."""
    return text_of(values) if column.dtype == pl.String else values.cast(column.dtype)


def _spread(values: pl.Series, at: npt.NDArray[np.int64], rows: Mask) -> pl.Series:
    """Values by record, where only some records have one."""
    places = np.zeros(len(rows), np.int64)
    places[at] = np.arange(len(at))
    return values.gather(places)


# The digest ---------------------------------------------------------------------------------------


def digest(table: Table, at: npt.NDArray[np.int64]) -> bytes:
    """SHA-256 of a table and of the places of its sealed records, but not of their texts.

    It covers names, values, labels, kinds of missing and their order.
    """
    total = hashlib.sha256(at.astype("<i8").tobytes())
    sealed = sealed_columns(table.frame)
    for column in table.frame:
        if column.name not in sealed:
            _add(total, [column.name])
            _add(total, _texts_of(column))
    labels = table.labels
    said = {
        "variables": labels.variables,
        "values": labels.values,
        "declared": {name: list(one) for name, one in labels.declared.items()},
    }
    _add(total, [json.dumps(said, sort_keys=True)])
    for name in sorted(labels.missing):
        _add(total, [name])
        _add(total, labels.missing[name].to_list())
    return total.digest()


def _texts_of(column: pl.Series) -> list[str | None]:
    """Values as texts; an empty text is missing, as every format of texts has it."""
    if column.dtype.is_nested() or isinstance(column.dtype, pl.Binary | pl.Duration | pl.Object):
        return [repr(value) for value in column.to_list()]
    # Without its name, because polars takes some names, as ^a.*$, for patterns of names.
    return text_of(column.alias("text")).replace("", None).to_list()


def _add(total: Any, texts: Sequence[str | None]) -> None:
    """Lengths first, so that no two lists of texts are alike."""
    coded = [None if text is None else text.encode() for text in texts]
    lengths = [-1 if text is None else len(text) for text in coded]
    total.update(len(coded).to_bytes(8, "big"))
    total.update(np.array(lengths, "<i8").tobytes())
    total.update(b"".join(text for text in coded if text is not None))
