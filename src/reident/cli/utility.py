"""reident utility: what a release is still good for, beside its original."""

from __future__ import annotations

from typing import Any

from reident.cli.flags import names_in


def utility(  # noqa: PLR0913  # the flags of a whole question
    original: str,
    released: str,
    /,
    *,
    sa: str,
    qi: str = "",
    key: str = "",
    original_key: str = "",
    truth: str = "",
    truth_keys: str = "",
    cross: str = "six",
    cells: str = "released",
    deleted: str = "lost",
    missing_codes: str = "",
    separator: str = ",",
    encoding: str = "utf-8",
    json: bool = False,
) -> int:
    """Compare a release with its original: U1 to U6, S1 and S2 of PWSCUP2015, and each variable.

    Args:
        original: The original file.
        released: The file that was made from it.
        sa: The numeric variables (sensitive attributes), separated by commas.
        qi: The categorical variables (quasi-identifiers), in order.
        key: Key columns of the release; without them records are aligned by their place.
        original_key: Key columns of the original, if they have other names.
        truth: A file with both keys, where the release does not keep the original's keys.
        truth_keys: Its columns where they have other names: A:B for released and original key;
            released_KEY:original_KEY where both keys have one name, as anonymise writes them.
        cross: U2 and U3 by one table of the first six QI (six) or by tables of two (pairs).
        cells: Cells occupied in the release (released) or in either file (union).
        deleted: To U5 the values of a record that is not released are lost (lost), or the record
            is left out (left_out).
        missing_codes: Codes that stand for missing in every column.
        separator: What separates the fields of csv files; a comma by default.
        encoding: The encoding of csv files, by Python's name for it; utf-8 by default.
        json: Print the result as JSON.
    """
    from dataclasses import replace

    from reident.cli import talk
    from reident.errors import SpecError
    from reident.io.outputs import as_json
    from reident.loss import compare_files
    from reident.report import utility as report

    asked: dict[str, Any] = {
        "qi": names_in(qi),
        "sa": names_in(sa),
        "key": names_in(key),
        "original_key": names_in(original_key),
        "cross": cross,
        "cells": cells,
        "deleted": deleted,
    }
    if truth:
        asked["truth"] = truth
    if truth_keys:
        asked["truth_keys"] = [names_in(part) for part in truth_keys.partition(":")[::2]]
    how = {"missing": names_in(missing_codes), "separator": separator, "encoding": encoding}
    try:
        found = compare_files(original, released, asked, how).to_dict()
    except SpecError as error:
        flags = (
            replace(fault, where=f"--{fault.where.replace('_', '-')}") for fault in error.faults
        )
        raise SpecError(*flags) from None
    if json:
        talk.stdout().print(as_json(found), end="", soft_wrap=True)
    else:
        talk.stdout().print(report.summary(found))
    for note in found["notes"]:
        talk.say(f"note: {note['text']}")
    return 0
