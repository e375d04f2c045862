"""The key of encrypted files: made once, 0600, and of no use when others can read it."""

from __future__ import annotations

import base64
import binascii
import os
import stat
from typing import TYPE_CHECKING

from reident import disk
from reident.errors import DataError, Fault, RefusalError
from reident.remedies.encryption import KEY_BYTES, new_key

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "reident-key-1 "
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def key_for(path: Path) -> bytes:
    """The key of a file, or a new one where there is no file yet."""
    return read_key(path) if path.exists() or path.is_symlink() else new_key()


def keep_key(path: Path, key: bytes) -> None:
    """Write a new key; the same one may be there, another one, made meanwhile, is refused."""
    disk.make_folder(path.absolute().parent)
    try:
        with disk.create(path, replace=False) as stream:
            stream.write(f"{HEAD}{base64.b64encode(key).decode()}\n".encode())
    except FileExistsError:
        if read_key(path) != key:
            raise RefusalError(
                Fault(
                    where=path.name,
                    found="another key, made while this one was in use",
                    remedy="Encrypt again, with the key that is there now",
                )
            ) from None


def read_key(path: Path) -> bytes:
    """The key of a file that only its owner can read; anything else raises DataError."""
    try:
        with path.open("rb") as stream:
            # Of the open file, so that it cannot be another one by the time it is read.
            if os.fstat(stream.fileno()).st_mode & OTHERS:
                raise _fault(path, "a key that others than its owner can reach", "Set it to 0600")
            text = stream.read(1024).decode("ascii", "replace")
    except (FileNotFoundError, IsADirectoryError):
        raise _fault(path, "no key file", "Name the file that encryption made") from None
    head, _, rest = text.partition(HEAD)
    try:
        key = base64.b64decode(rest.strip(), validate=True)
    except binascii.Error:
        key = b""
    if head or len(key) != KEY_BYTES:
        raise _fault(path, "not a key file of reident", "Name the file that encryption made")
    return key


def _fault(path: Path, found: str, remedy: str) -> DataError:
    return DataError(Fault(where=path.name, found=found, remedy=remedy))
