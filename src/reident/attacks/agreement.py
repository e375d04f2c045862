"""True-pair agreement: is a low rate protection, or a badly harmonised intruder file?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reident.encode.cells import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.cells import Cells
    from reident.encode.files import Files
    from reident.model.truth import Truth
    from reident.model.variables import Variable


def true_pair_agreement(
    files: Files, variables: Sequence[Variable], truth: Truth | None
) -> tuple[dict[str, Any], ...]:
    """For each variable how many true pairs are equal, different, or missing on either side."""
    if truth is None:
        return ()
    rows = []
    for variable in variables:
        mine = files.puf[variable.name].take(truth.puf)
        theirs = files.eif[variable.name].take(truth.eif)
        no_mine = mine.state == MISSING
        no_theirs = (theirs.state == MISSING) & ~no_mine
        both = ~no_mine & ~no_theirs
        equal = both & (mine.state == theirs.state) & (_same_value(mine, theirs) | (mine.state > 0))
        rows.append(
            {
                "variable": variable.name,
                "equal": int(equal.sum()),
                "different": int((both & ~equal).sum()),
                "missing_puf": int(no_mine.sum()),
                "missing_eif": int(no_theirs.sum()),
            }
        )
    return tuple(rows)


def _same_value(mine: Cells, theirs: Cells) -> Any:
    if mine.labels is not None and theirs.labels is not None:
        return mine.label == theirs.among(mine.labels)
    return np.asarray(mine.number == theirs.number)
