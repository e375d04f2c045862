"""Pictures hold the numbers of the results, say what they show, and stay pictures."""

import builtins
import json
import re
from xml.etree import ElementTree as ET

import pytest

import reident as ri
from reident.report import drawing, pictures

HOSTILE = "<script>alert(1)</script>{{7*7}}\"'-->datum.value"
OF_TAXICAB = ["scores-taxicab", "ranks-taxicab", "ties-taxicab", "strata-taxicab"]


@pytest.fixture
def drawn(results):
    return pictures.charts(results)


def by(chart, *names):
    return [tuple(row[name] for name in names) for row in chart.data.iter_rows(named=True)]


def test_each_part_of_the_results_has_its_picture(drawn):
    assert list(drawn) == ["rates", "funnel", "orders-unicity", "strata-unicity", *OF_TAXICAB]


def test_pictures_hold_the_numbers_of_the_results(drawn, results):
    taxicab = results["attacks"]["taxicab"]
    low, high = taxicab["conditional_interval"]
    assert by(drawn["rates"], "label", "mark", "value", "low", "high", "baseline_confirmed")[
        4:
    ] == [
        ("Taxicab", "Suspected rate", 20.6, None, None, None),
        ("Taxicab", "Confirmed rate", 1.55, None, None, None),
        ("Taxicab", "Conditional rate", taxicab["conditional_rate"], low, high, None),
        ("Taxicab", "Blind guessing", None, None, None, taxicab["baseline_confirmed"]),
    ]
    assert by(drawn["funnel"], "label", "value")[4:] == [
        ("PUF", 2000), ("Compared", 1975), ("Suspected", 412), ("Confirmed", 31),
    ]  # fmt: skip
    assert by(drawn["ranks-taxicab"], "label", "kind", "value") == [
        ("rank 1", "Suspected pairs", 500), ("rank 1", "True pairs", 30),
        ("rank 2", "Suspected pairs", 104), ("rank 2", "True pairs", 2),
    ]  # fmt: skip
    assert by(drawn["ties-taxicab"], "label", "kind", "value") == [
        ("1 tied", "Kept", 300),
        ("more than 5 tied", "Cut: not suspected", 188),
    ]
    scores = drawn["scores-taxicab"].data
    assert scores["value"].to_list() == [
        *taxicab["histogram"]["truth"],
        *taxicab["histogram"]["suspected_false"],
        *taxicab["histogram"]["random_other"],
    ]


def test_titles_state_the_finding(drawn):
    assert [chart.title for chart in drawn.values()] == [
        "Taxicab is right most often: for 7.5 % of 412 suspected records",
        "Taxicab finds most: 31 of 2,000 records are confirmed",
        "Unicity exposes no record",
        "Unicity: most confirmed records lie in stratum 06, 20 of 300 suspected, 6.7 %",
        "Taxicab: most true pairs score 0 to 0.05, most suspected false ones 0 to 0.05",
        "Taxicab, rank 1: 30 of 500 pairs are right",
        "Taxicab: the cut at 5 leaves out 188 of 600 records with a pair within the threshold",
        "Taxicab: most confirmed records lie in stratum 06, 20 of 300 suspected, 6.7 %",
    ]


def test_strata_are_sorted_and_the_picture_stays_readable(results):
    row = results["attacks"]["taxicab"]["by_stratum"][0]
    results["attacks"]["taxicab"]["by_stratum"] = [
        row | {"stratum": {"state": str(place)}, "confirmed": place} for place in range(1000)
    ]
    chart = pictures.charts(results)["strata-taxicab"]
    assert chart.data["label"].unique(maintain_order=True).to_list() == [
        str(place) for place in range(999, 979, -1)
    ]
    assert "The 20 first of 1,000 strata" in chart.caption


def test_the_threshold_is_drawn(results):
    chart = pictures.charts(results)["scores-taxicab"]
    rules = [layer for layer in chart.spec["spec"]["layer"] if layer["mark"]["type"] == "rule"]
    assert [layer["encoding"]["x"] for layer in rules] == [{"datum": 0.25}]


def test_every_picture_is_svg_that_links_nowhere(drawn):
    for chart in drawn.values():
        root = ET.fromstring(chart.svg)  # noqa: S314  # our own picture
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert chart.svg.count("http") == 1
        assert "href" not in chart.svg
        assert not re.search(r"NaN|undefined|null|\[object", chart.svg)


def test_hostile_labels_stay_labels(results):
    attack = results["attacks"].pop("taxicab")
    attack["by_stratum"][0]["stratum"] = {"state": HOSTILE}
    results["attacks"][HOSTILE] = attack
    for chart in pictures.charts(results).values():
        assert "<script" not in chart.svg
        assert "<script" not in chart._repr_html_()
        ET.fromstring(chart.svg)  # noqa: S314  # our own picture


def test_without_truth_nothing_is_drawn_as_right(without_truth):
    drawn = pictures.charts(without_truth)
    assert drawn["ranks-taxicab"].data["kind"].unique().to_list() == ["Suspected pairs"]
    assert drawn["scores-taxicab"].data["kind"].unique().to_list() == ["Other pairs (sample)"]
    assert drawn["rates"].title == "Taxicab suspects most: 412"
    assert drawn["funnel"].title == "412 of 2,000 records are suspected by Taxicab"
    assert all("right" not in chart.title for chart in drawn.values())
    assert "Confirmed" not in drawn["funnel"].data["label"].to_list()


def test_nothing_suspected_is_said(results):
    del results["attacks"]["taxicab"]
    drawn = pictures.charts(results)
    assert drawn["rates"].title == "No attack suspects a record"
    assert drawn["funnel"].title == "No attack finds any of 2,000 records"
    assert drawn["rates"].svg


def test_the_same_picture_is_drawn_once(drawn):
    drawing._svg.cache_clear()
    assert drawn["rates"].svg == drawn["rates"].svg
    assert drawing._svg.cache_info()[:2] == (1, 1)


def test_specs_are_plain_and_sound_vega_lite(drawn):
    alt = pytest.importorskip("altair", reason="comes with the extra dev")

    for chart in drawn.values():
        assert json.loads(json.dumps(chart.spec)) == chart.spec
        made = chart.altair()  # held against the schema of Vega-Lite
        assert isinstance(made, alt.TopLevelMixin)


def test_without_altair_the_error_names_the_extra(drawn, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "altair":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ri.SpecError, match=r"Install reident\[altair\]"):
        drawn["rates"].altair()
