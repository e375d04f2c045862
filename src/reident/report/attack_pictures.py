"""Pictures of one attack: scores, ranks, ties, orders, variables in turn, strata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import details, drawing
from reident.report.charts import Chart
from reident.report.details import without
from reident.report.figures import count, percentage, plural
from reident.report.findings import stratum_name
from reident.report.plain import plain
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Results = Mapping[str, Any]

SHOWN_STRATA = 20
"""Strata that stay readable in a picture."""
HIGHER_IS_CLOSER = ("adhoc",)
"""Methods whose score grows with likeness."""
SERIES = {
    "truth": "True pairs",
    "suspected_false": "Suspected false pairs",
    "random_other": "Other pairs (sample)",
}


def of_attack(label: str, attack: Results) -> dict[str, Chart]:
    """The pictures that an attack's results allow, by name."""
    found = {name: make(label, attack) for name, make in PICTURES.items()}
    return {name: chart for name, chart in found.items() if chart is not None}


# A part inside a whole ----------------------------------------------------------------------------


def _nested(
    rows: Sequence[tuple[str, int, int | None]], names: tuple[str, str], axis: str
) -> dict[str, Any]:
    """Wide bars of a whole, and inside them narrow bars of the part that is right."""
    values = []
    for label, whole, part in rows:
        told = count(whole) if part is None else f"{count(part)} of {count(whole)}"
        values.append({"label": label, "kind": names[0], "value": whole, "text": told})
        if part is not None:
            values.append({"label": label, "kind": names[1], "value": part, "text": ""})
    shown = [name for name in names if any(row["kind"] == name for row in values)]
    colour = drawing.kinds(shown, [drawing.SKY, drawing.BLUE][: len(shown)])
    return drawing.spec(
        values,
        width=drawing.WIDTH,
        height={"step": drawing.STEP + 2},
        encoding={"y": drawing.labels(), "x": drawing.along(axis, stack=None)},
        layer=[
            {
                "transform": [{"filter": {"field": "kind", "equal": name}}],
                "mark": {"type": "bar", "height": {"band": band}},
                "encoding": {"color": colour},
            }
            for name, band in zip(shown, (0.85, 0.4), strict=False)
        ]
        + [drawing.ends()],
    )


def _part(part: int | None, whole: int, one: str, many: str) -> str:
    """Such as "3 of 10 pairs are right", or without the truth "10 pairs"."""
    if part is None:
        return plural(whole, one, many)
    return f"{count(part)} of {plural(whole, one, many)} {'is' if part == 1 else 'are'} right"


# The pictures -------------------------------------------------------------------------------------


def _scores(label: str, attack: Results) -> Chart | None:
    """True, false and other pairs by score, and the threshold."""
    held = attack["histogram"]
    if held is None:
        return None
    rows = details.score_rows(held)
    series = {key: name for key, name in SERIES.items() if held[key] is not None}
    values = [
        {"kind": name, "low": low, "high": high, "value": counts[key]}
        for key, name in series.items()
        for low, high, counts in rows
    ]
    closer = "above" if attack["method"] in HIGHER_IS_CLOSER else "below"
    return Chart(
        title=_scores_title(label, attack, rows),
        caption=f"The dashed line is the threshold: pairs {closer} it are looked at. Each panel "
        "has its own scale. Other pairs are a random sample of "
        f"{count(held['random_pairs'])}.",
        alternative="Bars of pairs by score, one panel for each kind of pair.",
        spec=drawing.spec(
            values,
            facet={"row": {"field": "kind", "sort": list(series.values()), "title": None,
                           "header": {"orient": "top", "labelAnchor": "start"}}},
            spacing=6,
            resolve={"scale": {"y": "independent"}},
            spec={
                "width": drawing.WIDTH,
                "height": 70,
                "layer": [
                    {
                        "mark": {"type": "bar", "color": drawing.BLUE, "binSpacing": 1},
                        "encoding": {
                            "x": {"field": "low", "type": "quantitative", "title": "score",
                                  "bin": {"binned": True}, "axis": {"tickCount": 5}},
                            "x2": {"field": "high"},
                            "y": {"field": "value", "type": "quantitative", "title": "pairs",
                                  "axis": {"tickCount": 3, "tickMinStep": 1, "format": ",d"}},
                        },
                    },
                    {
                        "mark": {"type": "rule", "strokeDash": [5, 3], "strokeWidth": 2},
                        "encoding": {"x": {"datum": held["threshold"]}},
                    },
                ],
            },
        ),
        table=details.scores_table(label, held),
    )  # fmt: skip


