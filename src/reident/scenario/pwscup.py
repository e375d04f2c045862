"""A made-up file in the shape of PWSCUP2015's: 13 discrete attributes and 12 skewed amounts.

Families with yearly expenses. Attributes 1 to 13 are QI, 14 to 25 SA; attribute 21 is zero in 76 %
of the records. Margins and correlations are those of the tables below; the documentation states
them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.scenario.streams import stream

RECORDS = 8333
QI = tuple(f"a{place}" for place in range(1, 14))
SA = tuple(f"a{place}" for place in range(14, 26))
ZERO, ZERO_SHARE = "a21", 0.76
MARGINS: dict[str, tuple[float, ...]] = {
    "a1": (0.24, 0.28, 0.20, 0.18, 0.10),  # persons of the family
    "a2": (0.25, 0.50, 0.25),  # who earn
    "a3": (0.10, 0.15, 0.20, 0.20, 0.20, 0.15),  # age group of head
    "a4": (0.55, 0.20, 0.15, 0.10),  # region
    "a5": (0.70, 0.20, 0.10),  # kind of dwelling
    "a6": (0.80, 0.20),  # sex of head
    "a7": (0.85, 0.10, 0.05),
    "a8": (0.90, 0.10),
    "a9": (0.80, 0.20),
    "a10": (0.95, 0.05),
    "a11": (0.85, 0.15),
    "a12": (0.97, 0.03),
    "a13": (0.90, 0.10),
}
"""Shares of the categories 1, 2, .. of each QI, which are drawn independently."""
AMOUNTS: dict[str, tuple[float, float, float]] = {
    "a14": (12.4, 0.55, 0.80),
    "a15": (11.2, 0.40, 0.75),
    "a16": (10.1, 0.90, 0.30),
    "a17": (9.9, 0.45, 0.55),
    "a18": (9.2, 0.70, 0.45),
    "a19": (9.3, 0.75, 0.55),
    "a20": (9.4, 0.95, 0.25),
    "a21": (9.8, 0.80, 0.40),
    "a22": (10.4, 0.70, 0.60),
    "a23": (9.9, 0.90, 0.60),
    "a24": (10.6, 0.75, 0.70),
    "a25": (9.6, 1.00, 0.35),
}
"""Mean and sd of the logarithm of each SA, and its correlation with how well off a family is."""
PERSON = 0.12
"""How much a person more adds to the logarithm of every amount."""


def pwscup_file(records: int, seed: int) -> pl.DataFrame:
    """The file: an id, QI as texts, SA as whole yen."""
    columns: dict[str, npt.NDArray[np.str_] | npt.NDArray[np.int64]] = {}
    for name, shares in MARGINS.items():
        codes = stream(seed, name).choice(len(shares), size=records, p=shares) + 1
        columns[name] = codes.astype(np.str_)
    wealth = stream(seed, "wealth").standard_normal(records)
    persons = columns["a1"].astype(np.int64)
    for name, (mean, sd, load) in AMOUNTS.items():
        own = stream(seed, name).standard_normal(records)
        level = load * wealth + np.sqrt(1 - load**2) * own
        amount = np.exp(mean + sd * level + PERSON * (persons - 2))
        columns[name] = np.rint(amount).astype(np.int64)
    nothing = stream(seed, "nothing").random(records) < ZERO_SHARE
    columns[ZERO] = np.where(nothing, 0, columns[ZERO].astype(np.int64))
    width = len(str(records))
    keys = [f"{place:0{width}}" for place in range(1, records + 1)]
    return pl.DataFrame({"id": keys, **columns})


def sample(frame: pl.DataFrame, size: int, seed: int) -> pl.DataFrame:
    """Some records of a file, in its order (Identify-euc 4.2 takes 100)."""
    rows = stream(seed, "sample").permutation(len(frame))[:size]
    return frame[np.sort(rows)]
