"""reident protect: what to do with records that stand alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reident.cli.flags import Count, names_in

if TYPE_CHECKING:
    from reident.model.protect import Protected

FLAGS = {"variables": "vars", "key_file": "key-file"}
"""Options that another flag gives."""


def protect(  # noqa: PLR0913  # the flags of a whole question
    file: str,
    /,
    *,
    vars: str,  # noqa: A002  # the contract names the flag so
    action: str,
    out: Path,
    how: str = "",
    k: Count = 2,
    key: str = "",
    key_file: Path | None = None,
    change: str = "",
    domains: str = "",
    base: str = "",
    rounding: str = "",
    scale: str = "",
    share: str = "",
    seed: Count = 0,
    missing: str = "category",
    missing_codes: str = "",
    separator: str = ",",
    encoding: str = "utf-8",
    jobs: Count = 0,
    force: bool = False,
    json: bool = False,
) -> int:
    """Protect the unique records of a file and look again (Dalenius 1986, part 6).

    Args:
        file: The file, in any format that a study reads.
        vars: The variables whose data somebody outside could know, separated by commas.
        action: destroy the records, blank their data, perturb them, or encrypt them.
        out: The new file, in any format that can be written.
        how: What perturb does: round, noise, swap, pram or table_round.
        k: Data are unique when at most so many records share them.
        key: Key columns, for the restricted log of changes.
        key_file: The key of encrypt; it is made, for you alone, if there is none.
        change: Which of the variables to change; all of them by default.
        domains: Columns by whose values losses are also told.
        base: The base of round (5) or table_round (k + 1).
        rounding: round up or down at random without bias (random), or to the nearest (nearest).
        scale: The noise, in standard deviations of its variable; 0.1 by default.
        share: The probability that pram replaces a value; 0.5 by default.
        seed: The seed of everything that is drawn.
        missing: A missing value is a category (category), sets its record aside (drop), or
            matches every value (wildcard).
        missing_codes: Codes that stand for missing in every column.
        separator: What separates the fields of csv files; a comma by default.
        encoding: The encoding of csv files, by Python's name for it; utf-8 by default.
        jobs: Threads; by default one per core. They never change the result.
        force: Replace what is there.
        json: Print the result as JSON.
    """
    import os

    from reident import api
    from reident.errors import SpecError

    given = {"base": base, "rounding": rounding, "scale": scale, "share": share}
    lists = {"change": names_in(change)} if change else {}
    try:
        found = api.protect(
            file,
            names_in(vars),
            action=action,
            how=how,
            k=k,
            key=names_in(key),
            key_file=key_file,
            domains=names_in(domains),
            seed=seed,
            missing=missing,
            missing_codes=names_in(missing_codes),
            separator=separator,
            encoding=encoding,
            jobs=jobs or len(os.sched_getaffinity(0)),
            out=out,
            force=force,
            **lists,
            **{name: value for name, value in given.items() if value},
        )
    except SpecError as error:
        raise SpecError(
            *(replace(fault, where=_flag(fault.where)) for fault in error.faults)
        ) from None
    _show(found, out, json=json)
    return 0


def _flag(where: str) -> str:
    """An option under the name of its flag."""
    name = where.partition(".")[0]
    return f"--{FLAGS.get(name, name)}"


def _show(found: Protected, out: Path, *, json: bool) -> None:
    from reident.cli import talk
    from reident.handover import folder_of
    from reident.io.outputs import as_json
    from reident.report import protect as report

    results: dict[str, Any] = found.to_dict()
    if json:
        talk.stdout().print(as_json(results), end="", soft_wrap=True)
    else:
        talk.stdout().print(report.summary(results))
    for note in results["notes"]:
        talk.say(f"note: {note['text']}")
    talk.say(f"Protected file: {out}")
    talk.say(f"What was done: {folder_of(out)}")
