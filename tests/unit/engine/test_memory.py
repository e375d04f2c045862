"""Memory that was let go is used again while a run goes on, and given back when it is told to."""

import subprocess
import sys

ROUNDS = """
import resource, sys
import numpy as np
from reident.engine import memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def take_and_let_go():
    # Less than the sizes for which numpy asks for large pages, 57 MB in all.
    return len([np.ones(3_000_000, np.int8) for _ in range(19)])

if sys.argv[1] == "hold":
    memory.hold_on()
take_and_let_go()
before = faults()
take_and_let_go()
again, held = faults() - before, memory.taken()
memory.give_back()
print(again, held - memory.taken())
"""


def rounds(how):
    """Pages asked for by the second of two rounds, and bytes given back after it."""
    done = subprocess.run(
        [sys.executable, "-c", ROUNDS, how], capture_output=True, text=True, check=True
    )
    return map(int, done.stdout.split())


def test_the_same_pages_serve_again_and_are_given_back_when_told():
    fresh, _ = rounds("as it is")
    again, given_back = rounds("hold")
    assert again < 500
    assert fresh > 5_000
    assert given_back > 40_000_000
