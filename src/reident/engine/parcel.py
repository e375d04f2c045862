"""A job as plain bytes, for workers that are elsewhere: arrays, plain values, and names of classes.

What a job computes from are its arrays and plain values, wherever they are in it: the same that a
checkpoint's digest goes over. They travel; functions and remarks stay at home, where jobs are
finished. Nothing is pickled. The classes around the arrays are frozen values of reident's own,
called by name: no other code can be named.

A file holds a line of JSON, then the arrays, so aligned that workers map them into memory.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import mmap
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from reident import disk
from reident.kernels.narrow import narrowed

if TYPE_CHECKING:
    from collections.abc import Sequence

Part = TypeVar("Part", bound=tuple[Any, ...])
ALIGNED = 64
"""Bytes: a line of the processor's cache, and more than any number needs."""
PAGES, PAGE = 64, 512
"""Pages of a file that are read at a time, and words of a page."""
HOUSE = "reident."
PLAIN = (bool, int, float, str)


def pack_part(part: Sequence[np.ndarray]) -> bytes:
    """The arrays of a part, one after another; whole numbers in as few bytes as hold them."""
    body = io.BytesIO()
    body.write(json.dumps([array.dtype.str for array in part]).encode() + b"\n")
    for array in part:
        small = narrowed(array) if np.issubdtype(array.dtype, np.signedinteger) else array
        np.lib.format.write_array(body, small, allow_pickle=False)
    return body.getvalue()


def unpack_part(kind: type[Part], content: memoryview | bytes) -> Part:
    """A part as it was packed."""
    stream = io.BytesIO(content)
    kinds = json.loads(stream.readline())
    arrays = (np.lib.format.read_array(stream, allow_pickle=False) for _ in kinds)
    return kind(*(array.astype(own, copy=False) for array, own in zip(arrays, kinds, strict=True)))


class Parcel(NamedTuple):
    """Where a value lies, and the digest that its file must have."""

    path: str
    digest: str


def send(path: Path, value: Any) -> Parcel:
    """Write a value down for others to map."""
    arrays: list[np.ndarray] = []
    form = _form(value, arrays, {})
    described, at = [], 0
    for array in arrays:
        described.append([array.dtype.str, array.shape, _order(array), at])
        at += _aligned(array.nbytes)
    head = json.dumps({"form": form, "arrays": described}).encode() + b"\n"
    with disk.create(path, lasting=False) as stream:
        for content in itertools.chain([memoryview(head)], map(_bytes_of, arrays)):
            stream.write(content)
            stream.write(bytes(_aligned(len(content)) - len(content)))
    with path.open("rb") as stream:
        return Parcel(str(path), _digest_of(stream))


def receive(parcel: Parcel) -> Any:
    """A value as it was sent; its arrays are mapped, so that workers of a machine share them."""
    with Path(parcel.path).open("rb") as stream:
        if _digest_of(stream) != parcel.digest:
            raise ValueError("a job file that is not as it was sent")
        # Private to this process: kernels take arrays that they could write to, and never do.
        content = mmap.mmap(stream.fileno(), 0, mmap.MAP_PRIVATE)
    head = content.readline()
    told = json.loads(head)
    arrays = [_array(content, _aligned(len(head)), *one) for one in told["arrays"]]
    return _value(told["form"], arrays)


def _digest_of(stream: IO[bytes]) -> str:
    """A digest of a file: of the sums of its pages, because each worker goes over all of them.

    It tells a page that is missing, old or damaged. It is no guard against whoever may write here:
    that is what the folder is private for.
    """
    # Read and not mapped: what is mapped and looked at counts as memory of this process.
    room = np.zeros((PAGES, PAGE), np.uint64)
    digest, size = hashlib.sha256(), room.nbytes
    while size == room.nbytes:
        size = stream.readinto(room.data)  # type: ignore[attr-defined]  # of all binary files
        room.reshape(-1).view(np.uint8)[size:] = 0
        digest.update(room.sum(axis=1).data)
        digest.update(str(size).encode())
    return digest.hexdigest()


def _aligned(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


def _order(array: np.ndarray) -> str:
    """What lies column by column is kept so; all else is written row by row."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _bytes_of(array: np.ndarray) -> memoryview:
    flat = np.ascontiguousarray(array.T if _order(array) == "F" else array)
    return flat.reshape(-1).view(np.uint8).data


def _array(content: Any, start: int, kind: str, shape: list[int], order: str, at: int) -> Any:
    dtype = np.dtype(kind)
    size = int(np.prod(shape, dtype=np.int64))
    if not size:
        return np.zeros(shape, dtype)
    flat = np.frombuffer(content, dtype, size, start + at)
    return flat.reshape(shape[::-1]).T if order == "F" else flat.reshape(shape)


def _form(value: Any, arrays: list[np.ndarray], seen: dict[int, int]) -> Any:
    """A value as JSON: arrays by number, each once; None for what stays at home."""
    if value is None or type(value) in PLAIN:
        return {"plain": value}
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject:
            return None
        if id(value) not in seen:
            seen[id(value)] = len(arrays)
            arrays.append(np.asarray(value))
        return {"array": seen[id(value)], "scalar": isinstance(value, np.generic)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"of": _name(value), "places": [_form(one, arrays, seen) for one in value]}
    if isinstance(value, (tuple, list)):
        return {"row": [_form(one, arrays, seen) for one in value], "list": type(value) is list}
    if is_dataclass(value) and not isinstance(value, type):
        names = {one.name: _form(getattr(value, one.name), arrays, seen) for one in fields(value)}
        return {"of": _name(value), "names": names}
    return None


def _name(value: Any) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def _value(form: Any, arrays: Sequence[np.ndarray]) -> Any:
    """What a form stands for."""
    match form:
        case None:
            return None
        case {"plain": value}:
            return value
        case {"array": number, "scalar": scalar}:
            return arrays[number][()] if scalar else arrays[number]
        case {"row": row, "list": as_list}:
            made = [_value(one, arrays) for one in row]
            return made if as_list else tuple(made)
        case {"of": name, "places": places}:
            return _class(name)(*(_value(one, arrays) for one in places))
        case {"of": name, "names": names}:
            return _class(name)(**{key: _value(one, arrays) for key, one in names.items()})
    raise ValueError("a job file of another version")


def _class(name: str) -> Any:
    """A frozen value or a named tuple of this package; nothing else may be called."""
    module, _, own = name.partition(":")
    found = getattr(import_module(module), own, None) if module.startswith(HOUSE) else None
    frozen = getattr(getattr(found, "__dataclass_params__", None), "frozen", False)
    if not isinstance(found, type) or not (frozen or issubclass(found, tuple)):
        raise ValueError("a job file that names something else than a value")
    return found
