"""Protective action on the terminal: before and after in one table, and one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from reident.report.columns import columns
from reident.report.figures import count, percentage, plural
from reident.report.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.table import Table

    Results = Mapping[str, Any]

DONE = {
    "destroy": "were destroyed",
    "blank": "had their data blanked out",
    "encrypt": "had their data encrypted",
    "round": "had numbers rounded",
    "noise": "had noise added to their numbers",
    "swap": "exchanged their values",
    "pram": "had values replaced at random",
    "table_round": "are what the counts of the table were rounded for",
}
"""What happened to the unique records."""
SHOWN_DOMAINS = 20
"""Domains that fit a screen; the JSON holds more."""


def summary(results: Results) -> Group:
    """The result as rich draws it; texts are shown as they are, never as markup."""
    parts: list[RenderableType] = [_both(results), Text(), Text(sentence(results))]
    if results["by_domain"]:
        parts += [Text(), _domains(results)]
    return Group(*parts)


def sentence(results: Results) -> str:
    """What was done, in plain words."""
    unique = results["before"]["unique_records"]
    done = DONE[results["how"] or results["action"]]
    told = f"{plural(unique, 'unique record', 'unique records')} {done}"
    if results["action"] == "destroy":
        return f"{told}: {percentage(results['share_lost'])} of the file is lost."
    return f"{told}; {plural(results['cells_changed'], 'cell', 'cells')} changed."


def rows(results: Results) -> list[tuple[str, int | None, int | None]]:
    """What the finder found before and after, line by line."""
    before, after = results["before"], results["after"]
    apart = [sum(row["records"] for row in side["set_aside"]) for side in (before, after)]
    told = [
        ("Records", before["records"], after["records"]),
        ("Set aside", apart[0], apart[1]),
        ("Cells", before["cells"], after["cells"]),
        ("Unique records", before["unique_records"], after["unique_records"]),
        ("Smallest cell", before["smallest"], after["smallest"]),
    ]
    return told + [
        (f"In cells of fewer than {level}", found, after["violations"][level])
        for level, found in before["violations"].items()
    ]


def domain_name(row: Results) -> str:
    """A domain by its column and value."""
    return ", ".join(
        f"{plain(name)} = {'missing' if value is None else plain(value)}"
        for name, value in row["domain"].items()
    )


def _both(results: Results) -> Table:
    table = columns("", "Before", "After")
    for name, before, after in rows(results):
        table.add_row(name, count(before), count(after))
    return table


def _domains(results: Results) -> Table:
    table = columns("Domain", "Records before", "After", "Lost", "Unique")
    for row in results["by_domain"][:SHOWN_DOMAINS]:
        table.add_row(
            Text(domain_name(row)),
            count(row["records_in"]),
            count(row["records_out"]),
            percentage(row["share_lost"]),
            count(row["unique_records"]),
        )
    return table
