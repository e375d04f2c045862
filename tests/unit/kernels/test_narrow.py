"""Whole numbers in few bytes are the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reident.kernels.narrow import narrowed


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_numbers_stay_what_they_are(numbers):
    small = narrowed(np.array(numbers, np.int64))
    assert small.tolist() == numbers
    assert np.issubdtype(small.dtype, np.signedinteger)


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([], np.int8),
        ([127, -128], np.int8),
        ([128], np.int16),
        ([-129], np.int16),
        ([2**15], np.int32),
        ([2**31 - 1], np.int32),
        ([2**31], np.int64),
    ],
)
def test_the_type_is_the_narrowest(numbers, kind):
    assert narrowed(np.array(numbers, np.int64)).dtype == kind
