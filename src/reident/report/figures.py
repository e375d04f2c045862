"""Numbers as a reader sees them. Rounding never turns a small risk into none."""

from __future__ import annotations

UNKNOWN = "-"
"""Shown where a number is undefined, or not known without the truth."""
MOST_PLACES = 4
ALL_PLACES = 17
"""Enough decimal places to tell any two percentages apart."""


def count(number: int | None) -> str:
    """A count.

    >>> count(2000), count(None)
    ('2,000', '-')
    """
    return UNKNOWN if number is None else f"{number:,}"


def percentage(value: float | None) -> str:
    """A percentage with one decimal place, or more where one would show 0 or 100 and it is not.

    >>> percentage(20.6), percentage(0.0213), percentage(0.0), percentage(None)
    ('20.6 %', '0.02 %', '0.0 %', '-')
    """
    return UNKNOWN if value is None else f"{_digits(value)} %"


def interval(ends: tuple[float, float] | None) -> str:
    """Both ends of an interval in percent.

    >>> interval((5.31, 10.5))
    '5.3 to 10.5 %'
    """
    return UNKNOWN if ends is None else f"{_digits(ends[0])} to {_digits(ends[1])} %"


def decimal(value: float | None) -> str:
    """An expected count or a factor: one decimal place, more where one would show 0.

    >>> decimal(1.24), decimal(0.031), decimal(1234.5)
    ('1.2', '0.03', '1,234.5')
    """
    return UNKNOWN if value is None else _digits(value, whole=None)


def bound(value: float) -> str:
    """A limit, as agreed.

    >>> bound(20.0), bound(12.5)
    ('20', '12.5')
    """
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def beside(value: float, limit: float) -> str:
    """A percentage with as many places as show on which side of a limit it lies.

    >>> beside(20.04, 20), beside(7.5, 20)
    ('20.04 %', '7.5 %')
    """
    for places in range(1, ALL_PLACES):
        shown = f"{value:.{places}f}"
        if _side(float(shown), limit) == _side(value, limit):
            return f"{shown} %"
    return f"{value!r} %"


def _side(value: float, limit: float) -> int:
    return (value > limit) - (value < limit)


def rounded(value: float | None) -> int | None:
    """A percentage in whole numbers, for those who may not see it closer.

    >>> rounded(34.4), rounded(None)
    (34, None)
    """
    return None if value is None else round(value)


def _digits(value: float, whole: float | None = 100.0) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    for places in range(1, MOST_PLACES + 1):
        shown = f"{value:,.{places}f}"
        rounded = float(shown.replace(",", ""))
        if rounded == value or rounded not in {0.0, whole}:
            return shown
    return repr(value)


def plural(number: int, one: str, many: str) -> str:
    """A count with its noun.

    >>> plural(1, "record", "records"), plural(2000, "record", "records")
    ('1 record', '2,000 records')
    """
    return f"{count(number)} {one if number == 1 else many}"
