"""What the command line says: talk and errors on stderr, never a traceback, never a data value."""

from __future__ import annotations

import hashlib
import traceback

from rich.console import Console
from rich.text import Text

from reident.errors import InternalError, ReidentError
from reident.report.plain import plain

ISSUE = "This is a bug in reident, not in your study. Please report it with the id {id}."


def stderr() -> Console:
    """A console for talk."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def stdout() -> Console:
    """A console for results."""
    return Console(highlight=False, markup=False, emoji=False)


def say(text: str) -> None:
    """A line of talk."""
    stderr().print(plain(text))


def say_error(text: str) -> None:
    """A line that tells what is wrong."""
    stderr().print(Text.assemble(("error: ", "bold red"), plain(text)))


def say_notes(error: BaseException) -> None:
    """What was noted of an error on its way: that the run can be resumed."""
    for note in getattr(error, "__notes__", ()):
        say(note)


def failed(error: Exception) -> int:
    """Tell an error and return its exit code."""
    code = _told(error)
    say_notes(error)
    return code


def _told(error: Exception) -> int:
    if isinstance(error, ReidentError):
        for fault in error.faults:
            say_error(str(fault))
        if isinstance(error, InternalError):
            say_error(ISSUE.format(id=_report_id(error)))
        return error.exit_code
    if isinstance(error, OSError):
        say_error(f"{error.strerror or type(error).__name__}: {error.filename or 'no file named'}")
        return 1
    if isinstance(error, MemoryError):
        say_error("out of memory. Run fewer attacks at a time, or use a larger machine.")
        return 1
    say_error(f"{type(error).__name__}. {ISSUE.format(id=_report_id(error))}")
    return 1


def _report_id(error: Exception) -> str:
    """Names the place in the code, not the data that was there."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.name}:{frame.lineno}" for frame in frames]
    digest = hashlib.sha256(" ".join(places).encode()).hexdigest()[:8]
    return f"{digest} ({places[-1] if places else 'unknown'})"
