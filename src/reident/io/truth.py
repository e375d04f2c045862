"""The truth door: the IUF's pairs, and its unperturbed values where they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reident.encode.text import text_of
from reident.errors import DataError, Fault
from reident.io.keys import find, keys_of
from reident.io.tables import read
from reident.model.notes import Note
from reident.model.truth import Truth, truth_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.strata import Strata
    from reident.model.files import SourceFile, TruthFile
    from reident.model.study import Study

WORTH_STATING = 0.01
"""Share of the truth that may be unknown or split before a note says so first of all."""


def _truth_keys(study: Study, known: TruthFile) -> tuple[Sequence[str], Sequence[str]]:
    return known.puf_key or study.puf.key, known.eif_key or study.eif.key


def key_columns(study: Study, known: TruthFile) -> list[str]:
    """The columns of the IUF that hold either key."""
    puf_key, eif_key = _truth_keys(study, known)
    return list(dict.fromkeys([*puf_key, *eif_key]))


def read_truth(study: Study, known: TruthFile, *, unperturbed: bool) -> pl.DataFrame:
    """Read the key columns of the IUF, and the unperturbed linking values if they are used."""
    values = [variable.puf for variable in study.variables] if unperturbed else []
    return read(known, list(dict.fromkeys([*key_columns(study, known), *values])))


def pair_keys(study: Study, known: TruthFile, iuf: pl.DataFrame) -> list[pl.DataFrame]:
    """The PUF keys and the EIF keys of the IUF, row by row; a blank one raises DataError."""
    sides = zip(_truth_keys(study, known), ("p", "e"), strict=True)
    return [_renamed(keys_of(iuf, names, known), side) for names, side in sides]


def truth_from(
    study: Study, known: TruthFile, iuf: pl.DataFrame, puf: pl.DataFrame, eif: pl.DataFrame
) -> Truth:
    """The true pairs as positions in key order; no pair in both files is an error."""
    keys = pair_keys(study, known, iuf)
    at_puf, at_eif = find(keys[0], puf), find(keys[1], eif)
    inside = (at_puf >= 0) & (at_eif >= 0)
    if not inside.any():
        raise DataError(
            Fault(
                where=known.name,
                found="no pair whose keys are in both files",
                remedy="Check that its key columns hold the same texts as the PUF's and the EIF's",
            )
        )
    # A pair that stands there twice counts once; of known ones truth_of sees it, with less room.
    outside = np.flatnonzero(~inside)
    gone = [pl.Series("puf", at_puf[outside] < 0), pl.Series("eif", at_eif[outside] < 0)]
    unknown = pl.concat([side[outside] for side in keys], how="horizontal").hstack(gone).unique()
    return truth_of(
        at_puf[inside],
        at_eif[inside],
        unknown_puf=int(unknown["puf"].sum()),
        unknown_eif=int(unknown["eif"].sum()),
        eif_records=len(eif),
    )


def _renamed(keys: pl.DataFrame, side: str) -> pl.DataFrame:
    return keys.rename({old: f"{side}{place}" for place, old in enumerate(keys.columns)})


def with_unperturbed(
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
    own_keys = _renamed(keys_of(iuf, puf_key, known), "\0")
    # Names in brackets, not in select: there "*" would stand for all columns.
    held = pl.concat([own_keys, iuf[names]], how="horizontal")
    held = held.unique(maintain_order=True)
    keys = held[held.columns[: len(puf_key)]]
    if keys.is_duplicated().any():
        raise DataError(
            Fault(
                where=known.name,
                found=f"{keys.is_duplicated().sum()} rows give a PUF record different values",
                remedy="Give each PUF record one set of unperturbed values",
            )
        )
    at = find(keys_of(frame, study.puf.key, study.puf), keys)
    picked = held[names][np.maximum(at, 0)]
    inside = pl.Series(at >= 0)
    return frame.with_columns(
        [_in_place_of(frame[name], picked[name], inside, study.puf) for name in names]
    )


def _in_place_of(
    own: pl.Series, value: pl.Series, inside: pl.Series, file: SourceFile
) -> pl.Series:
    """The unperturbed value where there is one, else the PUF's own, in a type that holds both."""
    if own.dtype == value.dtype:
        return value.zip_with(inside, own)
    if own.dtype.is_numeric() and value.dtype.is_numeric():
        both = pl.concat([value.to_frame(), own.to_frame()], how="vertical_relaxed")[own.name]
        return both[: len(own)].zip_with(inside, both[len(own) :])
    if file.thousands or file.decimal != ".":
        # The text of a number has a decimal point, which these declarations would misread.
        raise DataError(
            Fault(
                where=f"{file.name}, column {own.name!r}",
                found="another type than in the IUF, and signs declared for numbers as text",
                remedy="Store it as text in both files, or as numbers in both",
            )
        )
    return text_of(value).zip_with(inside, text_of(own))


def split_pairs(truth: Truth | None, strata: Strata) -> int:
    """True pairs whose records can never meet, because a stratum differs or is missing."""
    if truth is None:
        return 0
    mine, theirs = strata.puf[truth.puf], strata.eif[truth.eif]
    return int(((mine != theirs) | (mine < 0)).sum())


def truth_notes(truth: Truth | None, split: int) -> list[Note]:
    """What a reader must know of the truth before any rate."""
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
