"""reident decrypt: encrypted records as they were."""

from __future__ import annotations

from pathlib import Path


def decrypt(
    file: str,
    /,
    *,
    key_file: Path,
    out: Path,
    separator: str = ",",
    encoding: str = "utf-8",
    force: bool = False,
) -> int:
    """Restore a file whose unique records were encrypted by `reident protect`.

    Args:
        file: The encrypted file, as it was written.
        key_file: The key that it was encrypted with.
        out: The restored file, in any format that can be written.
        separator: What separates the fields of csv files; a comma by default.
        encoding: The encoding of csv files, by Python's name for it; utf-8 by default.
        force: Replace what is there.
    """
    from reident import api
    from reident.cli import talk

    frame = api.decrypt(
        file, key_file=key_file, out=out, force=force, separator=separator, encoding=encoding
    )
    talk.say(f"Restored: {len(frame):,} records in {out}")
    return 0
