"""The pages in a real Chromium, opened from disk: whole, quiet, reachable, readable, printable."""

import re
import shutil
import subprocess

import pytest

from reident.report import paper
from report_results import HOSTILE

SECTIONS = [
    "rates", "limits", "intruder", "strata", "pictures", "notes", "cannot-show", "methods",
    "certificate", "glossary",
]  # fmt: skip
PAGES = ["internal", "public", "uniques", "beside"]
SCHEMES = ["light", "dark"]


@pytest.fixture
def opened(browser, pages):
    """Open a page by name; what it says on the console or fetches is kept in `heard`."""
    contexts = []

    def open_page(name, *, width=1200, height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.heard = []
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.on("dialog", lambda dialog: page.heard.append(dialog.message))
        page.on("request", lambda request: page.heard.append(request.url))
        page.goto(pages[name].as_uri())
        assert page.heard.pop(0) == pages[name].as_uri()
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", ["internal", "public"])
def test_every_section_is_there_and_can_be_reached(opened, name):
    page = opened(name)
    assert page.locator("main > section").evaluate_all("all => all.map(one => one.id)") == SECTIONS
    for section in SECTIONS:
        page.locator(f'nav a[href="#{section}"]').click()
        assert page.evaluate("location.hash") == f"#{section}"
        assert page.locator(f"#{section} h2").is_visible()
    assert page.heard == []


@pytest.mark.parametrize("name", [*PAGES, "hostile", "many"])
def test_the_page_is_quiet_and_fetches_nothing(opened, name):
    page = opened(name)
    page.wait_for_load_state("networkidle")
    assert page.heard == []


def test_hostile_texts_are_shown_and_do_nothing(opened):
    page = opened("hostile")
    assert page.title() == f"{HOSTILE}: {HOSTILE}"
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator("script, img, iframe, object, embed, link").count() == 0
    assert "{{7*7}}" in page.locator("#intruder").inner_text()
    assert page.heard == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(opened, name, scheme):
    from axe_playwright_python.sync_playwright import Axe

    # The page forbids itself all scripts, so axe needs a way past that.
    page = opened(name, color_scheme=scheme, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    # By night nothing but the colours differs.
    rules = {"runOnly": ["color-contrast"]} if scheme == "dark" else None
    found = Axe().run(page, options=rules)
    assert found.violations_count == 0, found.generate_report()


def test_the_keyboard_reaches_everything_and_opens_the_numbers(opened):
    page = opened("internal")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#rates"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    summary = page.locator("summary").first
    hidden = page.locator("details table").first
    assert not hidden.is_visible()
    for _ in range(60):
        if summary.evaluate("one => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert hidden.is_visible()


@pytest.mark.parametrize("width", [640, 320])
@pytest.mark.parametrize("name", [*PAGES, "many"])
def test_at_twice_the_size_nothing_scrolls_sideways(opened, name, width):
    """1280 pixels at 200 % are 640; 320 are 400 %, which WCAG asks for."""
    page = opened(name, width=width, height=512, device_scale_factor=2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = "all => all.filter(one => one.getBoundingClientRect().right > innerWidth + 1).length"
    assert page.locator(".drawn svg, h1, h2, h3, h4, p").evaluate_all(wide) == 0


def test_it_prints_with_marking_and_page_numbers(browser, pages, tmp_path):
    assert browser.is_connected()
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("no pdftotext on this machine to read the PDF with")
    path = tmp_path / "report.pdf"
    path.write_bytes(paper.pdf(pages["internal"].read_text(), tmp_path))
    text = subprocess.run(
        [reader, "-layout", path, "-"], check=True, capture_output=True, text=True
    ).stdout
    sheets = text.split("\f")[:-1]
    assert len(sheets) > 3
    for number, sheet in enumerate(sheets, start=1):
        assert sheet.count("EXAMPLE") >= 2
        assert re.search(rf"\b{number} / {len(sheets)}\b", sheet)
    assert str(tmp_path) not in text
    # On paper nothing can be opened, so the numbers of pictures are open.
    assert "Pairs by score, threshold" in text
    assert [one.name for one in tmp_path.iterdir()] == ["report.pdf"]


def test_twelve_attacks_and_a_thousand_strata_stay_under_three_megabytes(pages):
    assert pages["many"].stat().st_size < 3_000_000
