"""A document becomes one page: no script, nothing fetched, readable from disk and on paper."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Template

    from reident.report.sections import Document


def render(document: Document) -> str:
    """The report as one self-contained HTML page.

    All texts are escaped by the template. The page forbids itself scripts and every address; its
    one style sheet is let in by its hash.
    """
    style = _style(document.marking)
    return _template().render(
        document=document,
        style=Markup(style),  # noqa: S704  # our own sheet; the marking in it is all numbers
        style_hash=_hash(style),
    )


def _style(marking: str) -> str:
    """The style sheet, with the marking for the foot of every printed page."""
    return _part("style.css").replace("MARKING", css_text(marking))


def css_text(text: str) -> str:
    r"""A text inside a CSS string, every sign by its number, so that none can end the string.

    >>> css_text('A"')
    '\\000041\\000022'
    """
    return "".join(f"\\{ord(sign):06x}" for sign in text)


def _drawn(svg: str) -> Markup:
    """A picture as markup; texts in it were escaped when it was drawn."""
    return Markup(svg)  # noqa: S704  # drawn by us


def _hash(style: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


def _part(name: str) -> str:
    return files("reident.report").joinpath(name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["drawn"] = _drawn
    return environment.from_string(_part("template.html.jinja"))
