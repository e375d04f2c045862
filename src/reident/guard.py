"""Protect the unique records of a file: where its door, the finder and the actions meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.errors import DataError, Fault, SpecError
from reident.haystack import look, told_by_name
from reident.io.intake import plain
from reident.io.keys import key_order, keys_of
from reident.io.labels import Table
from reident.io.tables import read_table, refuse_absent
from reident.io.writing import as_read_back, not_held
from reident.model.files import SourceFile
from reident.model.notes import Note, in_order, plural
from reident.model.protect import Protected, ProtectOptions
from reident.remedies import accounts
from reident.remedies.perturb import Task, perturbed
from reident.remedies.records import destroyed
from reident.remedies.streams import Streams
from reident.sealing import blanked_table, seal_table, with_columns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reident.haystack import Haystack
    from reident.model.uniques import Uniques

Mask = npt.NDArray[np.bool_]
HELD = 1 << 62
"""Bytes of memory that no file outgrows: a table that is written anew is held anyway."""


@dataclass(frozen=True, kw_only=True)
class _Case:
    """A file, its unique records and what is asked; `key` encrypts, `out` is where it will go."""

    hay: Haystack
    asked: ProtectOptions
    table: Table
    keys: pl.DataFrame
    before: Uniques
    key: bytes | None
    out: Path | None

    @property
    def rows(self) -> Mask:
        """The unique records."""
        unique = np.zeros(len(self.table.frame), np.bool_)
        unique[self.before.listed["record"].to_numpy() - 1] = True
        return unique

    @property
    def change(self) -> tuple[str, ...]:
        """The variables to change."""
        return self.asked.change or self.hay.asked.variables


def protect_options(asked: dict[str, Any]) -> ProtectOptions:
    """What is asked, checked; wrong options are told by their own names."""
    with told_by_name(ProtectOptions):
        return ProtectOptions(**asked)


def protect(
    hay: Haystack, asked: ProtectOptions, *, key: bytes | None = None, out: Path | None = None
) -> tuple[Protected, Table]:
    """Find the unique records, act on them, and find again; also the new table with its labels."""
    _refuse_options(hay, asked, key)
    table = read_table(hay.file)
    refuse_absent(hay.file, table.frame.columns, [*hay.columns, *asked.domains])
    plain(table.frame[list(dict.fromkeys([*hay.asked.variables, *asked.domains]))], hay.file)
    before = look(replace(hay, memory=HELD))
    keys = keys_of(table.frame, hay.asked.key, hay.file) if hay.asked.key else pl.DataFrame()
    case = _Case(hay=hay, asked=asked, table=table, keys=keys, before=before, key=key, out=out)
    new, notes = _acted(case)
    return _account(case, new, notes), new


def _refuse_options(hay: Haystack, asked: ProtectOptions, key: bytes | None) -> None:
    """Raise SpecError for what the action and the question do not allow together."""
    strange = [name for name in asked.change if name not in hay.asked.variables]
    rules = [
        (strange, "change", "a variable that is not among those looked at", "Name it there too"),
        (
            asked.how == "table_round" and hay.asked.missing == "wildcard",
            "missing",
            "wildcard, under which there is no table whose counts could be rounded",
            "Take category or drop",
        ),
        (
            asked.action == "encrypt" and key is None,
            "key_file",
            "no key to encrypt with",
            "Name a key file; it is made if there is none",
        ),
        (
            asked.action != "encrypt" and key is not None,
            "key_file",
            f"a key, and the action is {asked.action}",
            "Leave it out, or take the action encrypt",
        ),
    ]
    faults = [Fault(where=at, found=found, remedy=do) for wrong, at, found, do in rules if wrong]
    if faults:
        raise SpecError(*faults)


def _acted(case: _Case) -> tuple[Table, list[Note]]:
    """The new table."""
    table, rows = case.table, case.rows
    match case.asked.action:
        case "destroy":
            return _destroyed(case), []
        case "blank":
            return blanked_table(table, rows, case.change), []
        case "encrypt":
            out = case.out
            held = (lambda one: one) if out is None else (lambda one: as_read_back(one, out))
            assert case.key is not None  # noqa: S101  # refused before
            return seal_table(table, rows, case.change, case.key, held), []
    assert case.before.counts is not None  # noqa: S101  # the file was held
    made = perturbed(
        Task(
            frame=table.frame,
            kinds=table.labels.missing,
            variables=case.hay.asked.variables,
            rows=rows,
            compared=case.before.counts > 0,
            k=case.hay.asked.k,
            options=case.asked,
            streams=Streams(seed=case.asked.seed, action=case.asked.name, places=_places(case)),
            file=case.hay.file,
        )
    )
    return with_columns(table, made.columns, made.kinds), made.notes


def _destroyed(case: _Case) -> Table:
    rows, labels = case.rows, case.table.labels
    if rows.all():
        raise DataError(
            Fault(
                where=case.hay.file.name,
                found="nothing but unique records, of which none would be left",
                remedy="Name fewer variables, group their values, or take another action",
            )
        )
    kinds = {name: one.filter(pl.Series(~rows)) for name, one in labels.missing.items()}
    frame = destroyed(case.table.frame, rows)
    return with_columns(Table(frame=frame, labels=replace(labels, missing={})), {}, kinds)


def _places(case: _Case) -> npt.NDArray[np.int64]:
    """The place of each record in order of key, or in the file where there is no key."""
    places = np.arange(len(case.table.frame))
    if case.keys.width:
        places[key_order(case.keys, case.hay.file)] = np.arange(len(places))
    return places


# The account --------------------------------------------------------------------------------------


def _account(case: _Case, new: Table, notes: list[Note]) -> Protected:
    """What was changed, what the finder says now, and what a reader must know."""
    asked, old, rows = case.asked, case.table, case.rows
    lost = rows if asked.action == "destroy" else np.zeros_like(rows)
    marks = {} if lost.any() else _marks(old, new, case.hay.asked.variables)
    after = _found_again(case, new, lost)
    others = [name for name in old.frame.columns if name not in case.hay.asked.key]
    sides = (old.frame[others], new.frame[others])
    by_variable = {
        name: int(marks[name].sum()) if name in marks else 0 for name in case.hay.asked.variables
    }
    return Protected(
        options=asked,
        records_in=len(old.frame),
        records_out=len(new.frame),
        cells_changed=sum(by_variable.values()),
        by_variable=by_variable,
        statistics=tuple(accounts.statistics(*sides, case.hay.file)),
        by_domain=tuple(accounts.by_domain(*sides, ~lost, rows, asked.domains, case.hay.file)),
        before=case.before,
        after=after,
        notes=tuple(in_order([*notes, *_notes(case, new, after)])),
        frame=new.frame,
        changes=accounts.log(marks, case.keys, asked.name, lost),
    )


def _marks(old: Table, new: Table, variables: tuple[str, ...]) -> dict[str, Mask]:
    """Where a value, or the kind of missing, is not what it was."""
    none = pl.Series([None], dtype=pl.String).new_from_index(0, len(old.frame))
    return {
        name: accounts.changed(old.frame[name], new.frame[name])
        | accounts.changed(*(one.labels.missing.get(name, none) for one in (old, new)))
        for name in variables
    }


def _found_again(case: _Case, new: Table, lost: Mask) -> Uniques:
    """The finder on the new table; records with nothing left to find are set aside."""
    hay = case.hay
    columns = new.frame[list(hay.asked.variables)]
    # By place, because polars takes some names, as ^a.*$, for patterns of names.
    cells = [columns.to_series(at).alias("cell") for at in range(columns.width)]
    empty = np.logical_and.reduce([cell.is_null().to_numpy() for cell in cells])
    hidden = empty & case.rows[~lost] & (case.asked.action in {"blank", "encrypt"})
    how = {name: getattr(hay.file, name) for name in ("missing", "decimal", "thousands")}
    return look(
        replace(
            hay,
            file=SourceFile(columns, **how),
            asked=hay.asked.model_copy(update={"key": ()}),
            memory=HELD,
            protected=hidden,
        )
    )


def _notes(case: _Case, new: Table, after: Uniques) -> Iterator[Note]:
    if case.out is not None:
        yield from not_held(new, case.out)
    unique = case.before.unique_records
    if not unique:
        yield Note(code="nothing_unique", text="No record is unique: the file is as it was.")
    if after.unique_records:
        still = plural(after.unique_records, "record is", "records are")
        yield Note(
            code="still_unique",
            text=f"{still} unique after the action: it is not enough by itself.",
            count=after.unique_records,
            first=True,
        )
    left = [name for name in case.hay.asked.variables if name not in case.change]
    if unique and left and case.asked.action in {"blank", "encrypt"}:
        yield Note(
            code="partly_hidden",
            text=f"Left as they are: {', '.join(left)}. Who hides some data only invites attempts "
            "to infer the rest (Dalenius 6.3).",
            count=len(left),
            first=True,
        )
    named = [name for name in case.change if _keeps_codebook(case.table, name)]
    if unique and named and case.asked.action != "destroy":
        yield Note(
            code="codebook_kept",
            text=f"Labels of values and declared categories are kept, also of values that nobody "
            f"has any more: {', '.join(named)}.",
            count=len(named),
        )


def _keeps_codebook(table: Table, name: str) -> bool:
    return name in table.labels.values or isinstance(table.frame[name].dtype, pl.Enum)
