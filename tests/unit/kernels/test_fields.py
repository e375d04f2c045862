"""The scan of csv bytes: fields counted, lines numbered, irregularities named."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels.fields import FINE, NUL_BYTE, RAGGED, STRAY_QUOTE, UNCLOSED_QUOTE, scan


def looked_at(data, width=0, *, last=True, separator=","):
    return tuple(int(x) for x in scan(np.frombuffer(data, np.uint8), ord(separator), width, last))


def scanned(text, separator=","):
    return looked_at(text.encode(), separator=separator)[:4]


def in_pieces(data, size):
    """The same by pieces, each begun where the records of the one before end."""
    at, line, records, width, step = 0, 1, 0, 0, size
    while True:
        last = at + step >= len(data)
        verdict, fault, found, width, taken, lines = looked_at(
            data[at : at + step], width, last=last
        )
        if verdict != FINE:
            return verdict, line + fault - 1, records + found, width
        at, line, records = at + taken, line + lines, records + found
        if last:
            return FINE, 0, records, width
        step = size if taken else 2 * step


@pytest.mark.parametrize(
    ("text", "records", "width"),
    [
        ("a", 1, 1),
        ("a,b", 1, 2),
        ("a,b\n1,2", 2, 2),
        ("a,b\r\n1,2\r\n3,4", 3, 2),
        ("a,b\r1,2\r3,4", 3, 2),
        ("a,b\n,", 2, 2),
        ('a,b\n"x,y","z"', 2, 2),
        ('a,b\n"x\ny","z\r\nz"', 2, 2),
        ('a,b\n"x""y",""', 2, 2),
        ('"a","b"\n1,2', 2, 2),
    ],
)
def test_a_regular_text_is_fine(text, records, width):
    assert scanned(text) == (FINE, 0, records, width)


@pytest.mark.parametrize(
    ("text", "verdict", "line"),
    [
        ("a,b\n1", RAGGED, 2),
        ("a,b\n1,2,3", RAGGED, 2),
        ("a,b\n1,2\n3", RAGGED, 3),
        ('a,b\n"1\n1",2\n3', RAGGED, 4),
        ('a,b\r\n"1\r\n1",2\r\n3', RAGGED, 4),
        ('a,b\n1,"2\n3,4\n', UNCLOSED_QUOTE, 2),
        ('a\n"1"\n"', UNCLOSED_QUOTE, 3),
        ("a\n1\n\0", NUL_BYTE, 3),
        ('a\n"x\n\0"', NUL_BYTE, 3),
        ('a\nx"y', STRAY_QUOTE, 2),
        ('a\n"x"y', STRAY_QUOTE, 2),
        ('a\n1\n"x" ', STRAY_QUOTE, 3),
    ],
)
def test_an_irregular_text_is_named_with_its_line(text, verdict, line):
    assert scanned(text)[:2] == (verdict, line)


def test_another_separator_splits_and_the_comma_does_not():
    assert scanned("a;b\n1,5;2", ";") == (FINE, 0, 2, 2)
    assert scanned("a;b\n1,5", ";")[:2] == (RAGGED, 2)


SIGNS = st.sampled_from(["a", ",", "\n", "\r", "\r\n", '"', '"x"', '""', "\0"])


@given(
    header=st.sampled_from(["a", "a,b"]),
    text=st.lists(SIGNS, min_size=1, max_size=14).map("".join),
    size=st.integers(1, 6),
)
@settings(max_examples=300)
def test_pieces_give_what_the_whole_gives(header, text, size):
    data = f"{header}\n{text}".encode()
    assert in_pieces(data, size) == looked_at(data)[:4]


@pytest.mark.parametrize("size", range(1, 14))
def test_a_line_end_of_two_bytes_is_one_wherever_a_piece_ends(size):
    assert in_pieces(b"a,b\r\n1,2\r\n3,4", size) == (FINE, 0, 3, 2)
