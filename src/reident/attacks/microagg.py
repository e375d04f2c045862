"""How single-variable micro-aggregation breaks: four attacks of Winkler (2002).

Released values are known to stand for values near them. Each variable alone leaves a few of the
intruder's records; two or three variables together mostly leave one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reident.attacks.guesses import (
    Agreeing,
    Between,
    Counting,
    GuessJob,
    Nearest,
    Stepping,
    Trimming,
)
from reident.attacks.intervals import around, widened
from reident.attacks.orders import bounds, orders_of, release_of, sorted_by_all
from reident.attacks.pairwise import set_aside
from reident.attacks.uncorrelated import too_few, uncorrelated
from reident.encode.cells import PRESENT
from reident.kernels.grids import grids_of
from reident.kernels.trimmed import UNIT
from reident.model.linked import Linked, Scale, Steps
from reident.model.notes import Note
from reident.model.options import (
    UNCORRELATED,
    Microagg,
    MicroaggInterval,
    MicroaggNearest,
    MicroaggTrimmed,
    MicroaggWindows,
)
from reident.model.pairs import Pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.attacks.guesses import Search
    from reident.attacks.orders import Release
    from reident.encode.cells import Cells
    from reident.encode.files import Files
    from reident.engine.job import Fold
    from reident.model.variables import Variable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
STEPS = 3
"""Variables after which candidates and links are told, one after another."""


def link(
    attack: Microagg, files: Files, variables: Sequence[Variable], fold: Fold, label: str
) -> Linked:
    """Guess one record for each released one; where several fit equally well, none."""
    used, notes = _used(attack, files, variables)
    release = release_of(files, used)
    search, more = _search(attack, release, files, used)
    job = GuessJob(search=search, met=release.met)
    counted = len(_upto(attack, len(used)))
    found = np.concatenate([np.zeros((0, counted, 3), np.int64), *fold(job, label)])
    linked = _linked(attack, files, used, release, found)
    return replace(linked, how=search.how, notes=[*notes, *more, *linked.notes])


def _used(
    attack: Microagg, files: Files, variables: Sequence[Variable]
) -> tuple[list[Variable], list[Note]]:
    """The variables that are compared: all that the attack may look at, or three of them."""
    if attack.variables != (UNCORRELATED,):
        return list(variables), []
    chosen = uncorrelated([files.puf[one.name] for one in variables], variables)
    used = [variables[place] for place in chosen]
    told = Note(
        code="variables_chosen",
        text=f"Compared are, in this order: {', '.join(one.name for one in used)}.",
        count=len(used),
    )
    return used, [told, *too_few(chosen)]


def _steps(attack: Microagg, v: int) -> int:
    """After how many variables the attack tells what is left: windows are looked at all at once."""
    return min(STEPS, v) if isinstance(attack, (MicroaggInterval, MicroaggNearest)) else 0


def _upto(attack: Microagg, v: int) -> Ints:
    """Numbers of variables after which candidates are counted, the last being all."""
    return np.unique([*range(1, _steps(attack, v) + 1), v]).astype(np.int64)


def _search(
    attack: Microagg, release: Release, files: Files, used: Sequence[Variable]
) -> tuple[Search, list[Note]]:
    upto = _upto(attack, len(used))
    match attack:
        case MicroaggInterval():
            return _intervals(attack, release, files, used, upto)
        case MicroaggNearest():
            table, blocks = sorted_by_all(release)
            asked = release.asked
            return Stepping(
                table=table,
                values=asked.number,
                states=asked.state,
                blocks=blocks,
                count=3 * attack.k,
                upto=upto,
            ), []
        case MicroaggWindows():
            return _windows(attack, release, files, used), []
        case MicroaggTrimmed():
            orders, places = orders_of(release)
            numbers = release.held.number
            return Trimming(
                orders=orders,
                grids=grids_of(orders.place, attack.agree),
                numbers=numbers,
                asked=places,
                met=release.met,
                agree=attack.agree,
            ), []
    raise AssertionError(type(attack))


def _intervals(
    attack: MicroaggInterval,
    release: Release,
    files: Files,
    used: Sequence[Variable],
    upto: Ints,
) -> tuple[Search, list[Note]]:
    """Ranks where the EIF holds as many values as the PUF, else midpoints, unless told."""
    whole = all(
        files.puf[one.name].present.sum() == files.eif[one.name].present.sum() for one in used
    )
    radius = attack.radius
    if radius == "auto":
        radius = "rank" if whole else "midpoint"
    low, high = bounds(release, _between(release, files, used, radius))
    orders, asked = orders_of(release)
    search = Counting(orders=orders, asked=asked, reach=Between(low=low, high=high), upto=upto)
    return search, _radius_notes(attack, radius, whole=whole)


def _between(
    release: Release, files: Files, used: Sequence[Variable], radius: str
) -> list[tuple[Floats, Floats]]:
    """Intervals follow from the released values of the whole file, whatever its strata."""
    return [
        around(
            _numbers(files.puf[one.name]), _numbers(files.eif[one.name]), radius, _asked(release, j)
        )
        for j, one in enumerate(used)
    ]


def _radius_notes(attack: MicroaggInterval, radius: str, *, whole: bool) -> list[Note]:
    notes = []
    if attack.radius == "auto":
        why = "as many" if whole else "not as many"
        notes.append(
            Note(
                code="radius_chosen",
                text=f'radius = "{radius}", because the EIF holds {why} values as the PUF.',
            )
        )
    elif radius == "rank" and not whole:
        notes.append(
            Note(
                code="ranks_scaled",
                text="The EIF does not hold as many values as the PUF, so that ranks are scaled "
                'and groups are not exact; radius = "midpoint" needs no ranks.',
            )
        )
    return notes


def _windows(
    attack: MicroaggWindows,
    release: Release,
    files: Files,
    used: Sequence[Variable],
) -> Search:
    orders, asked = orders_of(release)
    reach: Between | Nearest
    if attack.window == "auto":
        low, high = bounds(release, _between(release, files, used, "midpoint"))
        # Originals lie between the midpoints; the intruder's values deviate from originals.
        low, high = widened(low, high, float(attack.deviation))
        reach = Between(low=low, high=high)
    else:
        reach = Nearest(count=attack.window)
    return Agreeing(
        orders=orders,
        grids=grids_of(orders.place, attack.agree),
        asked=asked,
        reach=reach,
        agree=attack.agree,
    )


def _numbers(cells: Cells) -> Floats:
    """The numbers of a column that are there."""
    assert cells.number is not None  # noqa: S101  # numeric and date cells hold numbers
    return cells.number[cells.present]


def _asked(release: Release, j: int) -> Floats:
    """The numbers of a variable among the rows that are asked about."""
    return np.asarray(release.asked.number[release.asked.state[:, j] == PRESENT, j])


def _linked(
    attack: Microagg,
    files: Files,
    used: Sequence[Variable],
    release: Release,
    found: Ints,
) -> Linked:
    """Guesses of distinct rows become pairs and steps of all records, by position."""
    layout = files.layout
    asked = np.flatnonzero(release.of >= 0)
    records, mine = layout.puf[asked], found[release.of[asked]]
    at, last = np.argsort(records, kind="stable"), mine[:, -1]
    at = at[last[at, 1] == 1]
    ones = np.ones(len(at), np.int64)
    pairs = Pairs(
        puf=records[at], eif=layout.eif[last[at, 2]], units=last[at, 0], rank=ones, tied=ones
    )
    suspected = np.zeros(files.puf_records, np.bool_)
    suspected[pairs.puf] = True
    nothing = len(layout.puf) - len(asked)
    tied = int((last[:, 1] > 1).sum())
    steps = _steps(attack, len(used))
    return Linked(
        pairs=pairs,
        suspected=suspected,
        listed=True,
        set_aside=set_aside(files) + ([("nothing_present", nothing)] if nothing else []),
        notes=_tied_note(tied),
        encoding={"variables": [one.name for one in used]},
        scale=_scale(attack, len(used)),
        steps=Steps(
            names=tuple(one.name for one in used[:steps]),
            puf=records,
            candidates=mine[:, :steps, 1],
            eif=layout.eif[mine[:, :steps, 2]],
        ),
    )


def _tied_note(tied: int) -> list[Note]:
    if not tied:
        return []
    return [
        Note(
            code="tied_guesses",
            text=f"{tied:,} PUF records are not suspected because several EIF records fit them "
            "equally well.",
            count=tied,
        )
    ]


def _scale(attack: Microagg, v: int) -> Scale:
    """How a score is shown: windows, variables needed, or a mean relative difference."""
    unit: Any = UNIT * attack.agree if isinstance(attack, MicroaggTrimmed) else 1
    return Scale(
        score=lambda units: units / unit,
        bar=lambda units: units,
        top=float(v),
        threshold=0.0,
    )
