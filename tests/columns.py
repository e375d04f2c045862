"""Linking variables as they are drawn: a few values each, how files store them, their codes."""

import datetime as dt
import math
from dataclasses import dataclass
from typing import Any

from reident import oracle
from study_case import Linking
from tape import Tape

NUMBERS = (
    (0.0, 1.0, 2.0, 3.0, 4.0, 5.0),
    (1.0, 1.1, 0.9, 1.2, 0.1, 0.3),
    (20.0, 30.0, 41.0, 42.0, 80.0, -8.0),
    (-1.0, 0.0, 1.0, -9.0, -6.0, 100.0),
    (7.0,),
    (1.0, 2.0),
    (0.0, -0.0, 0.5, -0.5),
    (1e308, -1e308, 1.7e308, 0.0, 5e-324, 1.0),
    (1e-300, 2e-300, 3e-300, 1e300),
    (33.333, 66.667, 1e15, 0.1 + 0.2, 0.3, 123456.789),
)
CATEGORIES = (
    ("a", "b", "c"),
    ("1", "01", "2", "-9", "-8"),
    ("x", "y"),
    ("anna", "anne", "hanna", "hannah", "ann", "nan"),
    ("01001", "01003", "02001", "0100", "é,\"z'"),
    ("true", "false"),
    ("only",),
)
WHOLE_CATEGORIES = ((1, 2, 3), (0, 1), (10, 20, -8, -9), (1, 2, 3, 4, 5, 6))
DATES = tuple(
    tuple(dt.date(*day) for day in days)
    for days in (
        ((2020, 1, 1), (2020, 1, 2), (2020, 2, 1), (2020, 3, 1), (1969, 12, 31)),
        ((2000, 2, 29), (2000, 3, 1)),
    )
)
MOMENTS = tuple(
    dt.datetime.fromisoformat(text)
    for text in ("2020-01-01T06:00", "2020-01-01", "2020-01-01T06:00:00.000001", "1583-01-01")
)
DATE_MISSING, DATE_SKIPPED = "1900-01-01", "2099-12-31"

NUMERIC = ("int", "float")
WHEN = ("date", "moment")
VALUE, MISSING, SKIPPED = "value", "missing", "skipped"


@dataclass(frozen=True, kw_only=True)
class Column:
    """How the cells of one variable are drawn and spelled."""

    linking: Linking
    pool: tuple[Any, ...]
    missing_rate: int
    skip_rate: int

    def draw(self, tape: Tape) -> tuple[str, int]:
        """A cell as a choice: what it is, and which of these."""
        which = tape.byte()
        if self.missing_rate and tape.chance(self.missing_rate):
            return MISSING, which
        if self.skip_rate and tape.chance(self.skip_rate):
            return SKIPPED, which % len(self.linking.not_applicable)
        return VALUE, which % len(self.pool)

    def spell(self, cell: tuple[str, int], file: str, file_codes: tuple[str, ...]) -> Any:
        """The raw value that stands in one file for a drawn cell."""
        what, which = cell
        store = self.linking.puf_store if file == "puf" else self.linking.eif_store
        if what == MISSING:
            spellings = self.missing_spellings(store, file_codes)
            return spellings[which % len(spellings)]
        if what == SKIPPED:
            return stored(self.linking.not_applicable[which], store)
        return stored(self.pool[which], store, which)

    def missing_spellings(self, store: str, file_codes: tuple[str, ...]) -> list[Any]:
        spellings: list[Any] = [None]
        if store == "float":
            spellings.append(math.nan)
        if store in ("text", "category"):
            spellings += ["", "  "]
        if store == "text" and self.linking.kind == "numeric":
            spellings.append("nan")
        for code in self.linking.missing + file_codes:
            if store in ("text", "category"):
                spellings.append(code)
                if self.linking.kind == "numeric" and code != ".":
                    spellings.append(f" {code}.0")
            elif store in WHEN if code == DATE_MISSING else store in NUMERIC and code != ".":
                spellings.append(stored(code, store))
        return spellings


def stored(value: Any, store: str, which: int = 0) -> Any:
    """A value as a column of that type holds it."""
    if store == "text":
        text = oracle.text_of(value)
        # The same number in another dress: blanks and points do not matter in numbers.
        if isinstance(value, dt.datetime) and which % 2:
            return f" {value} "
        return f" {value!r} " if isinstance(value, float) and which % 2 else text
    if store == "float":
        return float(value)
    if store == "int":
        return int(value)
    if store == "date" and isinstance(value, str):
        return dt.date.fromisoformat(value)
    if store == "moment" and isinstance(value, str):
        return dt.datetime.fromisoformat(value)
    return value


def draw_column(tape: Tape, i: int, missing_rate: int) -> Column:
    """A linking variable with its pool of values, types and codes."""
    name = f"v{i}"
    kind = tape.pick("categorical", "numeric", "categorical", "numeric", "date")
    coded = tape.chance(60)
    skipping = tape.chance(40)
    if kind == "date":
        pool: tuple[Any, ...] = tape.pick(*DATES, MOMENTS)
        stores: tuple[str, ...] = ("text", "moment" if pool is MOMENTS else "date")
        missing: tuple[str, ...] = tape.pick((DATE_MISSING,), (DATE_MISSING, "-9"))
        skipped: tuple[str, ...] = (DATE_SKIPPED,)
    elif kind == "numeric":
        pool = tape.pick(*NUMBERS)
        whole = all(x.is_integer() and abs(x) < 2**53 for x in pool)
        stores = ("float", "text", "int") if whole else ("float", "text")
        missing = tape.pick(("-9",), ("-9", "."), ("-9", "-99"))
        skipped = tape.pick(("-6",), ("-6", "-7"))
    else:
        texts = tape.chance(65)
        pool = tape.pick(*CATEGORIES) if texts else tape.pick(*WHOLE_CATEGORIES)
        stores = ("text", "text", "category") if texts else ("int", "text", "float")
        missing = tape.pick(("-9",), ("-9", "."))
        skipped = tape.pick(("-6",), ("-6", "-7"))
    if kind == "categorical" and not coded and not skipping and tape.chance(15):
        pool, stores = (False, True), ("bool", "text")
    linking = Linking(
        name=name,
        kind=kind,
        puf=tape.pick(name, f"PUF_{i}"),
        eif=tape.pick(name, f"e{i} x"),
        puf_store=tape.pick(*stores),
        eif_store=tape.pick(*stores),
        missing=missing if coded else (),
        not_applicable=skipped if skipping else (),
    )
    size = tape.number(1, len(pool)) if tape.chance(50) else len(pool)
    return Column(
        linking=linking,
        pool=pool[:size],
        missing_rate=missing_rate,
        skip_rate=tape.pick(10, 30) if skipping else 0,
    )
