"""The intruder's file: another part of the population, a year later, with its own errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from reident.scenario.people import SKIPPED, STATES, SURVEY_DAY
from reident.scenario.streams import exchanged, stream

if TYPE_CHECKING:
    import numpy.typing as npt

    from reident.scenario.people import Ints, People, Texts

UNKNOWN = {
    "wage": 0.15, "rent_paid": 0.08, "school_years": 0.1, "race": 0.04, "occ": 0.1,
    "moved_in": 0.08,
}  # fmt: skip
"""Share of each column that the intruder does not know; left empty."""
CHANGED_JOB, OTHER_RACE, OTHER_SEX = 0.25, 0.06, 0.005
"""Share of records with somebody else's code."""
MOVED_HOUSE, MOVED_STATE = 0.1, 0.003
WAGE_ERROR, RENT_ERROR = 0.4, 0.15
"""Standard deviation of the error of the logarithm."""


def held(people: People, seed: int) -> pl.DataFrame:
    """State and linking values as the intruder has them, under other names."""
    n = len(people)
    draw = stream(seed, "intruder")
    wage = _tens(np.exp(draw.normal(0.04, WAGE_ERROR, n)) * people.income)
    rent = _tens(np.exp(draw.normal(0.03, RENT_ERROR, n)) * people.rent)
    newcomer = draw.random(n) < MOVED_HOUSE
    since = SURVEY_DAY + draw.integers(1, 365, n).astype("timedelta64[D]")
    late = draw.choice([0, 0, 0, 30, 60, 365], n).astype("timedelta64[D]")
    columns = {
        "age_years": (people.age + 1).astype(str),
        "wage": wage.astype(str),
        "rent_paid": np.where(people.rent == SKIPPED, SKIPPED, rent).astype(str),
        "school_years": people.education.astype(str),
        "gender": exchanged(people.sex, OTHER_SEX, draw),
        "race": exchanged(people.race, OTHER_RACE, draw),
        "occ": exchanged(people.occupation, CHANGED_JOB, draw),
        "county_code": np.where(newcomer, _neighbours(people, draw), people.county),
        "moved_in": np.where(newcomer, since, people.moved + late).astype(str),
    }
    for name, share in UNKNOWN.items():
        columns[name] = np.where(draw.random(n) < share, "", columns[name])
    away = draw.random(n) < MOVED_STATE
    state = np.where(away, draw.choice(STATES[:-1], n), people.state)
    return pl.DataFrame({"st": state, **columns}).with_columns(pl.all().replace("", None))


def _tens(values: npt.NDArray[np.floating[Any]]) -> Ints:
    whole: Ints = (np.rint(values / 10) * 10).astype(np.int64)
    return whole


def _neighbours(people: People, draw: np.random.Generator) -> Texts:
    """For each person the county of another one of the state."""
    order = np.lexsort((draw.random(len(people)), people.state))
    by_state = np.argsort(people.state, kind="stable")
    county = people.county.copy()
    county[by_state] = people.county[order]
    return county
