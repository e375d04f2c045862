"""The table of methods, and one after another applied to a file (Identify-euc 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from reident.disguise.kanonymise import kanonymised
from reident.disguise.release import Floats, Ints, Release, Settings

Method = Callable[[Release, Settings, np.random.Generator], Release]


def noised(release: Release, settings: Settings, draw: np.random.Generator) -> Release:
    """Normal noise on every SA, of `scale` standard deviations."""

    def change(values: Floats, _name: str) -> Floats:
        present = values[~np.isnan(values)]
        sd = float(np.std(present, ddof=1)) if len(present) > 1 else 0.0
        return np.asarray(values + settings.scale * sd * draw.standard_normal(len(values)))

    return release.with_sa(change)


def averaged(release: Release, _settings: Settings, _draw: np.random.Generator) -> Release:
    """Every SA becomes its mean in the class of equal QI; a missing value stays missing."""
    classes = release.classes()

    def change(values: Floats, _name: str) -> Floats:
        there = ~np.isnan(values)
        sums = np.bincount(classes[there], values[there], int(classes.max()) + 1)
        held = np.bincount(classes[there], minlength=len(sums))
        return np.where(there, sums[classes] / np.maximum(held, 1)[classes], np.nan)

    return release.with_sa(change)


def swapped(release: Release, _settings: Settings, draw: np.random.Generator) -> Release:
    """Every SA is dealt anew among the records of a class, each on its own."""
    classes = release.classes()

    def change(values: Floats, _name: str) -> Floats:
        out = np.empty_like(values)
        # Both orders go class by class: the first as the records stand, the second at random.
        at_random = np.lexsort((draw.random(len(values)), classes))
        out[np.argsort(classes, kind="stable")] = values[at_random]
        return out

    return release.with_sa(change)


def rank_swapped(release: Release, settings: Settings, draw: np.random.Generator) -> Release:
    """Every SA: values are exchanged by pairs whose ranks lie within a `window` of the file."""

    def change(values: Floats, _name: str) -> Floats:
        out = values.copy()
        present = np.flatnonzero(~np.isnan(values))
        order = present[np.lexsort((draw.random(len(present)), values[present]))]
        reach = max(1, int(settings.window * len(order)))
        waiting = np.ones(len(order), np.bool_)
        for place in range(len(order)):
            near = place + 1 + np.flatnonzero(waiting[place + 1 : place + 1 + reach])
            if waiting[place] and len(near):
                other = int(draw.choice(near))
                waiting[[place, other]] = False
                out[order[place]], out[order[other]] = values[order[other]], values[order[place]]
        return out

    return release.with_sa(change)


def unified(release: Release, settings: Settings, _draw: np.random.Generator) -> Release:
    """One QI, named by `unify` or the first, becomes its most frequent value everywhere."""
    name = settings.unify or release.qi.columns[0]
    column = release.qi[name]
    counts = column.drop_nulls().value_counts(sort=False)
    top = counts.sort(["count", name], descending=[True, False])[name][0]
    return replace(release, qi=release.qi.with_columns(pl.lit(top).alias(name)))


def deleted(release: Release, settings: Settings, draw: np.random.Generator) -> Release:
    """A `share` of the records is left out."""
    kept = len(release) - round(settings.share * len(release))
    rows: Ints = np.sort(draw.permutation(len(release))[: max(kept, 1)])
    return release.taken(rows)


def cheated(release: Release, _settings: Settings, draw: np.random.Generator) -> Release:
    """Records are released as they are in another order, and declared to be in the old one."""
    rows = draw.permutation(len(release))
    return replace(release.taken(rows), declared=release.declared)


METHODS: dict[str, Method] = {
    "kanonymise": kanonymised,
    "noise": noised,
    "cheat": cheated,
    "unify": unified,
    "average": averaged,
    "swap": swapped,
    "delete": deleted,
    "rank_swap": rank_swapped,
}


def anonymised(
    release: Release, methods: Sequence[str], settings: Settings, seed: int
) -> list[Release]:
    """The file after each method, in order. Streams are keyed by seed, place and method."""
    steps = []
    for place, name in enumerate(methods):
        draw = np.random.default_rng([seed, place, *name.encode()])
        release = METHODS[name](release, settings, draw)
        steps.append(release)
    return steps
