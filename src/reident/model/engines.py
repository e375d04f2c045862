"""Where a study runs, if not on this machine alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from reident.model.value import Value


class Spark(Value):
    """A Spark cluster that does the tiles: the result is the same, byte for byte.

    `session` is a session that is there already; else `master` names the cluster, such as
    "spark://host:7077" or "local[2]"; with neither, the active session is taken. `shared` is a
    folder that this machine and every worker see under the same name; a run that is written down
    uses its own folder. `partitions` is the number of pieces that a job is cut into; 0 lets the
    number of cores decide. Needs `pip install 'reident[spark]'` here and on the workers, and Java.

    >>> Spark(master="spark://host:7077", shared="/shared/studies").partitions
    0
    """

    session: Any = Field(default=None, repr=False)
    master: str = ""
    shared: Path | None = None
    partitions: Annotated[int, Field(ge=0)] = 0

    def __init__(self, session: Any = None, **options: Any) -> None:
        super().__init__(**options | {"session": session})
