"""Every small change of the functions of kernels, ranks and rates; each must be noticed.

    .venv/bin/python tests/laws/sweep.py                    60 of all
    .venv/bin/python tests/laws/sweep.py 20 3               20 of all, another sample: seed 3
    .venv/bin/python tests/laws/sweep.py 0 0 kernels/keys   every one of a file; more after commas

More words name the tests to be run, in place of TESTS. `mutants.py` beside this file holds wrong
lines that somebody chose; here nobody chooses. Kernels run as plain Python, in forks of one session
(`forks.py`). A change that no test notices is listed in README.md with why it cannot change an
answer; the exit code is the number of those that are not.

A change is named by its function and, where that holds the same change several times, by which of
them it is: `put:2` is the second. What is written elsewhere in a file renames none.
"""

from __future__ import annotations

import ast
import copy
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from forks import STUCK, Forks, session
from mutants import SURVIVED, Workshop

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = Path(__file__).resolve().parents[2]
SOURCE = HOME / "src/reident"
FILES = (
    *sorted(
        f"kernels/{file.name}"
        for file in (SOURCE / "kernels").glob("[a-z]*.py")
        # It tells the compiler what to do, and does nothing itself: test_lanes holds it to account.
        if file.name != "registers.py"
    ),
    "attacks/pairwise.py",
    "attacks/verify.py",
    "model/rates.py",
)
"""Kernels, ranks and rates."""
TESTS = (
    "tests/unit/kernels tests/unit/attacks tests/unit/model/test_rates.py"
    " tests/unit/remedies/test_microaggregation.py tests/laws/test_ranks.py"
    " tests/laws/test_unicity.py tests/laws/test_every_attack.py tests/oracle/test_index.py"
    " tests/oracle/test_uniques.py tests/oracle/test_microagg.py tests/papers"
)
"""Those that meet few records: kernels run as plain Python."""
SLOW = "many_rounds or larger_studies or huge_cell or claim"
EXAMPLES = "100"
MOST_COMPILED = 300
"""Seconds in which the tests of one kernel, compiled afresh, must end."""

OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
"""What stands in the place of an operator."""
OTHER_NAME = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}


class Change(NamedTuple):
    """A small change: its place in the file, its lines, what stood there, what stands there."""

    file: str
    place: str
    lines: range
    old: str
    new: str

    @property
    def tree(self) -> ast.Module:
        """The changed file."""
        return next(tree for tree, change in _changed(self.file) if change == self)

    @property
    def row(self) -> str:
        """How a table begins to tell of it; no other change has the same."""
        return f"| {self.file} | {self.place} | `{self.old}` | `{self.new}` |"


def _change(node: ast.AST, part: int) -> bool:
    """Make the part-th change that a node allows; False if it allows no more."""
    match node:
        case ast.Compare(ops=ops) if part < len(ops) and type(ops[part]) in OTHER:
            ops[part] = OTHER[type(ops[part])]()
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) if (
            part == 0 and type(op) in OTHER
        ):
            node.op = OTHER[type(op)]()
        case ast.Constant(value=int(value)) if part == 0 and not isinstance(value, bool):
            node.value = value + 1
        case ast.UnaryOp(op=ast.Not()) if part == 0:
            # Twice not is as it was, and a truth value.
            node.operand = ast.copy_location(ast.UnaryOp(ast.Not(), node.operand), node)
        case ast.Name(id=name) if part == 0 and name in OTHER_NAME:
            node.id = OTHER_NAME[name]
        case ast.Attribute(attr=name) if part == 0 and name in OTHER_NAME:
            node.attr = OTHER_NAME[name]
        case _:
            return False
    return True


