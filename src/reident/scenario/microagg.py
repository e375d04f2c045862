"""`scenario microagg`: the three situations of Winkler (2002), made up from one seed.

Basic Situation: every record is released, the intruder holds the originals. First Extension: a
sample is released. Second Extension: a sample is released, and what the intruder holds deviates
from the originals, grossly in a few variables of each record and slightly in the others.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field

from reident.errors import Fault, SpecError
from reident.model.value import Number, Value
from reident.scenario.population import Scenario
from reident.scenario.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
SituationName = Literal["basic", "sample", "deviating"]
Count = Annotated[int, Field(ge=1)]
Share = Annotated[Number, Field(gt=0, le=1)]
SMALLEST = 3
"""The slight deviations lie between the largest of them and its third: 1 to 3 percent."""


class Situation(Value):
    """What is made up. `k` and `method` say how values are aggregated; the paper takes 3 to 10.

    `share` of the records are released where a sample is. Of each record `off` variables deviate
    by `gross`, the others by at most `deviation`, either way.
    """

    situation: SituationName = "basic"
    records: Count = 100_000
    variables: Count = 10
    seed: Annotated[int, Field(ge=0)] = 20261115
    k: Annotated[int, Field(ge=2)] = 3
    statistic: Literal["mean", "median"] = "mean"
    method: Literal["single", "mdav"] = "single"
    share: Share = Decimal("0.01")
    deviation: Share = Decimal("0.03")
    gross: Share = Decimal("0.3")
    off: Annotated[int, Field(ge=0)] = 3

    def model_post_init(self, _context: Any) -> None:
        """Check what no option can check alone."""
        faults = [
            Fault(where=where, found=found, remedy=remedy)
            for wrong, where, found, remedy in (
                (self.k > self.records, "k", "more than the records", "Choose a smaller k"),
                (self.off > self.variables, "off", "more than the variables", "Choose fewer"),
            )
            if wrong
        ]
        if faults:
            raise SpecError(*faults)

    @property
    def names(self) -> list[str]:
        """The variables."""
        return [f"x{place}" for place in range(1, self.variables + 1)]

    @property
    def released(self) -> int:
        """Records of the public-use file."""
        if self.situation == "basic":
            return self.records
        return max(1, round(self.records * self.share))


def microagg_scenario(asked: Situation, aggregate: Callable[[Floats], Floats]) -> Scenario:
    """The files of a situation and a study of them; `aggregate` is what protects the originals."""
    originals = _originals(asked)
    taken = stream(asked.seed, "sample").permutation(asked.records)[: asked.released]
    held = _deviated(originals, asked) if asked.situation == "deviating" else originals
    puf_keys, eif_keys = (
        _keys(asked.seed, name, size)
        for name, size in (("pufid", asked.released), ("eifid", asked.records))
    )
    return Scenario(
        puf=_file("pufid", puf_keys, aggregate(originals)[taken], asked),
        eif=_file("eifid", eif_keys, held, asked),
        iuf=pl.DataFrame({"pufid": puf_keys, "eifid": eif_keys[taken]}).sort("pufid"),
        study=study_text(asked),
    )


def _originals(asked: Situation) -> Floats:
    """Skewed and independent: lognormal, each variable with a size and a spread of its own."""
    columns = []
    for place in range(asked.variables):
        draw = stream(asked.seed, f"variable {place}")
        columns.append(draw.lognormal(4 + place % 5, 0.8 + 0.1 * (place % 4), asked.records))
    return np.stack(columns, axis=1)


def _deviated(originals: Floats, asked: Situation) -> Floats:
    """What the intruder has instead: some variables far off, the others slightly."""
    draw = stream(asked.seed, "deviation")
    largest = float(asked.deviation)
    moved = draw.uniform(largest / SMALLEST, largest, originals.shape)
    order = draw.random(originals.shape).argsort(axis=1)
    moved[order < asked.off] = float(asked.gross)
    return np.asarray(originals * (1 + moved * draw.choice([-1.0, 1.0], originals.shape)))


def _keys(seed: int, name: str, size: int) -> npt.NDArray[np.str_]:
    """Numbers as texts of one length, in no order."""
    drawn = stream(seed, name).permutation(size) + 1
    return np.strings.zfill(drawn.astype(str), max(6, len(str(size))))


def _file(key: str, keys: npt.NDArray[np.str_], values: Floats, asked: Situation) -> pl.DataFrame:
    """A file in order of its keys, which say nothing about who is who."""
    return pl.DataFrame({key: keys}).hstack(pl.DataFrame(values, schema=asked.names)).sort(key)


TEXT = """\
# Micro-aggregation and how it breaks (Winkler 2002). All values are made up.
# {what}
schema = 1
title = "{title}"
seed = {seed}

[puf]                                # released: aggregated in groups of {k}, {how}
path = "puf.csv"
key = "pufid"

[eif]
path = "eif.csv"
key = "eifid"

[iuf]
path = "iuf.csv"

[variables]
{variables}

{attacks}"""
WHAT = {
    "basic": "Basic Situation: all records are released; the intruder holds the originals.",
    "sample": "First Extension: a sample is released; the intruder holds all originals.",
    "deviating": "Second Extension: a sample is released; the intruder's values deviate.",
}
HOW = {"single": "one variable at a time", "mdav": "all variables at once (MDAV)"}
ATTACKS = {
    "basic": """\
[attacks.microagg_interval]          # the record inside most intervals of the released values

[attacks.half_gap]                   # the interval as printed
method = "microagg_interval"
radius = "half_gap"

[attacks.midpoint]
method = "microagg_interval"
radius = "midpoint"
""",
    "sample": """\
[attacks.microagg_nearest]           # of the 3k nearest on one variable the nearest on the next
k = {k}
""",
    "deviating": """\
[attacks.printed]                    # the 360 nearest on each variable, as printed
method = "microagg_windows"
window = 360
agree = {agree}

[attacks.microagg_windows]           # windows as wide as the deviation
agree = {agree}
deviation = {deviation}

[attacks.microagg_trimmed]           # the nearest on the variables that fit best
agree = {agree}
""",
}


def study_text(asked: Situation) -> str:
    """The content of study.toml."""
    attacks = ATTACKS[asked.situation].format(
        k=asked.k, agree=max(1, asked.variables - asked.off), deviation=asked.deviation
    )
    return TEXT.format(
        what=WHAT[asked.situation],
        title=f"Example: micro-aggregation, {asked.situation}",
        seed=asked.seed,
        k=asked.k,
        how=HOW[asked.method],
        variables="\n".join(f'{name} = "numeric"' for name in asked.names),
        attacks=attacks,
    )
