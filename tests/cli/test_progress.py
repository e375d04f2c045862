"""What is said of an attack before its first pair: how many there are, how long it should take."""

import pytest

from reident.cli.progress import in_words, progress
from reident.engine.job import Progress


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "less than a second"),
        (0.99, "less than a second"),
        (1.0, "about 1 s"),
        (3.4, "about 3 s"),
        (119.0, "about 119 s"),
        (120.0, "about 2 minutes"),
        (7199.0, "about 120 minutes"),
        (7200.0, "about 2 hours"),
        (1e6, "about 278 hours"),
    ],
)
def test_seconds_as_people_say_them(seconds, words):
    assert in_words(seconds) == words


@pytest.fixture(params=[False, True], ids=["elsewhere", "terminal"])
def terminal(request, monkeypatch):
    for name, value in {"TERM": "xterm", "COLUMNS": "100"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FORCE_COLOR" if request.param else "NO_COLOR", "1")
    return request.param


@pytest.mark.usefixtures("terminal")
def test_each_attack_is_announced_once(capsys):
    with progress() as watch:
        for event in (
            Progress("taxicab", 0, 12_345, 7.3),
            Progress("taxicab", 6_000, 12_345),
            Progress("taxicab", 12_345, 12_345),
            Progress("unicity", 5, 10),
        ):
            watch(event)
    said = capsys.readouterr()
    assert said.out == ""
    lines = [line.removeprefix("\x1b[2K") for line in said.err.splitlines()]
    assert "taxicab: 12,345 pairs, about 7 s" in lines
    assert "unicity: 10 pairs" in lines
    assert said.err.count("12,345 pairs") == 1


def test_a_second_search_of_an_attack_is_announced_too_and_fills_a_bar_of_its_own(capsys, terminal):
    with progress() as watch:
        for event in (
            Progress("euc2", 0, 1_000, 60.0),
            Progress("euc2", 1_000, 1_000),
            Progress("euc2", 0, 500_000, 7_200.0),
            Progress("euc2", 250_000, 500_000),
        ):
            watch(event)
    said = capsys.readouterr().err
    assert "euc2: 1,000 pairs, about 60 s" in said
    assert "euc2: 500,000 pairs, about 2 hours" in said
    if terminal:
        assert "250000/500000" in said
        assert "250000/1000 " not in said
