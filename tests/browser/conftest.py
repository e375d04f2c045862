"""A real Chromium, and the pages it opens from disk."""

import copy
import json
import os
import shutil

import pytest

import reident as ri
from reident.cli import main
from reident.made_up import write_scenario
from reident.report import html, public
from reident.report.document import document
from report_results import HOSTILE

REQUIRED = "REIDENT_REQUIRE_BROWSER"


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, driven by playwright; without it the tests are skipped, and say so."""
    program = next((p for n in ("chromium", "google-chrome") if (p := shutil.which(n))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        why = "no Chromium, or no playwright, on this machine"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{why}, and {REQUIRED} is set")
        pytest.skip(why)
    with sync_playwright() as driver:
        # The sandbox of Chromium does not start for root, nor inside most containers.
        opened = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """A finished run of a made-up study with two metrics, limits and a marking."""
    folder = tmp_path_factory.mktemp("browser")
    write_scenario(folder, records=300, seed=3)
    ri.Study.read(folder / "study.toml").run_to(folder / "run", only=["unicity", "taxicab"])
    return folder / "run"


@pytest.fixture(scope="session")
def pages(run, tmp_path_factory):
    """The pages by name: of the run, for the public, of a search, of two runs, of the worst."""
    folder = tmp_path_factory.mktemp("pages")
    results = json.loads((run / "results.json").read_text())
    manifest = json.loads((run / "manifest.json").read_text())
    puf = str(run.parent / "puf.csv")
    asked = ["--vars", "SEX,RACE", "--key", "household,person", "--minimal", "2"]
    assert main(["uniques", puf, *asked, "--out", str(folder / "found")]) == 0
    assert main(["compare", str(run), str(run), "--out", str(folder / "beside.html")]) == 0
    for name, text in {
        "internal": html.render(document(results, manifest)),
        "public": html.render(public.document(results, manifest, 10)),
        "hostile": html.render(document(*hostile(results, manifest))),
        "many": html.render(document(many(results), manifest)),
    }.items():
        (folder / f"{name}.html").write_text(text)
    shutil.copy(folder / "found" / "report.html", folder / "uniques.html")
    return {path.stem: path for path in folder.glob("*.html")}


def many(results):
    """Twelve attacks and a thousand strata."""
    grown = copy.deepcopy(results)
    row = grown["attacks"]["taxicab"]["by_stratum"][0]
    for attack in grown["attacks"].values():
        attack["by_stratum"] = [
            row | {"stratum": {"ST": f"county number {place}"}} for place in range(1000)
        ]
    grown["attacks"] = {
        f"{label}-{place}": attack
        for place in range(6)
        for label, attack in grown["attacks"].items()
    }
    grown["limits"] = []
    return grown


def hostile(results, manifest):
    """Texts of other hands that try to act."""
    results, manifest = copy.deepcopy(results), copy.deepcopy(manifest)
    results |= {"title": HOSTILE, "marking": HOSTILE, "approval": HOSTILE, "strata": [HOSTILE]}
    results["variables"][0]["name"] = HOSTILE
    attack = results["attacks"].pop("taxicab")
    attack["by_stratum"][0]["stratum"] = {HOSTILE: HOSTILE}
    results["attacks"][HOSTILE] = attack
    results["limits"] = []
    manifest["inputs"]["puf"]["name"] = HOSTILE
    return results, manifest
