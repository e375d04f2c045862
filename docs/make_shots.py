# ruff: noqa: INP001  # a script beside the pages that show what it makes
"""Pictures of the demo's report for the docs, by playwright and an installed Chromium.

Run it from the repository after a change of how the report looks:

    python docs/make_shots.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from reident.cli import main
from reident.report.paper import browser

HERE = Path(__file__).resolve().parent
SIZES = {"desktop": (1100, 1000), "phone": (390, 1000)}
PARTS = {"light": "rates", "dark": "pictures"}
"""By day the beginning is shown, by night the pictures, so that four pictures show most of it."""


def shoot(page: Path, folder: Path) -> None:
    """Desktop and phone, light and dark."""
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        for name, (width, height) in SIZES.items():
            for scheme, part in PARTS.items():
                size = {"width": width, "height": height}
                context = chromium.new_context(viewport=size, color_scheme=scheme)
                tab = context.new_page()
                tab.goto(page.as_uri())
                if part != "rates":
                    tab.evaluate(f"document.getElementById('{part}').scrollIntoView()")
                tab.screenshot(path=folder / f"report-{name}-{scheme}.png")
                context.close()
        chromium.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(["demo", "--out", name, "--force"])
        shoot(Path(name) / "study.run" / "report.html", HERE / "img")
