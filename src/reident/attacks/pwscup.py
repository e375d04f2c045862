"""The attacks of PWSCUP2015 (Identify-euc 2.3 and 3): one guess for each PUF record.

`ties` says who may be the guess, `one_sa`, `sums` and `nearest` find them, and here a tie group
becomes the guess that is written down.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reident.attacks.nearest import Measure, distances, nearest_rows
from reident.attacks.one_sa import nearest_numbers
from reident.attacks.pairwise import set_aside
from reident.attacks.sums import same_places
from reident.attacks.ties import NOBODY, Guesses, Ties, either, evenly, guesses, numbered
from reident.encode.matrix import category_codes
from reident.encode.moments import moments
from reident.kernels.keys import row_keys
from reident.model.linked import Guessed, Linked
from reident.model.notes import Note
from reident.model.options import EUC1, EUC2, IdentifyRand, IdentifySA21, IdentifySort
from reident.model.pairs import Pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reident.encode.cells import Cells
    from reident.encode.files import Files
    from reident.engine.job import Fold
    from reident.model.options import Guess
    from reident.model.truth import Truth
    from reident.model.variables import Variable

    Draw = Callable[[], npt.NDArray[np.uint64]]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Groups = tuple[Ints, Ints]


def link(
    attack: Guess,
    files: Files,
    variables: Sequence[Variable],
    truth: Truth | None,
    fold: Fold,
    label: str,
    *,
    draw: Draw | None,
) -> Linked:
    """One guess for each PUF record. `draw` gives each record a random number of its own."""
    qi, sa = roles(attack, variables)
    notes = [_told(attack, qi, sa)]
    measure = None
    if isinstance(attack, IdentifyRand):
        assert draw is not None  # noqa: S101  # a run gives one
        classes = _classes(files, qi)
        found = _drawn(guesses(_at_random(classes), truth), classes, draw())
    elif isinstance(attack, IdentifySort):
        found = guesses(same_places(*_numbers(files, sa), _strata(files)), truth)
    else:
        measure, constant = own, _ = _measure(attack, files, sa)
        notes += constant
        found = _nearest(
            attack,
            files,
            qi,
            lambda groups: guesses(_ties(attack, own, groups, fold, label), truth),
            truth,
        )
    linked = _linked(attack, files, found, _without_sum(attack, files, sa), truth)
    return replace(linked, notes=notes, guessed=_scored(linked, measure))


def roles(attack: Guess, variables: Sequence[Variable]) -> tuple[list[Variable], list[Variable]]:
    """QI and SA of an attack: those it names, or all categories and all numbers by name.

    The order in which a study lists its variables must not matter.
    """
    named = {variable.name: variable for variable in sorted(variables, key=lambda one: one.name)}
    categories = [name for name, variable in named.items() if variable.kind == "categorical"]
    numbers = [name for name in named if name not in categories]
    sa = list(attack.sa) or numbers
    if hasattr(attack, "variable"):
        sa = [attack.variable or sa[0]]
    return [named[name] for name in attack.qi or categories], [named[name] for name in sa]


# Who is compared with whom, by what -------------------------------------------------------------


def _strata(files: Files) -> Groups:
    return files.strata.puf, files.strata.eif


def _classes(files: Files, qi: Sequence[Variable]) -> Groups:
    """Records with the same stratum and the same vector of QI; -1 where any of it is missing."""
    n = files.puf_records
    columns = [np.concatenate(_strata(files))]
    for variable in qi:
        coded = category_codes(files, variable)
        columns.append(np.concatenate([coded.puf, coded.eif]).astype(np.int64))
    known = np.all([column >= 0 for column in columns], axis=0)
    classes = numbered(np.where(known, row_keys(columns), NOBODY))
    return classes[:n], classes[n:]


def _numbers(files: Files, sa: Sequence[Variable]) -> tuple[Floats, Floats]:
    """The SAs of both files, NaN where a number is missing or not applicable."""

    def side(cells: Callable[[str], Cells]) -> Floats:
        columns = []
        for variable in sa:
            own = cells(variable.name)
            assert own.number is not None  # noqa: S101  # an SA holds numbers
            columns.append(np.where(own.present, own.number, np.nan))
        return np.stack(columns, axis=1)

    return side(files.puf.__getitem__), side(files.eif.__getitem__)


def _measure(attack: Guess, files: Files, sa: Sequence[Variable]) -> tuple[Measure, list[Note]]:
    """SAs as they are, or in units of their sd in the PUF; one without any spread is left out."""
    puf, eif = _numbers(files, sa)
    if not getattr(attack, "standardize", False):
        largest = np.nanmax(np.abs(np.concatenate([puf, eif])), initial=0)
        scale = np.full(len(sa), int(np.frexp(largest)[1]))
        return Measure(puf, eif, np.ones(len(sa)), np.zeros(len(sa), np.int64), scale), []
    spreads = [moments(column[~np.isnan(column)]) for column in puf.T]
    sd = np.array([spread.sd for spread in spreads])
    exponent = np.array([spread.exponent for spread in spreads])
    moves = sd > 0
    notes = [
        Note(
            code="constant_sa",
            text=f"{variable.name}: no spread in the PUF, so it cannot be standardised and is "
            "left out.",
        )
        for variable, spread in zip(sa, spreads, strict=True)
        if not spread.sd
    ]
    exponent = exponent[moves]
    return Measure(puf[:, moves], eif[:, moves], sd[moves], exponent, exponent), notes


# The attacks ------------------------------------------------------------------------------------


def _at_random(classes: Groups) -> Ties:
    """E1: all records of the class tie."""
    mine, theirs = classes
    both = np.intersect1d(mine[mine >= 0], theirs[theirs >= 0])
    return evenly(*classes, both, both)


def _drawn(found: Guesses, classes: Groups, drawn: npt.NDArray[np.uint64]) -> Guesses:
    """E1 writes down one of the class, drawn at random."""
    mine, theirs = classes
    order = np.argsort(theirs, kind="stable")
    start = np.searchsorted(theirs[order], mine)
    at = np.flatnonzero(found.first != NOBODY)
    chosen = found.first.copy()
    place = drawn[at] % found.size[at].astype(np.uint64)
    chosen[at] = order[start[at] + place.astype(np.int64)]
    return Guesses(first=chosen, size=found.size, truth_chance=found.truth_chance)


def _nearest(
    attack: Guess,
    files: Files,
    qi: Sequence[Variable],
    among: Callable[[Groups], Guesses],
    truth: Truth | None,
) -> Guesses:
    """E2, E4, EUC1, EUC2: the nearest of the class, or of the stratum for those without one."""
    if isinstance(attack, IdentifySA21):
        return among(_strata(files))
    found = among(_classes(files, qi))
    if isinstance(attack, EUC1) or (found.first != NOBODY).all():
        return found
    mine, theirs = _strata(files)
    rest = among((np.where(found.first == NOBODY, mine, NOBODY), theirs))
    return either(found, rest, truth)


def _ties(attack: Guess, measure: Measure, groups: Groups, fold: Fold, label: str) -> Ties:
    if isinstance(attack, (EUC1, EUC2)) and measure.puf.shape[1] != 1:
        return nearest_rows(measure, groups, fold, label)
    return nearest_numbers(measure.puf[:, 0], measure.eif[:, 0], groups)


# What is written down ---------------------------------------------------------------------------


def _linked(
    attack: Guess, files: Files, found: Guesses, lost: Flags, truth: Truth | None
) -> Linked:
    """Guesses as listed pairs; records that are `lost` are set aside, those without one give up."""
    compared = np.zeros(files.puf_records, np.bool_)
    compared[files.layout.puf] = True
    lost = compared & lost
    tied = (found.size > 1) & (getattr(attack, "ties", "first") == "none")
    gave_up = compared & ~lost & ((found.first == NOBODY) | tied)
    listed, size = np.where(gave_up, NOBODY, found.first), found.size
    chance = found.truth_chance
    if truth is not None:
        chance = np.where(gave_up[truth.puf], 0.0, chance)
    if getattr(attack, "give_up", "none") == "index":
        own = _own_positions(files)
        index = gave_up & ~tied & (own != NOBODY)
        listed, size = np.where(index, own, listed), np.where(index, 1, size)
        if truth is not None:
            chance = np.where(index[truth.puf], own[truth.puf] == truth.eif, chance)
    puf = np.flatnonzero(listed != NOBODY)
    return Linked(
        pairs=Pairs(
            puf=puf,
            eif=listed[puf],
            units=np.zeros(len(puf), np.int64),
            rank=np.ones(len(puf), np.int64),
            tied=size[puf],
        ),
        suspected=listed != NOBODY,
        listed=True,
        set_aside=[*set_aside(files), *([("missing_sa", int(lost.sum()))] if lost.any() else [])],
        notes=[],
        encoding={},
        how="leaves" if isinstance(attack, (EUC1, EUC2)) else "sort",
        guessed=Guessed(gave_up=gave_up, score=None, truth_chance=chance),
    )


def _without_sum(attack: Guess, files: Files, sa: Sequence[Variable]) -> Flags:
    """E3 sets records aside that lack an SA."""
    if not isinstance(attack, IdentifySort):
        return np.zeros(files.puf_records, np.bool_)
    return np.asarray(np.isnan(_numbers(files, sa)[0]).any(axis=1))


def _scored(linked: Linked, measure: Measure | None) -> Guessed:
    """The distance of each listed pair; a record that gave up and lists its own place has none."""
    guessed = linked.guessed
    assert guessed is not None  # noqa: S101  # these attacks guess
    if measure is None:
        return guessed
    pairs = linked.pairs
    score = np.full(len(pairs), np.nan)
    met = ~guessed.gave_up[pairs.puf]
    score[met] = distances(measure, pairs.puf[met], pairs.eif[met])
    return replace(guessed, score=score)


def _own_positions(files: Files) -> Ints:
    """EUC1 step 4 as printed: the EIF record at the same place of the stratum, -1 if none."""
    layout = files.layout
    starts = np.searchsorted(layout.stratum, layout.stratum)
    at = layout.first + np.arange(len(layout.puf)) - starts
    own = np.full(files.puf_records, NOBODY, np.int64)
    inside = at < layout.last
    own[layout.puf[inside]] = layout.eif[at[inside]]
    return own


def _told(attack: Guess, qi: Sequence[Variable], sa: Sequence[Variable]) -> Note:
    """Which variables the attack went by, where it took them by default."""
    parts: dict[str, Any] = {}
    if not isinstance(attack, (IdentifySort, IdentifySA21)):
        parts["QI"] = qi
    if not isinstance(attack, IdentifyRand):
        parts["SA"] = sa
    told = "; ".join(
        f"{name}: {', '.join(variable.name for variable in own) or 'none'}"
        for name, own in parts.items()
    )
    return Note(code="roles", text=f"{told}.")
