"""Pages of the papers' suites: claims of Winkler 2002 measured, the contest of Identify-euc 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import drawing
from reident.report.cells import factor, numbers, rate
from reident.report.charts import Chart
from reident.report.claims import CURVES, TITLE
from reident.report.contest import MARKS, RATES
from reident.report.figures import percentage, plural
from reident.report.sections import Block, Cell, Column, Document, Items, Paragraph, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Results = Mapping[str, Any]

MADE_UP = "All files are made up; nothing here speaks of a real release."


# Claims of Winkler 2002 ---------------------------------------------------------------------------


def claims(found: Results) -> Document:
    """The page of claims.json."""
    rows = found["claims"]
    told = Paragraph(
        text=f"Confirmed rates, means over {plural(found['seeds'], 'seed', 'seeds')}. {MADE_UP}"
    )
    return Document(
        title="Single-ranking micro-aggregation: claims and measurements",
        marking="",
        approval="",
        sections=(
            Section(
                name="pictures",
                heading="Confirmed rate against k",
                blocks=(told, against_k(rows).picture()),
            ),
            Section(name="claims", heading="Claims", blocks=(_claims_table(rows),)),
        ),
    )


def against_k(rows: Sequence[Results]) -> Chart:
    """Confirmed rate against the size of groups, one variable at a time and by MDAV."""
    curve = [row for row in rows if row["situation"] == "curve"]
    names = [CURVES[way][0] for way in ("single", "mdav")]
    first = min(curve, key=lambda row: (row["k"], row["way"] != "single"))
    return Chart(
        title=f"At k = {first['k']} {percentage(first['mean'])} are confirmed, "
        f"{CURVES[first['way']][0]}",
        caption=TITLE,
        alternative="Lines of the confirmed rate against k.",
        spec=drawing.spec(
            [
                {"k": row["k"], "value": row["mean"], "kind": CURVES[row["way"]][0]}
                for row in curve
            ],
            width=drawing.WIDTH,
            height=220,
            mark={"type": "line", "point": {"size": 60}},
            encoding={
                "x": {"field": "k", "type": "ordinal", "title": "k, records in a group",
                      "axis": {"labelAngle": 0}},
                "y": {"field": "value", "type": "quantitative", "title": "confirmed, percent",
                      "scale": {"domain": [0, 100]}},
                "color": drawing.kinds(names, [drawing.BLUE, drawing.ORANGE]),
                "strokeDash": {"field": "kind", "sort": None, "legend": None,
                               "scale": {"domain": names, "range": [[1, 0], [6, 3]]}},
            },
        ),
        table=_by_k("curve", "Confirmed rate against k", curve),
    )  # fmt: skip


def _claims_table(rows: Sequence[Results]) -> Table:
    return _by_k("claims", "What is claimed, and what was measured", rows)


def _by_k(name: str, caption: str, rows: Sequence[Results]) -> Table:
    ks = sorted({row["k"] for row in rows})
    ways = dict.fromkeys((row["situation"], row["claim"], row["way"]) for row in rows)
    means = {(row["situation"], row["way"], row["k"]): row["mean"] for row in rows}
    return Table(
        name=name,
        caption=caption,
        columns=(
            Column(title="Situation"),
            Column(title="Claim"),
            Column(title="Measured"),
            *numbers(*(f"k = {k}" for k in ks)),
        ),
        rows=tuple(
            (
                Cell(text=situation),
                Cell(text=claim),
                Cell(text=CURVES[way][0] if situation == "curve" else way),
                *(rate(means.get((situation, way, k))) for k in ks),
            )
            for situation, claim, way in ways
        ),
    )


# The contest of Identify-euc 4 --------------------------------------------------------------------


def contest(found: Results) -> Document:
    """The page of tables.json."""
    return Document(
        title="Ways of anonymising against attacks and indices",
        marking="",
        approval="",
        sections=tuple(
            Section(
                name=part["name"],
                heading=f"{part['name'].capitalize()}: "
                + plural(part["records"], "record", "records"),
                blocks=_part(part),
            )
            for part in found["parts"]
        ),
    )


def _part(part: Results) -> tuple[Block, ...]:
    rows, name = part["trials"], part["name"]
    differ = tuple(
        f"{row['name']}, {index}: {_word(row['expected'][index])} expected, "
        f"{_word(row['signs'][index])} found" + (f": {why}." if why else ".")
        for row in rows
        for index, why in row["differ"].items()
    )
    return (
        Paragraph(text=MADE_UP),
        _measured(
            part, f"table-13-{name}", "Utility and protection, as in Table 13", part["original"]
        ),
        Table(
            name=f"table-12-{name}",
            caption="Expected, as in Table 12 (- worse, + better protected, = the same), and "
            "whether it was found",
            columns=(Column(title="Index"), *(Column(title=row["name"]) for row in rows)),
            rows=tuple(
                (Cell(text=index), *(Cell(text=_verdict(row, index)) for row in rows))
                for index in part["original"]
            ),
        ),
        *((Items(texts=differ),) if differ else ()),
        _measured(part, f"table-16-{name}", "Rates of re-identification, as in Table 16", RATES),
    )


def _measured(part: Results, name: str, caption: str, indices: Mapping[str, Any]) -> Table:
    rows = part["trials"]
    return Table(
        name=name,
        caption=caption,
        columns=(
            Column(title="Index"),
            *numbers("Original", *(f"{row['name']} {row['method']}" for row in rows)),
        ),
        rows=tuple(
            (
                Cell(text=index),
                factor(part["original"][index]),
                *(factor(row["measured"][index]) for row in rows),
            )
            for index in indices
        ),
    )


def _word(way: str) -> str:
    """How an index moved, without a word that promises too much."""
    return {"safer": "better protected", "less safe": "less protected"}.get(way, way)


def _verdict(row: Results, index: str) -> str:
    expected = row["expected"].get(index)
    if expected is None:
        return ""
    return f"{MARKS[expected]} {'differs' if index in row['differ'] else 'agrees'}"
