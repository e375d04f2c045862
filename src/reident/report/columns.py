"""Tables on the terminal that a narrow window folds, and never cuts."""

from __future__ import annotations

from typing import Any

from rich.table import Column, Table


def columns(*headings: str, **looks: Any) -> Table:
    """A table whose cells go on in the next line: a cut digit would be a wrong number."""
    return Table(*(Column(heading, overflow="fold") for heading in headings), **looks)
