"""The end of a run on the terminal: one table, a sentence for each attack, the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from reident.report import sentences
from reident.report.figures import count, decimal, interval, percentage
from reident.report.plain import plain
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    Results = Mapping[str, Any]

HEADINGS = {"Suspected": "", "Confirmed": "", "Conditional": "bold", "Blind guessing": ""}
"""What the terminal shows of each attack, and how."""
ROOM = 10_000


def summary(results: Results) -> Group:
    """The rates as rich draws them; texts are shown as they are, never as markup."""
    parts: list[RenderableType] = []
    if results["marking"]:
        parts.append(Text(plain(results["marking"]), style="bold reverse"))
    parts += [_Rates(results), Text()]
    parts += [
        Text(sentences.finding(label, attack, results["puf_records"]))
        for label, attack in results["attacks"].items()
    ]
    if results["limits"]:
        parts += [Text(), *_limits(results)]
    return Group(*parts)


class _Rates:
    """One table of all attacks, or where it would not fit a short one, attack below attack."""

    def __init__(self, results: Results) -> None:
        self._results = results

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = _wide(self._results)
        # Measured as if there were room, or the answer would be the room that there is.
        needed = Measurement.get(console, options.update(max_width=ROOM), wide).maximum
        yield wide if needed <= options.max_width else _narrow(self._results)


def _title(results: Results) -> Text | None:
    return Text(plain(results["title"])) if results["title"] else None


def _figures(attack: Results) -> tuple[Text, ...]:
    """Cells in the order of HEADINGS."""
    return (
        _with_rate(attack["suspected"], attack["suspected_rate"]),
        _with_rate(attack["confirmed"], attack["confirmed_rate"]),
        _conditional(attack),
        Text(decimal(attack["baseline_confirmed"])),
    )


def _wide(results: Results) -> Table:
    table = Table(title=_title(results))
    table.add_column("Attack")
    for heading, style in HEADINGS.items():
        table.add_column(heading, justify="right", style=style)
    for label, attack in results["attacks"].items():
        table.add_row(Text(name_of(label, attack)), *_figures(attack))
    return table


def _narrow(results: Results) -> Table:
    # Folding, not cutting: even the narrowest terminal must not lose digits.
    table = Table(title=_title(results), show_header=False)
    table.add_column(overflow="fold")
    table.add_column(justify="right", overflow="fold")
    for label, attack in results["attacks"].items():
        table.add_section()
        table.add_row(Text(name_of(label, attack), style="bold"), "")
        for (heading, style), figure in zip(HEADINGS.items(), _figures(attack), strict=True):
            table.add_row(heading, figure, style=style)
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
