"""Kinds of flags that several verbs share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from reident.errors import Fault, SpecError

if TYPE_CHECKING:
    from reident.model.engines import Spark


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


def engine_of(engine: str, master: str) -> Spark | None:
    """The engine of two flags; None is this machine."""
    from reident.model.engines import Spark

    if engine == "local" and master:
        raise SpecError(
            Fault(where="--master", found="no engine that has one", remedy="Give --engine spark")
        )
    return Spark(master=master) if engine == "spark" else None


Engine = Literal["local", "spark"]
"""This machine, or a Spark cluster."""
Count = Annotated[int, Parameter(validator=Number(gte=0))]
"""A whole number that counts something."""
