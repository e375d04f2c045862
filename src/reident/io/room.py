"""How much memory the files of a study will take, told before they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reident.errors import DataError
from reident.io.batches import EXPANDS
from reident.io.intake import columns_of
from reident.io.tables import all_columns, ending_of
from reident.io.truth import key_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.model.files import SourceFile
    from reident.model.study import Study


def need_of(study: Study) -> int:
    """Bytes that the columns of a study take while they are read and coded, about.

    Files of statistical packages, workbooks and databases do not tell, and count for nothing.
    """
    need = sum(
        _need(file, columns_of(study, side))
        for file, side in ((study.puf, "puf"), (study.eif, "eif"))
    )
    if study.truth is not None:
        need += _need(study.truth, key_columns(study, study.truth))
    return need


def _need(file: SourceFile, columns: Sequence[str]) -> int:
    if file.path is None or not file.path.is_file():
        return 0
    ending = ending_of(file.path.name)
    if ending not in EXPANDS:
        return 0
    try:
        held = all_columns(file)
    except DataError:
        return 0  # whoever reads it says what is wrong
    share = min(1.0, len(columns) / max(1, len(held)))
    return int(file.path.stat().st_size * EXPANDS[ending] * share)
