"""Which engine does the work: this machine, or a cluster."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from reident import disk
from reident.engine.local import local
from reident.errors import SpecError
from reident.io.kept import functions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reident.engine.how import How
    from reident.engine.job import Fold
    from reident.model.engines import Spark
    from reident.model.study import Study


@contextlib.contextmanager
def folding(engine: Spark | None, how: How, folder: Path | None) -> Iterator[Fold]:
    """The fold of an engine: of this machine, or of a cluster while its session is open."""
    at_home = local(how.jobs, how.budget, how.watch, how.keep, how.memory, how.books)
    if engine is None:
        yield at_home
        return
    from reident.engine.spark import spark  # noqa: PLC0415  # only who asks for it has it

    with contextlib.ExitStack() as stack:
        if folder is None:
            temporary = tempfile.TemporaryDirectory(prefix="reident-", dir=engine.shared)
            folder = Path(stack.enter_context(temporary)).absolute()
        yield stack.enter_context(spark(engine, disk.make_folder(folder), at_home, how))


def refuse_engine(engine: Spark | None, study: Study | None = None) -> None:
    """Refuse a cluster before any work: one that is not ready, or rules that cannot be sent."""
    if engine is None:
        return
    from reident.engine.spark import refuse_unready  # noqa: PLC0415  # as above

    refuse_unready(engine)
    found = [] if study is None else functions(study, "sent to Spark", "Run it without --engine")
    if found:
        raise SpecError(*found)
