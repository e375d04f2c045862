"""Unicity: sample uniques that share a cell of some interaction (Primer 2.1).

Interactions are not enumerated. For a PUF record p and an EIF record e let A be the variables
present in both and equal: they are sample uniques in one cell of some interaction exactly when A
is not empty and no other record of either file agrees with p on all of A.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from reident.attacks.exposure import first_orders, order_jobs
from reident.attacks.pairwise import set_aside
from reident.attacks.partners import PartnersJob, TruePairs, job_of, searched
from reident.attacks.sides import sides_of
from reident.attacks.suspects import Listing, Strip, gathered, pairs_of, unlisted
from reident.attacks.taxicab import described, few_codes
from reident.encode.matrix import coded_matrix
from reident.engine.job import UNTOLD
from reident.engine.tiles import cut
from reident.kernels import masks as kernel
from reident.kernels.keys import counts, row_keys
from reident.model.linked import READINGS, Exposure, Linked
from reident.model.notes import Note
from reident.model.pairs import Pairs, no_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.attacks.suspects import Suspects
    from reident.encode.files import Files
    from reident.encode.strata import Layout
    from reident.engine.job import Fold, Tile
    from reident.kernels.masks import Antichains
    from reident.model.options import Unicity
    from reident.model.truth import Truth
    from reident.model.variables import Variable

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
WORTHWHILE = 1 << 23
"""Meetings from which records are settled by small cells instead of meeting each other."""
MOST_PAIRS = 10_000_000
"""`pairs = "auto"` lists pairs while there are at most this many."""
MOST_COMPARED = 5_000_000_000
"""And, of all interactions, while at most so many pairs of records meet."""


@dataclass(frozen=True, kw_only=True)
class UnicityJob:
    """Fold antichains of agreement masks: PUF rows against all other rows of their stratum.

    `rows` are the layout rows that can have a partner at all and `mine` their codes, `others` the
    distinct rows of both files with their owners (kernels/masks), `meets` the others they meet.
    """

    how: ClassVar[str] = "masks"
    part: ClassVar = kernel.Antichains
    layout: Layout
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

    def finish(self, tile: Tile, part: Antichains) -> Strip:
        """Maximal masks attained by one EIF row alone are pairs; name their readings."""
        local = np.repeat(np.arange(tile.first, tile.last), np.diff(part.bounds))
        alone = part.owners >= 0
        puf, eif, mask = self.rows[local[alone]], part.owners[alone], part.masks[alone]
        jointly = present_masks(self.puf[puf]) & present_masks(self.eif[eif])
        full = np.uint64((1 << self.puf.shape[1]) - 1)
        reading = (mask == jointly).astype(np.int64) + (mask == full)
        records = self.layout.puf[puf]
        return Strip(
            records=records,
            reading=reading,
            puf=records,
            eif=self.layout.eif[eif],
            pair_reading=reading,
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
    puf, eif, columns = coded_matrix(files, variables, attack, lambda _, column: column)
    sides = sides_of(columns, files)
    search = job_of(sides)
    uniques = [side.uniques() for side in (sides.puf, sides.eif)]
    true_pairs = None if truth is None else TruePairs(search, truth)
    headline = READINGS.index(attack.interactions)
    told = list(zip(variables, columns, strict=True))
    listing = Listing(
        headline=headline, most=_most(attack, files.layout), records=files.puf_records
    )
    if search.met < WORTHWHILE:
        how = UnicityJob.how
        job = _job(puf.astype(np.int32), eif.astype(np.int32), files)
        found = _met(job, listing, fold, label)
    else:
        how = PartnersJob.how
        true_jobs = [] if true_pairs is None else [true_pairs.job()]
        whole = replace(search, also=lambda: [*uniques, *true_jobs, *order_jobs(sides, attack)])
        found = searched(whole, listing, fold, label)
    true = None if true_pairs is None else true_pairs.readings(fold, UNTOLD)
    puf_uniques, eif_uniques = (sum(fold(one, UNTOLD)) for one in uniques)
    suspected = found.reading >= headline
    nothing = int((puf < 0).all(axis=0).sum())
    apart = set_aside(files) + ([("nothing_present", nothing)] if nothing else [])
    return Linked(
        pairs=_true_pairs(truth, true, headline) if found.pairs is None else found.pairs,
        suspected=suspected,
        listed=found.pairs is not None,
        set_aside=apart,
        notes=[
            *(note for pair in told for note in few_codes(*pair, attack.bins)),
            *_unlisted(found),
        ],
        encoding={variable.name: described(variable, column) for variable, column in told},
        how=how,
        exposure=Exposure(
            reading=found.reading,
            order=first_orders(sides, attack, suspected, fold),
            orders=min(attack.orders, len(variables)),
            puf_uniques=puf_uniques,
            eif_uniques=eif_uniques,
        ),
        truth_reading=true,
    )


def _most(attack: Unicity, layout: Layout) -> int | None:
    """How many pairs are listed at most; None for any number, -1 for no list."""
    if attack.pairs == "auto" and attack.interactions == "all" and layout.pairs > MOST_COMPARED:
        return -1
    return {"all": None, "auto": MOST_PAIRS, "none": -1}[attack.pairs]


def _met(job: UnicityJob, listing: Listing, fold: Fold, label: str) -> Suspects:
    """Every record meets every other."""
    found = None if listing.exceeded(0) else gathered(fold(job, label), listing)
    return found or unlisted(fold(job, label), listing)


def _job(puf: Codes, eif: Codes, files: Files) -> UnicityJob:
    """Leave out PUF rows that cannot have a partner, and rows that repeat another."""
    # By record from here on: the kernel looks at one after another.
    puf, eif = np.ascontiguousarray(puf.T), np.ascontiguousarray(eif.T)
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
        layout=layout,
        puf=puf,
        eif=eif,
        rows=rows,
        mine=puf[rows],
        others=others[order],
        owner=owner[order],
        meets=meets,
    )


def _true_pairs(truth: Truth | None, reading: Ints | None, headline: int) -> Pairs:
    if truth is None or reading is None:
        return no_pairs()
    return pairs_of([(truth.puf[reading >= headline], truth.eif[reading >= headline])])


def _unlisted(found: Suspects) -> list[Note]:
    if found.pairs is not None:
        return []
    return [
        Note(
            code="pairs_not_listed",
            text="Suspected pairs are counted by record and not listed: there are too many, the "
            'files are large, or pairs = "none" was asked for. pairs = "all" lists them.',
        )
    ]
