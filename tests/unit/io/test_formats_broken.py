"""Broken, foreign, empty and bloated files of every format: an error, never a shorter table."""

import contextlib
import gzip
import io
import os
import random
import zipfile

import polars as pl
import pytest
import zstandard

from reident.errors import DataError
from reident.io.formats import compressed, workbook
from reident.io.formats.broken import told_as
from reident.io.labels import Table
from reident.io.tables import all_columns, read, read_table
from reident.io.writing import write_table
from reident.model.files import SourceFile

KINDS = ("csv.gz", "csv.zst", "parquet", "arrow", "feather", "xpt", "dta", "sav", "xlsx")
CANARY = "canary4711"
FRAME = pl.DataFrame(
    {"id": [f"{CANARY}{n:04}" for n in range(300)], "x": [n / 7 for n in range(300)]}
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The bytes of a sound file of every format."""
    folder = tmp_path_factory.mktemp("sound")
    for kind in KINDS:
        write_table(Table(frame=FRAME), folder / f"t.{kind}")
    return {kind: (folder / f"t.{kind}").read_bytes() for kind in KINDS}


def refused(path):
    with pytest.raises(DataError) as error:
        read(SourceFile(path), ["id", "x"])
    assert CANARY not in str(error.value)
    (fault,) = error.value.faults
    assert fault.where == path.name
    return fault


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_was_cut_is_refused(kind, sound, tmp_path):
    path = tmp_path / f"t.{kind}"
    whole = sound[kind]
    last = len(whole) - 1
    chosen = random.Random(7).sample(range(1, last), 25)  # noqa: S311  # any cut will do
    for cut in {1, len(whole) // 2, last, *chosen}:
        path.write_bytes(whole[:cut])
        assert "not a whole" in refused(path).found, cut


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\0" * 2000, b"PK\x03\x04", b"<html></html>"])
def test_a_file_of_another_format_is_refused(kind, content, tmp_path):
    path = tmp_path / f"t.{kind}"
    path.write_bytes(content)
    assert "not a whole" in refused(path).found


@pytest.mark.parametrize("kind", ["parquet", "arrow", "xpt", "dta", "sav", "xlsx"])
def test_formats_are_not_guessed_from_the_content(kind, sound, tmp_path):
    other = "sav" if kind != "sav" else "parquet"
    path = tmp_path / f"t.{kind}"
    path.write_bytes(sound[other])
    assert "not a whole" in refused(path).found


@pytest.mark.parametrize("kind", ["csv", "sas7bdat", *KINDS])
def test_an_empty_file_is_refused(kind, tmp_path):
    path = tmp_path / f"t.{kind}"
    path.write_bytes(b"")
    assert refused(path).found == "an empty file"


@pytest.mark.parametrize("kind", ["parquet", "arrow", "xpt", "dta", "sav"])
def test_flipped_bits_never_kill_the_process(kind, sound, tmp_path):
    path = tmp_path / f"t.{kind}"
    draw = random.Random(11)  # noqa: S311  # any bit will do
    for _ in range(40):
        broken = bytearray(sound[kind])
        broken[draw.randrange(min(len(broken), 3000))] ^= 1 << draw.randrange(8)
        path.write_bytes(broken)
        said = ""
        try:
            read_table(SourceFile(path))
        except DataError as error:
            said = str(error)
        assert CANARY not in said


def test_what_compiled_code_says_of_a_broken_file_is_not_heard(capfd):
    def panic():
        os.write(2, CANARY.encode())
        raise pl.exceptions.PanicException(CANARY)

    with pytest.raises(DataError), told_as("t.parquet", "not a whole parquet file"):
        panic()
    with told_as("t.parquet", "not a whole parquet file"):
        os.write(2, b"of a sound one it is")
    os.write(2, b", and so is the rest")
    assert capfd.readouterr().err == "of a sound one it is, and so is the rest"


def test_a_panic_of_a_reader_is_not_heard(sound, tmp_path, capfd):
    path = tmp_path / "t.arrow"
    for place in range(len(sound["arrow"]) - 300, len(sound["arrow"])):
        broken = bytearray(sound["arrow"])
        broken[place] ^= 255
        path.write_bytes(broken)
        with contextlib.suppress(DataError):
            read(SourceFile(path), ["id", "x"])
    assert capfd.readouterr().err == ""


def test_unknown_ending_and_folder(tmp_path):
    (tmp_path / "t.txt").write_text("x")
    assert "no known format" in refused(tmp_path / "t.txt").found
    assert refused(tmp_path / "absent.sav").found == "no such file"
    (tmp_path / "t.sav").mkdir()
    assert refused(tmp_path / "t.sav").found == "not a file"


def test_several_members_of_gzip_and_zstd_are_one_file(tmp_path):
    parts = (b"id,x\n1,2\n", b"3,4\n")
    for kind, pack in (("gz", gzip.compress), ("zst", zstandard.compress)):
        path = tmp_path / f"t.csv.{kind}"
        path.write_bytes(b"".join(pack(part) for part in parts))
        assert read(SourceFile(path), ["id"])["id"].to_list() == ["1", "3"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gz", "zst"])
def test_a_bomb_is_refused_before_it_is_held(pack, tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "BOMB_BYTES", 5_000_000)
    path = tmp_path / f"t.csv.{'gz' if pack is gzip.compress else 'zst'}"
    path.write_bytes(pack(b"id,x\n" + b"1,2\n" * 1_000_000))
    assert read(SourceFile(path), ["id"]).height == 1_000_000
    path.write_bytes(pack(b"id,x\n" + b"1,2\n" * 2_000_000))
    assert "more than 200 times its size" in refused(path).found


def test_a_workbook_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "BOMB_BYTES", 5_000_000)
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/worksheets/sheet1.xml", b"0" * 6_000_000)
    assert "more than 200 times its size" in refused(path).found


def test_several_tables_in_one_xpt_file_are_refused(sound, tmp_path):
    path = tmp_path / "t.xpt"
    # The second table begins after the library's own three lines.
    path.write_bytes(sound["xpt"] + sound["xpt"][240:])
    assert "several tables" in refused(path).found


def test_unreadable_labels_in_a_parquet_file_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    for text in (
        "no json",
        "{}",
        '{"variables": 1, "values": {}, "declared": {}, "missing": "=="}',
    ):
        FRAME.write_parquet(path, metadata={"reident.labels": text})
        assert read(SourceFile(path), ["id"]).height == 300
        with pytest.raises(DataError, match="labels that are not readable"):
            read_table(SourceFile(path))


def test_names_are_read_without_values_and_absent_ones_are_told(sound, tmp_path):
    for kind in KINDS:
        path = tmp_path / f"t.{kind}"
        path.write_bytes(sound[kind])
        assert all_columns(SourceFile(path)) == ["id", "x"]
        with pytest.raises(DataError, match="no column 'idd'") as error:
            read(SourceFile(path), ["idd"])
        assert error.value.faults[0].remedy == "Did you mean 'id'"


def test_csv_is_read_whole_whatever_its_compression(tmp_path):
    text = FRAME.write_csv().encode()
    stream = io.BytesIO(text)
    for name, content in (
        ("t.csv", stream.read()),
        ("t.csv.gz", gzip.compress(text)),
        ("t.csv.zst", zstandard.compress(text)),
    ):
        (tmp_path / name).write_bytes(content)
        assert read(SourceFile(tmp_path / name), ["id"])["id"].equals(FRAME["id"])
