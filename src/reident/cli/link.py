"""reident link: a study without a study file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter


def link(  # noqa: PLR0913  # the flags of a whole study
    puf: str,
    eif: str,
    /,
    *,
    puf_key: str,
    eif_key: str,
    on: str,
    truth: str = "",
    truth_keys: str = "",
    strata: str = "",
    missing: Annotated[str, Parameter(allow_leading_hyphen=True)] = "",
    only: str = "",
    out: Path | None = None,
    jobs: int = 0,
    force: bool = False,
    json: bool = False,
    save: Path | None = None,
) -> int:
    """Link two files, with or without the truth, by flags alone.

    Args:
        puf: The public-use file.
        eif: The external intruder file.
        puf_key: Key columns of the PUF, separated by commas.
        eif_key: Key columns of the EIF.
        on: Linking variables: NAME[:KIND] or NAME=PUFCOLUMN/EIFCOLUMN[:KIND], separated by commas;
            KIND is categorical (default), numeric or date.
        truth: The internal use file, with both keys.
        truth_keys: Its key columns where they have other names: A,B:C for PUF key A,B, EIF key C.
        strata: Columns that both records of a pair must share: NAME or PUFCOLUMN/EIFCOLUMN.
        missing: Codes that stand for missing in every column.
        only: Methods to run: unicity, taxicab, euclidean.
        out: The run folder; by default PUF.run in this folder.
        jobs: Threads; by default one per core.
        force: Replace a finished run.
        json: Print results.json instead of the table.
        save: Also write a study file that says the same.
    """
    from reident.api import Study, save_study  # noqa: PLC0415  # see cli/__init__
    from reident.cli.study import run_study  # noqa: PLC0415
    from reident.model.files import IntruderFile, PublicFile, TruthFile  # noqa: PLC0415
    from reident.model.variables import Stratum, Variable  # noqa: PLC0415

    codes = _names(missing)
    study = Study(
        title=f"{Path(puf).name} against {Path(eif).name}",
        puf=PublicFile.model_validate({"path": puf, "key": _names(puf_key), "missing": codes}),
        eif=IntruderFile.model_validate({"path": eif, "key": _names(eif_key), "missing": codes}),
        truth=TruthFile.model_validate({"path": truth, **_keys(truth_keys)}) if truth else None,
        variables=tuple(Variable(**_variable(part)) for part in _names(on)),
        strata=tuple(Stratum(**_stratum(part)) for part in _names(strata)),
    )
    if save is not None:
        save_study(study, save, force=force)
    return run_study(
        study,
        out or Path(f"{Path(puf).name.partition('.')[0]}.run"),
        only=_names(only),
        jobs=jobs,
        force=force,
        as_json_text=json,
    )


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _keys(keys: str) -> dict[str, Any]:
    puf_key, _, eif_key = keys.partition(":")
    return {"puf_key": _names(puf_key), "eif_key": _names(eif_key)}


def _variable(text: str) -> dict[str, Any]:
    """NAME[:KIND] or NAME=PUF/EIF[:KIND]."""
    named, _, kind = text.partition(":")
    name, _, columns = named.partition("=")
    puf, _, eif = columns.partition("/")
    own = {"puf": puf, "eif": eif or puf} if columns else {}
    return {"name": name, "kind": kind or "categorical", **own}


def _stratum(text: str) -> dict[str, str]:
    puf, _, eif = text.partition("/")
    return {"puf": puf, "eif": eif or puf}
