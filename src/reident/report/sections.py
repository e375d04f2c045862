"""The values a document is made of: sections of sentences and tables, without any markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A table cell: what is shown and, for a number, the number itself."""

    text: str
    value: float | None = None


@dataclass(frozen=True, kw_only=True)
class Column:
    """A table column. `strong` marks the one to look at first."""

    title: str
    numeric: bool = False
    strong: bool = False


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """A paragraph; `stated_first` one that a reader must not miss."""

    kind: ClassVar[str] = "paragraph"
    text: str
    stated_first: bool = False


@dataclass(frozen=True, kw_only=True)
class Items:
    """A list of sentences."""

    kind: ClassVar[str] = "items"
    texts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading inside a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table; the first cell of a row is the row's heading."""

    kind: ClassVar[str] = "table"
    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture: a title that states the finding, SVG of our own making, a caption.

    `table` has its numbers, or one beside it has, so `alternative` only says what is seen. `level`
    is that of its heading.
    """

    kind: ClassVar[str] = "picture"
    title: str
    svg: str
    alternative: str
    caption: str
    table: Table | None = None
    level: int = 3


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Words and what they mean."""

    kind: ClassVar[str] = "terms"
    terms: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A rate with the counts it stands on."""

    name: str
    figure: Cell
    counts: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One attack's rates, the conditional one apart from the others, and its sentence."""

    kind: ClassVar[str] = "finding"
    attack: str
    conditional: Rate
    others: tuple[Rate, ...]
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Check:
    """A limit that was agreed before the run, and whether it is exceeded."""

    exceeded: bool
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Checks:
    """The limits, each with its verdict in words."""

    kind: ClassVar[str] = "checks"
    checks: tuple[Check, ...]


Block = Paragraph | Items | Heading | Table | Picture | Terms | Finding | Checks


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the document; `name` is its anchor."""

    name: str
    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class Document:
    """A whole report, neutral of any format."""

    title: str
    marking: str
    approval: str
    sections: tuple[Section, ...]
