"""Dates, moments and times of day: texts, types and the oracle give one number."""

import datetime as dt

import numpy as np
import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from reident.encode.cells import MISSING, PRESENT, cells
from reident.errors import DataError
from reident.model.files import PublicFile
from reident.model.variables import Variable
from reident.oracle.values import cell_of

FILE = PublicFile(pl.DataFrame({"p": ["1"]}), key="p")
FIRST, LAST, LEAP = (
    dt.datetime.fromisoformat(text)
    for text in ("0001-01-01", "9999-12-31T23:59:59.999999", "2020-02-29T12:00:00.000001")
)
MOMENTS = st.datetimes() | st.sampled_from([FIRST, LAST, LEAP])


def fast(values, codes=()):
    """The numbers of a column, None where missing; "refused" if one of them is no date."""
    column = pl.Series("x", values)
    try:
        found = cells(column, Variable(name="x", kind="date", missing=codes), FILE)
    except DataError:
        return "refused"
    assert set(np.unique(found.state)) <= {MISSING, PRESENT}
    return [
        number if state == PRESENT else None
        for number, state in zip(found.number.tolist(), found.state, strict=True)
    ]


def plain(values, codes=()):
    """The same by the oracle."""
    try:
        return [cell_of(value, "date", codes, ()) for value in values]
    except ValueError:
        return "refused"


def spellings(moment):
    """ISO texts of one moment."""
    clock = moment.time().isoformat("microseconds")
    yield f"{moment.date()}T{clock}"
    yield f" {moment.date()} {clock}Z"
    yield f"{moment.date()} {clock.rstrip('0').rstrip('.') if moment.microsecond else clock[:8]}"
    if not moment.second and not moment.microsecond:
        yield f"{moment.date()}T{clock[:5]}-03:00"
        if clock.startswith("00:00"):
            yield f"{moment.date()}"


@given(st.lists(MOMENTS, min_size=1, max_size=5))
@example([FIRST, LAST, LEAP])
def test_moments_give_one_number_as_text_as_type_and_by_the_oracle(moments):
    expected = plain(moments)
    assert fast(pl.Series(moments, dtype=pl.Datetime("us"))) == expected
    for moment, number in zip(moments, expected, strict=True):
        texts = list(spellings(moment))
        assert fast(texts) == plain(texts) == [number] * len(texts)
        assert fast(texts, [texts[0]]) == plain(texts, [texts[0]]) == [None] * len(texts)


@given(MOMENTS.map(lambda moment: moment.replace(hour=0, minute=0, second=0, microsecond=0)))
def test_midnights_are_their_dates(midnight):
    texts = list(spellings(midnight))
    assert fast(texts) == plain(texts) == fast([midnight.date()]) * len(texts)


@given(st.lists(st.times(), min_size=1, max_size=5))
def test_times_of_day_give_one_number_as_text_as_type_and_by_the_oracle(times):
    texts = [time.isoformat() for time in times]
    shorter = [text.removeprefix("0") for text in texts]
    assert fast(times) == fast(texts) == fast(shorter) == plain(times)
    assert plain(texts) == plain(shorter) == plain(times)


DIGITS = st.integers(0, 99).map("{:02}".format)
CLOCKS = st.one_of(
    st.just(""),
    st.builds("{}{}:{}".format, st.sampled_from(["T", " ", "t", ""]), DIGITS, DIGITS),
    st.builds("T{}:{}:{}".format, DIGITS, DIGITS, DIGITS),
    st.builds("T{}:{}:{}.{}".format, *[st.integers(0, 70).map("{:02}".format)] * 3, DIGITS),
)
DAYS = st.builds(
    "{}-{:02}-{:02}".format,
    st.sampled_from(["0000", "0001", "1900", "2000", "2020", "2021", "9999", "10000", "20"]),
    st.integers(0, 13),
    st.integers(0, 32),
)
ENDS = st.sampled_from(["", "", "", "Z", "+01:00", "-00:53:28", "+1", " UTC", "."])


@given(
    st.one_of(
        st.builds("{}{}{}".format, DAYS, CLOCKS, ENDS),
        st.builds("{}{}".format, CLOCKS.map(lambda clock: clock.lstrip("T")), ENDS),
        st.text("0123456789-:. TZ", max_size=20),
    )
)
@example("2021-02-29")
@example("2020-02-29T25:00")
@example("2020-02-29T23:59:60")
@example("0000-01-01")
def test_both_refuse_the_same_texts(text):
    assert fast([text]) == plain([text])
