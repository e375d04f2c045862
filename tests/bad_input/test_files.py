"""Bad input, Files: what is wrong with a file as a whole ends the run before any work."""

import gzip
import io
import tracemalloc
import zipfile

import polars as pl
import pytest
import zstandard

from bad_input.formats import BINARY, DUCKDB, FORMATS, write
from bad_input.study_folder import (
    CANARY,
    SIDES,
    Inputs,
    assert_nothing_leaks,
    assert_refused,
    command,
    folder_of,
    frame,
)
from reident.io.intake import take_in
from reident.io.spec import read_study

# A file that is not what it should be: how it is spoilt, and what the message must say.


def _empty(path):
    path.write_bytes(b"")


def _header_only(path):
    held = {"pid": [CANARY], "eid": [CANARY], "age": [1], "income": [1], "sex": ["f"]}
    write(frame(held | {"county": ["1"], "st": ["s"]}).clear(), path)


def _missing(path):
    path.unlink()


def _a_folder(path):
    path.unlink()
    path.mkdir()


def _another_format(path):
    """A text where the format is binary, a parquet file where it is text."""
    held = pl.DataFrame({"pid": [CANARY], "eid": [CANARY]})
    stream = io.BytesIO()
    if path.name.endswith(".csv"):
        held.write_parquet(stream)
    else:
        held.write_csv(stream)
    path.write_bytes(stream.getvalue())


