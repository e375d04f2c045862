"""The pictures of a study, by name; across all attacks here, of one in `attack_pictures`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import drawing
from reident.report.attack_pictures import contribution, of_attack
from reident.report.cells import factor, numbers, rate
from reident.report.charts import Chart
from reident.report.details import funnel_table
from reident.report.figures import count, percentage, plural
from reident.report.sections import Cell, Column, Table
from reident.report.sentences import name_of
from reident.report.worth import utility_chart

if TYPE_CHECKING:
    from collections.abc import Mapping

    Results = Mapping[str, Any]

LANES = {
    "suspected_rate": "Suspected rate",
    "confirmed_rate": "Confirmed rate",
    "conditional_rate": "Conditional rate",
}
BLIND = "Blind guessing"
SHAPES = ["square", "diamond", "circle", "M0,-1.4V1.4"]
"""Told apart by shape, in the order of LANES, and a stroke for blind guessing."""
COLOURS = [drawing.SKY, drawing.GREEN, drawing.BLUE, drawing.ORANGE]


def charts(results: Results) -> dict[str, Chart]:
    """All pictures that the results allow, by name; those of an attack end in its label."""
    found = {"rates": rates(results), "funnel": funnel(results)}
    # Contributions are asked for after a run, so results.json itself has none.
    asked = results.get("contribution", {})
    for label, attack in results["attacks"].items():
        found |= {f"{name}-{label}": chart for name, chart in of_attack(label, attack).items()}
        if label in asked:
            found[f"contribution-{label}"] = contribution(label, attack, asked[label])
    if results["utility"] is not None:
        found["utility"] = utility_chart(results["utility"])
    return found


# Rates by attack ----------------------------------------------------------------------------------


def rates(results: Results) -> Chart:
    """The three rates of each attack as marks, the interval, and what blind guessing reaches."""
    values = [row for named in results["attacks"].items() for row in _lanes(*named)]
    # A legend of marks that are there.
    blind = any("suspected" in row for row in values)
    names = [*LANES.values(), *([BLIND] if blind else [])]
    across = {
        "type": "quantitative",
        "title": "percent",
        "axis": {"tickCount": 5},
        "scale": {"zero": True, "nice": True},
    }
    legend = {"title": None, "orient": "top", "columns": 2}
    scale = {"domain": names}
    return Chart(
        title=_rates_title(results),
        caption="Suspected and confirmed are shares of all records; the conditional rate is the "
        "share of suspected records that are right, with its 95 % interval as a line. Blind "
        "guessing is what a guesser without knowledge reaches, as a share of the suspected.",
        alternative="Marks of the three rates of each attack, with intervals and blind guessing.",
        spec=drawing.spec(
            values,
            transform=[
                # Where a mark is drawn; the table holds the number that the results hold.
                {
                    "calculate": "datum.mark == 'Blind guessing' ? "
                    "100 * datum.baseline_confirmed / datum.suspected : datum.value",
                    "as": "at",
                }
            ],
            width=drawing.WIDTH,
            height={"step": 15},
            encoding={
                "y": drawing.labels(),
                "yOffset": {"field": "lane", "sort": list(LANES.values())},
            },
            layer=[
                {
                    "transform": [{"filter": "isValid(datum.low)"}],
                    "mark": {"type": "rule", "strokeWidth": 2},
                    "encoding": {"x": {"field": "low", **across}, "x2": {"field": "high"}},
                },
                {
                    "transform": [{"filter": "isValid(datum.at)"}],
                    "mark": {"type": "point", "filled": True, "opacity": 1, "size": 70},
                    "encoding": {
                        "x": {"field": "at", **across},
                        "shape": {
                            "field": "mark",
                            "sort": None,
                            "legend": legend,
                            "scale": scale | {"range": SHAPES},
                        },
                        "color": {
                            "field": "mark",
                            "sort": None,
                            "legend": legend,
                            "scale": scale | {"range": COLOURS},
                        },
                        "stroke": {
                            "condition": {
                                "test": "datum.mark == 'Blind guessing'",
                                "value": drawing.INK,
                            },
                            "value": None,
                        },
                        "strokeWidth": {"value": 3},
                    },
                },
            ],
        ),
        table=_rates_table(results),
    )  # fmt: skip


def _lanes(label: str, attack: Results) -> list[dict[str, Any]]:
    name = name_of(label, attack)
    low, high = attack["conditional_interval"] or (None, None)
    marks = [
        {"label": name, "lane": shown, "mark": shown, "value": attack[rate_name]}
        for rate_name, shown in LANES.items()
    ]
    marks[-1] |= {"low": low, "high": high}
    blind = {"label": name, "lane": LANES["conditional_rate"], "mark": BLIND, "value": None}
    if attack["baseline_confirmed"] is not None and attack["suspected"]:
        blind |= {name: attack[name] for name in ("baseline_confirmed", "suspected")}
    return [*marks, blind]


def _rates_title(results: Results) -> str:
    attacks = results["attacks"]
    known = {label: one for label, one in attacks.items() if one["conditional_rate"] is not None}
    if known:
        label = max(known, key=lambda one: known[one]["conditional_rate"])
        most = attacks[label]
        return (
            f"{name_of(label, most)} is right most often: for "
            f"{percentage(most['conditional_rate'])} of "
            f"{plural(most['suspected'], 'suspected record', 'suspected records')}"
        )
    label = max(attacks, key=lambda one: attacks[one]["suspected"])
    if not attacks[label]["suspected"]:
        return "No attack suspects a record"
    return f"{name_of(label, attacks[label])} suspects most: {count(attacks[label]['suspected'])}"


def _rates_table(results: Results) -> Table:
    return Table(
        name="rates-picture",
        caption="Rates by attack, in percent; blind guessing in records",
        columns=(
            Column(title="Attack"),
            *numbers(*LANES.values(), "Interval from", "Interval to", "Blind guessing"),
        ),
        rows=tuple(
            (
                Cell(text=name_of(label, attack)),
                *(rate(attack[name]) for name in LANES),
                *(rate(end) for end in attack["conditional_interval"] or (None, None)),
                factor(attack["baseline_confirmed"]),
            )
            for label, attack in results["attacks"].items()
        ),
    )


# The way of the records ---------------------------------------------------------------------------


def funnel(results: Results) -> Chart:
    """From the file to a confirmed link, for each attack."""
    steps = {"Compared": "compared", "Suspected": "suspected", "Confirmed": "confirmed"}
    values = []
    for label, attack in results["attacks"].items():
        rows = {"PUF": results["puf_records"]} | {name: attack[key] for name, key in steps.items()}
        values += [
            {"attack": name_of(label, attack), "label": name, "value": value, "text": count(value)}
            for name, value in rows.items()
            if value is not None
        ]
    return Chart(
        title=_funnel_title(results),
        caption="PUF: records of the public-use file. Compared: those that met an intruder record. "
        "Suspected: linked to at least one. Confirmed: one of these links is true.",
        alternative="Bars of the records that are left after each step, for each attack.",
        spec=drawing.spec(
            values,
            facet={
                "field": "attack",
                "sort": list(dict.fromkeys(row["attack"] for row in values)),
                "title": None,
                "header": {"labelAnchor": "start", "labelPadding": 2},
            },
            columns=1,
            spacing=6,
            spec={
                "width": drawing.WIDTH,
                "height": {"step": drawing.STEP},
                "encoding": {"y": drawing.labels(), "x": drawing.along("records")},
                "layer": [
                    {"mark": {"type": "bar", "color": drawing.BLUE}},
                    drawing.ends(),
                ],
            },
        ),
        table=funnel_table(results),
    )


def _funnel_title(results: Results) -> str:
    attacks = results["attacks"]
    known = {label: one for label, one in attacks.items() if one["confirmed"] is not None}
    of = f"of {plural(results['puf_records'], 'record', 'records')}"
    if not known:
        label = max(attacks, key=lambda one: attacks[one]["suspected"])
        name = name_of(label, attacks[label])
        return f"{count(attacks[label]['suspected'])} {of} are suspected by {name}"
    label = max(known, key=lambda one: known[one]["confirmed"])
    most = known[label]["confirmed"]
    if not most:
        return f"No attack finds any {of}"
    return f"{name_of(label, known[label])} finds most: {count(most)} {of} are confirmed"
