"""What a release has lost: where the doors of two files, their keys and the indices meet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.cells import MISSING, Cells, cells
from reident.errors import DataError, Fault, SpecError
from reident.io.intake import plain
from reident.io.keys import key_order, keys_of
from reident.io.tables import read
from reident.model.files import SourceFile
from reident.model.notes import Note, plural
from reident.model.utility import Utility, UtilityOptions
from reident.model.variables import categorical, numeric
from reident.worth.indices import Aligned, Side, indices, information_loss, not_released
from reident.worth.profile import of_categories, of_numbers, of_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reident.io.intake import Intake
    from reident.model.study import Study

Ints = npt.NDArray[np.int64]
Columns = tuple[list[Cells], list[Cells]]
"""The QI and the SA of one file."""
OPTIONS = tuple(UtilityOptions.model_fields)


def compare_files(
    original: Any, released: Any, asked: Mapping[str, Any], how: Mapping[str, Any]
) -> Utility:
    """Compare two files or frames. Without keys, records at the same place are the same."""
    options = _checked({name: asked[name] for name in asked if name in OPTIONS})
    rest = {name: value for name, value in asked.items() if name not in OPTIONS}
    key = _names(rest.pop("key", ()))
    keys = {"original": _names(rest.pop("original_key", ())) or key, "released": key}
    truth, truth_keys = rest.pop("truth", None), rest.pop("truth_keys", None)
    if rest:
        raise SpecError(
            *(Fault(where=name, found="unknown name", remedy="Leave it out") for name in rest)
        )
    if truth is not None and not key:
        raise SpecError(
            Fault(where="truth", found="no key", remedy="Name the key columns by key = ...")
        )
    files = {"original": SourceFile(original, **how), "released": SourceFile(released, **how)}
    frames = {
        side: plain(read(file, list(dict.fromkeys([*options.qi, *options.sa, *keys[side]]))), file)
        for side, file in files.items()
    }
    tables = {
        side: _sorted(frames[side], keys[side], file) if key else None
        for side, file in files.items()
    }
    declared = None
    if truth is not None:
        file = SourceFile(truth, **how)
        named = truth_keys or _as_anonymise_names_them(keys)
        declared = _declared(file, _names(named[0]), _names(named[1]))
    sides = [_columns(frames[side], options, files[side]) for side in ("original", "released")]
    aligned, notes = _aligned(
        tables["original"], tables["released"], declared, [len(frame) for frame in frames.values()]
    )
    return compared(sides[0], sides[1], aligned, options, notes)


def utility_of_study(study: Study, taken: Intake) -> Utility | None:
    """The indices of a study's PUF against the original that its [utility] names.

    QI are its categorical and SA its numeric linking variables unless the table names others. The
    truth says which record is which: its EIF keys are the original's; without truth, the PUF's are.
    """
    file = study.utility
    if file is None:
        return None
    named = {variable.name: variable for variable in study.variables}
    qi = file.qi or [v.name for v in study.variables if v.kind == "categorical"]
    sa = file.sa or [v.name for v in study.variables if v.kind == "numeric"]
    options = _checked({"qi": tuple(qi), "sa": tuple(sa)})
    frame = plain(read(file, list(dict.fromkeys([*file.key, *options.qi, *options.sa]))), file)
    keys = _sorted(frame, file.key, file)
    before = _columns(frame, options, file)
    after = (
        [taken.files.puf[named[name].name] for name in options.qi],
        [taken.files.puf[named[name].name] for name in options.sa],
    )
    declared = None
    if taken.truth is not None:
        declared = (taken.puf.keys[taken.truth.puf], taken.eif.keys[taken.truth.eif])
    sizes = [len(frame), taken.files.puf_records]
    aligned, notes = _aligned(keys, taken.puf.keys, declared, sizes)
    return compared(before, after, aligned, options, notes)


def compared(
    before: Columns,
    after: Columns,
    aligned: Aligned | None,
    options: UtilityOptions,
    notes: list[Note],
) -> Utility:
    """All that two tables say of each other."""
    coded = [_codes(a, b) for a, b in zip(before[0], after[0], strict=True)]
    sides = [
        _side([pair[place] for pair in coded], columns[1])
        for place, columns in enumerate((before, after))
    ]
    original, released = sides
    return Utility(
        indices=indices(original, released, aligned, options),
        variables=(
            *(of_categories(name, *pair) for name, pair in zip(options.qi, coded, strict=True)),
            *(
                of_numbers(name, one, other)
                for name, one, other in zip(options.sa, original.sa, released.sa, strict=True)
            ),
        ),
        correlations=of_pairs(options.sa, original, released),
        notes=(*notes, *_deleted_notes(original, released, aligned, options)),
    )


def _deleted_notes(
    original: Side, released: Side, aligned: Aligned | None, options: UtilityOptions
) -> list[Note]:
    """Records that are not released, and what U5 is by the other reading (Identify-euc 4.2)."""
    gone = 0 if aligned is None else len(not_released(original, aligned))
    if aligned is None or not gone:
        return []
    lost = options.deleted == "lost"
    other = information_loss(original, released, aligned, "left_out" if lost else "lost")
    told = plural(gone, "record of the original is", "records of the original are")
    text = (
        f"{told} not released; in U5 all their values are lost. Without these records it is"
        if lost
        else f"{told} not released; U5 leaves them out. With all their values lost it is"
    )
    return [Note(code="not_released", text=f"{text} {other:.4g}.", count=gone)]


def _checked(given: dict[str, Any]) -> UtilityOptions:
    try:
        return UtilityOptions(**given)
    except SpecError as error:
        raise SpecError(
            *(
                replace(fault, where=fault.where.removeprefix("UtilityOptions."))
                for fault in error.faults
            )
        ) from None


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) and given else tuple(given)


def _columns(frame: pl.DataFrame, options: UtilityOptions, file: SourceFile) -> Columns:
    return (
        [cells(frame[name], categorical(name), file) for name in options.qi],
        [cells(frame[name], numeric(name), file) for name in options.sa],
    )


def _codes(before: Cells, after: Cells) -> tuple[Ints, Ints]:
    """Categories of both files numbered together; -1 where missing."""
    assert before.text is not None and after.text is not None  # noqa: S101, PT018  # QI are texts
    state = np.concatenate([before.state, after.state])
    text = pl.concat([before.text, after.text]).set(pl.Series(state == MISSING), None)
    codes = text.rank("dense").cast(pl.Int64).fill_null(0).to_numpy() - 1
    return codes[: len(before.state)], codes[len(before.state) :]


def _side(qi: list[Ints], sa: list[Cells]) -> Side:
    numbers = [
        np.where(column.present, column.number, np.nan)
        for column in sa
        if column.number is not None
    ]
    records = len(sa[0].state)
    return Side(np.array(qi, np.int64).reshape(-1, records), np.array(numbers), records)


def _sorted(frame: pl.DataFrame, key: Sequence[str], file: SourceFile) -> pl.DataFrame:
    """The keys in file order, no two alike."""
    keys = keys_of(frame, key, file)
    key_order(keys, file)
    return keys


def _as_anonymise_names_them(
    keys: Mapping[str, Sequence[str]],
) -> tuple[Sequence[str], Sequence[str]]:
    """The key columns of a truth file: by their own names, or told apart where they share one."""
    released, original = keys["released"], keys["original"]
    if not set(released) & set(original):
        return released, original
    return [f"released_{name}" for name in released], [f"original_{name}" for name in original]


def _declared(
    file: SourceFile, released: Sequence[str], original: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The pairs of keys that a truth file declares."""
    if set(released) & set(original):
        raise SpecError(
            Fault(
                where="truth",
                found="the keys of both files share a name",
                remedy="Say which of its columns hold which key by truth_keys",
            )
        )
    frame = plain(read(file, [*released, *original]), file)
    return keys_of(frame, released, file), keys_of(frame, original, file)


