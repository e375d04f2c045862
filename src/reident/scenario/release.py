"""The public-use file: part of the population after disclosure protection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.scenario.people import LOWEST_AGE, SKIPPED, SURVEY_DAY
from reident.scenario.streams import exchanged, stream

if TYPE_CHECKING:
    from reident.scenario.people import Ints, People, Texts

NAMES = ("AGE", "INCOME", "RENT", "EDUC", "SEX", "RACE", "OCC", "CNTY", "MOVED")
NOT_REPORTED = "-9"
NO_DATE = "9999-12-31"
TOP_AGE, TOP_INCOME, TOP_RENT = 85, 180_000, 2_500
AGE_NOISE = 5
"""Years that a released age is off at most."""
INCOME_NOISE, RENT_NOISE = 0.7, 0.3
"""Standard deviation of the noise on the logarithm."""
DATE_NOISE = 1_500
"""Days that a released date is off at most; then its year alone is kept."""
SWAPPED = 0.2
"""Share of households whose county is swapped with another one's in the state."""
OTHER_RACE, OTHER_OCCUPATION = 0.1, 0.35
"""Share of records that get somebody else's code."""
UNREPORTED = {"INCOME": 0.06, "RENT": 0.03, "EDUC": 0.03, "RACE": 0.02, "OCC": 0.05, "MOVED": 0.04}
"""Share of each column that respondents left out."""
NO_STATE = 0.003


def unperturbed(people: People) -> pl.DataFrame:
    """The true linking values, under the names of the public-use file."""
    return pl.DataFrame(
        {
            "AGE": _texts(people.age),
            "INCOME": _texts(people.income),
            "RENT": _texts(people.rent),
            "EDUC": _texts(people.education),
            "SEX": people.sex,
            "RACE": people.race,
            "OCC": people.occupation,
            "CNTY": people.county,
            "MOVED": _texts(people.moved),
        }
    )


def released(people: People, seed: int) -> pl.DataFrame:
    """State and linking values as they would be released: noise, swaps, top codes, gaps."""
    columns = {
        **_noisy(people, stream(seed, "noise")),
        **_recoded(people, stream(seed, "recoding")),
        "CNTY": _swapped(people, stream(seed, "swaps")),
    }
    gaps = stream(seed, "unreported")
    for name, share in UNREPORTED.items():
        code = NO_DATE if name == "MOVED" else NOT_REPORTED
        columns[name] = np.where(gaps.random(len(people)) < share, code, columns[name])
    state = np.where(gaps.random(len(people)) < NO_STATE, "", people.state)
    frame = pl.DataFrame({"ST": state, **{name: columns[name] for name in NAMES}})
    return frame.with_columns(pl.col("ST").replace("", None))


def _noisy(people: People, draw: np.random.Generator) -> dict[str, Texts]:
    n = len(people)
    age = people.age + draw.integers(-AGE_NOISE, AGE_NOISE, n, endpoint=True)
    income = _rounded(np.exp(draw.normal(0, INCOME_NOISE, n)) * people.income, 500)
    rent = _rounded(np.exp(draw.normal(0, RENT_NOISE, n)) * people.rent, 50)
    paid = np.where(people.rent == SKIPPED, SKIPPED, np.minimum(rent, TOP_RENT))
    moved = people.moved + draw.integers(-DATE_NOISE, DATE_NOISE, n).astype("timedelta64[D]")
    years = np.minimum(moved, SURVEY_DAY).astype("datetime64[Y]")
    return {
        "AGE": _texts(np.clip(age, LOWEST_AGE, TOP_AGE)),
        "INCOME": _texts(np.minimum(income, TOP_INCOME)),
        "RENT": _texts(paid),
        "MOVED": _texts(years.astype("datetime64[D]")),
    }


def _recoded(people: People, draw: np.random.Generator) -> dict[str, Texts]:
    return {
        "EDUC": _texts(people.education + draw.choice([-1, 0, 0, 0, 1], len(people))),
        "SEX": people.sex,
        "RACE": exchanged(people.race, OTHER_RACE, draw),
        "OCC": exchanged(people.occupation, OTHER_OCCUPATION, draw),
    }


def _texts(values: npt.NDArray[np.generic]) -> Texts:
    """Values as a file writes them: whole numbers, ISO dates."""
    return values.astype(str)


def _rounded(values: npt.NDArray[np.floating[Any]], base: int) -> Ints:
    whole: Ints = (np.rint(values / base) * base).astype(np.int64)
    return whole


def _swapped(people: People, draw: np.random.Generator) -> Texts:
    """Some households of a state exchange their counties in a ring."""
    homes, first = np.unique(people.household, return_index=True)
    county, state = people.county[first], people.state[first]
    chosen = draw.random(len(homes)) < SWAPPED
    for one in np.unique(state):
        ring = draw.permutation(np.flatnonzero(chosen & (state == one)))
        county[ring] = np.roll(county[ring], 1)
    return county[np.searchsorted(homes, people.household)]
