# ruff: noqa: INP001  # a script beside the pages that show what it makes
"""Pictures of the terminal for the docs: real commands, real answers, 100 columns wide.

Run it from the repository after a change of what the command line says:

    python docs/make_screens.py
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme

from reident.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
FIRST = HERE.parent / "examples" / "first"
WIDTH = 100
# Without the web fonts that rich would fetch: the docs are read offline.
FONTS = r"@font-face \{\{.*?\}\}\s*|<!--.*?-->\s*"
FORMAT = re.sub(FONTS, "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "Fira Code, monospace", "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
)
THEME = TerminalTheme(
    (255, 255, 255),
    (34, 34, 34),
    [(34, 34, 34), (168, 0, 0), (0, 106, 62), (138, 90, 0), (0, 73, 138), (110, 0, 110),
     (0, 100, 110), (90, 90, 90)],
)  # fmt: skip
"""Dark on white, every colour with a contrast of at least 4.5 to 1."""

FAULTY = {
    'title = "First': 'titel = "First',
    'path = "puf.csv"': 'path = "faulty.csv"',
    'key = "number"': 'key = "numbers"',
    'age  = "numeric"': 'age  = "numeric"\nrent = "numeric"',
    "[attacks.taxicab]": "[attacks.taxicab]\nmissing_score = 0",
    "sex  = { equal = 3 }": "sex  = { equal = 9 }",
}
"""What the faulty study has instead of the sound one."""


def screens() -> dict[str, str]:
    """Each picture by name, as SVG."""
    link = (
        "link puf.csv eif.csv --puf-key id --eif-key number --on age:numeric,sex,town,job "
        "--truth iuf.csv"
    )
    return {
        "demo": _screen("demo"),
        "link": _screen(link),
        "check": _screen("check faulty.toml"),
    }


def _screen(command: str) -> str:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), highlight=False, markup=False,
                      emoji=False)  # fmt: skip
    with _folder(), _talking_to(console):
        console.print(f"$ reident {command}", style="bold")
        code = main(shlex.split(command))
        console.print("$ echo $?", style="bold")
        console.print(str(code))
    picture = console.export_svg(
        title="reident", code_format=FORMAT, theme=THEME, unique_id=shlex.split(command)[0]
    )
    # A frame that shows on a white page too.
    return picture.replace("rgba(255,255,255,0.35)", "#8a8a8a")


@contextlib.contextmanager
def _folder() -> Iterator[None]:
    """A folder of its own with the first example and a faulty study; the old one afterwards."""
    old = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        for file in ("puf.csv", "eif.csv", "iuf.csv", "study.toml"):
            shutil.copy(FIRST / file, name)
        faulty = (FIRST / "study.toml").read_text()
        for sound, wrong in FAULTY.items():
            faulty = faulty.replace(sound, wrong)
        Path(name, "faulty.toml").write_text(faulty)
        puf = (FIRST / "puf.csv").read_text()
        Path(name, "faulty.csv").write_text(puf.replace(",42,", ",forty,").replace("p5", "p4"))
        os.chdir(name)
        try:
            yield
        finally:
            os.chdir(old)


@contextlib.contextmanager
def _talking_to(console: Console) -> Iterator[None]:
    """Let the command line print results and talk on one console, as a terminal shows them."""
    with (
        patch("reident.cli.talk.stdout", lambda: console),
        patch("reident.cli.talk.stderr", lambda: console),
        patch("reident.cli.progress.stderr", lambda: console),
        patch("reident.cli.study.compiled_before", lambda: True),
    ):
        yield


if __name__ == "__main__":
    folder = HERE / "img"
    folder.mkdir(exist_ok=True)
    for name, picture in screens().items():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
