"""A column of a file as the methods see it: missing, not applicable, or a value.

Missing is null, NaN, a blank text or a declared code; it never equals anything. Not applicable is
a declared code, equal to itself and different from every value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.days import days, days_beside
from reident.encode.distinct import distinct_values, places_of
from reident.encode.text import float_beyond_whole_numbers, text_of
from reident.errors import DataError, Fault
from reident.model.notes import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reident.model.files import SourceFile
    from reident.model.variables import Variable

MISSING = -1
PRESENT = 0
"""States of a cell; k >= 1 is the k-th not-applicable code of the variable."""

AT_ONCE = 1 << 18
"""Cells that are looked up together: what that takes does not grow with a file."""
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
NOT_A_NUMBER = r"(?i)^nan$"
EXPECTED = {
    "numeric": "a finite number",
    "date": "an ISO date (YYYY-MM-DD), moment (YYYY-MM-DDTHH:MM:SS) or, where all are, time of day",
}


@dataclass(frozen=True, kw_only=True)
class Cells:
    """One variable of one file: a state each, and the text or the number where present.

    Texts are held once: `labels` in their order, of which cell i has the one at label[i]; a cell
    without a text points past the last. Of texts `states` holds those of the labels, of numbers
    those of the cells.
    """

    states: npt.NDArray[np.int32]
    labels: pl.Series | None = None
    label: npt.NDArray[np.integer] | None = None
    number: npt.NDArray[np.float64] | None = None

    def take(self, order: npt.NDArray[np.int64]) -> Cells:
        """The same cells in another order."""
        return Cells(
            states=self.states[order] if self.label is None else self.states,
            labels=self.labels,
            label=None if self.label is None else self.label[order],
            number=None if self.number is None else self.number[order],
        )

    @property
    def state(self) -> npt.NDArray[np.int32]:
        """The state of each cell."""
        return self.states if self.label is None else self.states[self.label]

    @property
    def text(self) -> pl.Series | None:
        """The text of each cell, null where there is none."""
        if self.labels is None or self.label is None:
            return None
        return self.labels.extend_constant(None, 1).gather(pl.Series(self.label))

    def used(self, chosen: npt.NDArray[np.bool_]) -> pl.Series:
        """The distinct texts of chosen cells, in their order."""
        assert self.labels is not None  # noqa: S101  # asked of texts only
        used = np.zeros(len(self.labels) + 1, np.bool_)
        used[np.asarray(self.label)[chosen]] = True
        return self.labels.filter(pl.Series(used[:-1]))

    def among(self, labels: pl.Series) -> npt.NDArray[np.int32]:
        """The place of each cell's text among distinct ones, -1 where it is none of them."""
        assert self.labels is not None  # noqa: S101  # asked of texts only
        places = places_of(self.labels, labels)
        known = np.where(places < len(labels), places, np.int32(-1))
        return np.asarray(np.append(known, np.int32(-1))[self.label])

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Where there is a value."""
        return np.equal(self.state, PRESENT)


def cells(column: pl.Series, variable: Variable, file: SourceFile) -> Cells:
    """Read a column as the variable that it holds; wrong values raise DataError with counts."""
    name, column = column.name, column.alias("cell")
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
        return _categories(column, missing_codes, variable.not_applicable)
    if column.dtype.is_float() and variable.kind == "numeric":
        # Texts of floats take long to make, and only codes are looked for among them.
        coded = missing_codes or variable.not_applicable
        text = text_of(column) if coded else column.fill_nan(None)
        blank = text.is_null()
    else:
        text = text_of(column)
        blank = text.is_null() | (text.str.strip_chars() == "").fill_null(value=False)
    # Codes are set aside before the rest must be numbers: a code may be any text.
    number = (days(column) if variable.kind == "date" else _numbers(column, file)).to_numpy()
    state = _states(
        blank,
        missing_codes,
        variable.not_applicable,
        lambda code: _is_text(text, code) | (number == _code_number(code, variable, column)),
    )
    if variable.kind == "numeric":
        state[(state == PRESENT) & _says_nan(column)] = MISSING
    wrong = (state == PRESENT) & ~np.isfinite(number)
    expected = EXPECTED[variable.kind]
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
    return Cells(states=state, number=np.where(state == PRESENT, number, 0.0) + 0.0)


def _categories(column: pl.Series, missing: list[str], not_applicable: tuple[str, ...]) -> Cells:
    """Cells with a text. What is asked of a text is asked once, however many cells have it."""
    plain = _plain(column)
    values = distinct_values(plain)
    texts = text_of(values)
    # Values that differ may have one text: -0.0 and 0.0.
    labels = texts.unique().sort()
    blank = labels.str.strip_chars() == ""
    states = _states(blank, missing, not_applicable, partial(_is_text, labels))
    among = np.append(places_of(texts, labels), len(labels))
    among = among.astype(np.min_scalar_type(len(labels)))
    label = np.empty(len(plain), among.dtype)
    for first in range(0, len(plain), AT_ONCE):
        label[first : first + AT_ONCE] = among[places_of(plain[first : first + AT_ONCE], values)]
    return Cells(states=np.append(states, np.int32(MISSING)), labels=labels, label=label)


def _plain(column: pl.Series) -> pl.Series:
    """A column whose values can be told apart: NaN is none, and categories are their texts."""
    if column.dtype.is_float():
        return column.fill_nan(None)
    return (
        text_of(column) if isinstance(column.dtype, pl.Categorical | pl.Enum | pl.Null) else column
    )


def number_table(
    frame: pl.DataFrame, variables: Sequence[Variable], file: SourceFile
) -> npt.NDArray[np.float64]:
    """Numeric columns of a table side by side, NaN where there is no number."""
    columns = [cells(frame[variable.column("puf")], variable, file) for variable in variables]
    return np.stack(
        [
            np.where(one.present, np.zeros(0) if one.number is None else one.number, np.nan)
            for one in columns
        ],
        axis=1,
    )


def _states(
    blank: pl.Series,
    missing: list[str],
    not_applicable: tuple[str, ...],
    is_code: Callable[[str], npt.NDArray[np.bool_]],
) -> npt.NDArray[np.int32]:
    state = np.full(len(blank), PRESENT, np.int32)
    for place, code in reversed(list(enumerate(not_applicable, start=1))):
        state[is_code(code)] = place
    for code in missing:
        state[is_code(code)] = MISSING
    state[blank.to_numpy()] = MISSING
    return state


def _is_text(text: pl.Series, code: str) -> npt.NDArray[np.bool_]:
    return (text == code).fill_null(value=False).to_numpy()


def _code_number(code: str, variable: Variable, column: pl.Series) -> float:
    """The number of a code, which is met however it is spelled; NaN, which nothing is, if none."""
    text = pl.Series([code])
    if variable.kind == "date":
        number = days_beside(text, column)
    else:
        number = text.str.strip_chars().cast(pl.Float64, strict=False)
    return float(number.fill_null(float("nan"))[0])


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


def _says_nan(column: pl.Series) -> npt.NDArray[np.bool_]:
    """Where a text spells NaN, which a column of floats holds as missing."""
    if column.dtype != pl.String:
        return np.zeros(len(column), np.bool_)
    return column.str.strip_chars().str.contains(NOT_A_NUMBER).fill_null(value=False).to_numpy()


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
