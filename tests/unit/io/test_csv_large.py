"""A csv file that is not held in memory reads and fails like one that is."""

import gzip

import polars as pl
import pytest
import zstandard

import reident as ri
from reident.io import csv, tables

SOUND = {
    "plain": b"id,x\n1,a\n2,b\n",
    "byte order mark": b"\xef\xbb\xbfid,x\n1,a\n2,b\n",
    "CRLF": b"id,x\r\n1,a\r\n2,b\r\n",
    "CR": b'id,x\r1,"a\rb"\r2,b\r',
    "no line end at the end": b"id,x\n1,a\n2,b",
    "blank lines at the end": b"id,x\n1,a\n2,b\n\n\r\n\n",
    "quoted line end": b'id,x\n1,"a\nb"\n2,"c ""d"""\n',
    "quoted name": b'id,"x"\n1,\n2,""\n',
    "two-byte letters across pieces": "id,x\n1,ééééééééé\n2,äöüäöüäöü\n".encode(),
    "more columns than asked for": b"a,id,b,x,c\n0,1,0,a,0\n0,2,0,b,0\n",
    "one record": b"id,x\n1,a\n",
}
FAULTY = {
    "ragged": b"id,x\n1,a\n2\n",
    "unclosed": b'id,x\n1,"a\n2,b\n',
    "NUL": b"id,x\n1,a\0\n",
    "stray quote": b'id,x\n1,a"b\n',
    "not UTF-8": b"id,x\n1,a\n2,\xff\n",
    "cut letter at the end": "id,x\n1,é".encode()[:-1],
    "blank line inside": b"id,x\n1,a\n\n2,b\n",
    "no record": b"id,x\n",
    "only line ends": b"\n\n",
    "doubled name": b"id,x,x\n1,a,b\n",
    "absent column": b"id,y\n1,a\n",
}


PACKED = {"t.csv": bytes, "t.csv.gz": gzip.compress, "t.csv.zst": zstandard.compress}


def both_ways(tmp_path, monkeypatch, content, name):
    path = tmp_path / name
    path.write_bytes(PACKED[name](content))
    for large in (1 << 60, 0):
        monkeypatch.setattr(csv, "LARGE", large)
        monkeypatch.setattr(csv, "PIECE", 1 << 24 if large else 16)
        yield lambda: tables.read(ri.PublicFile(path, key="id"), ["id", "x"])


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("content", SOUND.values(), ids=SOUND)
def test_a_sound_file_reads_the_same_piece_by_piece(tmp_path, monkeypatch, content, name):
    whole, pieces = (read() for read in both_ways(tmp_path, monkeypatch, content, name))
    assert whole.equals(pieces)


@pytest.mark.parametrize("rows", [1, 100])
@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("content", SOUND.values(), ids=SOUND)
def test_batches_of_a_sound_file_are_the_file(tmp_path, monkeypatch, content, name, rows):
    path = tmp_path / name
    path.write_bytes(PACKED[name](content))
    monkeypatch.setattr(csv, "PIECE", 7)
    file = ri.PublicFile(path, key="id")
    parts = list(csv.csv_batches(path, file, ["id", "x"], rows))
    assert max(len(part) for part in parts) <= rows
    assert pl.concat(parts)[["id", "x"]].equals(tables.read(file, ["id", "x"]))


def test_no_more_than_a_piece_is_parsed_at_a_time(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,x\n" + b"1,a\n" * 500)
    monkeypatch.setattr(csv, "PIECE", 64)
    parsed, parse = [], csv._parse

    def noting(source, *rest):
        parsed.append(len(source))
        return parse(source, *rest)

    monkeypatch.setattr(csv, "_parse", noting)
    parts = csv.csv_batches(path, ri.PublicFile(path, key="id"), ["x"], 1000)
    assert sum(len(part) for part in parts) == 500
    assert len(parsed) > 30
    assert max(parsed) <= 64 + len("0,1\n")


def test_empty_fields_of_a_single_column_survive_the_cutting(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(b'x\n""\na\n""\n""\nb\n')
    file = ri.PublicFile(path, key="x")
    whole = tables.read(file, ["x"])
    for piece in range(1, 9):
        monkeypatch.setattr(csv, "PIECE", piece)
        assert pl.concat(csv.csv_batches(path, file, ["x"], 9)).equals(whole)


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("content", FAULTY.values(), ids=FAULTY)
def test_a_faulty_file_is_refused_in_the_same_words(tmp_path, monkeypatch, content, name):
    words = []
    for read in both_ways(tmp_path, monkeypatch, content, name):
        with pytest.raises(ri.DataError) as error:
            read()
        words.append(str(error.value))
    assert words[0] == words[1]
