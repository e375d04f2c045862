"""The study file: TOML to Study and back. All faults of a file are reported at once."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit

from reident.errors import Fault, SpecError
from reident.io.lines import line_of, lines_of
from reident.model.files import IntruderFile, PublicFile, SourceFile, TruthFile, located
from reident.model.limits import Limits
from reident.model.options import METHODS, Attack, Taxicab
from reident.model.study import Study
from reident.model.utility import OriginalFile
from reident.model.variables import Stratum, Variable

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

SCHEMA = 1
SCALARS = ("title", "seed", "marking", "approval")
TABLES = ("puf", "eif", "iuf", "variables", "strata", "attacks", "limits", "utility", "report")
PATHS = {"utility": "original"}
"""What a table calls the path of its file, if not path."""


def read_study(path: Path | str) -> Study:
    """Read a study file; relative paths in it start from its folder."""
    path = Path(path)
    return parse_study(read_text(path), folder=path.parent, name=path.name)


def read_text(path: Path) -> str:
    """The text of a study file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise SpecError(
            Fault(where=path.name, found="not a readable text file", remedy="Check the path")
        ) from None


def parse_study(text: str, *, folder: Path, name: str = "study.toml") -> Study:
    """Read the text of a study file."""
    study, faults = examine(text, folder=folder, name=name)
    if faults or study is None:
        raise SpecError(*faults)
    return study


def examine(
    text: str, *, folder: Path, name: str = "study.toml"
) -> tuple[Study | None, tuple[Fault, ...]]:
    """All faults of a study file, and as much of a study as its sound parts make."""
    try:
        # Decimals stay as written: 0.1 is one tenth, and 1.1 - 1.0 is within 0.1.
        data = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        # A number too long or tables too deep are told without a place.
        known = isinstance(error, tomllib.TOMLDecodeError)
        place = f", {str(error).rpartition('(')[2].rstrip(')')}" if known else ""
        raise SpecError(
            Fault(where=f"{name}{place}", found="not valid TOML", remedy="Correct the syntax")
        ) from None
    return _Reader(name, lines_of(text)).study(data, folder)


