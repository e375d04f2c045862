"""Anonymise a file: where its door, the methods, the truth and a ready study meet."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from reident import disk
from reident.disguise.methods import anonymised
from reident.disguise.release import Release, Settings
from reident.encode.cells import MISSING, cells
from reident.errors import DataError, Fault, RefusalError, SpecError
from reident.io.intake import plain
from reident.io.keys import key_order, keys_of
from reident.io.labels import Table
from reident.io.tables import read
from reident.io.writing import write_table
from reident.model.anonymised import Anonymised, AnonymiseOptions
from reident.model.files import SourceFile
from reident.model.variables import categorical, numeric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from reident.disguise.release import Ints, Levels

PUF, EIF = "released", "original"
"""How the key columns of truth and declaration begin."""


def anonymise_file(
    source: Any,
    asked: Mapping[str, Any],
    how: Mapping[str, Any],
    hierarchies: Mapping[str, Levels] | None = None,
) -> Anonymised:
    """Apply methods to a file or frame; the release holds its key, QI and SA."""
    options = _checked(asked)
    file = SourceFile(source, **how)
    names = [*options.key, *options.qi, *options.sa]
    frame = plain(read(file, list(dict.fromkeys(names))), file)
    keys = keys_of(frame, options.key, file)
    place = np.argsort(key_order(keys, file))
    start = _release(frame, options, file, place)
    settings = Settings(
        k=options.k,
        share=options.share,
        scale=options.scale,
        window=options.window,
        base=options.base,
        unify=options.unify,
        hierarchies=hierarchies,
    )
    steps = anonymised(start, options.methods, settings, options.seed)
    return _result(start, steps, keys.to_series(), options)


def _checked(asked: Mapping[str, Any]) -> AnonymiseOptions:
    try:
        options = AnonymiseOptions(**asked)
    except SpecError as error:
        raise SpecError(
            *(
                replace(fault, where=fault.where.removeprefix("AnonymiseOptions."))
                for fault in error.faults
            )
        ) from None
    faults = [
        Fault(where=role, found=f"{name!r} has two roles", remedy="Name a column once")
        for role, names in (("qi", options.qi), ("sa", options.sa))
        for name in names
        if [*options.key, *options.qi, *options.sa].count(name) > 1
    ]
    if options.unify and options.unify not in options.qi:
        remedy = f"Name one of: {', '.join(options.qi)}"
        faults.append(Fault(where="unify", found="not a QI", remedy=remedy))
    if faults:
        raise SpecError(*faults)
    return options


def _release(
    frame: pl.DataFrame, options: AnonymiseOptions, file: SourceFile, place: Ints
) -> Release:
    qi = []
    for name in options.qi:
        own = cells(frame[name], categorical(name), file)
        assert own.text is not None  # noqa: S101  # categories are texts
        qi.append(own.text.set(pl.Series(own.state == MISSING), None).alias(name))
    sa = []
    for name in options.sa:
        own = cells(frame[name], numeric(name), file)
        numbers = np.where(own.present, np.asarray(own.number), np.nan)
        sa.append(pl.Series(name, numbers, pl.Float64, nan_to_null=True))
    rows = np.arange(len(frame))
    return Release(
        qi=pl.DataFrame(qi), sa=pl.DataFrame(sa), source=rows, declared=rows, place=place
    )


def _result(
    start: Release, steps: Sequence[Release], keys: pl.Series, options: AnonymiseOptions
) -> Anonymised:
    final = steps[-1]
    width = len(str(len(final)))
    numbers = [f"{place:0{width}}" for place in range(1, len(final) + 1)]
    own = pl.Series(options.key[0], numbers)

    def pairs(source: Any) -> pl.DataFrame:
        return pl.DataFrame({f"{PUF}_{own.name}": own, f"{EIF}_{own.name}": keys[source]})

    log = []
    before = start
    for name, after in zip(options.methods, steps, strict=True):
        changed = _changes(before, after)
        log.append({"method": name, "records": len(after), "cells_changed": sum(changed.values())})
        before = after
    return Anonymised(
        released=pl.DataFrame([own, *final.qi.get_columns(), *final.sa.get_columns()]),
        truth=pairs(final.source),
        declared=pairs(final.declared),
        original=pl.DataFrame([keys, *start.qi.get_columns(), *start.sa.get_columns()]),
        records_in=len(start),
        by_variable=_changes(start, final),
        before=_sizes(start),
        after=_sizes(final),
        log=tuple(log),
    )


def _changes(before: Release, after: Release) -> dict[str, int]:
    """For each variable how many records have another value than the one they were made from."""
    place = np.full(int(before.source.max()) + 1, -1, np.int64)
    place[before.source] = np.arange(len(before))
    rows = place[after.source]
    return {
        column.name: int(column.ne_missing(side[column.name][rows]).sum())
        for own, side in ((after.qi, before.qi), (after.sa, before.sa))
        for column in own.iter_columns()
    }


def _sizes(release: Release) -> dict[str, Any]:
    """S1 and S2: the smallest and the mean class of equal QI."""
    held = np.bincount(release.classes())
    return {"S1": int(held.min()), "S2": len(release) / len(held)}


# On disk ----------------------------------------------------------------------------------------


def read_hierarchy(path: Path) -> Levels:
    """A hierarchy file: a value and what it becomes step by step, separated by semicolons."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise DataError(
            Fault(where=path.name, found="not a readable text file", remedy="Check the path")
        ) from None
    rows = [row for row in csv.reader(text.splitlines(), delimiter=";") if row]
    if not rows or len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        raise DataError(
            Fault(
                where=path.name,
                found="lines of different length, or without a step",
                remedy="Give each value and its steps, separated by semicolons",
            )
        )
    return {row[0]: tuple(row[1:]) for row in rows}


