"""A small sound study on disk, in any format, for tests that spoil one thing in it.

Every key, every category and an income carry a canary: a text or a number that must never be seen
outside the inputs and `restricted/`. Strata values are the one stated exception, so they are plain.
"""

import copy
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import tomlkit

from bad_input.formats import RUN_WHOLE, file_name, source, write
from reident.cli import main

CANARY = "qxcanary"
CANARY_NUMBER = 86753090
"""Neither may be shown, in any spelling: see `leaks`."""

RECORDS = 12
SIDES = ("puf", "eif", "iuf")
Columns = dict[str, list[Any]]


def _key(side: str, place: int) -> str:
    return f"{CANARY}{side}{place:02}"


def _person(place: int, shift: int) -> dict[str, Any]:
    return {
        "age": 20 + 3 * place + shift,
        "income": CANARY_NUMBER if place == RECORDS // 2 else 21_000 + 1_700 * place,
        "sex": f"{CANARY}{'fm'[place % 2]}",
        "county": f"{CANARY}{place % 5}",
        "st": ("north", "south")[place % 2],
    }


def _file(key: str, side: str, shift: int) -> Columns:
    rows = [{key: _key(side, p)} | _person(p, shift) for p in range(RECORDS)]
    return {name: [row[name] for row in rows] for name in rows[0]}


@dataclass
class Inputs:
    """The tables and the study before they are written; a case changes what it wants to spoil."""

    tables: dict[str, Columns] = field(
        default_factory=lambda: {
            "puf": _file("pid", "p", 0),
            "eif": _file("eid", "e", 1),
            "iuf": {
                "pid": [_key("p", p) for p in range(RECORDS)],
                "eid": [_key("e", p) for p in range(RECORDS)],
            },
        }
    )
    study: dict[str, Any] = field(
        default_factory=lambda: {
            "schema": 1,
            "title": "Twelve people",
            "puf": {"path": "", "key": "pid"},
            "eif": {"path": "", "key": "eid"},
            "iuf": {"path": ""},
            "variables": {
                "age": "numeric",
                "income": "numeric",
                "sex": "categorical",
                "county": "categorical",
            },
            "attacks": {"taxicab": {}, "euclidean": {}},
        }
    )

    def put(self, side: str, column: str, place: int, value: Any) -> None:
        """Change one cell."""
        self.tables[side][column][place] = value

    def fill(self, side: str, column: str, values: Any) -> None:
        """Change a whole column: a list, or one value for all."""
        listed = list(values) if isinstance(values, (list, tuple, range)) else None
        self.tables[side][column] = listed or [values] * RECORDS

    def strata(self) -> None:
        """Compare only inside a stratum."""
        self.study["strata"] = {"by": ["st"]}


@dataclass
class Folder:
    """A study folder on disk."""

    path: Path
    files: Mapping[str, Path]
    kind: str

    @property
    def study(self) -> Path:
        return self.path / "study.toml"

    @property
    def run(self) -> Path:
        return self.path / "study.run"

    @property
    def results(self) -> dict[str, Any]:
        return json.loads((self.run / "results.json").read_text())

    def notes(self) -> list[dict[str, Any]]:
        """The notes of the study, then those of its attacks."""
        attacks = self.results["attacks"].values()
        return [*self.results["notes"], *(note for one in attacks for note in one["notes"])]

    def content(self) -> dict[str, bytes]:
        """Every file by its path in the folder; a folder is there with no bytes."""
        return {
            str(path.relative_to(self.path)): path.read_bytes() if path.is_file() else b""
            for path in sorted(self.path.rglob("*"))
        }


def frame(columns: Columns) -> pl.DataFrame:
    """Columns as a frame: a column with a text in it is all text, as a program would store it."""
    return pl.DataFrame([_series(name, values) for name, values in columns.items()])


def _series(name: str, values: list[Any]) -> pl.Series:
    if any(isinstance(value, str) for value in values):
        return pl.Series(name, [None if v is None else str(v) for v in values], pl.String)
    return pl.Series(name, values, strict=False)


def folder_of(
    path: Path,
    kind: str,
    change: Callable[[Inputs], None] | None = None,
    *,
    kinds: Mapping[str, str] | None = None,
) -> Folder:
    """Write the study into a folder, its tables in one format (`kinds`: another for a side)."""
    inputs = Inputs()
    if change is not None:
        change(inputs)
    study = copy.deepcopy(inputs.study)
    files = {}
    for side, columns in inputs.tables.items():
        own = (kinds or {}).get(side, kind)
        files[side] = path / file_name(side, own)
        write(frame(columns), files[side])
        if study.get(side, {}).get("path") == "":
            study[side]["path"] = source(side, own)
    (path / "study.toml").write_text(tomlkit.dumps(study), encoding="utf-8")
    return Folder(path=path, files=files, kind=kind)


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str


def command(capsys: Any, *arguments: str | Path) -> Said:
    """Run one command in this process."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return Said(code=code, out=out, err=err)


def leaks(text: str) -> list[str]:
    """The canaries in a text, also spelled with other letters' case or thousands separators."""
    found = [CANARY] if CANARY in text.lower() else []
    digits = re.sub(r"(?<=\d)[,_' ](?=\d{3})", "", text)
    return found + ([str(CANARY_NUMBER)] if str(CANARY_NUMBER) in digits else [])


def _faults(said: str) -> set[str]:
    """What was said, but for the word that a first run on a machine has to wait."""
    return {line for line in said.splitlines() if not line.startswith("Compiling kernels")}


def assert_refused(capsys: Any, folder: Folder, says: tuple[str, ...]) -> str:
    """`run` and `check` end with code 2, say what a user needs, write nothing and leak nothing."""
    before = folder.content()
    told = {}
    for verb in ("run", "check"):
        said = command(capsys, verb, folder.study)
        assert said.code == 2, said
        told[verb] = said.err
        for piece in says:
            assert re.search(piece, said.err), (piece, said.err)
        assert "Traceback" not in said.err
        assert "bug" not in said.err
        assert leaks(said.out + said.err) == []
    assert folder.content() == before
    assert _faults(told["run"]) <= _faults(told["check"])
    return told["run"]


def assert_noted(capsys: Any, folder: Folder, code: str, says: tuple[str, ...] = ()) -> dict:
    """`run` ends well and results.json holds the note; nothing leaks outside `restricted/`."""
    before = folder.content()
    if folder.kind in RUN_WHOLE:
        said = command(capsys, "run", folder.study, "--jobs", "1")
        assert said.code == 0, said
        assert_nothing_leaks(folder, before, said)
        found = folder.notes()
    else:
        said = command(capsys, "check", folder.study, "--json")
        assert said.code == 0, said
        assert leaks(said.out + said.err) == []
        assert folder.content() == before
        found = json.loads(said.out)["notes"]
    notes = [note for note in found if note["code"] == code]
    assert notes, [note["code"] for note in found]
    for piece in says:
        assert any(re.search(piece, note["text"]) for note in notes), (piece, notes)
    return notes[0]


def assert_nothing_leaks(folder: Folder, before: Mapping[str, bytes], said: Said) -> None:
    """No canary in what was printed, or in any file made since but the restricted ones."""
    assert leaks(said.out + said.err) == []
    made = {name: data for name, data in folder.content().items() if name not in before}
    assert made
    for name, data in made.items():
        if "/restricted/" not in name:
            assert leaks(name + data.decode("utf-8", "replace")) == [], name
