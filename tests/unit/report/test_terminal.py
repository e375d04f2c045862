"""The terminal shows one table and plain sentences, at any width, and obeys no text."""

import io
import re

import pytest
from rich.console import Console

from reident.report import beside
from reident.report.terminal import summary

HOSTILE = "\x1b[2J\x1b]0;owned\x07[bold red]x[/]\x9b31m\r\x08\u202e"


def shown(results, width=100, **options):
    stream = io.StringIO()
    Console(file=stream, width=width, **options).print(summary(results))
    return stream.getvalue()


def test_the_table_holds_the_rates(results):
    text = shown(results)
    line = next(line for line in text.splitlines() if "Taxicab" in line)
    for figure in ("412 (20.6 %)", "31 (1.6 %)", "7.5 %", "1.2"):
        assert figure in line
    for heading in ("Attack", "Suspected", "Confirmed", "Conditional", "Blind guessing"):
        assert heading in text


def test_sentences_and_limits_follow(results):
    text = " ".join(shown(results, width=300).split())
    assert "Unicity suspects none of 2,000 records" in text
    assert "Met: the conditional rate of Taxicab is 7.5 %" in text
    results["limits"][0] |= {"limit": 5.0, "exceeded": True}
    assert "Exceeded: the conditional rate" in shown(results, width=300)


def test_without_truth(without_truth):
    text = shown(without_truth, width=300)
    assert "how many of them are right is not known" in text
    assert "Exceeded" not in text


def test_the_conditional_rate_is_emphasised(results):
    text = shown(results, force_terminal=True, color_system="truecolor")
    assert re.search(r"\x1b\[1m *7\.5 %", text)


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal_and_no_digit_is_lost(results, width):
    text = shown(results, width=width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" not in text


def test_terminal_escapes_and_markup_are_inert(results):
    results |= {"title": HOSTILE, "marking": HOSTILE}
    results["attacks"][HOSTILE] = results["attacks"].pop("taxicab")
    results["limits"][0]["attack"] = HOSTILE
    text = shown(results)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "[bold red]x[/]" in text


def test_it_never_says_that_word(results, without_truth):
    assert "safe" not in (shown(results) + shown(without_truth)).lower()


def test_a_narrow_terminal_gets_whole_words_and_whole_figures(results):
    lines = [re.sub(r"[│┃ ]+", " ", line).strip() for line in shown(results, width=40).splitlines()]
    at = lines.index("Taxicab")
    assert lines[at + 1 : at + 6] == [
        "Suspected 412 (20.6 %)",
        "Confirmed 31 (1.6 %)",
        "Conditional 7.5 %",
        "5.3 to 10.5 %",
        "Blind guessing 1.2",
    ]


def test_colour_is_for_terminals_only(results):
    assert "\x1b" not in shown(results)
    assert "\x1b" in shown(results, force_terminal=True)


@pytest.mark.parametrize("width", [20, 40, 80])
def test_other_tables_fold_too(width):
    runs = [
        {"run": "a run with a long name", "rates": {"euclidean": {"confirmed_rate": 12.3}},
         "utility": {"U1": 0.123456}, "signs": None, "fits": None,
         "notes": [{"attack": "", "code": "same_file", "text": "The same."}]}
    ] * 2  # fmt: skip
    stream = io.StringIO()
    Console(file=stream, width=width).print(beside.summary({"runs": runs, "methods": {}}))
    assert max(len(line) for line in stream.getvalue().splitlines()) <= width
    assert "…" not in stream.getvalue()
    assert "same_file" in stream.getvalue() or width < 80
