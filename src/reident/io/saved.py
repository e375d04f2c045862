"""A study as a person would write it down: what differs from the defaults, seen from its folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit

from reident.io.spec import SCALARS, SCHEMA, study_dict
from reident.model.options import DEFAULT_ATTACKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reident.model.files import SourceFile
    from reident.model.limits import Limits
    from reident.model.study import Study
    from reident.model.value import Value
    from reident.model.variables import Variable


def saved_text(study: Study, folder: Path) -> str:
    """The text of a study file that lies in a folder and says what the study says."""
    full = study_dict(study)
    given = _differing(study)
    data: dict[str, Any] = {"schema": SCHEMA}
    data |= {name: full[name] for name in SCALARS if name in given}
    for section, file in (("puf", study.puf), ("eif", study.eif), ("iuf", study.truth)):
        if file is not None:
            data[section] = _file(file, full[section], folder)
    data["variables"] = {
        variable.name: _variable(variable, full["variables"][variable.name])
        for variable in study.variables
    }
    if study.strata:
        by = [part.puf if part.puf == part.eif else part.model_dump() for part in study.strata]
        data["strata"] = {"by": by}
    if study.attacks != DEFAULT_ATTACKS:
        data["attacks"] = {
            label: ({} if label == attack.method else {"method": attack.method})
            | _chosen(attack, full["attacks"][label])
            for label, attack in study.attacks.items()
        }
    if study.limits:
        own = {label: _limits(limits) for label, limits in study.limits.items()}
        data["limits"] = own.pop("", {}) | own
    if study.utility is not None:
        own_file = _file(study.utility, full["utility"], folder)
        data["utility"] = {"original": own_file.pop("path")} | own_file
    if "small_cell" in given:
        data["report"] = full["report"]
    return tomlkit.dumps(data)


def _file(file: SourceFile, full: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    chosen = _chosen(file, full)
    named = {
        name: value[0] if name.endswith("key") and len(value) == 1 else value
        for name, value in chosen.items()
    }
    if file.catalog:
        named["catalog"] = _from(folder, file.catalog)
    return {"path": seen_from(folder, file)} | named


def _variable(variable: Variable, full: Mapping[str, Any]) -> Any:
    own = {
        name: value
        for name, value in _chosen(variable, full).items()
        if name not in {"puf", "eif"} or value != variable.name
    }
    return variable.kind if list(own) == ["kind"] else own


def _limits(limits: Limits) -> dict[str, Any]:
    return limits.agreed() | ({} if limits.use == "rate" else {"use": limits.use})


def _chosen(value: Value, full: Mapping[str, Any]) -> dict[str, Any]:
    """Of all that is said of a value, what differs from the defaults."""
    return {name: full[name] for name in _differing(value) if name in full}


def _differing(value: Value) -> list[str]:
    fields = type(value).model_fields.items()
    return [
        name
        for name, field in fields
        if getattr(value, name) != field.get_default(call_default_factory=True)
    ]


def seen_from(folder: Path, file: SourceFile) -> str:
    """What a study file in a folder says of a source, so that both can be moved together."""
    if file.database is not None:
        door, place, table = file.database
        return f"{door}:{_from(folder, place) if door == 'duckdb' else place}::{table}"
    return file.name if file.path is None else _from(folder, file.path)


def _from(folder: Path, path: Path | str) -> str:
    # A step upwards leads out of the folder that a link points to, not out of the link.
    place = Path(path)
    return os.path.relpath(place.parent.resolve() / place.name, folder.resolve())
