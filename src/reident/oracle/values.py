"""Records, cells and the text of a value: what every metric looks at.

Primer 1.1 and 1.4: a record has a key and linking variables, numeric or categorical. Before any
metric runs, each raw value becomes a cell, which is one of

* ``None``: missing (equal to nothing, not even to another missing cell);
* ``NotApplicable``: a legitimate skip, equal only to the same code;
* a text: a category, compared exactly as stored;
* a float: a number, or a date in days since 1970-01-01, or a time of day as part of a day.
"""

import datetime as dt
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

Present: TypeAlias = str | bool | int | float | dt.date | dt.datetime | dt.time
Raw: TypeAlias = Present | None
Key: TypeAlias = tuple[str, ...]
Stratum: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True)
class NotApplicable:
    """A declared code for "this question was not put to this record"."""

    code: str


Cell: TypeAlias = NotApplicable | str | float | int | None
Cells: TypeAlias = tuple[Cell, ...]

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}(?:\.[0-9]{1,6})?))?")
OFFSET = re.compile(r"(Z|[+-][0-9]{2}:[0-9]{2}(:[0-9]{2})?)\Z")
EPOCH = dt.date(1970, 1, 1)


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A linking variable (Primer 1.4) with its codes; the missing codes differ by file."""

    name: str
    kind: str  # "numeric" | "categorical" | "date"
    missing_puf: tuple[str, ...] = ()
    missing_eif: tuple[str, ...] = ()
    not_applicable: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Record:
    """One row as read (Primer 1.1): its key, its stratum, one raw value per linking variable."""

    key: Key
    stratum: Stratum = ()
    values: tuple[Raw, ...] = ()


def text_of(value: Present) -> str:
    """The text of a value, the same from every file format.

    A category that SAS holds as 1.0 and a CSV file as 1 has to be one category, so whole numbers
    lose their point.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):  # before int: a Python bool is an int
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return value.isoformat()


def is_blank(value: Raw) -> bool:
    """Missing by itself, without any declared code: null, NaN, empty or blank text."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, str):
        return value.strip() == ""
    return value is None


def number_of(text: str) -> float | None:
    """The number a text spells, or None when it spells none."""
    stripped = text.strip()
    return float(stripped) if NUMBER.fullmatch(stripped) else None


def stratum_text(value: Raw, missing: Sequence[str] = ()) -> str | None:
    """A stratum value as text; None when it is missing and so meets nothing (Primer 3)."""
    if value is None or is_blank(value):
        return None
    text = text_of(value)
    return None if text in missing else text


def cell_of(value: Raw, kind: str, missing: Sequence[str], not_applicable: Sequence[str]) -> Cell:
    """The cell of one raw value. A missing code wins over a not-applicable code."""
    if value is None or is_blank(value):
        return None
    if matching_code(value, kind, missing) is not None:
        return None
    skipped = matching_code(value, kind, not_applicable)
    if skipped is not None:
        return NotApplicable(skipped)
    if kind == "categorical":
        return text_of(value)
    if kind == "date":
        return days_of(value)
    if kind == "numeric":
        return float_of(value)
    raise ValueError(f"unknown kind of variable: {kind}")


def matching_code(value: Raw, kind: str, codes: Sequence[str]) -> str | None:
    """The first declared code that a value is: as text, and for numbers also as a number."""
    if value is None:
        return None
    text = text_of(value)
    amount = amount_of(text, kind)
    for code in codes:
        if text == code or (amount is not None and amount == amount_of(code, kind)):
            return code
    return None


def amount_of(text: str, kind: str) -> float | tuple[str, float] | None:
    """What a text amounts to, however it is spelled; a time of day is never a date."""
    if kind == "numeric":
        return number_of(text)
    when = when_of(text) if kind == "date" else None
    if when is None:
        return None
    return "time" if isinstance(when, dt.time) else "date", days_of(when)


def float_of(value: Raw) -> float | None:
    """A numeric value as float64; None for a NaN written as text."""
    if isinstance(value, str):
        if value.strip().lower() == "nan":
            return None
        number = number_of(value)
    elif isinstance(value, (int, float)):
        number = float(value)
    else:
        number = None
    if number is None or math.isinf(number):
        raise ValueError("a numeric variable holds something that is not a finite number")
    return number


def when_of(text: str) -> dt.datetime | dt.time | None:
    """The moment or the time of day that a text spells in ISO form, or None.

    A zone at the end is left out: the clock on the wall counts. A time of day alone has none, and
    its hour may have one digit.
    """
    text = text.strip()
    time_alone = clock_of(text)
    if time_alone is not None:
        return time_alone
    numbers, separator, rest = DATE.fullmatch(text[:10]), text[10:11], text[11:]
    clock = clock_of(OFFSET.sub("", rest)) if rest[1:2].isdigit() else None
    is_date = separator == ""
    if numbers is None or not (is_date or (separator in ("T", " ") and clock is not None)):
        return None
    year, month, day = (int(number) for number in numbers.groups())
    try:
        return dt.datetime.combine(dt.date(year, month, day), clock or dt.time())
    except ValueError:  # no such day
        return None


def clock_of(text: str) -> dt.time | None:
    """The time of day that a text spells, or None: 25:00 and 10:60 are none."""
    parts = CLOCK.fullmatch(text)
    if parts is None:
        return None
    hour, minute, second = int(parts[1]), int(parts[2]), Fraction(parts[3] or 0)
    if hour >= 24 or minute >= 60 or second >= 60:
        return None
    whole = int(second)
    return dt.time(hour, minute, whole, int((second - whole) * 1_000_000))


def days_of(value: Raw) -> float:
    """A date in days, so that dates count as numbers; a time of day is a part of a day."""
    when = when_of(value) if isinstance(value, str) else value
    if isinstance(when, dt.datetime):  # before date: a datetime is a date
        return (when.date() - EPOCH).days + days_of(when.time())
    if isinstance(when, dt.date):
        return float((when - EPOCH).days)
    if isinstance(when, dt.time):
        passed = dt.timedelta(
            hours=when.hour,
            minutes=when.minute,
            seconds=when.second,
            microseconds=when.microsecond,
        )
        return passed / dt.timedelta(days=1)
    raise ValueError("a date variable holds something that is not a date")


def cells_of(record: Record, variables: Sequence[Variable], file: str) -> Cells:
    """All cells of a record of one file, "puf" or "eif"."""
    cells = []
    for variable, value in zip(variables, record.values, strict=True):
        missing = variable.missing_puf if file == "puf" else variable.missing_eif
        cells.append(cell_of(value, variable.kind, missing, variable.not_applicable))
    return tuple(cells)


def in_key_order(records: Sequence[Record]) -> list[Record]:
    """Records sorted by key. Python compares code points, and UTF-8 bytes sort the same way."""
    return sorted(records, key=lambda record: record.key)


def as_written(number: float | str | Decimal | Fraction) -> Fraction:
    """A decimal exactly as its author wrote it: 0.1 is one tenth, not the nearest float."""
    if isinstance(number, float):
        return Fraction(Decimal(repr(number)))
    return Fraction(number)
