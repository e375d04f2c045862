"""Codes of two small files, a block of an index on them, and what its shortlists must hold."""

from types import SimpleNamespace

import numpy as np
import pytest

from reident.attacks import blocks
from reident.attacks.pairwise import scorer
from reident.kernels.bitmaps import CLASSES, DIGITS, WORDS
from reident.kernels.desk import Classes, Least
from reident.kernels.pairs import EQUAL, Records
from reident.kernels.planes import mark, pack
from reident.kernels.runs import keys_of
from reident.oracle.ranks import kept_groups, rank_groups


def kept(units, keep, cutoff):
    """Places and units of the ranks that are kept, in order of place, and what is the cutoff then.

    By the plain oracle of the rank rule.
    """
    below = ((int(one), place) for place, one in enumerate(units) if one < cutoff)
    groups = rank_groups(below, highest_first=False)
    held = kept_groups(groups, keep)
    last = groups[len(held)][0] if len(held) < len(groups) else cutoff
    return sorted((place, one) for one, places in held for place in places), last


class Files:
    """Records of EQUAL variables, by record, and of two strata; a mismatch costs the same in each.

    A missing value costs amounts[j] sixteenths of a mismatch, all of them multiples of 2 ** `low`.
    The block is on the variables of `share`, with room for `copies` of rows with missing values.
    """

    def __init__(self, mine, theirs, stratum, share, *, amounts, low, cost=16, copies=1000):
        v = len(amounts)
        self.mine, self.theirs = mine.astype(np.int32), theirs.astype(np.int32)
        self.stratum, self.share = stratum, list(share)
        self.scorer = scorer([EQUAL] * v, amounts * cost >> DIGITS, [cost] * v)
        self.records = Records(self.mine, self.theirs, np.zeros((0, v)), np.zeros((0, v)))
        self.classes = Classes(
            self.mine.astype(np.uint8),
            np.ascontiguousarray(self.theirs.T.astype(np.uint8)),
            ((self.theirs < 0) * amounts).sum(axis=1),
        )
        codes = np.maximum(mine.max(axis=0), theirs.max(axis=0)) + 1
        none, digits = np.zeros(0, np.int64), np.zeros((0, CLASSES, CLASSES), np.uint8)
        self.least = Least(none, digits, amounts, codes, cost, True, low, 1)  # noqa: FBT003  # a tuple of many
        columns = [np.ascontiguousarray(side.T) for side in (self.mine, self.theirs)]
        known = {"codes": codes, "columns": columns, "order": np.arange(len(theirs))}
        job = SimpleNamespace(**known, **vars(self))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(blocks, "COPIES", copies)
            self.block, marks = blocks.block_on(job, self.share)
        packed = pack(self.classes.theirs, self.classes.sums)
        mark(packed, self.block.rows, marks, self.block.bits)

    @classmethod
    def drawn(cls, draw, puf, eif, sizes, share, **options):
        """PUF rows at random, EIF rows that are some of them with a few values drawn again."""

        def values(rows):
            codes = draw.integers(sizes, size=(rows, len(sizes)))
            return np.where(draw.random(codes.shape) < 0.2, -1, codes)

        mine = values(puf)
        again = draw.random((eif, len(sizes))) < draw.choice([0.1, 0.3, 0.6])
        theirs = np.where(again, values(eif), mine[draw.integers(puf, size=eif)])
        stratum = tuple(np.sort(draw.integers(2, size=rows)) for rows in (puf, eif))
        return cls(mine, theirs, stratum, share, **options)

    @classmethod
    def with_a_long_run(cls, puf):
        """More EIF rows in one run than a tile has; it begins inside a word, not the first."""
        draw = np.random.default_rng(1)
        eif = 64 * WORDS + 300
        mine, theirs = (draw.integers([1, 30, 30], size=(rows, 3)) for rows in (puf, eif))
        stratum = np.ones(puf, np.int64), (np.arange(eif) >= 70).astype(np.int64)
        return cls(mine, theirs, stratum, [0], amounts=np.zeros(3, np.int64), low=DIGITS)

    def keys(self, rows):
        """Keys of PUF rows on the block, and which of them have all its values."""
        mine, variables = np.ascontiguousarray(self.mine.T), self.block.variables
        keys, complete = keys_of(
            mine, 0, len(self.mine), self.stratum[0], variables, self.block.weights
        )
        return keys[rows], complete[rows]

    def scores(self, p):
        """Units of a PUF row and all EIF rows."""
        gone = (self.mine[p] < 0) | (self.theirs < 0)
        differ = np.where(self.mine[p] != self.theirs, self.scorer.other, 0)
        return np.where(gone, self.scorer.missing, differ).sum(axis=1)

    def agreeing(self, p):
        """EIF rows of its stratum that agree with a PUF row on the block, wherever both are."""
        mine, theirs = self.mine[p, self.share], self.theirs[:, self.share]
        fits = ((mine == theirs) | (mine < 0) | (theirs < 0)).all(axis=1)
        return np.flatnonzero(fits & (self.stratum[1] == self.stratum[0][p]))

    def assert_shortlists(self, short, rows, cutoffs, base):
        """PUF rows that asked have the nearest of those that agree, in whole ranks."""
        keep = short.eif.shape[1]
        for row, cutoff in enumerate(cutoffs.tolist()):
            scores = self.scores(base + row)
            found = [int(e) for e in self.agreeing(base + row) if base + row in rows]
            nearest, last = kept(scores[found], keep, cutoff)
            assert short.cutoff[row] == last
            held = zip(short.eif[row].tolist(), short.units[row].tolist(), strict=True)
            assert sorted(list(held)[: short.size[row]]) == [
                (found[place], units) for place, units in nearest
            ]
