"""Texts of other hands (titles, labels, values, notes), made harmless to show."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor, clearing
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # titles, links
    r"|\x1b[ -/]*[0-~]"  # other two-sign sequences
)
BLANKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the direction of writing, by which a text can pass for another."""


def plain(text: Any) -> str:
    r"""The text on one line, without terminal escapes, control signs and turns of direction.

    >>> plain("\x1b[31mred\x1b[0m\r\nalert\x07")
    'red alert'
    """
    told = BLANKS.sub(" ", ESCAPES.sub("", str(text)))
    return "".join(sign for sign in told if not _unprintable(sign))


def _unprintable(sign: str) -> bool:
    # Cc: control signs. Cs: half a sign, which no file can hold.
    return sign in TURNS or unicodedata.category(sign) in {"Cc", "Cs"}
