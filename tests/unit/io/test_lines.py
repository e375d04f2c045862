"""Where a key stands in a TOML file."""

import pytest

from reident.io.lines import line_of, lines_of

TEXT = """\
# [puf] is not a table here
schema = 1
title = "a = b"

[puf]
path = "puf.csv"
 key = ["a",
  "b"]
[attacks.taxicab]   # with a remark
missing_score = 0.5
[attacks."strict-2"]
method = "taxicab"
[variables]
"two words" = "numeric"
county = { kind = "categorical", puf = "CNTY" }
age.kind = "numeric"
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("schema", 2),
        ("title", 3),
        ("puf", 5),
        ("puf.path", 6),
        ("puf.key", 7),
        ("attacks.taxicab", 9),
        ("attacks.taxicab.missing_score", 10),
        ("attacks.strict-2", 11),
        ("attacks.strict-2.method", 12),
        ("variables.two words", 14),
        ("variables.county", 15),
        ("variables.age.kind", 16),
    ],
)
def test_a_name_stands_on_its_line(name, line):
    assert lines_of(TEXT)[name] == line


def test_a_part_of_a_value_stands_where_the_value_stands():
    lines = lines_of(TEXT)
    assert line_of("variables.county.puf", lines) == 15
    assert line_of("attacks.taxicab.keep", lines) == 9
    assert line_of("nowhere.at.all", lines) is None


def test_the_first_of_two_lines_counts():
    assert lines_of("a = 1\na = 2") == {"a": 1}
