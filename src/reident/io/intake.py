"""Through the door: three files become keys, cells, strata and truth, in order of key.

All faults of all files are found before any is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.cells import Cells, cells
from reident.encode.files import Files, files
from reident.encode.strata import Strata, strata_of, stratum_texts
from reident.errors import DataError, Fault
from reident.io.keys import find, key_order, keys_of
from reident.io.tables import read
from reident.model.notes import Note
from reident.model.truth import Truth, truth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from reident.model.files import IntruderFile, PublicFile, SourceFile, TruthFile
    from reident.model.study import Study

    T = TypeVar("T")

Ints = npt.NDArray[np.int64]
WORTH_STATING = 0.01
"""Share of the truth that may be unknown or split before a note says so first of all."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One file in order of key: keys as text, cells by variable, strata as text, raw columns."""

    keys: pl.DataFrame
    cells: dict[str, Cells]
    strata: list[pl.Series]
    raw: pl.DataFrame


@dataclass(frozen=True, kw_only=True)
class Intake:
    """What came through the door."""

    puf: Side
    eif: Side
    files: Files
    truth: Truth | None
    split: int
    notes: list[Note]
    rows: dict[str, int]


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


def take_in(study: Study, *, unperturbed: bool = False) -> Intake:
    """Read and check the three files of a study."""
    faults = _Faults()
    frames = {
        "puf": faults.attempt(lambda: read(study.puf, _columns(study, "puf"))),
        "eif": faults.attempt(lambda: read(study.eif, _columns(study, "eif"))),
    }
    known = study.truth
    iuf = None
    if known is not None:
        iuf = faults.attempt(lambda: _read_truth(study, known, unperturbed=unperturbed))
    puf_frame, eif_frame = frames["puf"], frames["eif"]
    puf = eif = None
    if puf_frame is not None:
        if unperturbed and iuf is not None and known is not None:
            values = (study, known, puf_frame, iuf)
            puf_frame = faults.attempt(lambda: _unperturbed(*values)) or puf_frame
        puf = _side(study, "puf", study.puf, puf_frame, faults)
    if eif_frame is not None:
        eif = _side(study, "eif", study.eif, eif_frame, faults)
    truth = None
    if known is not None and iuf is not None and puf is not None and eif is not None:
        sides, table = (puf, eif), iuf
        truth = faults.attempt(lambda: _truth(study, known, table, *sides))
    faults.stop_if_any()
    assert puf is not None and eif is not None  # noqa: S101, PT018  # else a fault was raised
    strata = strata_of(
        tuple(part.puf for part in study.strata),
        puf.strata,
        eif.strata,
        len(puf.keys),
        len(eif.keys),
    )
    split = _split(truth, strata)
    rows = {"puf": len(puf.keys), "eif": len(eif.keys)}
    return Intake(
        puf=puf,
        eif=eif,
        files=files(puf.cells, eif.cells, strata),
        truth=truth,
        split=split,
        notes=[*_truth_notes(truth, split), *_strata_notes(strata)],
        rows=rows if iuf is None else rows | {"iuf": len(iuf)},
    )


def _columns(study: Study, side: str) -> list[str]:
    file = study.puf if side == "puf" else study.eif
    names = [
        *file.key,
        *(variable.column(side) for variable in study.variables),
        *(part.column(side) for part in study.strata),
    ]
    return list(dict.fromkeys(names))


def _side(
    study: Study, side: str, file: PublicFile | IntruderFile, frame: pl.DataFrame, faults: _Faults
) -> Side | None:
    """Check a file column by column and put it in order of key."""
    keys = faults.attempt(lambda: keys_of(frame, file.key, file))
    order = None if keys is None else faults.attempt(lambda: key_order(keys, file))
    read_cells = {
        variable.name: faults.attempt(
            lambda v=variable: cells(frame[v.column(side)], v, file)  # type: ignore[misc]
        )
        for variable in study.variables
    }
    texts = stratum_texts(frame, [part.column(side) for part in study.strata], file)
    if keys is None or order is None or any(one is None for one in read_cells.values()):
        return None
    return Side(
        keys=keys[order],
        cells={name: one.take(order) for name, one in read_cells.items() if one is not None},
        strata=[text[order] for text in texts],
        raw=frame[order],
    )


# The truth ------------------------------------------------------------------------------------


