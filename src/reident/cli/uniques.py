"""reident uniques: who stands alone in one file, or nearly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reident.cli.flags import Count, Engine, engine_of, names_in

if TYPE_CHECKING:
    from reident.haystack import Haystack
    from reident.model.uniques import Uniques

FLAGS = {"variables": "vars"}
"""Options that another flag gives."""


def uniques(  # noqa: PLR0913  # the flags of a whole question
    file: str,
    /,
    *,
    vars: str,  # noqa: A002  # the contract names the flag so
    key: str = "",
    k: Count = 2,
    missing: str = "category",
    method: str = "auto",
    minimal: Count = 0,
    weight: str = "",
    household: str = "",
    missing_codes: str = "",
    separator: str = ",",
    encoding: str = "utf-8",
    plan: bool = False,
    out: Path | None = None,
    jobs: Count = 0,
    resume: bool = False,
    force: bool = False,
    engine: Engine = "local",
    master: str = "",
    json: bool = False,
) -> int:
    """Find records whose data few or no others share (Dalenius 1986).

    Args:
        file: The file, in any format that a study reads.
        vars: The variables whose data somebody outside could know, separated by commas.
        key: Key columns; with them the restricted list of unique records is written.
        k: Data are unique when at most so many records share them.
        missing: A missing value is a category (category), sets its record aside (drop), or
            matches every value (wildcard).
        method: auto, sort, stream, catalogue, t1 or t2; never changes the result.
        minimal: Also search minimal sets of variables, up to this size, that make a record alone.
        weight: The column of weights; adds the individual risk.
        household: The column of households; adds their risk.
        missing_codes: Codes that stand for missing in every column.
        separator: What separates the fields of csv files; a comma by default.
        encoding: The encoding of csv files, by Python's name for it; utf-8 by default.
        plan: Print keys, bytes and seconds of each method, and count nothing.
        out: The folder to write into; with a key FILE.uniques in this folder by default.
        jobs: Threads; by default one per core.
        resume: Go on with a search that was interrupted, if nothing has changed since.
        force: Replace what an earlier search wrote.
        engine: Where it runs: this machine, or a Spark cluster. The result is the same.
        master: The cluster of --engine spark, such as spark://host:7077 or local[2].
        json: Print the result as JSON.
    """
    import os

    from reident import haystack as search
    from reident.errors import Fault, SpecError

    asked: dict[str, Any] = {
        "variables": names_in(vars),
        "key": names_in(key),
        "k": k,
        "missing": missing,
        "method": method,
        "minimal": minimal,
        "weight": weight,
        "household": household,
    }
    how = {"missing": names_in(missing_codes), "separator": separator, "encoding": encoding}
    threads = jobs or len(os.sched_getaffinity(0))
    try:
        hay = search.haystack(file, asked, how, threads, engine_of(engine, master))
    except SpecError as error:
        raise SpecError(
            *(replace(fault, where=_flag(fault.where)) for fault in error.faults)
        ) from None
    if plan:
        return _show_plan(hay, json=json)
    folder = out or (Path(f"{Path(file).name.partition('.')[0]}.uniques") if key else None)
    if folder is None:
        if resume:
            raise SpecError(
                Fault(where="--resume", found="no folder to go on in", remedy="Name it by --out")
            )
        found = search.look(hay)
    else:
        found = search.look_to(hay, folder, force=force, resume=resume)
    _show(found, folder, json=json)
    return 0


def _flag(where: str) -> str:
    """An option under the name of its flag."""
    name = where.partition(".")[0]
    return f"--{FLAGS.get(name, name)}"


def _show_plan(hay: Haystack, *, json: bool) -> int:
    from rich.table import Table

    from reident import haystack as search
    from reident.cli import talk
    from reident.io.outputs import as_json

    rows = search.plan(hay)
    if json:
        shown = [row._asdict() | {"seconds": row.seconds if row.possible else None} for row in rows]
        talk.stdout().print(as_json({"methods": shown}), end="", soft_wrap=True)
        return 0
    table = Table("Method", "Key bits", "MB", "Seconds")
    for row in rows:
        size = f"{row.bytes / 1e6:,.1f}" if row.possible else "too many cells"
        seconds = f"{row.seconds:.3f}" if row.possible else "-"
        table.add_row(row.method, f"{row.key_bits:,}", size, seconds)
    talk.stdout().print(table)
    return 0


def _show(found: Uniques, folder: Path | None, *, json: bool) -> None:
    from reident.cli import talk
    from reident.io.outputs import as_json
    from reident.report import uniques as report

    results = found.to_dict()
    if json:
        talk.stdout().print(as_json(results), end="", soft_wrap=True)
    else:
        talk.stdout().print(report.summary(results))
    talk.say(f"Method: {found.method}, because {found.why}.")
    for note in results["notes"]:
        talk.say(f"note: {note['text']}")
    if folder is not None:
        talk.say(f"Results: {folder}")
