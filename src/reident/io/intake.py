"""Through the door: three files become keys, cells, strata and truth, in order of key.

All faults of all files are found before any is reported.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reident.encode.cells import Cells, cells
from reident.encode.files import Files, files
from reident.encode.strata import Strata, strata_of, stratum_texts
from reident.errors import DataError, Fault
from reident.io.columns import Columnar, Held, columnar, odd_columns
from reident.io.fingerprints import fingerprint
from reident.io.keys import key_order, keys_of, rising
from reident.io.remarks import ending_with_a_blank, remarks
from reident.io.tables import all_columns, read
from reident.io.truth import (
    key_columns,
    pair_keys,
    read_truth,
    split_pairs,
    truth_from,
    truth_notes,
    with_unperturbed,
)
from reident.model.notes import Note, plural

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    import polars as pl

    from reident.model.files import IntruderFile, PublicFile, SourceFile
    from reident.model.study import Study
    from reident.model.truth import Truth
    from reident.model.variables import Variable

    T = TypeVar("T")

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Side:
    """One file in order of key: keys as text, cells by variable, strata as text.

    `raw` are the columns as they were read, where they were asked for.
    """

    keys: pl.DataFrame
    cells: dict[str, Cells]
    strata: list[pl.Series]
    raw: pl.DataFrame | None


@dataclass(frozen=True, kw_only=True)
class Intake:
    """What came through the door."""

    puf: Side
    eif: Side
    files: Files
    truth: Truth | None
    split: int
    notes: list[Note]
    inputs: dict[str, dict[str, Any]]
    seconds: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class _Keys:
    """Keys in their order, and the file position of each; None where the file is in that order."""

    table: pl.DataFrame
    order: Ints | None


class _Faults:
    """Gathers faults so that one answer holds them all."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def attempt(self, step: Callable[[], T]) -> T | None:
        try:
            return step()
        except DataError as error:
            self.found += error.faults
            return None

    def stop_if_any(self) -> None:
        if self.found:
            raise DataError(*dict.fromkeys(self.found))


def sources(study: Study) -> dict[str, SourceFile]:
    """The files of a study by the name that the manifest gives them."""
    known = {} if study.truth is None else {"iuf": study.truth}
    return {"puf": study.puf, "eif": study.eif, **known}


def take_in(study: Study, *, unperturbed: bool = False, raw: bool = False) -> Intake:
    """Read and check the three files of a study.

    Columns as they were read are let go, because cells hold all that attacks look at, unless they
    are asked for as `raw`.
    """
    faults = _Faults()
    start = time.perf_counter()
    # Before anything is read: what changes from now on is seen at the end.
    inputs = {
        side: faults.attempt(partial(fingerprint, file)) or {}
        for side, file in sources(study).items()
    }
    whole = raw or unperturbed
    puf_table = _opened(study.puf, columns_of(study, "puf"), faults, whole=whole)
    eif_table = _opened(study.eif, columns_of(study, "eif"), faults, whole=whole)
    known = study.truth
    iuf = None
    if known is not None:
        iuf = faults.attempt(
            lambda: plain(read_truth(study, known, unperturbed=unperturbed), known)
        )
    read_in = time.perf_counter()
    if isinstance(puf_table, Held) and unperturbed and iuf is not None and known is not None:
        values = (study, known, puf_table.frame, iuf)
        changed = faults.attempt(lambda: with_unperturbed(*values))
        puf_table = puf_table if changed is None else Held(changed)
    puf_keys = _sorted_keys(study.puf, puf_table, faults)
    eif_keys = _sorted_keys(study.eif, eif_table, faults)
    truth, blanks = None, None
    if known is not None and iuf is not None:
        table = iuf
        if puf_keys is None or eif_keys is None:
            faults.attempt(lambda: pair_keys(study, known, table))
        else:
            sides = (puf_keys.table, eif_keys.table)
            truth = faults.attempt(lambda: truth_from(study, known, table, *sides))
        inputs["iuf"]["records"] = len(iuf)
        blanks = ending_with_a_blank(iuf[key_columns(study, known)])
        del table
    # All that is needed of it is known.
    del iuf
    puf = _side(study, "puf", puf_table, puf_keys, faults, raw=raw)
    del puf_table
    eif = _side(study, "eif", eif_table, eif_keys, faults, raw=raw)
    del eif_table
    faults.stop_if_any()
    assert puf is not None and eif is not None  # noqa: S101, PT018  # else a fault was raised
    strata = strata_of(
        tuple(part.puf for part in study.strata),
        puf.strata,
        eif.strata,
        len(puf.keys),
        len(eif.keys),
    )
    split = split_pairs(truth, strata)
    inputs["puf"]["records"], inputs["eif"]["records"] = len(puf.keys), len(eif.keys)
    return Intake(
        puf=puf,
        eif=eif,
        files=files(puf.cells, eif.cells, strata),
        truth=truth,
        split=split,
        notes=[
            *truth_notes(truth, split),
            *_strata_notes(strata),
            *remarks(study, puf, eif, blanks),
        ],
        inputs=inputs,
        seconds={"read": read_in - start, "encode": time.perf_counter() - read_in},
    )


