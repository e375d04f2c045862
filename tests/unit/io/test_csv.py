"""The csv door: every column as text, every irregularity refused with its line."""

import csv
import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.errors import DataError, SpecError
from reident.io.csv import read_csv
from reident.model.files import PublicFile

CANARY = "canary-77"


@pytest.fixture
def door(tmp_path):
    """Read some bytes as a csv file."""

    def read(content, columns=None, name="puf.csv", **details):
        path = tmp_path / name
        path.write_bytes(content)
        return read_csv(path, PublicFile(path, key="a", **details), columns)

    return read


def fault_of(read, content, **details):
    with pytest.raises(DataError) as caught:
        read(content, **details)
    [fault] = caught.value.faults
    assert CANARY not in str(fault)
    return fault


def test_every_column_is_text_as_it_stands(door):
    frame = door(b'a,b\n01, x \n1e5,\n"","q"\n')
    assert frame.rows() == [("01", " x "), ("1e5", None), ("", "q")]


def test_only_the_columns_asked_for_are_read(door):
    frame = door(b"a,b,c\n1,2,3\n", columns=["c", "a", "nosuch"])
    assert frame.rows(named=True) == [{"a": "1", "c": "3"}]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("last", [True, False], ids=["with last end", "without last end"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["no BOM", "BOM"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(door, end, last, bom):
    content = bom + end.join([b"a,b", b"1,x", b"2,y"]) + (end if last else b"")
    frame = door(content)
    assert frame.columns == ["a", "b"]
    assert frame.rows() == [("1", "x"), ("2", "y")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_quoted_fields_may_hold_separators_quotes_and_line_ends(door, end):
    content = end.join([b"a,b", b'"1,5","he said ""no"""', b'2,"two' + end + b'lines"', b""])
    assert door(content).rows() == [
        ("1,5", 'he said "no"'),
        ("2", f"two{end.decode()}lines"),
    ]


def test_a_return_inside_quotes_stays_a_return_where_lines_end_with_one(door):
    assert door(b'a,b\r1,"two\rlines"\r').rows() == [("1", "two\rlines")]


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_another_separator_may_be_declared(door, separator):
    content = f"a{separator}b\n1,5{separator}x\n".encode()
    assert door(content, separator=separator).rows() == [("1,5", "x")]


def test_another_encoding_may_be_declared(door):
    content = "a,b\n1,Müller\n".encode("latin-1")
    assert door(content, encoding="latin-1").rows() == [("1", "Müller")]
    assert door("a,b\n1,Müller\n".encode("utf-16"), encoding="utf-16").rows() == [("1", "Müller")]


def test_a_compressed_file_is_read(door):
    assert door(gzip.compress(b"a,b\n1,x\n"), name="puf.csv.gz").rows() == [("1", "x")]


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (f"a,b\n1,x\n2,{CANARY},z\n".encode(), 3, "another number of fields"),
        (f"a,b\n1,x\n{CANARY}\n".encode(), 3, "another number of fields"),
        (b'a,b\n1,"two\nlines"\n2\n', 4, "another number of fields"),
        (b"a,b\n1,x\n\n2,y\n", 3, "another number of fields"),
        (b"a,b\r\n1,x\r\n2\r\n", 3, "another number of fields"),
        (b"a,b\r1,x\r2\r", 3, "another number of fields"),
        (f'a,b\n1,x\n2,"{CANARY}\n3,y\n'.encode(), 3, "a quote that is never closed"),
        (f"a,b\n1,x\n2,{CANARY}\0\n".encode(), 3, "a NUL byte"),
        (b'a,b\n1,"x\n\0"\n', 3, "a NUL byte"),
        (f'a,b\n1,{CANARY}"x"\n'.encode(), 2, "a quote inside a field"),
        (f'a,b\n1,"x"{CANARY}\n'.encode(), 2, "a quote inside a field"),
        (f"a,b\n1,x\n2,{CANARY}\xff\n".encode("latin-1"), 3, "bytes that are not utf-8"),
        (b"a,b,a\n1,2,3\n", 1, "columns 1 and 3 have the same name"),
    ],
)
def test_an_irregular_line_is_refused_by_number(door, content, line, found):
    fault = fault_of(door, content)
    assert fault.where == f"puf.csv, line {line}"
    assert fault.found.startswith(found)


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_refused(door, content):
    assert fault_of(door, content).found == "an empty file"


def test_a_header_alone_is_a_table_without_records(tmp_path):
    from reident.io.tables import read

    (tmp_path / "puf.csv").write_bytes(b"a,b\n")
    with pytest.raises(DataError, match="a table without records"):
        read(PublicFile(tmp_path / "puf.csv", key="a"), ["a"])


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"a\n1\r2\n", "a mixture of line ends"),
        (b"a,b\n1,x\r2,y\n", "not readable as csv"),
    ],
)
def test_a_lone_return_among_other_line_ends_is_refused(door, content, found):
    assert fault_of(door, content).found == found


@pytest.mark.parametrize("cut", [1, 10, 25, -1])
def test_a_truncated_compressed_file_is_refused(door, cut):
    whole = gzip.compress(f"a,b\n1,{CANARY}\n".encode() * 9)
    assert fault_of(door, whole[:cut], name="puf.csv.gz").found == "not a whole gzip file"


def test_a_flipped_bit_in_a_compressed_file_is_refused(door):
    whole = bytearray(gzip.compress(b"a,b\n1,x\n" * 50))
    whole[-6] ^= 1  # in the checksum
    assert fault_of(door, bytes(whole), name="puf.csv.gz").found == "not a whole gzip file"


def test_a_plain_file_with_the_extension_of_a_compressed_one_is_refused(door):
    assert fault_of(door, b"a,b\n1,x\n", name="puf.csv.gz").found == "not a whole gzip file"


def test_an_unknown_encoding_is_refused(door):
    assert fault_of(door, b"a\n1\n", encoding="klingon").found == "an unknown encoding"


@pytest.mark.parametrize("separator", ["", "||", "§", '"'])
def test_a_separator_that_is_not_one_plain_character_is_refused(door, separator):
    with pytest.raises((SpecError, DataError)):
        door(b"a,b\n1,x\n", separator=separator)


def test_a_name_in_the_header_may_hold_a_line_end(door):
    frame = door(b'a,"two\nlines"\n1,x\n')
    assert frame.columns == ["a", "two\nlines"]


def test_terminal_escapes_in_a_header_do_not_reach_the_message(door):
    fault = fault_of(door, b"a,\x1b[31m,\x1b[31m\n1,2,3\n")
    assert "\x1b" not in str(fault)


signs = st.sampled_from(["", "x", " ", "a,b", 'say "hi"', "two\nlines", "é", "0", "'"])


@settings(max_examples=100)
@given(
    rows=st.lists(st.lists(signs, min_size=3, max_size=3), min_size=1, max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_whatever_the_csv_module_writes_is_read_back(tmp_path_factory, rows, end, quoting):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator=end, quoting=quoting)
    writer.writerow(["a", "b", "c"])
    writer.writerows(rows)
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_bytes(stream.getvalue().encode())
    frame = read_csv(path, PublicFile(path, key="a"), None)
    assert [[cell or "" for cell in row] for row in frame.rows()] == rows
