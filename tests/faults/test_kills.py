"""kill -9 at random moments of reading, scoring and writing: a resumed run gives the same bytes.

A sample; `make faults` kills every attack fifty times.
"""

import numpy as np
import pytest

from faults.killing import Case, kills, write_files

SAMPLE = {"taxicab, met": 4, "uniques, minimal sets": 3}


@pytest.mark.parametrize("name", SAMPLE)
def test_a_killed_run_goes_on_to_the_same_bytes(nursery, tmp_path, name):
    write_files(tmp_path)
    found = list(
        kills(Case(name, nursery, tmp_path), SAMPLE[name], np.random.default_rng(len(name)))
    )
    assert all(right for _, _, right in found), found
    assert any(parts for _, parts, _ in found), found
