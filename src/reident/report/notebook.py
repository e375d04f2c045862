"""A study in a notebook: the rates as a table, a sentence for each attack, one picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from reident.report import pictures, sentences
from reident.report.figures import count, decimal, percentage
from reident.report.plain import plain
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    Results = Mapping[str, Any]

COLUMNS = ("Attack", "Suspected", "Confirmed", "Conditional rate", "Blind guessing")


def fragment(results: Results) -> str:
    """HTML without a style of its own: it must not change the notebook around it."""
    first = [plain(note["text"]) for note in results["notes"] if note["first"]]
    if results["limits"]:
        first.insert(0, sentences.limits(results))
    told = [
        sentences.finding(label, attack, results["puf_records"])
        for label, attack in results["attacks"].items()
    ]
    marking = plain(results["marking"] or "").strip()
    heading = " - ".join(part for part in (marking, plain(results["title"]).strip()) if part)
    return "\n".join(
        [
            f"<p><strong>{escape(heading)}</strong></p>" if heading else "",
            *(f"<p><em>{escape(text)}</em></p>" for text in first),
            _table(results),
            "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in told) + "</ul>",
            pictures.rates(results)._repr_html_(),
        ]
    )


def _table(results: Results) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    rows = "".join(_row(label, attack) for label, attack in results["attacks"].items())
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(label: str, attack: Results) -> str:
    cells = (
        _with_rate(attack["suspected"], attack["suspected_rate"]),
        _with_rate(attack["confirmed"], attack["confirmed_rate"]),
        percentage(attack["conditional_rate"]),
        decimal(attack["baseline_confirmed"]),
    )
    numbers = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr><th scope="row">{escape(name_of(label, attack))}</th>{numbers}</tr>'


def _with_rate(number: int | None, rate: float | None) -> str:
    return count(number) if rate is None else f"{count(number)} ({percentage(rate)})"
