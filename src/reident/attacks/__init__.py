"""Attacks: each links two prepared files and returns the pairs it suspects.

A new attack is one file here, one scorer, one oracle. Read `pairwise` for the three ranked
metrics, `unicity` for the fourth, `microagg` for micro-aggregated files, `pwscup` for those that
guess, `verify` for what happens when the truth comes in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reident.attacks import adhoc, euclidean, microagg, pwscup, taxicab, unicity
from reident.attacks.pairwise import link_ranked
from reident.attacks.sample import other_pairs, true_pairs
from reident.model.options import AdHoc, Attack, Euclidean, Guess, Microagg, Taxicab, Unicity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.attacks.pairwise import Metric
    from reident.attacks.pwscup import Draw
    from reident.encode.files import Files
    from reident.engine.job import Fold
    from reident.model.linked import Linked
    from reident.model.truth import Truth
    from reident.model.variables import Variable


def link(
    attack: Attack,
    files: Files,
    variables: Sequence[Variable],
    truth: Truth | None,
    fold: Fold,
    label: str,
    *,
    seed: int,
    draw: Draw | None = None,
) -> Linked:
    """Run one attack. The truth is only looked at to score its pairs, never to find any.

    `draw` gives each PUF record a random number of its own, which only identify_rand asks for.
    """
    if isinstance(attack, Unicity):
        return unicity.link(attack, files, variables, truth, fold, label)
    if isinstance(attack, Microagg):
        return microagg.link(attack, files, variables, fold, label)
    if isinstance(attack, Guess):
        return pwscup.link(attack, files, variables, truth, fold, label, draw=draw)
    # Not held here: what a metric is made of is let go before its shortlists come.
    return link_ranked(
        _metric(attack, files, variables),
        files,
        true_pairs(truth),
        other_pairs(files, truth, seed, label),
        fold,
        label,
    )


def _metric(attack: Attack, files: Files, variables: Sequence[Variable]) -> Metric:
    match attack:
        case Taxicab():
            return taxicab.metric(attack, files, variables)
        case Euclidean():
            return euclidean.metric(attack, files, variables)
        case AdHoc():
            return adhoc.metric(attack, files, variables)
    raise AssertionError(type(attack))
