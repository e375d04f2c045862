"""Memory that was let go is used again while a run goes on, and given back when it is told to."""

import ctypes
import subprocess
import sys

import pytest

from reident.engine import local

ROUNDS = """
import resource, sys
import numpy as np
from reident.engine import memory

def fresh():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt * memory.PAGE

def take_and_let_go():
    # Less than the sizes for which numpy asks for large pages, 27 MB in all.
    return len([np.ones(3_000_000, np.int8) for _ in range(9)])

if sys.argv[1] == "hold":
    memory.hold_on()
take_and_let_go()
before = fresh()
take_and_let_go()
again, held = fresh() - before, memory.taken()
memory.give_back()
print(again, held - memory.taken())
"""


def rounds(how):
    """Bytes of fresh pages in the second of two rounds, and bytes given back after it."""
    done = subprocess.run(
        [sys.executable, "-c", ROUNDS, how], capture_output=True, text=True, check=True
    )
    return map(int, done.stdout.split())


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="not of glibc")
def test_the_same_pages_serve_again_and_are_given_back_when_told():
    fresh, _ = rounds("as it is")
    again, given_back = rounds("hold")
    assert again < 2_000_000
    assert fresh > 15_000_000
    assert given_back > 15_000_000


def test_a_fold_holds_on_to_memory(monkeypatch):
    asked = []
    monkeypatch.setattr(local, "hold_on", lambda: asked.append(1))
    local.local()
    assert asked == [1]
