"""What each format can hold. What it cannot is told before anything is written.

The last word has the check that reads a new file back; the rules here say in plain words, and for
all columns at once, what usually stands in the way.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from reident.encode.text import EXACT
from reident.errors import Fault
from reident.model.notes import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from reident.io.labels import Labels, Table

STATA_CODES = 2_147_483_620
"""Whole numbers up to this can have a label in Stata."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one format; None where it has none, or where it has no place for labels."""

    name: str
    name_rule: str = ""
    names: re.Pattern[str] = field(default_factory=lambda: re.compile(r"(?s).+"))
    name_bytes: int | None = None
    one_case: bool = False
    text_bytes: int | None = None
    trailing_blanks: bool = True
    doubles_only: bool = True
    booleans: bool = False
    variable_label: int | None = None
    value_label: int | None = None
    text_value_labels: bool = False
    kinds: re.Pattern[str] | None = None
    declared: bool = False
    first_day: dt.date | None = None
    records: int | None = None
    columns: int | None = None


LABELLED = {
    ".xpt": Limits(
        name="xpt",
        name_rule="up to 8 letters, digits and _, not beginning with a digit",
        names=re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,7}"),
        one_case=True,
        text_bytes=200,
        trailing_blanks=False,
        variable_label=40,
        kinds=re.compile(r"\.[A-Za-z_]"),
    ),
    ".dta": Limits(
        name="dta",
        name_rule="up to 32 letters, digits and _, not beginning with a digit",
        names=re.compile(r"[^\W\d]\w{0,31}"),
        text_bytes=2045,
        variable_label=80,
        value_label=32_000,
        kinds=re.compile(r"\.[A-Za-z]"),
    ),
    ".sav": Limits(
        name="sav",
        name_rule="up to 64 bytes of letters, digits, . and _, beginning with a letter",
        names=re.compile(r"[^\W\d_][\w.]*"),
        name_bytes=64,
        one_case=True,
        text_bytes=32_767,
        trailing_blanks=False,
        variable_label=255,
        value_label=120,
        text_value_labels=True,
        kinds=re.compile(r"(?s).+"),
        declared=True,
    ),
}
"""Formats of statistical packages."""

XLSX = Limits(
    name="xlsx",
    text_bytes=32_767,
    booleans=True,
    first_day=dt.date(1900, 1, 1),
    records=1_048_575,
    columns=16_384,
)
CSV = Limits(name="csv", doubles_only=False, booleans=True)


def faults(table: Table, limits: Limits, where: str) -> list[Fault]:
    """Everything in a table that a format cannot hold."""
    frame = table.frame
    found = [
        Fault(where=where, found=f"{size:,} {what}, and {limits.name} holds {most:,}", remedy=OTHER)
        for size, most, what in (
            (len(frame), limits.records, "records"),
            (frame.width, limits.columns, "columns"),
        )
        if most is not None and size > most
    ]
    folded = [name.casefold() for name in frame.columns]
    for name, low in zip(frame.columns, folded, strict=True):
        said = [*_name(name, limits)]
        if limits.one_case and folded.count(low) > 1:
            said.append(("a name that differs from another by capitals only", "Rename it"))
        # Without its name, which polars might take for a pattern.
        said += _values(frame[name].alias("column"), limits)
        said += _labels(name, table.labels, limits) if limits.kinds else []
        found += [
            Fault(where=f"{where}, column {name!r}", found=one, remedy=remedy)
            for one, remedy in said
        ]
    return found


OTHER = "Write parquet, which holds it"

Said = tuple[str, str]


def _name(name: str, limits: Limits) -> Iterator[Said]:
    long = limits.name_bytes is not None and len(name.encode()) > limits.name_bytes
    if long or not limits.names.fullmatch(name):
        rule = limits.name_rule or "some sign"
        yield f"a name that {limits.name} cannot hold", f"Rename it: {rule}"