def _scores_title(label: str, attack: Results, rows: Sequence[tuple[Any, ...]]) -> str:
    def fullest(key: str) -> str | None:
        low, high, counts = max(rows, key=lambda row: row[2][key] or 0)
        return f"{low:.4g} to {high:.4g}" if counts[key] else None

    name = name_of(label, attack)
    true, false = fullest("truth"), fullest("suspected_false")
    if true and false:
        return f"{name}: most true pairs score {true}, most suspected false ones {false}"
    if true:
        return f"{name}: most true pairs score {true}; no false pair is suspected"
    return f"{name}: most other pairs score {fullest('random_other') or 'nothing'}"


def _ranks(label: str, attack: Results) -> Chart | None:
    """Suspected pairs by rank, and those that are right."""
    rows = attack["by_rank"]
    if not rows:
        return None
    first = rows[0]
    keep = attack["options"].get("keep", 5)
    return Chart(
        title=f"{name_of(label, attack)}, rank {first['rank']}: "
        + _part(first["confirmed"], first["pairs"], "pair", "pairs"),
        caption=f"Rank 1 holds the closest intruder records of a record. Whole ranks are kept, at "
        f"most {keep} pairs for each record.",
        alternative="Bars of suspected pairs by rank, and inside them of true pairs.",
        spec=_nested(
            [(f"rank {row['rank']}", row["pairs"], row["confirmed"]) for row in rows],
            ("Suspected pairs", "True pairs"),
            "pairs",
        ),
        table=details.ranks_table(label, rows),
    )


def _ties(label: str, attack: Results) -> Chart | None:
    """How many intruder records tie for the closest, and where the cut falls."""
    rows = attack["first_rank_sizes"]
    if not rows or not attack["passing_records"]:
        return None
    keep = attack["options"].get("keep", 5)
    kinds = ["Kept", "Cut: not suspected"]
    values = [
        {
            "label": f"more than {keep} tied" if row["size"] is None else f"{row['size']} tied",
            "kind": kinds[row["size"] is None],
            "value": row["records"],
            "text": count(row["records"]),
        }
        for row in rows
    ]
    passing = plural(attack["passing_records"], "record", "records")
    return Chart(
        title=f"{name_of(label, attack)}: the cut at {keep} leaves out "
        f"{count(attack['tied_out'])} of {passing} with a pair within the threshold",
        caption="Records by how many intruder records tie for their closest place. Where more tie "
        f"than {keep}, none of them is suspected.",
        alternative="Bars of records by how many intruder records tie for the closest place.",
        spec=drawing.spec(
            values,
            width=drawing.WIDTH,
            height={"step": drawing.STEP},
            encoding={
                "y": drawing.labels(),
                "x": drawing.along("records"),
            },
            layer=[
                {
                    "mark": "bar",
                    "encoding": {"color": drawing.kinds(kinds, [drawing.BLUE, drawing.ORANGE])},
                },
                drawing.ends(),
            ],
        ),
        table=details.ties_table(label, rows),
    )


def _orders(label: str, attack: Results) -> Chart | None:
    """Suspected records by the smallest interaction that exposes them."""
    rows = attack["by_order"]
    if not rows:
        return None
    highest = max((row["order"] for row in rows if row["order"] is not None), default=0)
    most = max(rows, key=lambda row: row["suspected"])
    if not most["suspected"]:
        title = f"{name_of(label, attack)} exposes no record"
    else:
        by = (
            f"more than {plural(highest, 'variable', 'variables')}"
            if most["order"] is None
            else plural(most["order"], "variable", "variables")
        )
        title = (
            f"{name_of(label, attack)}: most suspected records, {count(most['suspected'])}, take "
            f"{by} to be exposed"
        )
    return Chart(
        title=title,
        caption="A record is exposed by the smallest set of variables on which it is unique in "
        "both files. The fewer it takes, the less an intruder has to know.",
        alternative="Bars of suspected records by the lowest order of interaction, and inside "
        "them of confirmed ones.",
        spec=_nested(
            [
                (
                    f"more than {highest}" if row["order"] is None else str(row["order"]),
                    row["suspected"],
                    row["confirmed"],
                )
                for row in rows
            ],
            ("Suspected", "Confirmed"),
            "records",
        ),
        table=details.orders_table(label, rows),
    )


