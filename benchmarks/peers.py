"""Peers from PyPI, each in an environment of its own under benchmarks/.peers.

An environment is made when it is first asked for and again when its versions change.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import child

FOLDER = Path(__file__).parent / ".peers"
PINNED = {
    "anonymeter": ("anonymeter==1.1.0", "numpy==1.26.4"),
    "sdmetrics": ("sdmetrics==0.32.0", "pandas==2.3.3"),
    "recordlinkage": ("recordlinkage==0.16", "pandas==2.3.3"),
    "scikit-learn": ("scikit-learn==1.9.1",),
    "polars": ("polars==2.1.0", "numpy==2.4.6"),
}
"""What each environment holds."""
LIMIT = 900.0


def python(name: str) -> Path:
    """The interpreter of a peer's environment, which is made if it is not there."""
    home = FOLDER / name
    stamp = home / "pinned.txt"
    pinned = "\n".join(PINNED[name])
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != pinned:
        shutil.rmtree(home, ignore_errors=True)
        child.run([sys.executable, "-m", "venv", str(home)], limit=LIMIT)
        quietly = ["--quiet", "--disable-pip-version-check"]
        command = [str(home / "bin" / "python"), "-m", "pip", "install", *quietly, *PINNED[name]]
        child.run(command, limit=LIMIT)
        stamp.write_text(pinned, encoding="utf-8")
    return home / "bin" / "python"