def _inside_functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Nodes of the bodies of functions, each with the name of the innermost.

    No decorators, annotations or constants of the module.
    """
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                if not isinstance(statement, ast.FunctionDef):
                    yield from ((function.name, node) for node in _without_types(statement))


def _without_types(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    for name, field in ast.iter_fields(node):
        if name != "annotation":
            for child in field if isinstance(field, list) else [field]:
                if isinstance(child, ast.AST) and not isinstance(child, ast.FunctionDef):
                    yield from _without_types(child)


def _changed(file: str) -> Iterator[tuple[ast.Module, Change]]:
    """A file's tree with each change in it in turn, and the change; always in the same order."""
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    times: Counter[tuple[str, str, str]] = Counter()
    for function, node in list(_inside_functions(tree)):
        for part in range(len(getattr(node, "ops", [0]))):
            sound = copy.copy(node)
            sound.__dict__ |= {"ops": list(node.ops)} if isinstance(node, ast.Compare) else {}
            old = _first_line(node)
            if _change(node, part):
                new = _first_line(node)
                times[function, old, new] += 1
                place = _place(function, times[function, old, new])
                yield tree, Change(file, place, range(node.lineno, node.end_lineno + 1), old, new)
                node.__dict__.clear()
                node.__dict__ |= sound.__dict__


def _place(function: str, nth: int) -> str:
    """Where the same change of a function is met for the first, second... time."""
    return function if nth == 1 else f"{function}:{nth}"


def changes(file: str) -> list[Change]:
    """All changes of a file of the source, always in the same order."""
    return [change for _, change in _changed(file)]


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


def sample(count: int, seed: int, word: str) -> list[Change]:
    """So many changes of the files whose names hold a word, or all (0), in the order of a seed.

    What an interrupted sweep has tried is so a sample too. @LOG stands for those that survived in
    an earlier sweep, by what it printed.
    """
    if word.startswith("@"):
        told = Path(word[1:]).read_text(encoding="utf-8").splitlines()
        rows = {line.partition(" SURVIVED |")[0] for line in told if "| SURVIVED |" in line}
        every = [one for file in FILES for one in changes(file) if one.row in rows]
    else:
        chosen = [file for file in FILES if any(part in file for part in word.split(","))]
        every = [change for file in chosen for change in changes(file)]
    random.Random(seed).shuffle(every)  # noqa: S311  # draws no secret
    return every[: count or None]


def explained(change: Change) -> bool:
    """Whether README.md tells why a change cannot alter an answer."""
    told = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    return any(line.startswith(change.row) for line in told.splitlines())


class Sweep:
    """Tries changes one after the other, and prints and counts what became of them."""

    def __init__(self, drawn: list[Change], workshop: Workshop) -> None:
        self._drawn, self._workshop = drawn, workshop
        self.killed = self.unexplained = 0

    def __call__(self, forks: Forks) -> None:
        """Try every change."""
        print(flush=True)
        for change in self._drawn:
            start = time.perf_counter()
            path = str(SOURCE / change.file)
            code = compile(change.tree, path, "exec", dont_inherit=True)
            found = forks.outcome(path, change.lines, code)
            found = found or self._compiled(change)
            survived = found in {"", STUCK}
            told = survived and explained(change)
            self.killed += not survived
            self.unexplained += survived and not told
            outcome = ("equivalent" if told else found or "SURVIVED") if survived else "killed"
            took = f"{time.perf_counter() - start:.1f}"
            print(f"{change.row} {outcome} | {change.lines[0]} | {took} | {found} |", flush=True)

    def _compiled(self, change: Change) -> str:
        """The tests of a kernel that fail when it is compiled: a shift may go too far there."""
        tests = f"tests/unit/kernels/test_{Path(change.file).name}"
        if not Path(tests).exists():
            return ""
        with self._workshop.standing(f"reident/{change.file}", ast.unparse(change.tree)):
            code, _ = self._workshop.pytest(tests, "", compiled=True, seconds=MOST_COMPILED)
        return "" if code == SURVIVED else f"{tests}, compiled"


def main(count: int = 60, seed: int = 0, word: str = "", *tests: str) -> int:
    """Try a sample and print what was killed; the exit code is the number of open questions."""
    drawn = sample(count, seed, word)
    os.chdir(HOME)
    os.environ.setdefault("REIDENT_EXAMPLES", EXAMPLES)
    files = [SOURCE / file for file in FILES]
    with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
        chosen = [*(tests or TESTS.split()), "-k", f"not ({SLOW})", f"--basetemp={folder}/tests"]
        sweep = Sweep(drawn, Workshop(Path(folder)))
        code = session(sweep, files, chosen)
    print(f"{sweep.killed} of {len(drawn)} killed, {sweep.unexplained} of the others not explained")
    return code or min(sweep.unexplained, 100)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3]), *sys.argv[3:]))
