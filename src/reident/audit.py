"""The auditor: re-derives records of a result with the plain oracle, and fails on a difference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from reident import oracle
from reident.errors import AuditError, Fault
from reident.model.options import Guess
from reident.model.rules import Judged, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reident.io.intake import Intake, Side
    from reident.model.files import SourceFile
    from reident.model.options import Attack
    from reident.model.result import AttackResult, StudyResult
    from reident.model.study import Study
    from reident.model.variables import Variable


def audit(study: Study, taken: Intake, result: StudyResult, records: int) -> int:
    """Compare so many PUF records, drawn by seed, under every attack; returns how many.

    `taken` must hold the columns as they were read.
    """
    keys = taken.puf.keys.rows()
    stream = np.random.default_rng([study.seed, *b"audit"])
    drawn = sorted(stream.choice(len(keys), size=min(records, len(keys)), replace=False).tolist())
    puf = _records(study, "puf", taken.puf)
    eif = _records(study, "eif", taken.eif)
    for label, found in result.attacks.items():
        attack = study.attacks[label]
        names = [variable.name for variable in study.variables]
        chosen = [names.index(variable.name) for variable in study.linking(attack)]
        prepared = oracle.prepare(
            [_only(record, chosen) for record in puf],
            [_only(record, chosen) for record in eif],
            [_variables(study)[place] for place in chosen],
            _options(attack) | {"seed": study.seed, "label": label},
        )
        listed = _listed(found.pairs, len(study.puf.key), len(study.eif.key))
        guesses = isinstance(attack, Guess)
        differ = [
            place
            for place in drawn
            if not _same(oracle.suspects(prepared, keys[place]), listed.get(keys[place], []), found)
            or (guesses and not _same_ties(prepared, keys[place], listed.get(keys[place], [])))
        ]
        if differ:
            raise AuditError(
                Fault(
                    where=f"audit of {label}",
                    found=f"{len(differ)} of {len(drawn)} records differ from the plain oracle, "
                    f"the first is number {differ[0] + 1} in order of key",
                    remedy="Do not use this result, and report the difference",
                )
            )
    return len(drawn)


def _same(expected: list[Any], listed: list[Any], found: AttackResult) -> bool:
    if found.rates.pairs is None:
        return bool(expected) == bool(listed)
    mine, theirs = sorted(expected), sorted(listed)
    return len(mine) == len(theirs) and all(
        a[0] == b[0] and a[2] == b[2] and _close(a[1], b[1])
        for a, b in zip(mine, theirs, strict=True)
    )


def _same_ties(prepared: oracle.Prepared, key: oracle.Key, listed: list[Any]) -> bool:
    """Whether a guess is one of its tie group, which says what it is expected to be worth."""
    guess = oracle.guess(prepared, key)
    if not listed:
        return guess.listed is None
    eif, _, _, tied = listed[0]
    return eif in guess.chances and tied == guess.tied


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15)


def _listed(pairs: pl.DataFrame, puf_columns: int, eif_columns: int) -> dict[Any, list[Any]]:
    listed: dict[Any, list[Any]] = {}
    both = puf_columns + eif_columns
    for row in pairs.iter_rows():
        entry = (row[puf_columns:both], row[both], row[both + 1], row[both + 2])
        listed.setdefault(row[:puf_columns], []).append(entry)
    return listed


def _records(study: Study, side: str, table: Side) -> list[oracle.Record]:
    file = study.puf if side == "puf" else study.eif
    assert table.raw is not None  # noqa: S101  # asked for where there is an audit
    columns = [
        _as_written(table.raw[variable.column(side)], variable, file).to_list()
        for variable in study.variables
    ]
    strata = [text.to_list() for text in table.strata]
    return [
        oracle.Record(key=key, stratum=stratum, values=values)
        for key, stratum, values in zip(
            table.keys.rows(),
            _rows(strata, len(table.keys)),
            _rows(columns, len(table.keys)),
            strict=True,
        )
    ]


def _as_written(column: pl.Series, variable: Variable, file: SourceFile) -> pl.Series:
    """A column with the file's own ways to write numbers undone: the oracle knows plain ones."""
    if column.dtype.is_decimal():
        return column.cast(pl.Float64)
    if variable.kind != "numeric" or column.dtype != pl.String:
        return column
    codes = [*file.missing, *variable.missing, *variable.not_applicable]
    plain = column.str.replace_all(file.thousands, "", literal=True) if file.thousands else column
    plain = plain.str.replace_all(file.decimal, ".", literal=True)
    return column.zip_with(column.is_in(codes).fill_null(value=False), plain)


def _rows(columns: list[list[Any]], size: int) -> Iterator[tuple[Any, ...]]:
    return zip(*columns, strict=True) if columns else iter([()] * size)


def _only(record: oracle.Record, chosen: list[int]) -> oracle.Record:
    values = tuple(record.values[place] for place in chosen)
    return oracle.Record(key=record.key, stratum=record.stratum, values=values)


def _variables(study: Study) -> list[oracle.Variable]:
    return [
        oracle.Variable(
            name=variable.name,
            kind=variable.kind,
            missing_puf=(*study.puf.missing, *variable.missing),
            missing_eif=(*study.eif.missing, *variable.missing),
            not_applicable=variable.not_applicable,
        )
        for variable in study.variables
    ]


def _options(attack: Attack) -> dict[str, Any]:
    """The options as the study file writes them, decimals kept."""
    options = {name: getattr(attack, name) for name in type(attack).model_fields}
    options["variables"] = attack.options()["variables"]
    if "rules" in options:
        options["rules"] = {name: _rule(rule) for name, rule in options["rules"].items()}
    return {"method": attack.method} | options


def _rule(rule: Rule) -> Any:
    if isinstance(rule, Judged):
        return rule.function
    return {name: getattr(rule, name) for name in type(rule).model_fields}
