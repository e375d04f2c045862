"""reident anonymise: make a release, keep its truth, and leave a study ready to attack it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from reident.cli.flags import Count, names_in


def anonymise(  # noqa: PLR0913  # the flags of all methods
    file: str,
    /,
    *,
    method: str,
    key: str,
    qi: str,
    sa: str,
    out: Path,
    k: Count = 3,
    share: float = 0.1,
    scale: float = 0.1,
    window: float = 0.05,
    base: float = 5.0,
    unify: str = "",
    hierarchies: Path | None = None,
    seed: Count = 0,
    study: Path | None = None,
    against: str = "truth",
    missing_codes: str = "",
    separator: str = ",",
    encoding: str = "utf-8",
    force: bool = False,
    json: bool = False,
) -> int:
    """Anonymise a file by one or several methods in order (Identify-euc 4.2).

    Args:
        file: The file, in any format that a study reads.
        method: kanonymise, noise, cheat, unify, average, swap, delete, rank_swap, pram, round,
            microaggregate, mdav; several in order.
        key: The key column; the release has new keys, the truth says which is which.
        qi: The categorical variables (quasi-identifiers), in order.
        sa: The numeric variables (sensitive attributes).
        out: The file to write; its truth and declaration are written beside it.
        k: Records that share their QI at least, after kanonymise; their SA, after the last two.
        share: Share of the records that delete leaves out, and of the values that pram replaces.
        scale: Standard deviations of noise.
        window: How far rank_swap reaches, as a share of the file.
        base: What round makes multiples of.
        unify: The QI that unify makes equal; the first by default.
        hierarchies: A folder of files NAME.csv, or PREFIX_hierarchy_NAME.csv, one for each QI.
        seed: The same seed makes the same release.
        study: A folder for a study of all attacks on the release.
        against: What that study takes for the truth: truth or declared.
        missing_codes: Codes that stand for missing in every column.
        separator: What separates the fields of csv files; a comma by default.
        encoding: The encoding of csv files, by Python's name for it; utf-8 by default.
        force: Replace files that are there.
        json: Print the result as JSON.
    """
    from reident import masking
    from reident.cli import talk
    from reident.errors import Fault, SpecError
    from reident.io.outputs import as_json
    from reident.report import anonymised as report

    asked: dict[str, Any] = {
        "methods": names_in(method), "key": key, "qi": names_in(qi), "sa": names_in(sa), "k": k,
        "share": share, "scale": scale, "window": window, "base": base, "unify": unify,
        "seed": seed,
    }  # fmt: skip
    if against not in {"truth", "declared"}:
        raise SpecError(
            Fault(where="--against", found="neither truth nor declared", remedy="Give one of them")
        )
    how = {"missing": names_in(missing_codes), "separator": separator, "encoding": encoding}
    found = {} if hierarchies is None else _hierarchies(hierarchies, asked["qi"])
    levels = {name: masking.read_hierarchy(path) for name, path in found.items()}
    try:
        made = masking.anonymise_file(file, asked, how, levels)
    except SpecError as error:
        raise SpecError(
            *(replace(fault, where=_flag(fault.where)) for fault in error.faults)
        ) from None
    written = masking.write_release(made, out, force=force)
    if study is not None:
        written.append(masking.write_study(made, study, asked, against=against, force=force))
    results = made.to_dict()
    talk.stdout().print(
        as_json(results) if json else report.summary(results), end="", soft_wrap=True
    )
    for path in written:
        talk.say(f"Written: {path}")
    return 0


def _flag(where: str) -> str:
    name = where.partition(".")[0]
    return "--method" if name == "methods" else f"--{name}"


def _hierarchies(folder: Path, names: list[str]) -> dict[str, Path]:
    """The files of a folder that belong to QI, by the end of their names."""
    found = {}
    for path in sorted(folder.glob("*.csv")):
        for name in names:
            if path.stem == name or path.stem.endswith(f"_hierarchy_{name}"):
                found[name] = path
    return found
