"""Data perturbation (Dalenius 6.4) as one step: the options of an action become new columns."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.encode.categories import coded, survey
from reident.encode.cells import cells
from reident.errors import DataError, Fault
from reident.model.notes import Note
from reident.model.variables import categorical
from reident.remedies.accounts import numbers
from reident.remedies.groups import cells_of, randomised, swapped, table_rounded
from reident.remedies.records import moved
from reident.remedies.values import exchanged, noised, rounded, stored_as

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from reident.model.files import SourceFile
    from reident.model.protect import ProtectOptions
    from reident.remedies.streams import Streams

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
DEFAULT_BASE = Decimal(5)
OF_NUMBERS = ("round", "noise")
"""Ways to perturb that only numbers can be."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A frame and its kinds of missing, the P-set, and who is to be perturbed how.

    `rows` are the unique records, `compared` all that took part in the search; `k` is its k.
    """

    frame: pl.DataFrame
    kinds: Mapping[str, pl.Series]
    variables: tuple[str, ...]
    rows: Mask
    compared: Mask
    k: int
    options: ProtectOptions
    streams: Streams
    file: SourceFile


class Perturbed(NamedTuple):
    """New columns by name, their kinds of missing, and what a reader must know."""

    columns: dict[str, pl.Series]
    kinds: dict[str, pl.Series]
    notes: list[Note]


def perturbed(task: Task) -> Perturbed:
    """Replace values of the unique records by others; of all records for table_round."""
    if task.options.how in OF_NUMBERS:
        return _by_numbers(task)
    if task.options.how == "table_round":
        return _by_table(task)
    names = task.options.change or task.variables
    donors = {name: _donors(task, name) for name in names}
    alone = task.options.how == "swap" and int(task.rows.sum()) == 1
    lonely = Note(code="nobody_to_swap_with", text="One record is unique: it kept its values.")
    return _moved(task, donors, [lonely] if alone else [])


def _donors(task: Task, name: str) -> npt.NDArray[np.int64]:
    if task.options.how == "swap":
        return swapped(task.rows, task.streams.uniform(name))
    present = cells(task.frame[name], categorical(name), task.file).present
    return randomised(task.rows, present, float(task.options.share), task.streams, name)


def _by_table(task: Task) -> Perturbed:
    """Counts of the whole table of P-sets as multiples of the base, by default of k + 1."""
    base = int(task.options.base or task.k + 1)
    books = survey([task.frame], task.variables, task.file)
    codes = coded(task.frame, task.variables, books).codes
    donors = table_rounded(cells_of(codes, task.compared), base, task.streams)
    return _moved(task, dict.fromkeys(task.variables, donors), [])


def _moved(task: Task, donors: Mapping[str, npt.NDArray[np.int64]], notes: list[Note]) -> Perturbed:
    kinds = {name: moved(one, donors[name]) for name, one in task.kinds.items() if name in donors}
    return Perturbed(
        {name: moved(task.frame[name], own) for name, own in donors.items()},
        {**task.kinds, **kinds},
        notes,
    )


def _by_numbers(task: Task) -> Perturbed:
    held = _numbers(task)
    new = {}
    for name, values in held.items():
        column = task.frame[name]
        present = ~np.isnan(values)
        other = _other_numbers(task, name, np.where(present, values, 0.0), present)
        # A number that is what it was keeps its spelling: 007 stays 007.
        hit = task.rows & present & (other != values)
        new[name] = exchanged(column, hit, stored_as(np.where(hit, other, 0.0), column))
    left = [name for name in task.variables if name not in held]
    note = Note(
        code="not_numbers",
        text=f"Left as they are, because they are not all numbers: {', '.join(left)}.",
        count=len(left),
    )
    return Perturbed(new, dict(task.kinds), [note] if left and not task.options.change else [])


def _other_numbers(task: Task, name: str, values: Floats, present: Mask) -> Floats:
    options = task.options
    if options.how == "noise":
        return noised(values, present, float(options.scale), task.streams.normal(name))
    draws = task.streams.uniform(name) if options.rounding == "random" else None
    return rounded(values, options.base or DEFAULT_BASE, draws)


def _numbers(task: Task) -> dict[str, Floats]:
    """The numbers of the variables to change: those that are named, or all that hold numbers."""
    named = task.options.change
    read = {name: numbers(task.frame[name], task.file) for name in named or task.variables}
    wrong = [name for name, values in read.items() if values is None and named]
    if wrong or all(values is None for values in read.values()):
        raise DataError(
            *(
                Fault(
                    where=f"{task.file.name}, column {name!r}",
                    found=f"values that are not numbers, and {task.options.how} needs them",
                    remedy="Take swap, pram or table_round, or change other variables",
                )
                for name in wrong or read
            )
        )
    return {name: values for name, values in read.items() if values is not None}
