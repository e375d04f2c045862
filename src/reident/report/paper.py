"""A page on paper: PDF by a Chromium that is installed, cut off from the network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from reident import disk
from reident.errors import CapacityError, Fault, SpecError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SECONDS = 120
FLAGS = (
    "--headless",
    # The page has its own marking and page numbers; the browser's would show where it lies.
    "--no-pdf-header-footer",
    # Nothing is fetched: no name is ever resolved, and the browser's own errands are off.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
)


def browser() -> str:
    """The path of an installed Chromium."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise SpecError(
            Fault(
                where="--pdf",
                found="no Chromium on this machine",
                remedy="Install one, or print report.html from any browser",
            )
        )
    return found


def pdf(page: str, scratch: Path) -> bytes:
    """The page as PDF, with its marking and page numbers; `scratch` holds the work meanwhile."""
    program = browser()
    with tempfile.TemporaryDirectory(dir=scratch, prefix=".pdf-") as name:
        home = Path(name).resolve()
        disk.write_text(home / "report.html", page)
        # The sandbox of Chromium refuses to start for root; the page runs no script anyway.
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        try:
            subprocess.run(  # noqa: S603  # a browser of this machine, flags of our own
                [
                    program,
                    *FLAGS,
                    *root,
                    f"--user-data-dir={home / 'profile'}",
                    f"--print-to-pdf={home / 'report.pdf'}",
                    (home / "report.html").as_uri(),
                ],
                check=True,
                capture_output=True,
                timeout=SECONDS,
                env={**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home)},
            )
            return (home / "report.pdf").read_bytes()
        except (OSError, subprocess.SubprocessError):
            raise CapacityError(
                Fault(
                    where="--pdf",
                    found="Chromium made no PDF",
                    remedy="Print report.html from any browser",
                )
            ) from None
