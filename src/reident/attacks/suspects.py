"""Collect what the strips of a unicity job found: suspected records, and pairs if they are few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.model.linked import NOT_EXPOSED
from reident.model.pairs import Pairs, no_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Strip:
    """Records of a strip with the reading of each, and pairs with theirs; positions in key order.

    A record may stand several times, with several readings.
    """

    records: Ints
    reading: Ints
    puf: Ints
    eif: Ints
    pair_reading: Ints


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Which pairs are listed: those of the headline reading or a narrower one.

    At most `most` of them, None for any number, -1 for no list. `records` are those of the PUF.
    """

    headline: int
    most: int | None
    records: int

    def exceeded(self, pairs: int) -> bool:
        """Whether there are more pairs than may be listed."""
        return self.most is not None and pairs > self.most


@dataclass(frozen=True, kw_only=True)
class Suspects:
    """The reading of every PUF record, and the pairs; None where they are not listed."""

    reading: Ints
    pairs: Pairs | None


def gathered(strips: Iterable[Strip], listing: Listing) -> Suspects | None:
    """Collect strips as they come; None as soon as there are more pairs than may be listed."""
    suspects = _Collector(listing)
    lists: list[tuple[Ints, Ints]] = []
    total = 0
    for strip in strips:
        suspects.add(strip)
        shown = strip.pair_reading >= listing.headline
        lists.append((strip.puf[shown], strip.eif[shown]))
        total += int(shown.sum())
        if listing.exceeded(total):
            return None
    return suspects.all(pairs_of(lists))


def unlisted(strips: Iterable[Strip], listing: Listing) -> Suspects:
    """Collect strips without their pairs."""
    suspects = _Collector(listing)
    for strip in strips:
        suspects.add(strip)
    return suspects.all(None)


class _Collector:
    """The narrowest reading of every record, strip after strip."""

    def __init__(self, listing: Listing) -> None:
        self.reading = np.full(listing.records, NOT_EXPOSED, np.int64)

    def add(self, strip: Strip) -> None:
        np.maximum.at(self.reading, strip.records, strip.reading)

    def all(self, pairs: Pairs | None) -> Suspects:
        return Suspects(reading=self.reading, pairs=pairs)


def pairs_of(lists: list[tuple[Ints, Ints]]) -> Pairs:
    """Pairs in order of PUF position, then EIF position."""
    if not lists:
        return no_pairs()
    puf, eif = (np.concatenate(side) for side in zip(*lists, strict=True))
    order = np.lexsort((eif, puf))
    zeros = np.zeros(len(puf), np.int64)
    return Pairs(puf=puf[order], eif=eif[order], units=zeros, rank=zeros, tied=zeros)