def _cut_short(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _last_byte_lost(path):
    path.write_bytes(path.read_bytes()[:-1])


SPOILT = {
    "empty": (_empty, ("empty|not a whole", "Give|Write it again|Compress it again")),
    "header only": (_header_only, ("without records", "Give at least one")),
    "missing": (_missing, ("no such file", "Check the path")),
    "a folder": (_a_folder, ("not a file", "Name a file")),
    "another format": (
        _another_format,
        ("not |NUL", "extension|again|encoding|plain text|whole database"),
    ),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", SPOILT)
@pytest.mark.parametrize("side", SIDES)
def test_a_spoilt_file_is_refused_by_name(tmp_path, capsys, kind, name, side):
    spoil, says = SPOILT[name]
    folder = folder_of(tmp_path, kind)
    spoil(folder.files[side])
    assert_refused(capsys, folder, (rf"{side}\.{kind}", *says))


@pytest.mark.parametrize("kind", BINARY)
@pytest.mark.parametrize("cut", [_cut_short, _last_byte_lost])
def test_a_truncated_file_is_refused(tmp_path, capsys, kind, cut):
    folder = folder_of(tmp_path, kind)
    cut(folder.files["eif"])
    says = (rf"eif\.{kind}: (not a whole|a database that cannot be read)", "again|a whole database")
    assert_refused(capsys, folder, says)


# Bombs -------------------------------------------------------------------------------------------

BLANKS = 40_000_000


def _bomb(path):
    """A small file that expands to more than two hundred times its size."""
    if path.name.endswith(".xlsx"):
        held = path.with_suffix(".held")
        path.rename(held)
        with zipfile.ZipFile(held) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                data = old.read(name)
                if name.startswith("xl/worksheets/"):
                    data = data.replace(b"<sheetData>", b" " * BLANKS + b"<sheetData>")
                new.writestr(name, data)
        held.unlink()
        return
    data = HEADER + GOOD + b"p2,1,2,f," + CANARY.encode() * (BLANKS // 8) + b",s\n"
    path.write_bytes(zstandard.compress(data) if path.suffix == ".zst" else gzip.compress(data))


@pytest.mark.parametrize("kind", ["csv.gz", "csv.zst", "xlsx"])
def test_a_bomb_is_refused_before_it_is_expanded(tmp_path, capsys, monkeypatch, kind):
    from reident.io.formats import compressed, workbook

    assert (compressed.BOMB_RATIO, compressed.BOMB_BYTES) == (200, 10**9)
    folder = folder_of(tmp_path, kind)
    _bomb(folder.files["puf"])
    assert 200 * folder.files["puf"].stat().st_size < BLANKS
    for module in (compressed, workbook):
        monkeypatch.setattr(module, "BOMB_BYTES", BLANKS // 2)
    says = (rf"puf\.{kind}: compressed content of more than 200 times", "Expand it yourself|Save")
    tracemalloc.start()
    assert_refused(capsys, folder, says)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < BLANKS


# Texts that are not a table ----------------------------------------------------------------------

HEADER = b"pid,age,income,sex,county,st\n"
GOOD = b"p1,31,20000,f,1,s\n"


def _row(text):
    return HEADER + GOOD + text.encode() + b"\n" + GOOD.replace(b"p1", b"p2")


TEXTS = {
    "a short row": (_row(f"{CANARY},31,{CANARY}"), ("line 3", "number of fields", "Correct")),
    "a long row": (_row(f"p3,1,2,f,1,s,{CANARY}"), ("line 3", "number of fields", "Correct")),
    "a blank line": (_row(""), ("line 3", "number of fields", "Correct")),
    "an unclosed quote": (
        _row(f'p3,1,2,"{CANARY},1,s'),
        ("line 3", "quote that is never closed", "Close it"),
    ),
    "a quote inside a field": (
        _row(f'p3,1,2,{CANARY}"x,1,s'),
        ("line 3", "quote inside a field", "double"),
    ),
    "a sign after a quote": (
        _row(f'p3,1,2,"{CANARY}"x,1,s'),
        ("line 3", "quote inside a field", "double"),
    ),
    "a NUL byte": (_row(f"p3,1,2,{CANARY}\0,1,s"), ("line 3", "NUL byte", "plain text")),
    "bytes that are not UTF-8": (
        HEADER + GOOD + f"p3,1,2,{CANARY}".encode() + b"\xe9,1,s\n",
        ("line 3", "not utf-8", "encoding"),
    ),
    "two columns of one name": (
        HEADER.replace(b"county", b"age") + GOOD,
        ("line 1", "'age'", "Rename"),
    ),
    "two unused columns of one name": (
        f"pid,age,income,sex,county,st,{CANARY},{CANARY}\np1,31,2,f,1,s,1,2\n".encode(),
        ("line 1", "columns 7 and 8", "Rename"),
    ),
    "no header line": (
        f"{CANARY},31,31,f,1,s\n".encode(),
        ("line 1", "columns 2 and 3", "header"),
    ),
    "another separator": (
        HEADER.replace(b",", b";") + GOOD.replace(b",", b";"),
        ("line 1", "a single column", 'separator = ";"'),
    ),
    "line ends of two kinds": (
        _row("p3,1,2,f,1,s\rp4,1,2,f,1,s"),
        ("mixture of line ends", "one kind"),
    ),
}


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_no_table_is_refused_with_its_line(tmp_path, capsys, name, ending):
    data, says = TEXTS[name]
    folder = folder_of(tmp_path, ending)
    folder.files["puf"].write_bytes(gzip.compress(data) if ending == "csv.gz" else data)
    assert_refused(capsys, folder, (rf"puf\.{ending}", *says))


def _declared(**details):
    def change(inputs):
        inputs.study["puf"] |= details

    return change


DECLARED = {
    "an unknown encoding": ({"encoding": "klingon"}, ("unknown encoding", "Python")),
    "a codec that is no encoding": ({"encoding": "rot13"}, ("unknown encoding", "Python")),
    "an encoding that fails": ({"encoding": "undefined"}, ("not undefined", "encoding")),
    "a wrong encoding": ({"encoding": "ascii"}, ("line 3", "not ascii", "encoding")),
    "a separator of two signs": ({"separator": "||"}, ("separator", "one")),
    "no separator": ({"separator": ""}, ("separator", "one")),
    "a separator that is not ASCII": ({"separator": "§"}, ("separator", "one")),
    "a quote as separator": ({"separator": '"'}, ("separator", "one")),
    "one sign for two purposes": (
        {"decimal": ",", "thousands": ","},
        ("decimal", "thousands"),
    ),
    "thousands by the usual decimal point": ({"thousands": "."}, ("decimal", "thousands")),
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_wrong_declaration_of_a_text_is_refused(tmp_path, capsys, name):
    details, says = DECLARED[name]
    folder = folder_of(tmp_path, "csv", _declared(**details))
    folder.files["puf"].write_bytes(_row(f"p3,1,2,{CANARY}é,1,s"))
    assert_refused(capsys, folder, (r"puf\.csv", *says))


# What is irregular and accepted ------------------------------------------------------------------


def _crlf(data):
    return data.replace(b"\n", b"\r\n")


def _cr(data):
    return data.replace(b"\n", b"\r")


def _bom(data):
    return b"\xef\xbb\xbf" + data


def _no_last_line_end(data):
    return data.rstrip(b"\n")


def _two_last_line_ends(data):
    return data + b"\n"


def _all_quoted(data):
    rows = [line.split(b",") for line in data.splitlines()]
    return b"".join(b",".join(b'"%b"' % part for part in row) + b"\n" for row in rows)


ACCEPTED = [_crlf, _cr, _bom, _no_last_line_end, _two_last_line_ends, _all_quoted]


@pytest.mark.parametrize("respell", ACCEPTED)
def test_spellings_of_one_table_give_one_result(tmp_path, capsys, respell):
    results = []
    for name in ("plain", "spelt"):
        folder = folder_of((tmp_path / name), "csv") if (tmp_path / name).mkdir() is None else None
        if name == "spelt":
            for side in SIDES:
                path = folder.files[side]
                path.write_bytes(respell(path.read_bytes()))
        said = command(capsys, "run", folder.study, "--jobs", "1")
        assert said.code == 0, said
        results.append((folder.run / "results.json").read_bytes())
    assert results[0] == results[1]


def test_a_line_end_inside_a_quoted_header_or_field_belongs_to_it(tmp_path, capsys):
    folder = folder_of(tmp_path, "csv")
    path = folder.files["puf"]
    lines = path.read_text().splitlines()
    lines = [f'"free\ntext",{lines[0]}', *(f'"{CANARY}\r\n",{line}' for line in lines[1:])]
    path.write_text("\n".join(lines), newline="")
    before = folder.content()
    said = command(capsys, "run", folder.study, "--jobs", "1")
    assert said.code == 0, said
    assert_nothing_leaks(folder, before, said)


def test_a_declared_encoding_separator_and_decimal_are_read(tmp_path, capsys):
    def change(inputs):
        inputs.study["puf"] |= {"encoding": "latin-1", "separator": ";", "decimal": ","}
        inputs.fill("puf", "age", [f"{20 + p},5" for p in range(12)])

    folder = folder_of(tmp_path, "csv", change)
    path = folder.files["puf"]
    held = pl.read_csv(path, infer_schema=False)
    path.write_bytes(held.write_csv(separator=";").replace("qx", "ñx").encode("latin-1"))
    said = command(capsys, "run", folder.study, "--jobs", "1")
    assert said.code == 2  # the keys of the PUF are no longer those of the IUF
    assert "no pair whose keys are in both files" in said.err
    path.write_bytes(held.write_csv(separator=";").encode("latin-1"))
    assert command(capsys, "run", folder.study, "--jobs", "1").code == 0


@pytest.mark.parametrize("kind", ["csv", "parquet", DUCKDB])
def test_of_ten_thousand_columns_only_the_needed_are_read(tmp_path, kind):
    folder = folder_of(tmp_path, kind)
    held = frame(Inputs().tables["puf"])
    wide = held.with_columns(pl.lit(CANARY).alias(f"extra{place}") for place in range(10_000))
    write(wide, folder.files["puf"])
    taken = take_in(read_study(folder.study), raw=True)
    assert set(taken.puf.raw.columns) == {"pid", "age", "income", "sex", "county"}
