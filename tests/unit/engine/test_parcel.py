"""A job travels as plain bytes: it comes out as it went in, or not at all."""

import io
import json
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from reident.attacks.lookups import Level
from reident.engine import parcel
from reident.kernels.keys import sort_keys
from reident.kernels.pairs import Rows
from reident.kernels.shortlist import Shortlist
from reident.model.linked import Scale


def sent(folder, value):
    return parcel.receive(parcel.send(folder / "a.job", value))


kinds = st.sampled_from(["<i8", "<u8", "<i4", "|u1", "|b1", "<f8", "<f4", "<u2"])
drawn = arrays.arrays(kinds, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))


@given(array=drawn, turned=st.booleans(), every=st.integers(1, 3))
def test_an_array_comes_out_as_it_went_in(tmp_path_factory, array, turned, every):
    array = array.T if turned else array
    array = array[::every] if array.ndim else array
    found = sent(tmp_path_factory.mktemp("array"), array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()
    # Kernels are compiled for this: nothing is compiled twice, and no kernel meets a locked array.
    if array.flags.f_contiguous or array.flags.c_contiguous:
        assert found.flags.c_contiguous == array.flags.c_contiguous
    assert found.flags.writeable
    assert found.ctypes.data % array.itemsize == 0


@given(part=st.lists(drawn, min_size=2, max_size=2))
def test_a_part_comes_out_as_it_went_in(part):
    found = parcel.unpack_part(Rows, parcel.pack_part(part))
    assert isinstance(found, Rows)
    for one, other in zip(found, part, strict=True):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def test_values_keep_their_classes_and_what_cannot_travel_stays(tmp_path):
    rows = Rows(np.arange(3), np.eye(2))
    scale = Scale(score=lambda units: units, bar=len, top=1.0, threshold=float("inf"))
    level = Level(above=np.int64(-1), blocks=(rows, [rows, None, True, "text", 2**62, 0.1]))
    found = sent(tmp_path, (scale, level, {"a": "value"}))
    assert found[0] == Scale(score=None, bar=None, top=1.0, threshold=float("inf"))
    assert isinstance(found[1].above, np.int64)
    one, (other, *plain) = found[1].blocks
    assert isinstance(one, Rows)
    # An array that stands in two places is sent once.
    assert one.codes is other.codes
    assert plain == [None, True, "text", 2**62, 0.1]
    assert [type(value) for value in plain[1:]] == [bool, str, int, float]
    assert found[2] is None
    assert b"value" not in (tmp_path / "a.job").read_bytes()


def test_a_file_that_is_not_as_it_was_sent_is_refused(tmp_path):
    whole_one = parcel.send(tmp_path / "a.job", np.arange(10))
    whole = (tmp_path / "a.job").read_bytes()
    for spoilt in (whole[:-1], whole[:-3] + b"\1" + whole[-2:], whole + b"\0"):
        (tmp_path / "b.job").write_bytes(spoilt)
        with pytest.raises(ValueError, match="not as it was sent"):
            parcel.receive(whole_one._replace(path=str(tmp_path / "b.job")))


@given(
    length=st.integers(parcel.PAGE, 3 * parcel.PAGES * parcel.PAGE),
    spoil=st.sampled_from(["swap", "lose", "flip", "cut", "longer"]),
    at=st.integers(0, 2**31),
)
def test_a_spoilt_page_is_noticed_wherever_it_is(tmp_path_factory, length, spoil, at):
    path = tmp_path_factory.mktemp("pages") / "a.job"
    whole_one = parcel.send(path, np.random.default_rng(0).integers(1, 2**60, size=length))
    content = bytearray(path.read_bytes())
    page = parcel.PAGE * 8
    start = at % (len(content) // page) * page
    first = content[:page]
    if spoil == "swap" and start:
        content[:page], content[start : start + page] = content[start : start + page], first
    elif spoil == "lose":
        content[start : start + page] = bytes(page)
    elif spoil == "flip" or (spoil == "swap" and not start):
        content[at % len(content)] ^= 1 << at % 8
    elif spoil == "cut":
        del content[-1 - at % page :]
    else:
        content += bytes(1 + at % page)
    path.write_bytes(content)
    with pytest.raises(ValueError, match="not as it was sent"):
        parcel.receive(whole_one)


class Outside(NamedTuple):
    rows: int


@dataclass
class Thawed:
    rows: int


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "subprocess:Popen",
        "reident.disk:make_folder",
        "reident.engine.checkpoint:Checkpoints",
        "builtins:eval",
    ],
)
def test_nothing_but_a_value_of_this_package_is_called(tmp_path, name):
    form = {"of": name, "places": [{"plain": "true"}]}
    head = json.dumps({"form": form, "arrays": []}).encode() + b"\n"
    head += bytes(-len(head) % parcel.ALIGNED)
    (tmp_path / "a.job").write_bytes(head)
    digest = parcel._digest_of(io.BytesIO(head))
    with pytest.raises(ValueError, match="something else than a value"):
        parcel.receive(parcel.Parcel(str(tmp_path / "a.job"), digest))


@pytest.mark.parametrize("value", [Outside(1), Thawed(1)])
def test_values_of_others_are_refused(tmp_path, value):
    with pytest.raises(ValueError, match="something else than a value"):
        sent(tmp_path, value)


def test_a_form_of_another_version_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parcel, "_form", lambda *_: {"shape": 1})
    with pytest.raises(ValueError, match="another version"):
        sent(tmp_path, 1)


def test_arrays_that_were_mapped_go_on_in_kernels(tmp_path):
    short = Shortlist(*(np.arange(4) for _ in Shortlist._fields))
    found = sent(tmp_path, short)
    assert sort_keys(found[0]).tolist() == [0, 1, 2, 3]
