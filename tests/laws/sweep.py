"""Every small change of a file's functions, numbered; a seeded sample of them is tried.

    .venv/bin/python tests/laws/sweep.py                    60 of all
    .venv/bin/python tests/laws/sweep.py 20 3               20 of all, another sample: seed 3
    .venv/bin/python tests/laws/sweep.py 0 0 kernels/keys   every one of a file

`mutants.py` beside this file holds wrong lines that somebody chose; here nobody chooses. Kernels
run as plain Python. A change that no test notices is listed in README.md with why it cannot change
an answer; the exit code is the number of those that are not.
"""

from __future__ import annotations

import ast
import copy
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from mutants import SOURCE, SURVIVED, Workshop

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = {
    "kernels/shortlist.py": (
        "tests/laws/test_ranks.py tests/unit/kernels/test_put_some.py",
        "shortlist or put_together",
    ),
    "kernels/masks.py": (
        "tests/laws/test_unicity.py",
        "antichain or maximal_masks",
    ),
    "kernels/pairs.py": ("tests/unit/kernels/test_pairs.py", ""),
    "kernels/cells.py": ("tests/unit/kernels/test_cells.py", ""),
    "kernels/dealing.py": ("tests/unit/kernels/test_dealing.py", ""),
    "kernels/keys.py": ("tests/unit/kernels/test_keys.py", ""),
    "model/rates.py": ("tests/unit/model/test_rates.py", ""),
    "attacks/verify.py": ("tests/unit/attacks/test_verify.py", ""),
}
"""Files, the tests of each and the words (-k) that pick some of these."""

MOST = 60
"""Seconds after which the tests of a change that never ends are given up: it is noticed."""

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
    """A small change: its number in the file, its line, what stood there, what stands there now."""

    file: str
    number: int
    line: int
    old: str
    new: str
    text: str


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
            node.operand = ast.UnaryOp(op=ast.Not(), operand=node.operand)
        case ast.Name(id=name) if part == 0 and name in OTHER_NAME:
            node.id = OTHER_NAME[name]
        case ast.Attribute(attr=name) if part == 0 and name in OTHER_NAME:
            node.attr = OTHER_NAME[name]
        case _:
            return False
    return True


def _inside_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes of the bodies of functions: no decorators, annotations or constants of the module."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                if not isinstance(statement, ast.FunctionDef):
                    yield from _without_types(statement)


def _without_types(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    for name, field in ast.iter_fields(node):
        if name != "annotation":
            for child in field if isinstance(field, list) else [field]:
                if isinstance(child, ast.AST) and not isinstance(child, ast.FunctionDef):
                    yield from _without_types(child)


def changes(file: str) -> list[Change]:
    """All changes of a file of the source, always in the same order."""
    tree = ast.parse((SOURCE / "reident" / file).read_text(encoding="utf-8"))
    found: list[Change] = []
    for node in list(_inside_functions(tree)):
        for part in range(len(getattr(node, "ops", [0]))):
            sound = copy.copy(node)
            sound.__dict__ |= {"ops": list(node.ops)} if isinstance(node, ast.Compare) else {}
            old = _first_line(node)
            if _change(node, part):
                now, text = _first_line(node), ast.unparse(tree)
                found.append(Change(file, len(found), node.lineno, old, now, text))
                node.__dict__.clear()
                node.__dict__ |= sound.__dict__
    return found


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


def sample(count: int, seed: int, word: str) -> list[Change]:
    """So many changes of the files whose names hold a word, or all (0), in the order of files."""
    every = [change for file in TESTS if word in file for change in changes(file)]
    if not 0 < count < len(every):
        return every
    drawn = random.Random(seed).sample(range(len(every)), count)  # noqa: S311  # draws no secret
    return [every[at] for at in sorted(drawn)]


def noticed(workshop: Workshop, change: Change) -> bool:
    """Whether a test of the file fails, or does not end, with the change in it."""
    with workshop.standing(f"reident/{change.file}", change.text):
        try:
            code, _ = workshop.pytest(*TESTS[change.file], compiled=False, seconds=MOST)
        except subprocess.TimeoutExpired:
            return True
    return code != SURVIVED


def explained(change: Change) -> bool:
    """Whether README.md tells why a change cannot alter an answer."""
    told = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    start = f"| {change.file} | {change.number} | `{change.old}` | `{change.new}` |"
    return any(line.startswith(start) for line in told.splitlines())


def main(count: int = 60, seed: int = 0, word: str = "") -> int:
    """Try a sample and print what was killed; the exit code is the number of open questions."""
    drawn = sample(count, seed, word)
    killed, unexplained = 0, 0
    with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
        workshop = Workshop(Path(folder))
        for file in dict.fromkeys(change.file for change in drawn):
            code, said = workshop.pytest(*TESTS[file], compiled=False)
            if code != SURVIVED:
                raise RuntimeError(f"the tests of {file} fail on the sound source\n{said}")
        for change in drawn:
            start = time.perf_counter()
            outcome = "killed"
            if not noticed(workshop, change):
                outcome = "equivalent" if explained(change) else "SURVIVED"
            killed += outcome == "killed"
            unexplained += outcome == "SURVIVED"
            place = f"{change.file} | {change.number} | `{change.old}` | `{change.new}`"
            took = time.perf_counter() - start
            print(f"| {place} | {outcome} | {change.line} | {took:.1f} |", flush=True)
    print(f"{killed} of {len(drawn)} killed, {unexplained} of the others not explained")
    return unexplained


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3]), *sys.argv[3:4]))
