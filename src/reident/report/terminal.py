"""The end of a run on the terminal: one table, a sentence for each attack, the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from reident.report import sentences
from reident.report.figures import count, decimal, interval, percentage
from reident.report.plain import plain
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType

    Results = Mapping[str, Any]


def summary(results: Results) -> Group:
    """The rates as rich draws them; texts are shown as they are, never as markup."""
    parts: list[RenderableType] = []
    if results["marking"]:
        parts.append(Text(plain(results["marking"]), style="bold reverse"))
    parts += [_rates(results), Text()]
    parts += [
        Text(sentences.finding(label, attack, results["puf_records"]))
        for label, attack in results["attacks"].items()
    ]
    if results["limits"]:
        parts += [Text(), *_limits(results)]
    return Group(*parts)


def _rates(results: Results) -> Table:
    table = Table(title=Text(plain(results["title"])) if results["title"] else None)
    # Folding, not cutting: a narrow terminal must not lose digits.
    table.add_column("Attack", overflow="fold")
    for heading, style in (
        ("Suspected", ""),
        ("Confirmed", ""),
        ("Conditional", "bold"),
        ("Blind guessing", ""),
    ):
        table.add_column(heading, justify="right", overflow="fold", style=style)
    for label, attack in results["attacks"].items():
        table.add_row(
            Text(name_of(label, attack)),
            _with_rate(attack["suspected"], attack["suspected_rate"]),
            _with_rate(attack["confirmed"], attack["confirmed_rate"]),
            _conditional(attack),
            Text(decimal(attack["baseline_confirmed"])),
        )
    return table


def _with_rate(number: int | None, rate: float | None) -> Text:
    return Text(count(number) if rate is None else f"{count(number)} ({percentage(rate)})")


def _conditional(attack: Results) -> Text:
    ends = attack["conditional_interval"]
    shown = Text(percentage(attack["conditional_rate"]))
    if ends is not None:
        shown.append(f"\n{interval((ends[0], ends[1]))}", style="not bold dim")
    return shown


def _limits(results: Results) -> list[Text]:
    return [
        Text(
            sentences.limit(check, results["attacks"][check["attack"]]),
            style="bold red" if check["exceeded"] else "green",
        )
        for check in results["limits"]
    ]