def _steps(label: str, attack: Results) -> Chart | None:
    """What an attack on micro-aggregated values knows after each variable."""
    rows = attack["steps"]
    if not rows:
        return None
    last = rows[-1]
    after = plural(len(rows), "variable", "variables")
    return Chart(
        title=f"{name_of(label, attack)}: after {after} "
        + _part(last["confirmed"], last["suspected"], "link", "links"),
        caption="Records that are linked to one intruder record only, after each variable.",
        alternative="Bars of linked records after each variable, and inside them of right ones.",
        spec=_nested(
            [(plain(row["variable"]), row["suspected"], row["confirmed"]) for row in rows],
            ("Suspected", "Confirmed"),
            "records",
        ),
        table=details.steps_table(label, rows),
    )


def _strata(label: str, attack: Results) -> Chart | None:
    """The strata with most confirmed records, or without the truth most suspected ones."""
    rows = [row for row in attack["by_stratum"] if not isinstance(row["stratum"], str)]
    if not rows:
        return None
    what = "suspected" if attack["confirmed"] is None else "confirmed"
    top = sorted(rows, key=lambda row: (-row[what], -row["suspected"]))[:SHOWN_STRATA]
    first = top[0]
    told = f"{name_of(label, attack)}: most {what} records lie in stratum {stratum_name(first)}, "
    told += count(first[what])
    if what == "confirmed" and first["conditional_rate"] is not None:
        told += (
            f" of {count(first['suspected'])} suspected, {percentage(first['conditional_rate'])}"
        )
    title = told if first[what] else f"{name_of(label, attack)}: no stratum has a {what} record"
    more = len(rows) > len(top)
    shown = f"The {len(top)} first of {count(len(rows))} strata" if more else "Strata"
    return Chart(
        title=title,
        caption=f"{shown}, most {what} records first. A small stratum with few records can have a "
        "high rate by chance.",
        alternative=f"Bars of suspected records by stratum, sorted by {what} records.",
        spec=_nested(
            [(stratum_name(row), row["suspected"], row["confirmed"]) for row in top],
            ("Suspected", "Confirmed"),
            "records",
        ),
        table=details.top_strata_table(label, top),
    )


def contribution(label: str, attack: Results, rows: Sequence[Results]) -> Chart:
    """What is found when one variable is left out, the lowest conditional rate first."""
    whole, *others = rows
    known = attack["confirmed"] is not None
    # An undefined rate means that nothing is suspected any more: none can be lower.
    least = sorted(others, key=lambda row: (row["conditional_rate"] or 0, row["suspected"]))
    first = plain(least[0]["variable"])
    title = f"{count(least[0]['suspected'])} records are suspected without {first}"
    if known:
        rates = [percentage(row["conditional_rate"]) for row in (least[0], whole)]
        title = f"without {first} the conditional rate is {rates[0]}, with all variables {rates[1]}"
    return Chart(
        title=f"{name_of(label, attack)}: {title}",
        caption="The attack again with one variable left out at a time, the lowest conditional "
        "rate first: there the variable contributes most. Variables that tell the same stand in "
        "for each other, so contributions do not add up.",
        alternative="Bars of suspected and confirmed records with all variables and without each.",
        spec=_nested(
            [(without(row), row["suspected"], row["confirmed"]) for row in (whole, *least)],
            ("Suspected", "Confirmed"),
            "records",
        ),
        table=details.contribution_table(label, rows),
    )


PICTURES: dict[str, Callable[[str, Results], Chart | None]] = {
    "scores": _scores,
    "ranks": _ranks,
    "ties": _ties,
    "orders": _orders,
    "steps": _steps,
    "strata": _strata,
}
