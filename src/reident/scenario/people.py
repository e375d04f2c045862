"""A made-up population: persons in households, with all that the files will say of them."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from reident.scenario.streams import stream

Ints = npt.NDArray[np.int64]
Texts = npt.NDArray[np.str_]

STATES = ("06", "12", "27", "36", "56")
STATE_SHARES = (0.48, 0.27, 0.15, 0.085, 0.015)
LONELY_STATE = STATES[-1]
"""A small state that the intruder's file does not cover."""
COUNTIES = (5, 4, 3, 2, 1)
"""Counties of each state."""
SURVEY_DAY = np.datetime64("2025-04-01")
LOWEST_AGE, HIGHEST_AGE = 16, 96
SKIPPED = -6
"""The code of a question that does not apply: owners pay no rent."""


@dataclass(frozen=True, kw_only=True)
class People:
    """Columns of true values, one entry for each person; `household` and `person` name them."""

    household: Ints
    person: Ints
    state: Texts
    county: Texts
    age: Ints
    income: Ints
    rent: Ints
    education: Ints
    sex: Texts
    race: Texts
    occupation: Texts
    moved: npt.NDArray[np.datetime64]

    def __len__(self) -> int:
        return len(self.age)

    def take(self, rows: Ints) -> People:
        """The people at these places."""
        return People(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def people(households: int, seed: int) -> People:
    """A population; every household has at least one adult and no children are listed."""
    draw = stream(seed, "households")
    size = draw.choice(np.arange(1, 6), households, p=[0.3, 0.4, 0.17, 0.09, 0.04])
    home = np.repeat(np.arange(households), size)
    person = np.arange(len(home)) - np.repeat(np.cumsum(size) - size, size)
    state, county = _places(households, seed)
    age = _ages(person, home, seed)
    education = _education(age, seed)
    return People(
        household=home,
        person=person + 1,
        state=state[home],
        county=county[home],
        age=age,
        income=_income(age, education, seed),
        rent=_rent(households, seed)[home],
        education=education,
        sex=_sex(person, home, seed),
        race=_race(home, households, seed),
        occupation=_occupation(education, seed),
        moved=_moved(households, seed)[home],
    )


def _places(households: int, seed: int) -> tuple[Texts, Texts]:
    draw = stream(seed, "places")
    state = draw.choice(len(STATES), households, p=STATE_SHARES)
    # The first household lives where the intruder looks, so that even one record can be found.
    state[:1] = 0
    # Squaring makes the first counties of a state the large ones.
    county = (np.array(COUNTIES)[state] * draw.random(households) ** 2).astype(np.int64)
    names = np.array(STATES)[state]
    return names, np.strings.add(names, np.strings.zfill((2 * county + 1).astype(str), 3))


def _ages(person: Ints, home: Ints, seed: int) -> Ints:
    """Heads of household of all ages, a second adult of about the same, grown-up children."""
    draw = stream(seed, "age")
    head = np.clip(draw.normal(50, 17, home[-1] + 1), 19, 96)[home]
    second = head + draw.normal(0, 5, len(home))
    others = draw.uniform(LOWEST_AGE, 32, len(home))
    age = np.select([person == 0, person == 1], [head, second], others)
    whole: Ints = np.clip(age, LOWEST_AGE, HIGHEST_AGE).astype(np.int64)
    return whole


def _education(age: Ints, seed: int) -> Ints:
    draw = stream(seed, "education")
    years = draw.choice(
        [8, 10, 11, 12, 13, 14, 16, 18, 20],
        len(age),
        p=[0.05, 0.06, 0.06, 0.28, 0.12, 0.13, 0.19, 0.08, 0.03],
    )
    possible: Ints = np.minimum(years, age - 5)
    return possible


def _income(age: Ints, education: Ints, seed: int) -> Ints:
    """Skewed; highest in the middle of life; some have none."""
    draw = stream(seed, "income")
    middle = 8.7 + 0.11 * education - ((age - 48) / 40) ** 2
    income = np.exp(middle + draw.normal(0, 0.75, len(age)))
    return np.where(draw.random(len(age)) < 0.07, 0, np.rint(income / 100) * 100).astype(np.int64)


def _rent(households: int, seed: int) -> Ints:
    draw = stream(seed, "rent")
    rent = np.rint(np.exp(draw.normal(6.95, 0.42, households)) / 10) * 10
    return np.where(draw.random(households) < 0.58, SKIPPED, rent).astype(np.int64)


def _sex(person: Ints, home: Ints, seed: int) -> Texts:
    """The second adult mostly has the other sex."""
    draw = stream(seed, "sex")
    own = draw.integers(0, 2, len(home))
    first = own[np.flatnonzero(person == 0)][home]
    couple = (person == 1) & (draw.random(len(home)) < 0.8)
    return np.where(couple, 2 - first, own + 1).astype(str)


def _race(home: Ints, households: int, seed: int) -> Texts:
    draw = stream(seed, "race")
    codes, shares = np.arange(1, 6), [0.6, 0.15, 0.15, 0.07, 0.03]
    shared = draw.choice(codes, households, p=shares)[home]
    own = draw.choice(codes, len(home), p=shares)
    return np.where(draw.random(len(home)) < 0.1, own, shared).astype(str)


def _occupation(education: Ints, seed: int) -> Texts:
    """24 codes; the more schooling, the higher they tend to be."""
    draw = stream(seed, "occupation")
    code = np.rint(draw.normal(3 + 0.75 * (education - 8), 2.5)).astype(np.int64)
    return np.strings.zfill(np.clip(code, 1, 24).astype(str), 2)


def _moved(households: int, seed: int) -> npt.NDArray[np.datetime64]:
    draw = stream(seed, "moved")
    ago = np.minimum(draw.exponential(8 * 365, households), 60 * 365).astype(np.int64)
    return SURVEY_DAY - ago.astype("timedelta64[D]")
