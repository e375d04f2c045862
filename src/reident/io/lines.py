"""Where a key stands in a TOML file: parsers do not say, and an error should quote its line."""

from __future__ import annotations

import re

TABLE = re.compile(r"^\s*\[([^\[\]]+)\]\s*(#.*)?$")
KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*[A-Za-z0-9_"'-]+)*)\s*=""")


def lines_of(text: str) -> dict[str, int]:
    r"""Line numbers by dotted name, of tables and of keys.

    >>> lines_of("[puf]\npath = 'a.csv'")
    {'puf': 1, 'puf.path': 2}
    """
    found: dict[str, int] = {}
    implied: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := TABLE.match(line):
            name = table = _plain(header[1])
        elif key := KEY.match(line):
            name = ".".join(part for part in (table, _plain(key[1])) if part)
        else:
            continue
        found.setdefault(name, number)
        # [a.b] also makes a table a, which may have no line of its own.
        while name := name.rpartition(".")[0]:
            implied.setdefault(name, number)
    return implied | found


def line_of(name: str, lines: dict[str, int]) -> int | None:
    """The line of a dotted name, or of the nearest table or key that holds it."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        if ".".join(parts[:size]) in lines:
            return lines[".".join(parts[:size])]
    return None


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
