"""Unicity: sample uniques that share a cell of some interaction (Primer 2.1).

Interactions are not enumerated. For a PUF record p and an EIF record e let A be the variables
present in both and equal: they are sample uniques in one cell of some interaction exactly when A
is not empty and no other record of either file agrees with p on all of A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from reident.attacks.exposure import first_orders, present_uniques
from reident.attacks.pairwise import set_aside
from reident.attacks.taxicab import described, few_codes
from reident.encode.matrix import coded_matrix
from reident.engine.tiles import cut
from reident.kernels import masks as kernel
from reident.kernels.keys import counts, row_keys
from reident.model.linked import NOT_EXPOSED, READINGS, Exposure, Linked
from reident.model.notes import Note
from reident.model.pairs import Pairs, no_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reident.encode.files import Files
    from reident.engine.job import Fold, Tile
    from reident.kernels.masks import Antichains
    from reident.model.options import Unicity
    from reident.model.truth import Truth
    from reident.model.variables import Variable

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
MOST_PAIRS = 10_000_000
"""`pairs = "auto"` lists pairs while there are at most this many."""


@dataclass(frozen=True, kw_only=True)
class Partners:
    """Partners found for a strip: layout rows of both files, and the reading of each pair."""

    puf: Ints
    eif: Ints
    reading: Ints


@dataclass(frozen=True, kw_only=True)
class UnicityJob:
    """Fold antichains of agreement masks: PUF rows against all other rows of their stratum.

    `rows` are the layout rows that can have a partner at all and `mine` their codes, `others` the
    distinct rows of both files with their owners (kernels/masks), `meets` the others they meet.
    """

    how: ClassVar[str] = "masks"
    puf: Codes
    eif: Codes
    rows: Ints
    mine: Codes
    others: Codes
    owner: Ints
    meets: Ints

    def tiles(self, budget: int) -> Sequence[Tile]:
        """Strips of PUF rows, cut along the distinct rows of both files."""
        return cut(self.meets, budget)

    def run(self, tile: Tile, so_far: Antichains | None) -> Antichains:
        """Maximal masks within the tile."""
        del so_far
        corners = np.array([tile.first, tile.last, tile.start, tile.stop], np.int64)
        return kernel.maximal_masks(self.mine, self.others, self.owner, self.meets, corners)

    def merge(self, one: Antichains, other: Antichains) -> Antichains:
        """Maximal masks over the rows of both."""
        return kernel.merge(one, other)

    def finish(self, tile: Tile, part: Antichains) -> Partners:
        """Maximal masks attained by one EIF row alone are pairs; name their readings."""
        local = np.repeat(np.arange(tile.first, tile.last), np.diff(part.bounds))
        alone = part.owners >= 0
        puf, eif, mask = self.rows[local[alone]], part.owners[alone], part.masks[alone]
        jointly = present_masks(self.puf[puf]) & present_masks(self.eif[eif])
        full = np.uint64((1 << self.puf.shape[1]) - 1)
        return Partners(
            puf=puf,
            eif=eif,
            reading=(mask == jointly).astype(np.int64) + (mask == full),
        )


def present_masks(codes: Codes) -> npt.NDArray[np.uint64]:
    """For each row the variables that are not missing, as a mask."""
    bits = np.uint64(1) << np.arange(codes.shape[1], dtype=np.uint64)
    return np.asarray(((codes >= 0) * bits).sum(axis=1, dtype=np.uint64))


def link(
    attack: Unicity,
    files: Files,
    variables: Sequence[Variable],
    truth: Truth | None,
    fold: Fold,
    label: str,
) -> Linked:
    """Suspected pairs by agreement sets; true pairs are kept apart, whether listed or not."""
    puf, eif, columns = coded_matrix(files, variables, attack)
    layout = files.layout
    headline = READINGS.index(attack.interactions)
    found = _gather(fold(_job(puf, eif, files), label), attack, headline, files, truth)
    order = np.zeros(files.puf_records, np.int64)
    order[layout.puf] = first_orders(
        puf, eif, layout, attack.orders, attack.interactions, found.reading[layout.puf] >= headline
    )
    nothing = int((puf < 0).all(axis=1).sum())
    apart = set_aside(files) + ([("nothing_present", nothing)] if nothing else [])
    return Linked(
        pairs=found.pairs,
        suspected=found.reading >= headline,
        listed=found.listed,
        set_aside=apart,
        notes=[*few_codes(attack.bins, variables, columns), *_unlisted(found)],
        encoding=described(variables, columns),
        how=UnicityJob.how,
        exposure=Exposure(
            reading=found.reading,
            order=order,
            orders=min(attack.orders, len(variables)),
            puf_uniques=_uniques([c.puf for c in columns], files.strata.puf),
            eif_uniques=_uniques([c.eif for c in columns], files.strata.eif),
        ),
        truth_reading=found.truth_reading,
    )


def _uniques(columns: Sequence[Codes], stratum: Ints) -> int:
    """Sample uniques of a file on all present values, within strata."""
    return present_uniques(np.stack(columns, axis=1)[stratum >= 0], stratum[stratum >= 0])


def _job(puf: Codes, eif: Codes, files: Files) -> UnicityJob:
    """Leave out PUF rows that cannot have a partner, and rows that repeat another."""
    layout = files.layout
    eif_stratum = files.strata.eif[layout.eif]
    stratum = np.concatenate([layout.stratum, eif_stratum])
    keys = row_keys([stratum, *np.concatenate([puf, eif]).T])
    puf_keys, eif_keys = keys[: len(puf)], keys[len(puf) :]
    puf_alone, eif_alone = counts(puf_keys) == 1, counts(eif_keys) == 1
    # A PUF row with an exact twin agrees with it on all that it has: nothing can be larger.
    rows = np.flatnonzero(puf_alone & (puf >= 0).any(axis=1))
    place = np.full(len(puf), -1, np.int64)
    place[rows] = np.arange(len(rows))
    # One of several equal rows stands for all of them; a mask that it attains is taken.
    first_puf, first_eif = (np.unique(k, return_index=True)[1] for k in (puf_keys, eif_keys))
    owner = np.concatenate(
        [
            np.where(place[first_puf] >= 0, -2 - place[first_puf], kernel.TAKEN),
            np.where(eif_alone[first_eif], first_eif, kernel.TAKEN),
        ]
    )
    others = np.concatenate([puf[first_puf], eif[first_eif]])
    where = np.concatenate([layout.stratum[first_puf], eif_stratum[first_eif]])
    order = np.argsort(where, kind="stable")
    mine = layout.stratum[rows]
    meets = np.stack(
        [np.searchsorted(where[order], mine, side) for side in ("left", "right")], axis=1
    )
    return UnicityJob(
        puf=puf,
        eif=eif,
        rows=rows,
        mine=puf[rows],
        others=others[order],
        owner=owner[order],
        meets=meets,
    )


@dataclass(frozen=True, kw_only=True)
class _Found:
    pairs: Pairs
    listed: bool
    reading: Ints
    truth_reading: Ints | None


def _gather(
    strips: Iterable[Partners],
    attack: Unicity,
    headline: int,
    files: Files,
    truth: Truth | None,
) -> _Found:
    """Collect strips as they come; stop listing when there are too many pairs to list."""
    reading = np.full(files.puf_records, NOT_EXPOSED, np.int64)
    truth_reading = None if truth is None else np.full(len(truth), NOT_EXPOSED, np.int64)
    lists: list[tuple[Ints, Ints]] = []
    most = {"all": None, "auto": MOST_PAIRS, "none": -1}[attack.pairs]
    listed, total = most is None or most >= 0, 0
    for strip in strips:
        puf, eif = files.layout.puf[strip.puf], files.layout.eif[strip.eif]
        np.maximum.at(reading, puf, strip.reading)
        if truth is not None and truth_reading is not None:
            at = truth.find(puf, eif)
            truth_reading[at[at >= 0]] = strip.reading[at >= 0]
        shown = strip.reading >= headline
        total += int(shown.sum())
        listed = listed and (most is None or total <= most)
        if listed:
            lists.append((puf[shown], eif[shown]))
        else:
            lists.clear()
    pairs = _listed(lists) if listed else _true_pairs(truth, truth_reading, headline)
    return _Found(pairs=pairs, listed=listed, reading=reading, truth_reading=truth_reading)


def _listed(lists: list[tuple[Ints, Ints]]) -> Pairs:
    if not lists:
        return no_pairs()
    puf, eif = (np.concatenate(side) for side in zip(*lists, strict=True))
    order = np.lexsort((eif, puf))
    zeros = np.zeros(len(puf), np.int64)
    return Pairs(puf=puf[order], eif=eif[order], units=zeros, rank=zeros, tied=zeros)


def _true_pairs(truth: Truth | None, reading: Ints | None, headline: int) -> Pairs:
    if truth is None or reading is None:
        return no_pairs()
    return _listed([(truth.puf[reading >= headline], truth.eif[reading >= headline])])


def _unlisted(found: _Found) -> list[Note]:
    if found.listed:
        return []
    return [
        Note(
            code="pairs_not_listed",
            text="Suspected pairs are counted by record and not listed: there are too many, or "
            'pairs = "none" was asked for.',
        )
    ]