def write_release(made: Anonymised, path: Path, *, force: bool = False) -> list[Path]:
    """Write a release, and beside it its truth and its declaration, which are not for release."""
    stem = path.name.partition(".")[0]
    files = {
        path: made.released,
        path.with_name(f"{stem}.truth.csv"): made.truth,
        path.with_name(f"{stem}.declared.csv"): made.declared,
    }
    _refuse([one for one in files if one.exists()], force=force)
    disk.make_folder(path.absolute().parent)
    for one, frame in files.items():
        write_table(Table(frame=frame), one)
    return list(files)


def write_study(
    made: Anonymised,
    folder: Path,
    options: Mapping[str, Any],
    *,
    against: str,
    force: bool = False,
    attacks: Mapping[str, Mapping[str, Any]] | None = None,
) -> Path:
    """Write a release, its original, both truths and a study, ready to run.

    The study has the attacks that are given, or all that guess, by the first SA.
    """
    path = folder / "study.toml"
    _refuse([path] if path.exists() else [], force=force)
    disk.make_folder(folder)
    files = {"puf": made.released, "eif": made.original, "truth": made.truth}
    for name, frame in (files | {"declared": made.declared}).items():
        write_table(Table(frame=frame), folder / f"{name}.csv")
    chosen = guessing(options["sa"][0]) if attacks is None else attacks
    disk.write_text(path, _study_text(made, options, against, chosen))
    return path


def _refuse(there: Sequence[Path], *, force: bool) -> None:
    if there and not force:
        raise RefusalError(
            *(
                Fault(where=one.name, found="a file is there", remedy="Replace it by --force")
                for one in there
            )
        )


def guessing(variable: str) -> dict[str, dict[str, Any]]:
    """All attacks that guess; two of them go by one SA."""
    return {
        "identify_rand": {},
        "identify_sa": {"variable": variable},
        "identify_sort": {},
        "identify_sa21": {"variable": variable},
        "euc1": {},
        "euc2": {},
    }


def _study_text(
    made: Anonymised,
    options: Mapping[str, Any],
    against: str,
    attacks: Mapping[str, Mapping[str, Any]],
) -> str:
    import tomlkit  # noqa: PLC0415  # only a study that is written needs it

    key = made.released.columns[0]
    qi, sa = list(options["qi"]), list(options["sa"])
    return tomlkit.dumps(
        {
            "schema": 1,
            "title": f"Anonymised by {', '.join(options['methods'])}",
            "seed": options.get("seed", 0),
            "puf": {"path": "puf.csv", "key": key},
            "eif": {"path": "eif.csv", "key": key},
            "iuf": {
                "path": f"{against}.csv",
                "puf_key": [f"{PUF}_{key}"],
                "eif_key": [f"{EIF}_{key}"],
            },
            "variables": dict.fromkeys(qi, "categorical") | dict.fromkeys(sa, "numeric"),
            "attacks": attacks,
            "utility": {"original": "eif.csv", "key": key},
        }
    )