def _aligned(
    original: pl.DataFrame | None,
    released: pl.DataFrame | None,
    declared: tuple[pl.DataFrame, pl.DataFrame] | None,
    sizes: list[int],
) -> tuple[Aligned | None, list[Note]]:
    """Which records are declared to be the same: by truth, by equal keys, or by place."""
    if original is None or released is None:
        if sizes[0] != sizes[1]:
            text = "The files differ in length and no key is given: U5 is undefined."
            return None, [Note(code="not_aligned", text=text)]
        both = np.arange(sizes[0])
        return Aligned(both, both), []
    pairs = (released, released) if declared is None else declared
    at = [_places(keys, table) for keys, table in zip(pairs, (released, original), strict=True)]
    known = (at[0] >= 0) & (at[1] >= 0)
    if not known.any():
        raise DataError(
            Fault(
                where="keys",
                found="no record of the release is declared to be one of the original",
                remedy="Check the key columns, or give the truth",
            )
        )
    apart = sizes[1] - len(np.unique(at[0][known]))
    notes = []
    if apart:
        told = plural(apart, "record of the release is", "records of the release are")
        notes.append(
            Note(
                code="unaligned",
                text=f"{told} not in the original; U5 leaves them out.",
                count=apart,
            )
        )
    return Aligned(at[1][known], at[0][known]), notes


def _places(keys: pl.DataFrame, table: pl.DataFrame) -> Ints:
    """The places of keys in a table of keys, -1 where they are not there."""
    names = [f"{place}" for place in range(table.width)]
    mine = keys.rename(dict(zip(keys.columns, names, strict=True)))
    theirs = table.rename(dict(zip(table.columns, names, strict=True))).with_row_index("place")
    found = mine.join(theirs, on=names, how="left", maintain_order="left")["place"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64)
