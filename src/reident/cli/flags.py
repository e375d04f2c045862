"""Kinds of flags that several verbs share."""

from __future__ import annotations

import re
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from reident.errors import Fault, SpecError


def names_in(text: str) -> list[str]:
    """The names of a flag, separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def numbers_in(text: str, flag: str) -> list[int]:
    """The whole numbers of a flag, separated by commas."""
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise SpecError(
            Fault(where=f"--{flag}", found="not whole numbers", remedy="Separate them by commas")
        ) from None


def bytes_in(text: str, flag: str) -> int | None:
    """The size of a flag, such as 500MB or 2GB, in bytes; None where it is empty."""
    if not text:
        return None
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", text.strip().upper())
    if parts is None:
        raise SpecError(
            Fault(where=f"--{flag}", found="not a size", remedy="Write it as 500MB or 2GB")
        )
    return int(float(parts[1]) * 1000 ** " KMGT".index(parts[2] or " "))


Count = Annotated[int, Parameter(validator=Number(gte=0))]
"""A whole number that counts something."""
