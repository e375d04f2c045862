"""What an interrupted run has left in its folder, and whether it may be continued.

Beside the parts lies what they were computed from: versions, digests of the files, the study. A
run that differs in any of them is refused.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from reident import disk
from reident.engine.checkpoint import START_AGAIN, Checkpoints
from reident.errors import Fault, RefusalError
from reident.io.fingerprints import fingerprint
from reident.io.outputs import KEPT, as_json
from reident.io.spec import study_dict
from reident.kernels import source_digest
from reident.model.options import AdHoc
from reident.model.rules import Judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from reident.model.study import Study

LIBRARIES = ("reident", "numba", "numpy", "polars")
"""Whose versions a result depends on."""
RUN = "run.json"


def versions() -> dict[str, str]:
    """The versions that a result depends on."""
    return {name: version(name) for name in LIBRARIES}


def checkpoints(draft: Path, asked: Mapping[str, Any], *, resume: bool) -> Checkpoints:
    """Where a run keeps what is done; `asked` is all that its parts follow from."""
    home, identity = draft.with_name(KEPT), _identity(asked)
    path = home / RUN
    if resume and path.exists():
        _refuse_changed(path, identity)
    else:
        disk.make_folder(home)
        disk.write_text(path, as_json(identity))
    return Checkpoints(home)


def asked_of(
    study: Study, inputs: Mapping[str, Any], *, only: tuple[str, ...], unperturbed: bool
) -> dict[str, Any]:
    """What the parts of a study's run follow from."""
    files = dict(inputs)
    if study.utility is not None:
        files["original"] = fingerprint(study.utility)
    return {
        "inputs": files,
        "study": study_dict(study),
        "only": only,
        "unperturbed": unperturbed,
    }


def functions(study: Study, undone: str = "resumed", remedy: str = START_AGAIN) -> list[Fault]:
    """Rules that are Python functions: nobody can compare those, so such a run keeps nothing.

    Nor can they be sent anywhere: the faults say what cannot be done with them.
    """
    return [
        Fault(
            where=f"attacks.{label}.rules.{name}",
            found=f"a function, which cannot be {undone}",
            remedy=remedy,
        )
        for label, attack in study.attacks.items()
        if isinstance(attack, AdHoc)
        for name, rule in attack.rules.items()
        if isinstance(rule, Judged)
    ]


def _identity(asked: Mapping[str, Any]) -> dict[str, Any]:
    own = {"versions": versions() | {"kernels": source_digest()}, **asked}
    return dict(json.loads(as_json(own)))


def _refuse_changed(path: Path, identity: Mapping[str, Any]) -> None:
    """Refuse a run that is not the one that was interrupted; all that differs is told."""
    try:
        before = dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError:
        raise RefusalError(
            Fault(where=path.name, found="a damaged checkpoint", remedy=START_AGAIN)
        ) from None
    if changed := sorted(_changed(before, identity, "")):
        raise RefusalError(
            *(
                Fault(
                    where=f"resume, {name}",
                    found="not as in the interrupted run",
                    remedy=f"Put it back as it was. {START_AGAIN} otherwise",
                )
                for name in changed
            )
        )


def _changed(before: Mapping[str, Any], now: Mapping[str, Any], home: str) -> Iterator[str]:
    """The names under which two mappings differ, one level down where both are mappings."""
    for name in {*before, *now}:
        old, new = before.get(name), now.get(name)
        if not home and isinstance(old, dict) and isinstance(new, dict):
            yield from _changed(old, new, name)
        elif old != new or (name in before) != (name in now):
            yield f"{home}.{name}" if home else name