def _truth_keys(study: Study, known: TruthFile) -> tuple[Sequence[str], Sequence[str]]:
    return known.puf_key or study.puf.key, known.eif_key or study.eif.key


def _read_truth(study: Study, known: TruthFile, *, unperturbed: bool) -> pl.DataFrame:
    puf_key, eif_key = _truth_keys(study, known)
    values = [variable.puf for variable in study.variables] if unperturbed else []
    return read(known, list(dict.fromkeys([*puf_key, *eif_key, *values])))


def _truth(study: Study, known: TruthFile, iuf: pl.DataFrame, puf: Side, eif: Side) -> Truth:
    puf_key, eif_key = _truth_keys(study, known)
    keys = [_renamed(keys_of(iuf, names, known), side) for names, side in ((puf_key, "p"), (eif_key, "e"))]
    both = pl.concat(keys, how="horizontal").unique(maintain_order=True)
    at_puf = find(both[keys[0].columns], puf.keys)
    at_eif = find(both[keys[1].columns], eif.keys)
    inside = (at_puf >= 0) & (at_eif >= 0)
    if not inside.any():
        raise DataError(
            Fault(
                where=known.name,
                found="no pair whose keys are in both files",
                remedy="Check that its key columns hold the same texts as the PUF's and the EIF's",
            )
        )
    return truth_of(
        at_puf[inside],
        at_eif[inside],
        unknown_puf=int((at_puf < 0).sum()),
        unknown_eif=int((at_eif < 0).sum()),
        eif_records=len(eif.keys),
    )


def _renamed(keys: pl.DataFrame, side: str) -> pl.DataFrame:
    return keys.rename({old: f"{side}{place}" for place, old in enumerate(keys.columns)})


def _unperturbed(
    study: Study, known: TruthFile, frame: pl.DataFrame, iuf: pl.DataFrame
) -> pl.DataFrame:
    """The PUF with the IUF's linking values in place of its own, where the IUF has the record."""
    if not known.values:
        raise DataError(
            Fault(
                where=known.name,
                found="no unperturbed values are declared",
                remedy="Set values = true under [iuf] and give the linking values there",
            )
        )
    names = [variable.puf for variable in study.variables]
    puf_key, _ = _truth_keys(study, known)
    held = pl.concat([_renamed(keys_of(iuf, puf_key, known), "\0"), iuf.select(names)], how="horizontal")
    held = held.unique(maintain_order=True)
    keys = held.select(held.columns[: len(puf_key)])
    if keys.is_duplicated().any():
        raise DataError(
            Fault(
                where=known.name,
                found=f"{keys.is_duplicated().sum()} rows give a PUF record different values",
                remedy="Give each PUF record one set of unperturbed values",
            )
        )
    at = find(keys_of(frame, study.puf.key, study.puf), keys)
    picked = held.select(names)[np.maximum(at, 0)]
    return frame.with_columns(
        [
            picked[name].cast(frame[name].dtype).zip_with(pl.Series(at >= 0), frame[name])
            for name in names
        ]
    )


def _split(truth: Truth | None, strata: Strata) -> int:
    """True pairs whose records can never meet, because a stratum differs or is missing."""
    if truth is None:
        return 0
    mine, theirs = strata.puf[truth.puf], strata.eif[truth.eif]
    return int(((mine != theirs) | (mine < 0)).sum())


# Notes ----------------------------------------------------------------------------------------


def _truth_notes(truth: Truth | None, split: int) -> list[Note]:
    if truth is None:
        return []
    notes = []
    for side, unknown in (("PUF", truth.unknown_puf), ("EIF", truth.unknown_eif)):
        if unknown:
            notes.append(
                Note(
                    code=f"truth_unknown_{side.lower()}",
                    text=f"The IUF holds {unknown:,} pairs whose {side} key is not in the {side}.",
                    count=unknown,
                    first=unknown > WORTH_STATING * (len(truth) + unknown),
                )
            )
    if split:
        notes.append(
            Note(
                code="truth_split",
                text=f"{split:,} true pairs lie in different or missing strata and cannot meet.",
                count=split,
                first=split > WORTH_STATING * len(truth),
            )
        )
    return notes


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
                    text=f"{len(alone):,} strata hold {side} records and no {other} record: "
                    f"{records:,} {side} records meet nobody.",
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