def _values(column: pl.Series, limits: Limits) -> list[Said]:
    """Types and values that have no place."""
    kind = column.dtype
    no_place = f"which {limits.name} cannot hold"
    if kind.is_nested() or isinstance(kind, pl.Binary | pl.Object | pl.Duration):
        return [(f"values of type {kind}, {no_place}", "Convert it to text or number")]
    if kind == pl.Boolean and not limits.booleans:
        return [(f"truth values, {no_place}", "Convert it to 0 and 1, or to text")]
    if not limits.doubles_only:
        return []
    if isinstance(kind, pl.Date | pl.Datetime):
        return [*_days(column, limits)]
    if kind.is_numeric():
        return [*_numbers(column, no_place)]
    if isinstance(kind, pl.String | pl.Categorical | pl.Enum):
        return [*_texts(column.cast(pl.String), limits)]
    return []


def _days(column: pl.Series, limits: Limits) -> Iterator[Said]:
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        no_place = f"which {limits.name} cannot hold"
        yield f"moments with a time zone, {no_place}", "Convert them to local time"
    elif limits.first_day is not None:
        early = int((column.cast(pl.Date) < limits.first_day).sum())
        if early:
            counted = plural(early, "date", "dates")
            yield f"{counted} before {limits.first_day}, the first of {limits.name}", OTHER


def _numbers(column: pl.Series, no_place: str) -> Iterator[Said]:
    if column.dtype.is_float():
        infinite = int(column.is_infinite().sum())
        if infinite:
            counted = plural(infinite, "infinite number", "infinite numbers")
            yield f"{counted}, {no_place}", "Make them missing or finite"
        return
    wide = column.cast(pl.Int128) if column.dtype.is_integer() else column
    beyond = int(((wide > EXACT) | (wide < -EXACT)).sum())
    if beyond:
        counted = plural(beyond, "whole number", "whole numbers")
        yield f"{counted} beyond 2^53, {no_place} exactly", "Convert the column to text"


def _texts(texts: pl.Series, limits: Limits) -> Iterator[Said]:
    if limits.text_bytes is not None:
        long = int((texts.str.len_bytes() > limits.text_bytes).sum())
        if long:
            counted = plural(long, "text", "texts")
            yield f"{counted} of more than {limits.text_bytes:,} bytes", OTHER
    if not limits.trailing_blanks:
        blank = int((texts.str.ends_with(" ") & (texts != "")).sum())
        if blank:
            counted = plural(blank, "text", "texts")
            yield f"{counted} with blanks at the end, which {limits.name} drops", "Strip them"


# Labels -------------------------------------------------------------------------------------------


def _labels(name: str, labels: Labels, limits: Limits) -> list[Said]:
    said: list[Said] = []
    label = labels.variables.get(name, "")
    size = _size(limits)
    if limits.variable_label is not None and size(label) > limits.variable_label:
        said.append((f"a label longer than {limits.variable_label}", "Shorten it"))
    said += _value_labels(labels.values.get(name, {}), limits)
    kinds = labels.missing.get(name)
    if kinds is not None and limits.kinds is not None:
        strange = [one for one in kinds.drop_nulls().unique() if not limits.kinds.fullmatch(one)]
        if strange:
            said.append((f"kinds of missing that {limits.name} does not have", OTHER))
    if name in labels.declared and not limits.declared:
        said.append((f"values declared as missing, which {limits.name} does not know", OTHER))
    return said


def _value_labels(values: Mapping[str, str], limits: Limits) -> Iterator[Said]:
    if not values:
        return
    if limits.value_label is None:
        yield f"labels of values, for which {limits.name} has no place", OTHER
        return
    if any(_size(limits)(label) > limits.value_label for label in values.values()):
        yield f"a label of a value longer than {limits.value_label:,}", "Shorten it"
    if not limits.text_value_labels and not all(_stata_code(value, limits) for value in values):
        yield "labels of values that are neither whole numbers nor kinds of missing", OTHER


def _stata_code(value: str, limits: Limits) -> bool:
    whole = re.fullmatch(r"-?\d{1,10}", value) is not None
    return (whole and abs(int(value)) <= STATA_CODES) or bool(
        limits.kinds and limits.kinds.fullmatch(value)
    )


def _size(limits: Limits) -> Callable[[str], int]:
    """Stata counts signs, the others count bytes."""
    return len if limits.name == "dta" else lambda text: len(text.encode())
