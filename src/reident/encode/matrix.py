"""Variables as columns of codes and numbers: what the kernels compare.

A code is -1 where the cell is missing; equal codes mean equal values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.bins import codes_of, cut_points, rank_codes
from reident.encode.cells import MISSING, Cells
from reident.encode.moments import Moments, moments
from reident.kernels.narrow import narrowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reident.encode.files import Files
    from reident.model.options import Taxicab, Unicity
    from reident.model.variables import Variable

Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.integer]
Told = TypeVar("Told")


@dataclass(frozen=True, kw_only=True)
class Column:
    """A variable as codes of both files, in key order, and how they were made.

    `cuts` are the cut points of PUF and EIF, for each scale.
    """

    puf: Codes
    eif: Codes
    labels: tuple[str, ...] = ()
    cuts: tuple[tuple[tuple[float, ...], ...], ...] = ()


def category_codes(files: Files, variable: Variable) -> Column:
    """Categories of both files numbered together, in order of text."""
    sides = files.puf[variable.name], files.eif[variable.name]
    used = [cells.used(cells.state != MISSING) for cells in sides]
    labels = pl.concat(used).unique().sort()
    puf, eif = (_codes_among(cells, labels) for cells in sides)
    return Column(puf=puf, eif=eif, labels=tuple(labels.to_list()))


def _codes_among(cells: Cells, labels: pl.Series) -> Codes:
    """Categories by their place among the labels of both files."""
    codes = cells.among(labels)
    codes[cells.state == MISSING] = MISSING
    return codes


def bin_codes(files: Files, variable: Variable, attack: Taxicab | Unicity) -> Column:
    """Numbers as bins 1..bins; the k-th not-applicable code becomes bins + k."""
    sides = (files.puf[variable.name], files.eif[variable.name])
    coded = [_no_value(cells, attack.bins) for cells in sides]
    cuts: list[tuple[tuple[float, ...], ...]] = []
    for groups in scales(files, attack.scale):
        inside = [rows[cells.present[rows]] for cells, rows in zip(sides, groups, strict=True)]
        values = [_numbers(cells)[rows] for cells, rows in zip(sides, inside, strict=True)]
        if attack.bins_method == "sas_rank":
            made = [rank_codes(x, attack.bins) for x in values]
        else:
            points = _cut_points(values, attack)
            made = [codes_of(x, cut) for x, cut in zip(values, points, strict=True)]
            cuts.append(tuple(tuple(cut.tolist()) for cut in points))
        for codes, rows, new in zip(coded, inside, made, strict=True):
            codes[rows] = new
    return Column(puf=coded[0], eif=coded[1], cuts=tuple(cuts))


def _cut_points(values: list[Floats], attack: Taxicab | Unicity) -> list[Floats]:
    match attack.cuts:
        case "puf":
            return [cut_points(values[0], attack.bins)] * 2
        case "pooled":
            return [cut_points(np.concatenate(values), attack.bins)] * 2
        case "each":
            return [cut_points(x, attack.bins) for x in values]


def coded_matrix(
    files: Files,
    variables: Sequence[Variable],
    attack: Taxicab | Unicity,
    told: Callable[[Variable, Column], Told],
) -> tuple[Whole, Whole, list[Told]]:
    """All variables as codes, numeric ones binned: of the PUF and of the EIF.

    Of each column the third holds what is `told` of it, so that columns need not be held.
    """
    heard = []

    def columns() -> Iterator[Column]:
        for variable in variables:
            column = (
                category_codes(files, variable)
                if variable.kind == "categorical"
                else bin_codes(files, variable, attack)
            )
            heard.append(told(variable, column))
            yield column

    return (*stacked(files, columns(), len(variables)), heard)


def stacked(files: Files, columns: Iterable[Column], number: int) -> tuple[Whole, Whole]:
    """So many variables one under the other, records in layout order.

    All in the narrowest type that holds their codes: who compares them widens them.
    """
    mine, theirs = files.layout.puf, files.layout.eif
    sides: list[Whole] = [np.empty((number, len(order)), np.int8) for order in (mine, theirs)]
    for place, column in zip(range(number), columns, strict=True):
        for side, own, order in ((0, column.puf, mine), (1, column.eif, theirs)):
            codes = narrowed(own)
            if codes.dtype.itemsize > sides[side].dtype.itemsize:
                sides[side] = sides[side].astype(codes.dtype)
            sides[side][place] = codes[order]
    return sides[0], sides[1]


def state_codes(files: Files, variable: Variable) -> Column:
    """For numbers compared by distance: 0 present, -1 missing, k the k-th not-applicable code."""
    return Column(puf=files.puf[variable.name].state, eif=files.eif[variable.name].state)


def scaled_numbers(
    files: Files, variable: Variable, scale: str
) -> tuple[Floats, Floats, list[Moments]]:
    """Numbers on the scale of the PUF's moments, layout order; one Moments per scale."""
    puf, eif = files.puf[variable.name], files.eif[variable.name]
    out = [np.zeros(len(cells.state)) for cells in (puf, eif)]
    measured = []
    for puf_rows, eif_rows in scales(files, scale):
        spread = moments(_numbers(puf)[puf_rows[puf.present[puf_rows]]])
        measured.append(spread)
        out[0][puf_rows] = spread.scale(_numbers(puf)[puf_rows])
        out[1][eif_rows] = spread.scale(_numbers(eif)[eif_rows])
    return out[0][files.layout.puf], out[1][files.layout.eif], measured


def scales(files: Files, scale: str) -> Iterator[tuple[Ints, Ints]]:
    """The groups of records that share cuts and moments: everything, or each stratum."""
    if scale == "study":
        yield np.arange(files.puf_records), np.arange(files.eif_records)
        return
    orders = [np.argsort(side, kind="stable") for side in (files.strata.puf, files.strata.eif)]
    numbers = np.arange(len(files.strata.values))
    bounds = [
        (
            np.searchsorted(side[order], numbers, "left"),
            np.searchsorted(side[order], numbers, "right"),
        )
        for side, order in zip((files.strata.puf, files.strata.eif), orders, strict=True)
    ]
    for number in numbers:
        yield (
            orders[0][bounds[0][0][number] : bounds[0][1][number]],
            orders[1][bounds[1][0][number] : bounds[1][1][number]],
        )


def _no_value(cells: Cells, bins: int) -> Codes:
    return np.where(cells.state > 0, bins + cells.state, MISSING).astype(np.int32)


def _numbers(cells: Cells) -> Floats:
    assert cells.number is not None  # noqa: S101  # numeric and date cells hold numbers
    return cells.number
