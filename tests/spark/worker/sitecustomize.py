"""Workers of these tests obey knobs in a file: to be slow, to differ, to fail, to be left alone.

Python imports this when it starts, if the folder is on its path.
"""

import json
import os
import time
from pathlib import Path

from reident.engine import remote

KNOBS = Path(os.environ["REIDENT_TEST_KNOBS"])
WORK, LIKENESS = remote.work, remote.likeness


def knobs():
    return json.loads(KNOBS.read_text()) if KNOBS.exists() else {}


def work(errand, group):
    asked = knobs()
    busy = KNOBS.with_name(f"{os.getpid()}.busy")
    busy.touch()
    try:
        time.sleep(asked.get("sleep", 0.0))
        if "fail" in asked:
            raise ValueError(asked["fail"])
        yield from WORK(errand, group)
    finally:
        busy.unlink()


def likeness():
    return "another machine" if "differ" in knobs() else LIKENESS()


remote.work, remote.likeness = work, likeness
