"""K-anonymity by generalisation and suppression of the QI (Identify-euc 4.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from reident.disguise.release import Levels, Release, Settings
    from reident.remedies.streams import Streams

ANY = "*"
"""What a value becomes that tells nothing any more."""
SUPPRESSED = 0.05
"""Records whose QI may be suppressed, as a share of the file."""


def kanonymised(release: Release, settings: Settings, _streams: Streams) -> Release:
    """Generalise the QI with most values, step by step, until few records are in small classes.

    These are suppressed: all their QI tell nothing. Suppressed records are a class too, so they
    are none or at least k.
    """
    given = settings.hierarchies or {}
    columns = {column.name: column.fill_null(ANY) for column in release.qi.iter_columns()}
    levels = {name: given.get(name) or ranges(column) for name, column in columns.items()}
    depth = dict.fromkeys(columns, 0)
    while True:
        coarse = {name: _raised(columns[name], levels[name], depth[name]) for name in columns}
        made = replace(release, qi=pl.DataFrame(list(coarse.values())))
        classes = made.classes()
        small = np.bincount(classes)[classes] < settings.k
        few = int(small.sum())
        if few == 0 or settings.k <= few <= SUPPRESSED * len(release):
            hidden = [
                column.zip_with(pl.Series(~small), _any(column)) for column in coarse.values()
            ]
            return replace(release, qi=pl.DataFrame(hidden))
        open_columns = [name for name in columns if depth[name] < _height(levels[name])]
        if not open_columns:
            return made
        widest = max(open_columns, key=lambda name: (coarse[name].n_unique(), name))
        depth[widest] += 1


def ranges(column: pl.Series) -> Levels:
    """A hierarchy for a QI without one: values in order, joined two by two, up to any value."""
    values = sorted(column.unique().to_list(), key=_as_ordered)
    levels: dict[str, list[str]] = {value: [] for value in values}
    width = 2
    while width < len(values):
        for place, value in enumerate(values):
            group = values[place // width * width : (place // width + 1) * width]
            levels[value].append(group[0] if len(group) == 1 else f"{group[0]}..{group[-1]}")
        width *= 2
    return {value: (*own, ANY) for value, own in levels.items()}


def _as_ordered(value: str) -> tuple[int, float, str]:
    """Numbers in their order, before texts in theirs."""
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value


def _height(levels: Levels) -> int:
    return max((len(own) for own in levels.values()), default=0)


def _raised(column: pl.Series, levels: Levels, depth: int) -> pl.Series:
    """The values of a column so many steps up; a value without a hierarchy becomes any."""
    if not depth:
        return column
    names = column.unique().to_list()
    known = {name: levels.get(name, (ANY,)) for name in names}
    new = {name: own[min(depth, len(own)) - 1] for name, own in known.items()}
    return column.replace_strict(new, return_dtype=pl.String)


def _any(column: pl.Series) -> pl.Series:
    return pl.Series(column.name, [ANY], pl.String).new_from_index(0, len(column))
