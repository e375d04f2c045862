"""reident link: a study without a study file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from reident.cli.flags import Count, Engine, bytes_in, engine_of, names_in

if TYPE_CHECKING:
    from reident.api import Study
    from reident.errors import Fault
    from reident.model.variables import Variable

WHERE = {
    "PublicFile.key": "--puf-key",
    "IntruderFile.key": "--eif-key",
    "variables": "--on",
    "iuf": "--truth",
    "iuf.puf_key": "--truth-keys",
    "iuf.eif_key": "--truth-keys",
}
"""Flags by the place in a study that they fill."""
REMEDIES = {
    "PublicFile.key": "Name at least one column",
    "IntruderFile.key": "Name at least one column",
    "iuf": "Say which of its columns hold which key by --truth-keys A,B:C",
}
"""What to do at these places, in the language of flags."""


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
    separator: str = ",",
    decimal: str = ".",
    encoding: str = "utf-8",
    only: str = "",
    out: Path | None = None,
    jobs: Count = 0,
    memory: str = "",
    resume: bool = False,
    force: bool = False,
    engine: Engine = "local",
    master: str = "",
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
        separator: What separates the fields of csv files; a comma by default.
        decimal: The decimal sign of numbers stored as text; a point by default.
        encoding: The encoding of csv files, by Python's name for it; utf-8 by default.
        only: Methods to run: unicity, taxicab, euclidean.
        out: The run folder; by default PUF.run in this folder.
        jobs: Threads; by default one per core.
        memory: The most memory that the run may take, such as 2GB; without it, all there is.
        resume: Go on with a run that was interrupted, if nothing has changed since.
        force: Replace a finished run.
        engine: Where it runs: this machine, or a Spark cluster. The result is the same.
        master: The cluster of --engine spark, such as spark://host:7077 or local[2].
        json: Print results.json instead of the table.
        save: Also write a study file that says the same, with paths from its own folder.
    """
    from reident.api import save_study
    from reident.cli.study import run_study
    from reident.errors import Fault, RefusalError, SpecError

    try:
        how = {"separator": separator, "decimal": decimal, "encoding": encoding}
        study = _study(puf, eif, puf_key, eif_key, on, truth, truth_keys, strata, missing, how)
    except SpecError as error:
        raise SpecError(*(_by_flag(fault) for fault in error.faults)) from None
    if save is not None and save.exists() and not force:
        raise RefusalError(
            Fault(where=save.name, found="a file is there", remedy="Replace it by --force")
        )
    code = run_study(
        study,
        out or Path(f"{Path(puf).name.partition('.')[0]}.run"),
        only=names_in(only),
        jobs=jobs,
        memory=bytes_in(memory, "memory"),
        resume=resume,
        force=force,
        engine=engine_of(engine, master),
        as_json_text=json,
    )
    # After the run, because a study that does not run is not worth a file.
    if save is not None:
        save_study(study, save, only=names_in(only), force=force)
    return code


def _study(  # noqa: PLR0913, PLR0917  # the flags of a whole study
    puf: str,
    eif: str,
    puf_key: str,
    eif_key: str,
    on: str,
    truth: str,
    truth_keys: str,
    strata: str,
    missing: str,
    how: dict[str, str],
) -> Study:
    from reident.api import Study
    from reident.errors import Fault, SpecError
    from reident.model.files import IntruderFile, PublicFile, TruthFile
    from reident.model.variables import Stratum

    if truth_keys and not truth:
        raise SpecError(
            Fault(
                where="--truth-keys",
                found="key columns of the truth, and no truth",
                remedy="Name its file by --truth",
            )
        )
    both = {"missing": names_in(missing)} | how
    return Study(
        title=f"{Path(puf).name} against {Path(eif).name}",
        puf=PublicFile.model_validate({"path": puf, "key": names_in(puf_key), **both}),
        eif=IntruderFile.model_validate({"path": eif, "key": names_in(eif_key), **both}),
        truth=TruthFile.model_validate({"path": truth, **_keys(truth_keys), **how})
        if truth
        else None,
        variables=_variables(on),
        strata=tuple(Stratum(**_stratum(part)) for part in names_in(strata)),
    )


def _by_flag(fault: Fault) -> Fault:
    """A fault of a study under the name of the flag that causes it."""
    where = WHERE.get(fault.where, fault.where)
    return replace(fault, where=where, remedy=REMEDIES.get(fault.where, fault.remedy))


def _variables(on: str) -> tuple[Variable, ...]:
    """The variables; the faults of all of them are told under their names."""
    from reident.errors import SpecError
    from reident.model.variables import Variable

    made, faults = [], []
    for part in names_in(on):
        try:
            made.append(Variable(**_variable(part)))
        except SpecError as error:
            faults += [replace(fault, where=f"--on {part}") for fault in error.faults]
    if faults:
        raise SpecError(*faults)
    return tuple(made)


def _keys(keys: str) -> dict[str, Any]:
    puf_key, _, eif_key = keys.partition(":")
    return {"puf_key": names_in(puf_key), "eif_key": names_in(eif_key)}


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
