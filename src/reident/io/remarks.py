"""Remarks on the data: nothing is wrong enough to stop, and a reader must know.

A badly harmonised intruder file gives low rates that look like protection. These notes say where
to look; they name columns and counts, never a value.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reident.encode.cells import MISSING, Cells
from reident.encode.text import EXACT
from reident.io.formats.database import file_of
from reident.io.formats.statistical import PADDED
from reident.model.notes import Note, plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from reident.io.intake import Side
    from reident.model.files import SourceFile
    from reident.model.study import Study
    from reident.model.variables import Variable

LOOKS_LIKE_A_CODE = re.compile(
    r"-(9|8|7|6|1)|-?9{2,}|-?8{3,}|NA|N/A|\.|\?|NULL|None|nan", re.IGNORECASE
)
UNITS_DIFFER = 10
FEW = 5
MANY_NUMBERS = 20


def remarks(study: Study, puf: Side, eif: Side, iuf: Mapping[str, int] | None) -> list[Note]:
    """Everything remarkable about the files of a study, side by side.

    `iuf` says of each key column of the IUF how many of its keys end with a blank.
    """
    mine, theirs = ending_with_a_blank(puf.keys), ending_with_a_blank(eif.keys)
    return [
        *_same_file(study),
        *_key_blanks("PUF", study.puf, mine),
        *_key_blanks("EIF", study.eif, theirs),
        *([] if iuf is None else _key_blanks("IUF", study.truth, iuf)),
        *([] if iuf is None else _key_blanks_lost(study, mine, theirs, iuf)),
        *_empty_rows(puf, eif),
        *(
            note
            for variable in study.variables
            for note in _variable(variable, puf.cells[variable.name], eif.cells[variable.name])
        ),
    ]


def _same_file(study: Study) -> Iterator[Note]:
    one, other = file_of(study.puf), file_of(study.eif)
    mine, theirs = study.puf.database, study.eif.database
    if one is None or other is None:
        same = mine is not None and mine == theirs
    else:
        same = one.samefile(other) and (mine and mine.table) == (theirs and theirs.table)
    if same:
        what = "table" if mine else "file"
        yield Note(code="same_file", text=f"The PUF and the EIF are the same {what}.", first=True)


def _key_blanks(side: str, file: SourceFile | None, blanks: Mapping[str, int]) -> Iterator[Note]:
    trailing = sum(blanks.values())
    if file is not None and trailing:
        yield Note(
            code=f"key_blanks_{side.lower()}",
            text=f"{file.name}: {plural(trailing, 'key ends', 'keys end')} with a blank; keys are "
            "compared exactly as stored.",
            count=trailing,
        )


def _key_blanks_lost(
    study: Study, puf: Mapping[str, int], eif: Mapping[str, int], iuf: Mapping[str, int]
) -> Iterator[Note]:
    """Keys that end with a blank, where the file they are sought in cannot hold such keys."""
    truth = study.truth
    assert truth is not None  # noqa: S101  # there are keys of the IUF
    for side, file, keys, columns in (
        ("puf", study.puf, puf, truth.puf_key or study.puf.key),
        ("eif", study.eif, eif, truth.eif_key or study.eif.key),
    ):
        named = {name: iuf[name] for name in columns}
        for padded, other, held in ((file, truth, named), (truth, file, keys)):
            lost = sum(held.values())
            if lost and padded.path is not None and padded.path.suffix.lower() in PADDED:
                yield Note(
                    code=f"key_blanks_lost_{side}",
                    text=f"{padded.name}: this format holds no blanks at the end of a text, so "
                    f"{plural(lost, 'key', 'keys')} of {other.name} with a blank at the end cannot "
                    "be found there; store the keys without these blanks in both files.",
                    count=lost,
                )


def ending_with_a_blank(keys: pl.DataFrame) -> dict[str, int]:
    """How many keys of each column end with a blank."""
    return {
        column.name: int(column.alias("key").str.ends_with(" ").sum())
        if column.dtype == pl.String
        else 0
        for column in keys
    }


def _empty_rows(puf: Side, eif: Side) -> Iterator[Note]:
    for side, table in (("PUF", puf), ("EIF", eif)):
        gone = (cells.state == MISSING for cells in table.cells.values())
        empty = int(reduce(np.logical_and, gone).sum())
        if empty:
            yield Note(
                code=f"empty_rows_{side.lower()}",
                text=f"{plural(empty, 'record', 'records')} of the {side} without any linking "
                "value.",
                count=empty,
            )


def _variable(variable: Variable, puf: Cells, eif: Cells) -> Iterator[Note]:
    for side, cells in (("PUF", puf), ("EIF", eif)):
        if (cells.state == MISSING).all():
            yield Note(
                code="all_missing",
                text=f"{variable.name}: every value of the {side} is missing.",
                count=len(cells.state),
            )
    yield from (_texts if variable.kind == "categorical" else _numbers)(variable, puf, eif)


# Categories ---------------------------------------------------------------------------------------


def codes_among(labels: Collection[str]) -> int:
    """How many categories look like undeclared codes of missing; none where all do."""
    codes = sum(bool(LOOKS_LIKE_A_CODE.fullmatch(label)) for label in labels)
    return codes if len(labels) > codes else 0


def _texts(variable: Variable, puf: Cells, eif: Cells) -> Iterator[Note]:
    mine, theirs = _labels(puf), _labels(eif)
    for side, labels in (("PUF", mine), ("EIF", theirs)):
        if codes := codes_among(labels):
            yield _suspicious(variable, side, codes)
    if mine and theirs and not mine & theirs:
        yield Note(
            code="disjoint_categories",
            text=f"{variable.name}: no category occurs in both files.",
            count=len(mine) + len(theirs),
        )
    apart = {_stripped(label) for label in mine - theirs} & {
        _stripped(label) for label in theirs - mine
    }
    if apart:
        yield Note(
            code="match_after_stripping",
            text=f"{variable.name}: {plural(len(apart), 'category', 'categories')} would match "
            "only after stripping leading zeros or blanks; texts are compared exactly.",
            count=len(apart),
        )
    if variable.kind == "categorical" and min(_numeric(mine), _numeric(theirs)) > MANY_NUMBERS:
        yield Note(
            code="numbers_as_categories",
            text=f"{variable.name}: only numbers, with more than {MANY_NUMBERS} distinct values, "
            "compared as categories; declare it numeric if it measures something.",
            count=min(len(mine), len(theirs)),
        )


def _labels(cells: Cells) -> set[str]:
    return set(cells.used(cells.present).to_list())


def _stripped(label: str) -> str:
    return label.strip().lstrip("0") or "0"


def _numeric(labels: set[str]) -> int:
    """How many distinct values there are, 0 if one of them is not a number."""
    numbers = pl.Series(sorted(labels), dtype=pl.String).cast(pl.Float64, strict=False)
    return 0 if numbers.is_null().any() else len(labels)


def _suspicious(variable: Variable, side: str, count: int) -> Note:
    return Note(
        code="undeclared_code",
        text=f"{variable.name}: the {side} holds {plural(count, 'value', 'values')} that often "
        "stand for missing and are not declared so; declare them by missing = [...] if they do.",
        count=count,
    )


# Numbers ------------------------------------------------------------------------------------------


def _numbers(variable: Variable, puf: Cells, eif: Cells) -> Iterator[Note]:
    assert puf.number is not None and eif.number is not None  # noqa: S101, PT018  # numeric cells
    mine, theirs = puf.number[puf.present], eif.number[eif.present]
    for side, values in (("PUF", mine), ("EIF", theirs)):
        yield from _one_side(variable, side, values)
    if len(mine) and len(theirs):
        # The upper median is a value of the file; a mean of two could overflow.
        one, other = (abs(float(np.sort(x)[len(x) // 2])) for x in (mine, theirs))
        if min(one, other) > 0 and max(one, other) > UNITS_DIFFER * min(one, other):
            yield Note(
                code="units_differ",
                text=f"{variable.name}: the medians of the two files differ by a factor of more "
                f"than {UNITS_DIFFER}; check the units.",
            )


def _one_side(variable: Variable, side: str, values: np.ndarray) -> Iterator[Note]:
    distinct = np.unique(values)
    beyond = int((np.abs(values) > EXACT).sum())
    if beyond:
        yield Note(
            code="beyond_exact",
            text=f"{variable.name}: {plural(beyond, 'value', 'values')} of the {side} beyond 2^53, "
            "where whole numbers can no longer be told apart.",
            count=beyond,
        )
    if side == "PUF" and 0 < len(distinct) < FEW:
        yield Note(
            code="few_values",
            text=f"{variable.name}: fewer than {FEW} distinct values in the PUF; it may be a "
            "category.",
            count=len(distinct),
        )
    # A code among numbers stands out: it is the smallest or the largest, and it is repeated or the
    # only value below zero.
    ends = [x for x in (distinct[:1].tolist() + distinct[-1:].tolist()) if float(x).is_integer()]
    codes = [
        x
        for x in dict.fromkeys(ends)
        if len(distinct) > FEW
        and LOOKS_LIKE_A_CODE.fullmatch(str(int(x)))
        and (int((values == x).sum()) > 1 or x < 0 <= distinct[1])
    ]
    if codes and variable.kind == "numeric":
        yield _suspicious(variable, side, len(codes))
