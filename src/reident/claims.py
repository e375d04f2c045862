"""What Winkler (2002) claims, and what is measured: his situations, made up and attacked."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from reident.attacks.intervals import around
from reident.io.intake import take_in
from reident.model.files import IntruderFile, PublicFile, TruthFile
from reident.model.microaggregated import MicroaggregateOptions
from reident.model.options import (
    Euclidean,
    MicroaggInterval,
    MicroaggNearest,
    MicroaggTrimmed,
    MicroaggWindows,
)
from reident.model.study import Study
from reident.model.variables import numeric
from reident.remedies.microaggregation import aggregated
from reident.run import run
from reident.scenario.microagg import Situation, microagg_scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reident.model.options import Attack
    from reident.scenario.population import Scenario

DEFAULT_K = (3, 4, 5, 6, 7, 8, 9, 10, 15, 20)
PRINTED_WINDOW = 360
AGREE = 7
MOST_RECORDS_OF_MDAV = 5_000
"""MDAV takes time with the square of the records; beyond this the curve is made of fewer."""


class Way(NamedTuple):
    """A way to attack a situation: what the paper says of it, and the attack for a k."""

    situation: str
    claim: str
    way: str
    attack: Callable[[int], Attack]


WAYS = (
    Way("basic", "100 %", "half_gap, as printed", lambda _: MicroaggInterval(radius="half_gap")),
    Way("basic", "100 %", "midpoint", lambda _: MicroaggInterval(radius="midpoint")),
    Way("basic", "100 %", "rank", lambda _: MicroaggInterval(radius="rank")),
    Way("sample", "100 %", "3k nearest", lambda k: MicroaggNearest(k=k)),
    Way(
        "deviating",
        "a unique record",
        "window 360, as printed",
        lambda _: MicroaggWindows(window=PRINTED_WINDOW, agree=AGREE),
    ),
    Way("deviating", "a unique record", "window auto", lambda _: MicroaggWindows(agree=AGREE)),
    Way("deviating", "a unique record", "trimmed", lambda _: MicroaggTrimmed(agree=AGREE)),
)
CURVES = {
    "single": MicroaggInterval(variables=("all",)),
    "mdav": Euclidean(keep=1, threshold=Decimal(2)),
}
"""The best attack of each kind of release: intervals, and the nearest record, ties apart."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim and what was measured for one k, a figure for each seed, in percent.

    `way` says how; `single` and `mdav` are the two lines of the picture.
    """

    situation: str
    claim: str
    way: str
    k: int
    measured: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over the seeds."""
        return float(np.mean(self.measured))

    def to_dict(self) -> dict[str, Any]:
        """All figures, with their mean and range."""
        return {
            "situation": self.situation,
            "claim": self.claim,
            "way": self.way,
            "k": self.k,
            "mean": self.mean,
            "lowest": min(self.measured),
            "highest": max(self.measured),
            "measured": list(self.measured),
        }


def claims(
    asked: Situation,
    ks: Sequence[int],
    seeds: int,
    jobs: int,
    tell: Callable[[int, int], None] | None = None,
) -> list[Claim]:
    """Measure every claim for each k over so many seeds, beginning with that of `asked`.

    Its sizes and deviations hold for all situations. `tell` hears how many rounds are done, of
    how many.
    """
    found: dict[tuple[str, str, str, int], list[float]] = {}
    total, done = len(ks) * seeds, 0
    for k in ks:
        for number in range(seeds):
            one = asked.model_copy(update={"k": k, "seed": asked.seed + number})
            for (situation, claim, way), figure in _measured(one, jobs):
                found.setdefault((situation, claim, way, k), []).append(figure)
            done += 1
            if tell:
                tell(done, total)
    return [
        Claim(situation=situation, claim=claim, way=way, k=k, measured=tuple(figures))
        for (situation, claim, way, k), figures in found.items()
    ]


def _measured(asked: Situation, jobs: int) -> list[tuple[tuple[str, str, str], float]]:
    found: list[tuple[tuple[str, str, str], float]] = []
    for situation in ("basic", "sample", "deviating"):
        ways = [way for way in WAYS if way.situation == situation]
        # Three variables are all that the first two situations look at.
        few = {"variables": min(3, asked.variables), "off": 0} if situation != "deviating" else {}
        one = asked.model_copy(update={"situation": situation, **few})
        made = made_up(one)
        if situation == "basic":
            own = "inside its own half-gap interval"
            found.append(((situation, "(N - 3) / N", own), own_interval(made, one)))
        rates = confirmed(made, one, {way.way: way.attack(asked.k) for way in ways}, jobs)
        found += [((situation, way.claim, way.way), rates[way.way]) for way in ways]
    for method, attack in CURVES.items():
        size = min(asked.records, MOST_RECORDS_OF_MDAV)
        one = asked.model_copy(update={"situation": "basic", "method": method, "records": size})
        rate = confirmed(made_up(one), one, {method: attack}, jobs)[method]
        found.append((("curve", "", method), rate))
    return found


def made_up(asked: Situation) -> Scenario:
    """The files of a situation."""
    options = MicroaggregateOptions(
        variables=tuple(asked.names), k=asked.k, statistic=asked.statistic, method=asked.method
    )
    return microagg_scenario(asked, lambda table: aggregated(table, options))


def confirmed(
    made: Scenario, asked: Situation, attacks: dict[str, Attack], jobs: int
) -> dict[str, float]:
    """The confirmed rate of each attack on made-up files."""
    labels = {f"a{place}": name for place, name in enumerate(attacks)}
    study = Study(
        puf=PublicFile.model_validate({"path": made.puf, "key": "pufid"}),
        eif=IntruderFile.model_validate({"path": made.eif, "key": "eifid"}),
        truth=TruthFile.model_validate({"path": made.iuf}),
        variables=tuple(numeric(name) for name in asked.names),
        attacks={label: attacks[name] for label, name in labels.items()},
    )
    result = run(study, take_in(study), jobs=jobs)
    return {name: result[label].rates.confirmed or 0.0 for label, name in labels.items()}


def own_interval(made: Scenario, asked: Situation) -> float:
    """How often, in percent, an original lies within half the gap around its released value."""
    both = made.iuf.join(made.puf, on="pufid").join(made.eif, on="eifid", suffix="_held")
    inside = []
    for name in asked.names:
        released, held = both[name].to_numpy(), both[f"{name}_held"].to_numpy()
        low, high = around(released, held, "half_gap", released)
        inside.append(float(((low <= held) & (held <= high)).mean()))
    return 100 * float(np.mean(inside))
