"""For random results every number of the page is the one that results.json holds."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings

from read_page import Page
from reident.report.document import document
from reident.report.html import render
from report_results import MANIFEST, studies

STRATUM = ("puf_records", "eif_records", "suspected", "confirmed", "suspected_rate",
           "confirmed_rate", "conditional_rate")  # fmt: skip
AGREEMENT = ("equal", "different", "missing_puf", "missing_eif")


def tables(results):
    """Every table of numbers that the page must hold, from the content of results.json alone."""
    attacks = results["attacks"].items()
    puf = results["puf_records"]
    ends = {label: one["conditional_interval"] or [None, None] for label, one in attacks}
    made = {
        "rates": [
            [one["suspected"], one["suspected_rate"], one["confirmed"], one["confirmed_rate"],
             one["conditional_rate"], *ends[label], one["baseline_confirmed"], one["lift"]]
            for label, one in attacks
        ],
        "links": [[one["pairs"], one["pair_precision"], one["recall"]] for _, one in attacks],
        "rates-picture": [
            [one["suspected_rate"], one["confirmed_rate"], one["conditional_rate"], *ends[label],
             one["baseline_confirmed"]]
            for label, one in attacks
        ],
        "funnel": [[puf, one["compared"], one["suspected"], one["confirmed"]]
                   for _, one in attacks],
        "agreement": [[None, *(row[name] for name in AGREEMENT)]
                      for row in results["true_pair_agreement"]] or [[None]],
    }  # fmt: skip
    for label, one in attacks:
        made |= {name: rows for name, rows in _of_attack(label, one).items() if rows}
    return made


def _of_attack(label, one):
    held = one["histogram"]
    kinds = ("truth", "suspected_false", "random_other")
    what = "suspected" if one["confirmed"] is None else "confirmed"
    top = sorted(one["by_stratum"], key=lambda row: (-row[what], -row["suspected"]))
    return {
        f"strata-{label}": [[row[name] for name in STRATUM] for row in one["by_stratum"]],
        f"top-strata-{label}": [
            [row["suspected"], row["confirmed"], row["conditional_rate"]] for row in top
        ],
        f"ranks-{label}": [[row["pairs"], row["confirmed"]] for row in one["by_rank"]],
        f"first-{label}": [[row["records"]] for row in one["first_rank_sizes"]]
        if one["passing_records"]
        else [],
        f"orders-{label}": [[row["suspected"], row["confirmed"]] for row in one["by_order"]],
        f"readings-{label}": [[row["suspected"], row["confirmed"]] for row in one["readings"]],
        f"uniques-{label}": [[n] for n in (one["uniques"] or {}).values()],
        f"steps-{label}": [
            [row["candidates"], row["suspected"], row["confirmed"], row["confirmed_rate"]]
            for row in one["steps"]
        ],
        f"scores-{label}": [
            [None if held[kind] is None else held[kind][bar] for kind in kinds]
            for bar in range(held["bins"])
        ]
        if held
        else [],
    }


@pytest.mark.usefixtures("undrawn")
@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(results=studies())
def test_every_number_of_the_page_equals_the_results(results):
    results = json.loads(json.dumps(results))
    page = Page(render(document(results, MANIFEST)))
    wanted = tables(results)
    words = {name for name in page.tables if name.startswith("options-")} | {"inputs", "run"}
    assert set(page.tables) - words == set(wanted)
    for name, rows in wanted.items():
        assert page.values(name) == rows, name
    shown = sum(cell is not None for rows in wanted.values() for row in rows for cell in row)
    apart = _large_print(results)
    records = [file["records"] for file in MANIFEST["inputs"].values()]
    assert len(page.figures) == shown + len(apart) + len(records)
    assert page.figures[: len(apart)] == apart


def _large_print(results):
    """The rates that stand before any table, in their order."""
    return [
        one[name]
        for one in results["attacks"].values()
        for name in ("conditional_rate", "suspected_rate", "confirmed_rate")
        if one[name] is not None
    ]


@pytest.mark.usefixtures("undrawn")
@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(results=studies())
def test_what_is_shown_is_the_number_rounded(results):
    page = Page(render(document(results, MANIFEST)))
    for rows in page.tables.values():
        for cell in (cell for row in rows for cell in row if cell["value"] is not None):
            shown = float(cell["text"].removesuffix(" %").replace(",", ""))
            assert shown == pytest.approx(cell["value"], abs=0.0501)
            assert (shown == 0) == (cell["value"] == 0)


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-\d+)?")


def _said(one, records):
    """The numbers of the sentence on an attack, in their order."""
    if not one["suspected"]:
        return [records]
    said = [one["suspected"], records, one["suspected_rate"]]
    if one["confirmed"] is None:
        return said
    said += [one["confirmed"]] if one["confirmed"] else []
    said += [one["conditional_rate"], 95, *(one["conditional_interval"] or ())]
    if one["expected_confirmed"] is not None:
        said += [one["expected_confirmed"], one["expected_rate"]]
    return said + ([one["baseline_confirmed"]] if one["baseline_confirmed"] else [])


@pytest.mark.usefixtures("undrawn")
@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(results=studies())
def test_the_numbers_of_sentences_are_those_of_the_results(results):
    page = Page(render(document(results, MANIFEST)))
    sentences = [text for text in page.texts if re.search(r" suspects (none|[\d,]+) of ", text)]
    assert len(sentences) == len(results["attacks"])
    for text, one in zip(sentences, results["attacks"].values(), strict=True):
        _, _, told = text.partition(" suspects ")
        shown = [float(number.replace(",", "")) for number in NUMBER.findall(told)]
        assert shown == pytest.approx(_said(one, results["puf_records"]), abs=0.0501), told
