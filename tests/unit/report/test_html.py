"""The page says what results.json says, in order, and nothing in it acts."""

import re

import pytest

from read_page import Page
from reident.report.document import document
from reident.report.html import render

HOSTILE = "<script>alert(1)</script>{{7*7}}\"'--></style></title><img src=x onerror=y>"
RATES = (
    "suspected",
    "suspected_rate",
    "confirmed",
    "confirmed_rate",
    "conditional_rate",
    None,
    None,
    "baseline_confirmed",
    "lift",
)


@pytest.fixture
def text(results, manifest):
    return render(document(results, manifest))


@pytest.fixture
def page(text):
    return Page(text)


def expected(attack):
    ends = iter(attack["conditional_interval"] or (None, None))
    return [attack[name] if name else next(ends) for name in RATES]


def test_every_number_of_the_rates_table_is_the_one_of_the_results(page, results):
    header, *rows = page.tables["rates"]
    assert len(header) == 1 + len(RATES)
    assert len(rows) == len(results["attacks"])
    for row, attack in zip(rows, results["attacks"].values(), strict=True):
        assert [cell["value"] for cell in row[1:]] == expected(attack)
        for cell in row[1:]:
            if cell["value"] is None:
                assert cell["text"] == "-"
            else:
                shown = float(cell["text"].removesuffix(" %").replace(",", ""))
                assert shown == pytest.approx(cell["value"], abs=0.0501)


def test_strata_ranks_orders_and_agreement_are_those_of_the_results(page, results):
    taxicab = results["attacks"]["taxicab"]
    rows = page.tables["strata-taxicab"][1:]
    assert [row[0]["text"] for row in rows] == ["06", "other (7 strata)"]
    assert [row[-1]["value"] for row in rows] == [
        row["conditional_rate"] for row in taxicab["by_stratum"]
    ]
    assert [[cell["value"] for cell in row[1:]] for row in page.tables["ranks-taxicab"][1:]] == [
        [row["pairs"], row["confirmed"]] for row in taxicab["by_rank"]
    ]
    assert [row[0]["text"] for row in page.tables["orders-unicity"][1:]] == ["1", "above"]
    assert [cell["value"] for cell in page.tables["agreement"][1][2:]] == [900, 200, 100, 10]
    assert len(page.tables["scores-taxicab"]) == 21


def test_sections_stand_in_the_order_of_a_board_reading_them(text):
    names = [
        "rates", "limits", "intruder", "strata", "pictures", "notes", "cannot-show", "methods",
        "certificate", "glossary",
    ]  # fmt: skip
    assert re.findall(r'<section id="([^"]+)"', text) == names
    assert text.index("CONFIDENTIAL") < text.index("DRB-2026-17") < text.index('id="rates"')


def test_headings_descend_by_one_and_landmarks_are_there(page):
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    steps = zip(page.headings, page.headings[1:], strict=False)
    assert all(below <= above + 1 for above, below in steps)
    for tag in ("header", "main", "nav", "footer"):
        assert page.tags.count(tag) == 1
    assert page.tags.count("caption") == page.tags.count("table")
    assert ("lang", "en") in page.attributes


def test_cells_have_scopes_and_ids_are_unique(page):
    for table in page.tables.values():
        assert {cell["scope"] for cell in table[0]} == {"col"}
        assert all(row[0]["scope"] == "row" for row in table[1:])
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    told = [value for name, value in page.attributes if name == "aria-labelledby"]
    assert set(told) <= set(ids)


def test_the_page_needs_nothing_from_outside_and_forbids_itself_scripts(text, page):
    assert not {"script", "img", "link", "iframe", "object", "form", "base"} & set(page.tags)
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name != "src"
        if name == "href":
            assert value.startswith("#")
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_the_style_sheet_is_the_one_the_page_lets_in(text):
    import base64
    import hashlib

    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in text.replace("&#39;", "'")


def test_the_marking_is_printed_on_every_page(text):
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    assert "header { display: table-header-group; break-inside: avoid; }" in style
    told = re.search(r'@bottom-center \{ content: "([^"]*)"', style)[1]
    assert "".join(chr(int(part, 16)) for part in told.split("\\")[1:]) == "CONFIDENTIAL"


def test_without_marking_approval_or_title_nothing_empty_is_shown(results, manifest):
    results |= {"title": "", "marking": None, "approval": None}
    page = Page(render(document(results, manifest)))
    assert "header" not in page.tags
    assert "Re-identification study" in page.texts


def test_hostile_texts_stay_texts(results, manifest):
    results |= {"title": HOSTILE, "marking": HOSTILE + "\\", "approval": HOSTILE}
    results["strata"] = [HOSTILE]
    results["notes"].append({"code": HOSTILE, "text": HOSTILE, "count": None, "first": False})
    results["variables"][0]["name"] = HOSTILE
    taxicab = results["attacks"].pop("taxicab")
    taxicab["by_stratum"][0]["stratum"] = {HOSTILE: HOSTILE}
    taxicab["options"][HOSTILE] = HOSTILE
    results["attacks"][HOSTILE] = taxicab
    results["limits"][0]["attack"] = HOSTILE
    manifest["inputs"]["puf"]["name"] = HOSTILE
    manifest["versions"][HOSTILE] = HOSTILE
    page = Page(render(document(results, manifest)))
    assert not {"script", "img"} & set(page.tags)
    assert page.tags.count("style") == page.tags.count("title") == 1
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert any(HOSTILE in told for told in page.texts)


def test_without_truth_no_rate_is_made_up(without_truth, manifest):
    page = Page(render(document(without_truth, manifest)))
    taxicab = page.tables["rates"][2]
    assert [cell["value"] for cell in taxicab[1:]] == [412, 20.6, *[None] * 7]
    assert page.values("links")[1] == [604, None, None]
    assert "because no truth file was given" in " ".join(page.texts)


def test_an_exceeded_limit_is_stated_first_and_in_words(results, manifest):
    results["limits"][0] |= {"limit": 5.0, "exceeded": True}
    text = render(document(results, manifest))
    first = text.index("1 of 2 agreed limits is exceeded.")
    assert first < text.index('class="finding"')
    assert 'class="exceeded">Exceeded: the conditional rate of Taxicab is 7.5 %' in text


def test_notes_that_change_the_rates_are_stated_before_them(text):
    assert text.index("The IUF holds 40 unknown EIF keys.") < text.index('class="finding"')


def test_the_certificate_names_files_hashes_versions_seed_and_minutes(page):
    files = page.tables["inputs"]
    assert [cell["text"] for cell in files[1]] == [
        "Public-use file", "puf.csv", "2,000", "ab" * 32,
    ]  # fmt: skip
    assert files[2][3]["text"] == "in memory, no file"
    run = {row[0]["text"]: row[1]["text"] for row in page.tables["run"][1:]}
    assert run["seed"] == "20261115"
    assert run["reident"] == "0.1.0"
    assert run["minutes, without writing"] == "1.00"


def test_many_strata_keep_the_page_small(results, manifest):
    row = results["attacks"]["taxicab"]["by_stratum"][0]
    for attack in results["attacks"].values():
        attack["by_stratum"] = [
            row | {"stratum": {"state": f"stratum number {place}"}} for place in range(1000)
        ]
    text = render(document(results, manifest))
    assert len(text) < 250_000
    assert "largest of 1,000 rows are shown" in text


def test_it_never_says_that_word(text, without_truth, manifest):
    assert "safe" not in text.lower()
    assert "safe" not in render(document(without_truth, manifest)).lower()