class _Reader:
    """Reads part after part and gathers what is wrong with each."""

    def __init__(self, name: str, lines: dict[str, int]) -> None:
        self._name, self._lines = name, lines
        self._faults: list[Fault] = []
        self._broken: list[str] = []

    def study(self, data: dict[str, Any], folder: Path) -> tuple[Study | None, tuple[Fault, ...]]:
        self._known_names(data)
        parts = self._scalars(data)
        for section, kind in (("puf", PublicFile), ("eif", IntruderFile), ("iuf", TruthFile)):
            if section in data:
                parts["truth" if section == "iuf" else section] = self._file(
                    section, kind, data[section], folder
                )
            elif section != "iuf":
                self._fault(section, "missing", f"Add a table [{section}] with path and key")
        parts["variables"] = self._variables(data.get("variables", {}))
        parts["strata"] = self._strata(data.get("strata", {}))
        if data.get("attacks", {}) != {}:
            parts["attacks"] = self._attacks(data["attacks"])
        parts["limits"] = self._limits(data.get("limits", {}))
        if "utility" in data:
            parts["utility"] = self._file("utility", OriginalFile, data["utility"], folder)
        if self._faults:
            self._between(parts)
            made = None
        else:
            made = self._attempt("", lambda: Study(**parts))
        if made is None:
            made = _without_attacks(parts)
        return made, tuple(self._faults)

    # What is wrong, and where -------------------------------------------------------------

    def _fault(self, name: str, found: str, remedy: str) -> None:
        line = line_of(name, self._lines)
        at = "" if line is None else f", line {line}"
        where = f"{self._name}{at}: {name}" if name else f"{self._name}{at}"
        self._faults.append(Fault(where=where, found=found, remedy=remedy))

    def _attempt(self, section: str, build: Callable[[], T]) -> T | None:
        """Build a part; its faults are told under the names that the file uses."""
        try:
            return build()
        except SpecError as error:
            for fault in error.faults:
                inner = fault.where.partition(".")[2] if section else fault.where
                inner = inner.removeprefix("Study.")
                name = ".".join(part for part in (section, inner) if part)
                self._fault(name, fault.found, fault.remedy)
            self._broken.append(section)
            return None

    def _between(self, parts: dict[str, Any]) -> None:
        """Faults between the sound parts of a faulty study, so that none waits for the next run."""
        variables_lost = any(section.startswith("variables.") for section in self._broken)
        files_lost = parts.get("puf") is None or parts.get("eif") is None
        if files_lost or (variables_lost and not parts["variables"]):
            return
        try:
            Study.model_construct(**parts)  # looks at nothing but what lies between the parts
        except SpecError as error:
            lost = [section.rpartition(".")[2] for section in self._broken]
            for fault in error.faults:
                if not any(_names(fault, name) for name in lost):
                    self._fault(fault.where, fault.found, fault.remedy)

    def _only(self, data: dict[str, Any], section: str, names: tuple[str, ...]) -> None:
        for key in data:
            if key not in names:
                near = get_close_matches(key, names, n=1)
                self._fault(
                    f"{section}.{key}" if section else key,
                    "unknown name",
                    f"Did you mean {near[0]!r}" if near else f"Known are: {', '.join(names)}",
                )

    def _table(self, data: Any, section: str) -> dict[str, Any]:
        if isinstance(data, dict):
            return data
        self._fault(section, "not a table", f"Write it as [{section}]")
        return {}

    # The parts ----------------------------------------------------------------------------

    def _known_names(self, data: dict[str, Any]) -> None:
        self._only(data, "", ("schema", *SCALARS, *TABLES))
        if data.get("schema") != SCHEMA:
            self._fault("schema", "not the schema that this version reads", "Set schema = 1")

    def _scalars(self, data: dict[str, Any]) -> dict[str, Any]:
        """What stands outside of tables, and [report]; only what is sound."""
        report = self._table(data.get("report", {}), "report")
        self._only(report, "report", ("small_cell",))
        found = {("", key): data[key] for key in SCALARS if key in data}
        found |= {("report", key): report[key] for key in report if key == "small_cell"}
        return {
            key: value
            for (section, key), value in found.items()
            if self._attempt(section, lambda k=key, v=value: _nothing_but(**{k: v}))  # type: ignore[misc]
        }

    def _file(
        self, section: str, kind: type[SourceFile], data: Any, folder: Path
    ) -> SourceFile | None:
        table = dict(self._table(data, section))
        path = PATHS.get(section, "path")
        if isinstance(table.get(path), str):
            table[path] = located(table[path], folder)
        elif path in table:
            self._fault(f"{section}.{path}", "not a text", "Give the path of a file")
            self._broken.append(section)
            return None
        if isinstance(table.get("catalog"), str) and table["catalog"]:
            table["catalog"] = str(folder / table["catalog"])
        names = tuple(path if name == "source" else name for name in kind.model_fields)
        known = {key: value for key, value in table.items() if key in names}
        self._only(table, section, names)
        return self._attempt(section, lambda: kind(**known))

    def _variables(self, data: Any) -> list[Variable]:
        made = []
        for name, given in self._table(data, "variables").items():
            section = f"variables.{name}"
            details = {"kind": given} if isinstance(given, str) else self._table(given, section)
            known = tuple(field for field in Variable.model_fields if field != "name")
            self._only(details, section, known)
            own = {"name": name} | {key: details[key] for key in details if key in known}
            made.append(
                self._attempt(section, lambda o=own: Variable(**o))  # type: ignore[misc]
            )
        return [variable for variable in made if variable is not None]

    def _strata(self, data: Any) -> list[Stratum]:
        table = self._table(data, "strata")
        self._only(table, "strata", ("by",))
        by = table.get("by", [])
        made = [
            self._attempt("strata.by", lambda p=part: Stratum.model_validate(p))  # type: ignore[misc]
            for part in (by if isinstance(by, list) else [by])
        ]
        return [stratum for stratum in made if stratum is not None]

    def _attacks(self, data: Any) -> dict[str, Attack]:
        made = {}
        for label, given in self._table(data, "attacks").items():
            section = f"attacks.{label}"
            options = dict(self._table(given, section))
            method = options.pop("method", label)
            if not isinstance(method, str) or method not in METHODS:
                self._broken.append(section)
                near = get_close_matches(str(method), METHODS, n=1)
                self._fault(
                    section,
                    "not a known method",
                    f"Did you mean {near[0]!r}" if near else f"Known are: {', '.join(METHODS)}",
                )
                continue
            kind = METHODS[method]
            made[label] = self._attempt(section, lambda k=kind, o=options: k(**o))  # type: ignore[misc]
        return {label: attack for label, attack in made.items() if attack is not None}

    def _limits(self, data: Any) -> dict[str, Limits]:
        table = self._table(data, "limits")
        shared = {key: value for key, value in table.items() if not isinstance(value, dict)}
        own = {key: value for key, value in table.items() if isinstance(value, dict)}
        made = {"": self._attempt("limits", lambda: Limits(**shared))} if shared else {}
        for label, given in own.items():
            made[label] = self._attempt(f"limits.{label}", lambda g=given: Limits(**g))  # type: ignore[misc]
        return {label: limits for label, limits in made.items() if limits is not None}


