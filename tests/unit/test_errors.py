"""Errors: a tree with exit codes, and messages made of where, what and remedy."""

import inspect

import pytest

from reident import errors
from reident.errors import DataError, Fault, ReidentError, SpecError

KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and issubclass(kind, ReidentError)
}


def test_every_error_is_a_reident_error_drawn_in_the_tree():
    drawn = errors.__doc__
    for name, kind in KINDS.items():
        assert name in drawn
        assert kind.__doc__
        if kind is not ReidentError:
            assert kind.__bases__ == (ReidentError,)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("SpecError", 2),
        ("DataError", 2),
        ("RefusalError", 2),
        ("CapacityError", 1),
        ("ChangedError", 1),
        ("AuditError", 1),
        ("InternalError", 1),
    ],
)
def test_the_exit_code_says_whose_fault_it_is(name, code):
    assert KINDS[name].exit_code == code
    [line] = [line for line in errors.__doc__.splitlines() if name in line]
    assert line.endswith(f"exit {code}")


def test_a_fault_says_where_what_and_what_to_do():
    fault = Fault(where="puf.csv, line 3", found="a NUL byte", remedy="Save it as text")
    assert str(fault) == "puf.csv, line 3: a NUL byte. Save it as text."


def test_an_error_tells_all_its_faults():
    faults = [Fault(where=where, found="wrong", remedy="Mend it") for where in "ab"]
    error = SpecError(*faults)
    assert error.faults == tuple(faults)
    assert str(error).splitlines() == ["a: wrong. Mend it.", "b: wrong. Mend it."]
    assert not issubclass(SpecError, DataError)
