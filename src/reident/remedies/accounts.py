"""The account of an action: which cells differ, and what that did to statistics (Dalenius 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.cells import cells
from reident.encode.moments import moments
from reident.encode.strata import stratum_texts
from reident.errors import DataError
from reident.model.protect import share_lost
from reident.model.variables import numeric
from reident.remedies.records import moved

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reident.model.files import SourceFile

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
FEW = 10
"""Of fewer values no mean is told: it could tell the values."""
MOST_DOMAINS = 1000
"""Domains that the results hold; smaller ones are counted together."""


def changed(before: pl.Series, after: pl.Series) -> Mask:
    """Where the value of a cell is another one, or missing on one side only."""
    same = before.alias("cell").eq_missing(after.alias("cell"))
    return ~same.to_numpy()


def log(
    marks: Mapping[str, Mask], keys: pl.DataFrame, action: str, gone: Mask | None = None
) -> pl.DataFrame:
    """A line for each changed cell, by record and then variable; one for each destroyed record."""
    at = [np.flatnonzero(mask) for mask in marks.values()]
    names = [np.full(len(rows), place) for place, rows in enumerate(at)]
    if gone is not None:
        at.append(np.flatnonzero(gone))
        names.append(np.full(len(at[-1]), len(marks)))
    records, variables = np.concatenate([*at, []]), np.concatenate([*names, []])
    order = np.lexsort((variables, records))
    records = records[order].astype(np.int64)
    own = [moved(keys[name], records).alias(f"key_{name}") for name in keys.columns]
    texts = pl.Series([*marks, None], dtype=pl.String)
    return pl.DataFrame(
        [
            pl.Series("record", records + 1),
            *own,
            texts.gather(variables[order].astype(np.int64)).alias("variable"),
            pl.Series("action", [action]).new_from_index(0, len(records)),
        ]
    )


def numbers(column: pl.Series, file: SourceFile) -> Floats | None:
    """The numbers of a column, NaN where missing; None where some value is no number."""
    if not column.dtype.is_numeric() and column.dtype != pl.String:
        return None
    try:
        read = cells(column, numeric(column.name), file)
    except DataError:
        return None
    assert read.number is not None  # noqa: S101  # numeric cells hold numbers
    return np.where(read.present, read.number, np.nan) if read.present.any() else None


def statistics(before: pl.DataFrame, after: pl.DataFrame, file: SourceFile) -> list[dict[str, Any]]:
    """For each column how many values there are, and mean and sd where they are numbers."""
    rows = []
    for name in before.columns:
        one, other = (_statistic(frame[name], file) for frame in (before, after))
        both = {part: {"before": one[part], "after": other[part]} for part in one}
        rows.append({"variable": name} | both)
    return rows


def _statistic(column: pl.Series, file: SourceFile) -> dict[str, Any]:
    found = numbers(column, file)
    if found is None:
        present = len(column) - column.null_count()
        return {"present": present, "mean": None, "sd": None}
    there = found[~np.isnan(found)]
    return {"present": len(there)} | dict(zip(("mean", "sd"), _moments(there), strict=True))


def _moments(values: Floats) -> tuple[float | None, float | None]:
    """Mean and sd; None of so few values that they would tell them, or where no double holds it."""
    if len(values) < FEW:
        return None, None
    own = moments(values)
    with np.errstate(over="ignore"):
        mean, sd = (float(np.ldexp(one, own.exponent)) for one in (own.mean, own.sd))
    return (mean if np.isfinite(mean) else None, sd if np.isfinite(sd) else None)


# Domains ------------------------------------------------------------------------------------------


def by_domain(
    before: pl.DataFrame,
    after: pl.DataFrame,
    kept: Mask,
    unique: Mask,
    domains: Sequence[str],
    file: SourceFile,
) -> list[dict[str, Any]]:
    """For each value of each domain: records before and after, share lost, means (Dalenius 6.2).

    `kept` says which records of `before` are in `after`, in the same order.
    """
    others = [column for column in before.columns if column not in domains]
    sides = [_all_numbers(frame, others, file) for frame in (before, after)]
    rows = []
    for name, text in zip(domains, stratum_texts(before, domains, file), strict=True):
        counts = (
            pl.DataFrame({"domain": text, "kept": kept, "unique": unique})
            .group_by("domain")
            .agg(pl.len(), pl.col("kept").sum(), pl.col("unique").sum())
            .sort(["len", "domain"], descending=[True, False], nulls_last=True)
        )
        for value, *found in counts.head(MOST_DOMAINS).iter_rows():
            inside = text.eq_missing(pl.Series([value], dtype=pl.String)).to_numpy()
            masks = (inside, inside[kept])
            rows.append(_domain(name, value, found) | {"means": _means(sides, masks)})
        rest = counts.slice(MOST_DOMAINS)
        if len(rest):
            sums = [int(rest[part].sum()) for part in ("len", "kept", "unique")]
            rows.append(_domain(name, "other", sums) | {"means": []})
    return rows


def _all_numbers(
    frame: pl.DataFrame, columns: Sequence[str], file: SourceFile
) -> dict[str, Floats]:
    found = {name: numbers(frame[name], file) for name in columns}
    return {name: values for name, values in found.items() if values is not None}


def _domain(name: str, value: str | None, counts: Sequence[int]) -> dict[str, Any]:
    total, stays, unique = counts
    return {
        "domain": {name: value},
        "records_in": total,
        "records_out": stays,
        "share_lost": share_lost(total, stays),
        "unique_records": unique,
    }


def _means(sides: Sequence[Mapping[str, Floats]], masks: Sequence[Mask]) -> list[dict[str, Any]]:
    """The mean of each column of numbers inside a domain, before and after."""
    rows = []
    for name in sides[0]:
        told: dict[str, Any] = {"variable": name}
        for when, values, inside in zip(("before", "after"), sides, masks, strict=True):
            own = values[name][inside] if name in values else np.zeros(0)
            told[when] = _moments(own[~np.isnan(own)])[0]
        rows.append(told)
    return rows
