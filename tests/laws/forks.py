"""Try changes of the source in forks of one session of pytest: a second for each, not ten.

Kernels run as plain Python, so that a function is changed by giving it other code, whoever has
imported it. The session collects the tests once; a first fork runs them all and sees which lines
each of them reaches and how long it takes; every change is then tried in a fork of its own, by
those tests alone that reach its line.
"""

from __future__ import annotations

import gc
import hashlib
import json
import math
import os
import resource
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, NamedTuple

import coverage
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MOST = float(os.environ.get("SWEEP_SECONDS", "60"))
"""Seconds of tests, as they take on the sound source, after which a change has survived."""
LEARNT = Path(".reach.json")
"""What the tests reach is found out again when any of the sources or tests has changed."""
PATIENCE = 5
"""Times as long as on the sound source may a test take, and some seconds, of the processor's time;
what takes longer never ends."""
MEMORY = 6 << 30
SURVIVED, KILLED = 0, 1
ENDLESS, STUCK = "never ended", "STUCK"
"""Much time of the processor is the doing of the change; much waiting, or an end of the session
itself, is a fault of the attempt."""


class Reach(NamedTuple):
    """Seconds of each test, and the tests that reach each line of each file."""

    seconds: dict[str, float]
    tests: dict[str, dict[str, list[str]]]

    def of(self, file: str, lines: range) -> list[str]:
        """Tests that reach one of the lines."""
        here = self.tests[file]
        return list(dict.fromkeys(test for line in lines for test in here.get(str(line), [])))


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code of every function in a module's."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes(constant)


def put_in_place(file: str, module: CodeType) -> None:
    """Give every living function of a file its code in a changed module."""
    new = {(code.co_qualname, code.co_firstlineno): code for code in codes(module)}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == file:
            code = function.__code__
            function.__code__ = new.get((code.co_qualname, code.co_firstlineno), code)


class Forks:
    """A plugin of pytest that runs `task` in the place of the tests that were collected."""

    def __init__(self, task: Callable[[Forks], None], files: Sequence[Path]) -> None:
        self._task, self._files = task, [str(file) for file in files]
        self._kills: dict[str, Counter[str]] = {file: Counter() for file in self._files}

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """A failing example is not made smaller, and a slow machine is no failure."""
        from hypothesis import HealthCheck, Phase, settings  # its plugin wants to come first

        settings.register_profile(
            "hasty",
            deadline=None,
            derandomize=True,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Learn what the tests reach, then do the task."""
        self._session = session
        self._items = {item.nodeid: item for item in session.items}
        self._reach = self._learnt()
        self._task(self)
        return True

    def outcome(self, file: str, lines: range, module: CodeType) -> str:
        """How a changed module fares: the test that fails, ENDLESS, STUCK or nothing."""
        chosen, total = [], 0.0
        kills, seconds = self._kills[file], self._reach.seconds
        for test in sorted(self._reach.of(file, lines), key=lambda t: (-kills[t], seconds[t])):
            # One at least, however long it takes.
            if not chosen or total + seconds[test] < MOST:
                chosen.append(test)
                total += seconds[test]
        status, said = _in_a_fork(
            lambda: (put_in_place(file, module), self._first_failing(chosen))[1], 60 + 20 * total
        )
        if os.WIFSIGNALED(status):
            died = os.WTERMSIG(status)
            ends = {signal.SIGPROF: ENDLESS, signal.SIGALRM: STUCK}
            return ends.get(signal.Signals(died), f"signal {died}")
        if status:
            return STUCK
        if said:
            kills[said] += 1
        return said

    def _first_failing(self, tests: Sequence[str]) -> str:
        for test, then in zip(tests, [*tests[1:], None], strict=True):
            signal.setitimer(signal.ITIMER_PROF, 3 + PATIENCE * self._reach.seconds[test])
            if self._fails(test, then):
                return test
        return ""

    def _fails(self, test: str, then: str | None) -> bool:
        before = self._session.testsfailed
        item = self._items[test]
        following = None if then is None else self._items[then]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return self._session.testsfailed > before

    def _learnt(self) -> Reach:
        digest = self._digest()
        if LEARNT.exists() and (kept := json.loads(LEARNT.read_text()))["digest"] == digest:
            return Reach(kept["seconds"], kept["tests"])
        status, said = _in_a_fork(self._learn, 3600)
        if status or not said.startswith("{"):
            raise RuntimeError(f"a test fails on the sound source: {said or status}")
        LEARNT.write_text(json.dumps(json.loads(said) | {"digest": digest}))
        return Reach(**json.loads(said))

    def _digest(self) -> str:
        """Of the sources, of the tests, and of which tests and files are asked for."""
        digest = hashlib.sha256(repr((list(self._items), self._files)).encode())
        for path in sorted(
            path for folder in ("src", "tests") for path in Path(folder).rglob("*.py")
        ):
            if path.name not in {"forks.py", "sweep.py"}:
                digest.update(path.read_bytes())
        return digest.hexdigest()

    def _learn(self) -> str:
        seen = coverage.Coverage(data_file=None, config_file=False, include=self._files)
        seconds = {}
        tests = list(self._items)
        seen.start()
        for test, then in zip(tests, [*tests[1:], None], strict=True):
            seen.switch_context(test)
            start = time.process_time()
            if self._fails(test, then):
                return test
            seconds[test] = time.process_time() - start
        seen.stop()
        data = seen.get_data()
        reached = {file: data.contexts_by_lineno(file) for file in self._files}
        return json.dumps({"seconds": seconds, "tests": reached})


def _in_a_fork(work: Callable[[], str], seconds: float) -> tuple[int, str]:
    """The status and the answer of work done in a process that may take so long, by the wall."""
    answer, ask = os.pipe()
    number = os.fork()
    if not number:
        # Whatever happens, the child ends here: folders that the session clears are not its own.
        try:
            os.close(answer)
            _bounded(seconds)
            with os.fdopen(ask, "w") as out:
                out.write(work())
        except BaseException:  # noqa: BLE001  # the parent tells that it was no success
            os._exit(KILLED)
        os._exit(SURVIVED)
    os.close(ask)
    with os.fdopen(answer) as come:
        said = come.read()
    return os.waitpid(number, 0)[1], said


def _bounded(seconds: float) -> None:
    """Silence, and an end to endless waiting and to ever more memory."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(math.ceil(seconds))


def session(task: Callable[[Forks], None], files: Sequence[Path], arguments: Sequence[str]) -> int:
    """Collect tests, and do the task in the place of running them; the code of pytest."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    sys.dont_write_bytecode = True
    plain = ("-q", "-s", "-p", "no:cacheprovider", "--hypothesis-profile=hasty")
    return pytest.main([*plain, *arguments], plugins=[Forks(task, files)])