def _opened(
    file: SourceFile, columns: list[str], faults: _Faults, *, whole: bool
) -> Held | Columnar | None:
    """The columns; where some are absent, the others are still looked at for faults.

    A file whose columns lie apart is read column by column, unless it is asked for as a `whole`.
    """
    if not whole and (found := columnar(file, columns)) is not None:
        return found
    frame = faults.attempt(lambda: read(file, columns))
    if frame is None:
        with contextlib.suppress(DataError):
            held = all_columns(file)
            frame = read(file, [name for name in columns if name in held])
    if frame is None:
        return None
    read_in = frame
    faults.attempt(lambda: plain(read_in, file))
    odd = odd_columns(frame.schema)
    return Held(frame[[name for name in frame.columns if name not in odd]])


def plain(frame: pl.DataFrame, file: SourceFile) -> pl.DataFrame:
    """The frame itself; columns that hold no plain values raise DataError."""
    if odd := odd_columns(frame.schema):
        raise DataError(
            *(
                Fault(
                    where=f"{file.name}, column {name!r}",
                    found="neither texts nor numbers, truth values or dates",
                    remedy="Convert it to one of these",
                )
                for name in odd
            )
        )
    return frame


def columns_of(study: Study, side: str) -> list[str]:
    """The columns of the PUF or the EIF that a study reads."""
    file = _file_of(study, side)
    names = [
        *file.key,
        *(variable.column(side) for variable in study.variables),
        *(part.column(side) for part in study.strata),
    ]
    return list(dict.fromkeys(names))


def _file_of(study: Study, side: str) -> PublicFile | IntruderFile:
    return study.puf if side == "puf" else study.eif


def _sorted_keys(
    file: PublicFile | IntruderFile, table: Held | Columnar | None, faults: _Faults
) -> _Keys | None:
    """The keys of a file in their order, if all their columns are there and sound."""
    if table is None or not all(name in table.names for name in file.key):
        return None
    # A name that is given twice is told of by who makes the keys.
    named = list(dict.fromkeys(file.key))
    keys = faults.attempt(lambda: keys_of(table.select(named), file.key, file))
    if keys is None or rising(keys):
        return None if keys is None else _Keys(table=keys, order=None)
    order = faults.attempt(lambda: key_order(keys, file))
    return None if order is None else _Keys(table=keys[order], order=order)


def _side(
    study: Study,
    side: str,
    table: Held | Columnar | None,
    keys: _Keys | None,
    faults: _Faults,
    *,
    raw: bool,
) -> Side | None:
    """Check a file column by column and put it in order of key."""
    if table is None:
        return None
    file = _file_of(study, side)
    order = None if keys is None else keys.order

    def taken(variable: Variable) -> Cells:
        column = variable.column(side)
        read_cells = cells(table.select([column])[column], variable, file)
        return read_cells if order is None else read_cells.take(order)

    held = {
        variable.name: faults.attempt(partial(taken, variable))
        for variable in study.variables
        if variable.column(side) in table.names
    }
    if faults.found or keys is None:
        return None
    names = [part.column(side) for part in study.strata]
    texts = stratum_texts(table.select(list(dict.fromkeys(names))), names, file) if names else []
    return Side(
        keys=keys.table,
        cells={name: one for name, one in held.items() if one is not None},
        strata=texts if order is None else [text[order] for text in texts],
        raw=_in_order(table, order) if raw else None,
    )


def _in_order(table: Held | Columnar, order: Ints | None) -> pl.DataFrame:
    frame = table.select(table.names)
    return frame if order is None else frame[order]


def _strata_notes(strata: Strata) -> list[Note]:
    if not strata.names:
        return []
    notes = []
    for mine, theirs, side, other in (
        (strata.puf, strata.eif, "PUF", "EIF"),
        (strata.eif, strata.puf, "EIF", "PUF"),
    ):
        alone = np.setdiff1d(mine[mine >= 0], theirs)
        records = int(np.isin(mine, alone).sum())
        if records:
            notes.append(
                Note(
                    code=f"stratum_{side.lower()}_only",
                    text=f"{plural(len(alone), 'stratum', 'strata')} with {side} records and no "
                    f"{other} record: {plural(records, 'record', 'records')} that meet nobody.",
                    count=records,
                )
            )
        missing = int((mine < 0).sum())
        if missing:
            notes.append(
                Note(
                    code=f"stratum_missing_{side.lower()}",
                    text=f"{missing:,} {side} records have a missing stratum and meet nobody.",
                    count=missing,
                )
            )
    return notes
