"""The pages of unique records and of protection say what the results say, and draw it."""

import re
from html import parser as html_parser
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import reident as ri
from reident.report import charts, drawing, html, protect_page, uniques_page

HOSTILE = "<script>alert(1)</script>{{7*7}}\"'--></style><img src=x onerror=y>"
MANIFEST = {
    "inputs": {"file": {"name": HOSTILE, "records": 12, "sha256": None}},
    "options": {"variables": ["sex", HOSTILE], "k": 2},
    "method": {"name": "t2", "why": "it was asked for"},
    "versions": {"reident": "0.1.0"},
    "jobs": 1,
}
FRAME = pl.DataFrame(
    {"sex": list("ffffffffmmmx"), HOSTILE: list("aaaaaaaaaabb"), "domain": list("nnnnnnssssss")}
)
NAMES = ["sex", HOSTILE]


@pytest.fixture(scope="module")
def uniques():
    found = ri.uniques(FRAME, NAMES, minimal=2, weight="").to_dict()
    return found, html.render(uniques_page.document(found, MANIFEST))


@pytest.fixture(scope="module")
def protected():
    found = ri.protect(FRAME, NAMES, action="blank", domains=["domain"]).to_dict()
    return found, html.render(protect_page.document(found, MANIFEST))


class Attributes(html_parser.HTMLParser):
    """The names of all attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.names = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.names |= {name for name, _ in attrs}


def cells(text, name):
    """The numbers of a table, row by row."""
    table = re.search(rf'<table data-name="{name}">(.*?)</table>', text, re.DOTALL)[1]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]
    return [[float(value) for value in re.findall(r'<data value="([^"]+)"', row)] for row in rows]


def test_every_number_of_the_search_is_that_of_the_results(uniques):
    found, text = uniques
    assert cells(text, "counts") == [[row["cells"], row["records"]] for row in found["by_count"]]
    assert cells(text, "levels") == [[records] for records in found["violations"].values()]
    sets = found["minimal"]["by_set"]
    assert cells(text, "sets") == [[row["records"]] for row in sets]
    assert sets[0] == {"variables": ["sex"], "records": 1}
    shares = sorted((row["share"] for row in found["minimal"]["contributions"]), reverse=True)
    assert cells(text, "contributions") == [[share] for share in shares]


def test_before_and_after_stand_in_one_table(protected):
    found, text = protected
    rows = cells(text, "before-after")
    assert rows[0] == [12, 12]
    assert rows[1] == [0, 4]
    assert (
        rows[3] == [found["before"]["unique_records"], found["after"]["unique_records"]] == [4, 0]
    )
    assert cells(text, "changed") == [[4], [4]]
    assert cells(text, "domains") == [[6, 6, 0, 0], [6, 6, 0, 4]]


def test_pictures_are_drawn_with_titles_and_text_alternatives(uniques, protected):
    for count, (_, text) in ((3, uniques), (1, protected)):
        figures = re.findall(r"<figure>(.*?)</figure>", text, re.DOTALL)
        assert len(figures) == count
        for figure in figures:
            svg = re.search(r"<svg.*</svg>", figure, re.DOTALL)[0]
            ET.fromstring(svg)  # noqa: S314  # our own picture
            assert re.search(r'role="img" aria-label="[^"]{20,}"', figure)
            assert "<h3>" in figure
            assert "<figcaption>" in figure


def test_the_pages_are_inert_and_need_nothing_from_outside(uniques, protected):
    for _, text in (uniques, protected):
        assert not re.search(r"<(script|img|link|iframe|object|form|base|foreignObject)\b", text)
        found = Attributes(text).names
        assert not {"src", "style", "xlink:href"} & found
        assert not any(name.startswith("on") for name in found)
        assert text.count("http") == text.count("http-equiv") + text.count("http://www.w3.org/2000")
        assert "&lt;script&gt;" in text
        assert "safe" not in text.lower()
        assert len(text) < 200_000


def test_numbers_stand_at_the_ends_of_bars():
    svg = charts.bars([charts.Bar("a", 3, "3", "x"), charts.Bar("a", 1234, "1,234", "y")], "n")
    assert ">1,234<" in svg
    assert all(colour in svg for colour in (drawing.BLUE, drawing.ORANGE))


def test_a_search_without_minimal_sets_has_no_such_section():
    found = ri.uniques(FRAME, ["sex"]).to_dict()
    text = html.render(uniques_page.document(found, MANIFEST))
    assert 'id="behind"' not in text
    assert 'id="found"' in text