def _names(fault: Fault, name: str) -> bool:
    """Whether a fault speaks of the part of this name."""
    return (
        fault.where.endswith(f".{name}")
        or f"{name!r}" in fault.found
        or (f"[{name}]" in fault.found)
    )


def _nothing_but(**scalars: Any) -> Study:
    """The smallest study that holds these, which shows whether they are sound."""
    return Study(
        puf=PublicFile.model_validate({"path": "puf", "key": "p"}),
        eif=IntruderFile.model_validate({"path": "eif", "key": "e"}),
        variables=(Variable(name="v", kind="categorical"),),
        **scalars,
    )


def _without_attacks(parts: dict[str, Any]) -> Study | None:
    """What is left of a faulty study, so that its files can be checked all the same."""
    needed = ("puf", "eif", "truth", "variables", "strata")
    left = {name: parts[name] for name in needed if parts.get(name)}
    try:
        # Some attack must be there, and this one fits every study.
        return Study(**left, attacks={"taxicab": Taxicab()})
    except SpecError as error:
        wrong = {fault.where for fault in error.faults}
        sound = [v for v in parts["variables"] if f"variables.{v.name}" not in wrong]
        if "truth" in left and any(where.startswith("iuf") for where in wrong):
            return _without_attacks(parts | {"variables": sound, "truth": None})
        # Fewer variables may make a study; the same ones will not.
        fewer = len(sound) < len(parts["variables"])
        return _without_attacks(parts | {"variables": sound}) if fewer else None


# Back to text -----------------------------------------------------------------------------------


def study_text(study: Study) -> str:
    """A study as a study file, every option written out."""
    return tomlkit.dumps(study_dict(study))


def study_dict(study: Study) -> dict[str, Any]:
    """A study as the plain values of its file; a frame in memory is named by its type."""
    data: dict[str, Any] = {"schema": SCHEMA}
    data |= {key: getattr(study, key) for key in SCALARS if getattr(study, key) is not None}
    for section, file in (("puf", study.puf), ("eif", study.eif), ("iuf", study.truth)):
        if file is not None:
            data[section] = {"path": file.location} | _lists(file.model_dump())
    data["variables"] = {
        variable.name: _lists(variable.model_dump(exclude={"name"})) for variable in study.variables
    }
    data["strata"] = {"by": [part.model_dump() for part in study.strata]}
    data["attacks"] = {
        label: {"method": attack.method} | attack.options()
        for label, attack in study.attacks.items()
    }
    data["limits"] = {}
    for label, limits in study.limits.items():
        given = limits.agreed() | {"use": limits.use}
        data["limits"] |= {label: given} if label else given
    if study.utility is not None:
        data["utility"] = {"original": study.utility.location} | _lists(study.utility.model_dump())
    data["report"] = {"small_cell": study.small_cell}
    return data


def _lists(values: dict[str, Any]) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}
