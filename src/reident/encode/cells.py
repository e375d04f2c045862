"""A column of a file as the methods see it: missing, not applicable, or a value.

Missing is null, NaN, a blank text or a declared code; it never equals anything. Not applicable is
a declared code, equal to itself and different from every value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.text import float_beyond_whole_numbers, text_of
from reident.errors import DataError, Fault
from reident.model.notes import plural

if TYPE_CHECKING:
    from reident.model.files import SourceFile
    from reident.model.variables import Variable

MISSING = -1
PRESENT = 0
"""States of a cell; k >= 1 is the k-th not-applicable code of the variable."""

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
NOT_A_NUMBER = r"(?i)^nan$"


@dataclass(frozen=True, kw_only=True)
class Cells:
    """One variable of one file: a state each, and the text or the number where present."""

    state: npt.NDArray[np.int32]
    text: pl.Series | None = None
    number: npt.NDArray[np.float64] | None = None

    def take(self, order: npt.NDArray[np.int64]) -> Cells:
        """The same cells in another order."""
        return Cells(
            state=self.state[order],
            text=None if self.text is None else self.text[order],
            number=None if self.number is None else self.number[order],
        )

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Where there is a value."""
        return np.equal(self.state, PRESENT)


def cells(column: pl.Series, variable: Variable, file: SourceFile) -> Cells:
    """Read a column as the variable that it holds; wrong values raise DataError with counts."""
    name, column = column.name, column.alias("cell")
    text = text_of(column)
    blank = text.is_null() | (text.str.strip_chars() == "").fill_null(value=False)
    missing_codes = [*file.missing, *variable.missing]
    if variable.kind == "categorical":
        _refuse(
            float_beyond_whole_numbers(column),
            None,
            file,
            name,
            "beyond 2^53 in a column of floats, which cannot tell such whole numbers apart",
            "Store it as text or integer",
        )
        state = _states(blank, text, None, missing_codes, variable.not_applicable)
        return Cells(state=state, text=text)
    # Codes are set aside before the rest must be numbers: a code may be any text.
    reader = _days if variable.kind == "date" else _numbers
    number = reader(column, file).to_numpy()
    as_number = number if variable.kind == "numeric" else None
    state = _states(blank, text, as_number, missing_codes, variable.not_applicable)
    state[(state == PRESENT) & np.isnan(number) & _says_nan(column)] = MISSING
    wrong = (state == PRESENT) & ~np.isfinite(number)
    expected = "an ISO date (YYYY-MM-DD)" if variable.kind == "date" else "a finite number"
    # A column without a single number holds something else than its variable says.
    none = wrong.any() and not (state[~wrong] == PRESENT).any()
    _refuse(
        int(wrong.sum()),
        int(np.argmax(wrong)),
        file,
        name,
        f"not {expected}",
        "No value is one: declare the variable categorical, or name the right column"
        if none
        else "Correct the file, or declare codes as missing or not_applicable",
    )
    # Adding 0.0 turns -0.0 into 0.0, so that the two are one value everywhere.
    return Cells(state=state, number=np.where(state == PRESENT, number, 0.0) + 0.0)


def _states(
    blank: pl.Series,
    text: pl.Series,
    number: npt.NDArray[np.float64] | None,
    missing: list[str],
    not_applicable: tuple[str, ...],
) -> npt.NDArray[np.int32]:
    state = np.full(len(text), PRESENT, np.int32)
    for place, code in reversed(list(enumerate(not_applicable, start=1))):
        state[_has_code(text, number, code)] = place
    for code in missing:
        state[_has_code(text, number, code)] = MISSING
    state[blank.to_numpy()] = MISSING
    return state


def _has_code(
    text: pl.Series, number: npt.NDArray[np.float64] | None, code: str
) -> npt.NDArray[np.bool_]:
    """Where the text is the code, or, for numbers, where the value is the code's number."""
    found = (text == code).fill_null(value=False).to_numpy()
    if number is not None:
        value = pl.Series([code]).str.strip_chars().cast(pl.Float64, strict=False)[0]
        if value is not None:
            found = found | (number == value)
    return found


def _numbers(column: pl.Series, file: SourceFile) -> pl.Series:
    """The column as float64; null where a text is not a number."""
    if file.thousands == file.decimal:
        raise DataError(
            Fault(
                where=file.name,
                found="one sign declared both as decimal and as thousands",
                remedy="Declare two different signs, or leave thousands out",
            )
        )
    if column.dtype == pl.String:
        text = _with_points(column.str.strip_chars(), file)
        number = text.cast(pl.Float64, strict=False)
        plain = text.str.contains(NUMBER)
        return number.set(~plain.fill_null(value=False), None).fill_null(float("nan"))
    if column.dtype.is_numeric() or column.dtype == pl.Null:
        return column.cast(pl.Float64).fill_null(float("nan"))
    return pl.Series(column.name, [float("nan")] * len(column), pl.Float64)


def _with_points(text: pl.Series, file: SourceFile) -> pl.Series:
    """Numbers as texts without thousands and with a decimal point; null where signs are misplaced.

    1,23 with thousands by comma and 1.234 with decimals by comma are not what they seem.
    """
    misplaced = pl.Series([False]).new_from_index(0, len(text))
    if file.thousands:
        sign = re.escape(file.thousands)
        grouped = rf"^[+-]?\d{{1,3}}({sign}\d{{3}})+(\D.*)?$"
        held = text.str.contains(file.thousands, literal=True)
        misplaced |= held & ~text.str.contains(grouped)
        text = text.str.replace_all(file.thousands, "", literal=True)
    if file.decimal != ".":
        misplaced |= text.str.contains(".", literal=True)
        text = text.str.replace_all(file.decimal, ".", literal=True)
    return text.set(misplaced.fill_null(value=False), None)


def _days(column: pl.Series, file: SourceFile) -> pl.Series:  # noqa: ARG001  # same call as _numbers
    """The column as days since 1970-01-01; null where a text is not an ISO date."""
    if column.dtype == pl.String:
        text = column.str.strip_chars()
        day = text.str.to_date("%Y-%m-%d", strict=False)
        # The parser forgives a single digit; ISO does not.
        iso = text.str.contains(r"^\d{4}-\d{2}-\d{2}$").fill_null(value=False)
        column = day.set(~iso, None)
    if column.dtype == pl.Date:
        return column.cast(pl.Int32).cast(pl.Float64).fill_null(float("nan"))
    if isinstance(column.dtype, pl.Datetime):
        micro = column.dt.replace_time_zone(None).cast(pl.Datetime("us")).cast(pl.Int64)
        return (micro.cast(pl.Float64) / 86_400_000_000.0).fill_null(float("nan"))
    return pl.Series(column.name, [float("nan")] * len(column), pl.Float64)


def _says_nan(column: pl.Series) -> npt.NDArray[np.bool_]:
    """Where NaN is what the file holds, not the sign of a text that is no number."""
    if column.dtype == pl.String:
        return column.str.strip_chars().str.contains(NOT_A_NUMBER).fill_null(value=False).to_numpy()
    return np.full(len(column), column.dtype.is_float())


def _refuse(
    count: int, first: int | None, file: SourceFile, column: str, found: str, remedy: str
) -> None:
    if count:
        place = "" if first is None else f", the first in record {first + 1}"
        raise DataError(
            Fault(
                where=f"{file.name}, column {column!r}",
                found=f"{plural(count, 'value that is', 'values that are')} {found}{place}",
                remedy=remedy,
            )
        )
