"""The numbers of results.json as tables: csv files, and one workbook with the same sheets."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from typing import TYPE_CHECKING, Any

import xlsxwriter

from reident.report.details import KINDS, score_rows
from reident.report.plain import ESCAPES
from reident.report.utility import INDICES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Results = Mapping[str, Any]

Value = str | int | float | None
Rows = list[list[Value]]

CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control signs but for tab and line ends, which a csv field may hold."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Signs that make a spreadsheet take a text for a formula; the last four are their wide forms."""
CREATED = dt.datetime(2020, 1, 1)  # noqa: DTZ001  # a workbook knows no time zone
"""The same for every workbook, so that the same results give the same bytes."""

RATES = (
    "compared", "suspected", "confirmed", "suspected_rate", "confirmed_rate", "conditional_rate",
    "baseline_confirmed", "lift", "recall", "pairs", "confirmed_pairs", "pair_precision",
    "passing_records", "tied_out", "tied_out_true", "give_ups", "expected_confirmed",
    "expected_rate",
)  # fmt: skip
STRATUM = (
    "puf_records", "eif_records", "suspected", "confirmed", "pairs", "suspected_rate",
    "confirmed_rate", "conditional_rate",
)  # fmt: skip
STEPS = ("variable", "candidates", "suspected", "confirmed", "confirmed_rate")
LIMITS = ("attack", "rate", "limit", "value", "exceeded")
AGREEMENT = ("variable", "equal", "different", "missing_puf", "missing_eif")


def rows(results: Results) -> dict[str, Rows]:
    """Each table by name: a header and its rows."""
    return {
        "rates": _rates(results),
        "strata": _strata(results),
        "ranks": _by(results, "by_rank", ("rank", "pairs", "confirmed")),
        "ties": _named(_by(results, "first_rank_sizes", ("size", "records")), "more"),
        "scores": _scores(results),
        "orders": _named(_by(results, "by_order", ("order", "suspected", "confirmed")), "above"),
        "readings": _by(results, "readings", ("reading", "suspected", "confirmed")),
        "steps": _by(results, "steps", STEPS),
        "agreement": [
            [*AGREEMENT],
            *([row[name] for name in AGREEMENT] for row in results["true_pair_agreement"]),
        ],
        "limits": [
            [*LIMITS],
            *([_word(check[name]) for name in LIMITS] for check in results["limits"]),
        ],
        "utility": [
            ["index", "value"],
            *([name, (results["utility"] or {})[name]] for name in INDICES if results["utility"]),
        ],
        "notes": _notes(results),
    }


def csv_tables(results: Results) -> dict[str, bytes]:
    """The tables as csv files by file name: UTF-8, a header, an empty field where undefined."""
    return {f"{name}.csv": _csv(table) for name, table in rows(results).items()}


def workbook(results: Results) -> bytes:
    """The tables as sheets of one xlsx workbook."""
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    book.set_properties({"created": CREATED})
    bold = book.add_format({"bold": True})
    for name, table in rows(results).items():
        sheet = book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for row, values in enumerate(table):
            for column, value in enumerate(values):
                _put(sheet, row, column, value, None if row else bold)
        sheet.set_column(0, max(len(table[0]) - 1, 0), 16)
    book.close()
    return stream.getvalue()


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> guarded("=1+1"), guarded("age")
    ("'=1+1", 'age')
    """
    # Leading blanks are looked past, because some spreadsheets drop them.
    return f"'{text}" if text.startswith(FORMULA) or text.lstrip().startswith(FORMULA) else text


def _storable(text: str) -> str:
    """A text that a file can hold and a terminal may show: no escapes, no half surrogate pairs."""
    return CONTROLS.sub("", ESCAPES.sub("", text)).encode("utf-8", "replace").decode()


def _csv(table: Rows) -> bytes:
    stream = io.StringIO(newline="")
    # A field with a bare CR is quoted only when the line ending holds one.
    writer = csv.writer(stream, lineterminator="\r\n")
    for row in table:
        writer.writerow(
            guarded(_storable(value)) if isinstance(value, str) else value for value in row
        )
    return stream.getvalue().encode()


def _put(sheet: Any, row: int, column: int, value: Value, style: Any) -> None:
    """Texts are written as texts, whatever they look like; an undefined number leaves no cell."""
    if isinstance(value, str):
        sheet.write_string(row, column, _storable(value), style)
    elif value is not None:
        sheet.write_number(row, column, value, style)


def _rates(results: Results) -> Rows:
    table: Rows = [
        ["attack", "method", "puf_records", *RATES, "conditional_low", "conditional_high"]
    ]
    for label, attack in results["attacks"].items():
        ends = attack["conditional_interval"] or (None, None)
        table.append(
            [
                label,
                attack["method"],
                results["puf_records"],
                *(attack[name] for name in RATES),
                *ends,
            ]
        )
    return table


def _strata(results: Results) -> Rows:
    """One column for each stratum variable; `strata` says how many strata a merged row holds."""
    names = results["strata"]
    # The prefix keeps a stratum called "pairs" apart from the column of that name.
    table: Rows = [["attack", *(f"stratum_{name}" for name in names), "strata", *STRATUM]]
    for label, attack in results["attacks"].items():
        for row in attack["by_stratum"]:
            where = row["stratum"]
            values = [where if isinstance(where, str) else where[name] for name in names]
            table.append([label, *values, row.get("strata", 1), *(row[field] for field in STRATUM)])
    return table


def _by(results: Results, part: str, fields: Sequence[str]) -> Rows:
    return [
        ["attack", *fields],
        *(
            [label, *(row[field] for field in fields)]
            for label, attack in results["attacks"].items()
            for row in attack[part]
        ),
    ]


def _named(table: Rows, name: str) -> Rows:
    """The row that stands for all larger ones has no number: it is named."""
    header, *rest = table
    return [header, *([row[0], name if row[1] is None else row[1], *row[2:]] for row in rest)]


def _scores(results: Results) -> Rows:
    return [
        ["attack", "from", "to", *KINDS],
        *(
            [label, low, high, *counts.values()]
            for label, attack in results["attacks"].items()
            if attack["histogram"] is not None
            for low, high, counts in score_rows(attack["histogram"])
        ),
    ]


def _word(value: Any) -> Value:
    """A verdict in a word; spreadsheets spell true and false in the reader's language."""
    return ("no", "yes")[value] if isinstance(value, bool) else value


def _notes(results: Results) -> Rows:
    """Notes of the study have no attack."""
    told = [
        (None, results["notes"]),
        *((label, attack["notes"]) for label, attack in results["attacks"].items()),
    ]
    return [
        ["attack", "code", "text", "count"],
        *(
            [label, note["code"], note["text"], note["count"]]
            for label, notes in told
            for note in notes
        ),
    ]
