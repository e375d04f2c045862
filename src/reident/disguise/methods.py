"""The table of methods, and one after another applied to a file (Identify-euc 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
import polars as pl

from reident.disguise.kanonymise import kanonymised
from reident.disguise.release import Floats, Release, Settings
from reident.remedies.groups import randomised
from reident.remedies.groups import swapped as ring
from reident.remedies.microaggregation import group_means, mdav, microaggregate
from reident.remedies.records import moved
from reident.remedies.streams import Streams
from reident.remedies.values import noised, rounded

Method = Callable[[Release, Settings, Streams], Release]


def noise(release: Release, settings: Settings, streams: Streams) -> Release:
    """Normal noise on every SA, of `scale` standard deviations."""

    def change(values: Floats, name: str) -> Floats:
        present = ~np.isnan(values)
        if not present.any():
            return values
        draws = streams.normal(name)
        other = noised(np.where(present, values, 0.0), present, settings.scale, draws)
        return np.where(present, other, np.nan)

    return release.with_sa(change)


def rounding(release: Release, settings: Settings, _streams: Streams) -> Release:
    """Every SA becomes the nearest multiple of `base`."""
    base = Decimal(repr(settings.base))

    def change(values: Floats, _name: str) -> Floats:
        present = ~np.isnan(values)
        return np.where(present, rounded(np.where(present, values, 0.0), base), np.nan)

    return release.with_sa(change)


def pram(release: Release, settings: Settings, streams: Streams) -> Release:
    """Every QI: a `share` of the values is replaced by one drawn from the file."""
    everybody = np.ones(len(release), np.bool_)
    columns = [
        moved(
            column,
            randomised(
                everybody, ~column.is_null().to_numpy(), settings.share, streams, column.name
            ),
        )
        for column in release.qi.iter_columns()
    ]
    return replace(release, qi=pl.DataFrame(columns))


def average(release: Release, _settings: Settings, _streams: Streams) -> Release:
    """Every SA becomes its mean in the class of equal QI; a missing value stays missing."""
    classes = release.classes()

    def change(values: Floats, _name: str) -> Floats:
        there = np.flatnonzero(~np.isnan(values))
        # In order of value, so that the order of records cannot change a sum.
        there = there[np.lexsort((values[there], classes[there]))]
        sums = np.bincount(classes[there], values[there], int(classes.max()) + 1)
        held = np.maximum(np.bincount(classes[there], minlength=len(sums)), 1)
        return np.where(np.isnan(values), np.nan, (sums / held)[classes])

    return release.with_sa(change)


def swap(release: Release, _settings: Settings, streams: Streams) -> Release:
    """Every SA is dealt anew among the records of a class, each on its own."""
    classes = release.classes()
    everybody = np.ones(len(release), np.bool_)
    return release.with_sa(
        lambda values, name: values[ring(everybody, streams.uniform(name), classes)]
    )


def rank_swap(release: Release, settings: Settings, streams: Streams) -> Release:
    """Every SA: values are exchanged by pairs whose ranks lie within a `window` of the file."""

    def change(values: Floats, name: str) -> Floats:
        out = values.copy()
        present = np.flatnonzero(~np.isnan(values))
        order = present[np.lexsort((streams.uniform(f"{name} ties")[present], values[present]))]
        reach = max(1, int(settings.window * len(order)))
        draws = streams.uniform(name)
        waiting = np.ones(len(order), np.bool_)
        for place, row in enumerate(order.tolist()):
            near = place + 1 + np.flatnonzero(waiting[place + 1 : place + 1 + reach])
            if waiting[place] and len(near):
                other = int(near[int(draws[row] * len(near))])
                waiting[[place, other]] = False
                out[row], out[order[other]] = values[order[other]], values[row]
        return out

    return release.with_sa(change)


def single_variables(release: Release, settings: Settings, _streams: Streams) -> Release:
    """Every SA by itself: the mean of groups of `k` neighbouring values (Winkler)."""
    rows = np.argsort(release.place)  # equal values are cut in order of key

    def change(values: Floats, name: str) -> Floats:
        out = values.copy()
        out[rows] = microaggregate(values[rows], settings.k, where=name)
        return out

    return release.with_sa(change)


def several_variables(release: Release, settings: Settings, _streams: Streams) -> Release:
    """All SA at once: the means of groups of at least `k` near records (MDAV)."""
    rows = np.argsort(release.place)
    names = release.sa.columns
    table = np.stack([release.numbers(name)[rows] for name in names], axis=1)
    means = np.empty_like(table)
    means[rows] = group_means(table, mdav(table, settings.k, where=" and ".join(names)))
    return release.with_sa(lambda _, name: means[:, names.index(name)])


def unify(release: Release, settings: Settings, _streams: Streams) -> Release:
    """One QI, named by `unify` or the first, becomes its most frequent value everywhere."""
    name = settings.unify or release.qi.columns[0]
    held = release.qi[name].drop_nulls().alias("value").value_counts()
    top = held.sort(["count", "value"], descending=[True, False])["value"]
    same = top[:1].alias(name).new_from_index(0, len(release)) if len(top) else release.qi[name]
    return replace(release, qi=release.qi.with_columns(same))


def delete(release: Release, settings: Settings, streams: Streams) -> Release:
    """A `share` of the records is left out."""
    gone = round(settings.share * len(release))
    rows = np.argsort(streams.uniform("records"), kind="stable")
    return release.taken(np.sort(rows[min(gone, len(release) - 1) :]))


def cheat(release: Release, _settings: Settings, streams: Streams) -> Release:
    """Records are released as they are in another order, and declared to be in the old one."""
    rows = np.argsort(streams.uniform("records"), kind="stable")
    return replace(release.taken(rows), declared=release.declared)


METHODS: dict[str, Method] = {
    "kanonymise": kanonymised,
    "noise": noise,
    "cheat": cheat,
    "unify": unify,
    "average": average,
    "swap": swap,
    "delete": delete,
    "rank_swap": rank_swap,
    "pram": pram,
    "round": rounding,
    "microaggregate": single_variables,
    "mdav": several_variables,
}


def anonymised(
    release: Release, methods: Sequence[str], settings: Settings, seed: int
) -> list[Release]:
    """The file after each method, in order. Streams are keyed by seed, step, method and record."""
    steps = []
    for step, name in enumerate(methods):
        # Places in order of key among the records still there: the order of rows cannot matter.
        places = np.argsort(np.argsort(release.place))
        streams = Streams(seed=seed, action=f"anonymise {step} {name}", places=places)
        release = METHODS[name](release, settings, streams)
        steps.append(release)
    return steps
