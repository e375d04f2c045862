"""The façade: what a user of the Python package holds in hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from reident.model import study as model
from reident.run import run

if TYPE_CHECKING:
    from pathlib import Path

    from reident.engine.job import Watch
    from reident.model.options import Attack
    from reident.model.result import StudyResult


class Study(model.Study):
    """A re-identification study: three files, linking variables, attacks."""

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Read a study file; all its faults are reported at once."""
        from reident.io.spec import read_study  # noqa: PLC0415  # frames need no study file

        return cls(**dict(read_study(path)))

    def run(
        self, *attacks: Attack, jobs: int = 1, unperturbed: bool = False, watch: Watch | None = None
    ) -> StudyResult:
        """Run the given attacks, or the study's own; each is labelled by its method."""
        study = self
        if attacks:
            study = self.model_copy(update={"attacks": {a.method: a for a in attacks}})
        return run(study, jobs=jobs, unperturbed=unperturbed, watch=watch)
