"""Tables of databases: by file or by environment variable, names inert, nothing fetched."""

import hashlib
import random
import sqlite3
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

from reident.errors import DataError
from reident.io.formats.database import file_of
from reident.io.spec import parse_study, study_dict
from reident.io.tables import all_columns, read, read_table
from reident.model.files import PublicFile, SourceFile

HOSTILE = 'x"; drop table persons; --'
CANARY = "canary-4711"


@pytest.fixture
def duck(tmp_path):
    path = tmp_path / "survey.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table persons as select * from (values "
            "('007', 1234567890123456789::decimal(19,0), 1.50::decimal(9,2), date '2020-02-29'),"
            "('7', 1234567890123456788::decimal(19,0), null, null)) v(id, big, pay, born)"
        )
        connection.execute('create table "x""; drop table persons; --" as select 1 as "a""b"')
        connection.execute("create schema other; create table other.persons as select 9 as z")
        connection.execute("create view outside as select * from read_csv('/etc/hostname')")
    return path


@pytest.fixture
def lite(tmp_path):
    path = tmp_path / "survey.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table persons (id text, n integer, mixed, f real, b blob)")
        connection.executemany(
            "insert into persons values (?, ?, ?, ?, ?)",
            [("007", 2**62, "x", 1.5, None), ("7", None, 7, 2.0, b"\0"), ("a", 1, 0.5, None, None)],
        )
        connection.execute('create table "x""; drop table persons; --" (a)')
        connection.execute('insert into "x""; drop table persons; --" values (1)')
    connection.close()
    return path


def refused(file, columns=("id",)):
    with pytest.raises(DataError) as error:
        read(file, list(columns))
    assert CANARY not in str(error.value)
    (fault,) = error.value.faults
    return fault


def test_a_table_of_a_duckdb_file(duck):
    file = SourceFile(f"duckdb:{duck}::persons")
    assert all_columns(file) == ["id", "big", "pay", "born"]
    frame = read(file, ["big", "id", "pay"])
    assert frame.columns == ["big", "id", "pay"]
    assert frame["id"].to_list() == ["007", "7"]
    assert frame["big"].to_list() == [1234567890123456789, 1234567890123456788]
    assert frame["pay"].to_list() == [1.5, None]
    assert read_table(file).frame["born"].dtype == pl.Date
    assert file.name == "survey.db::persons"
    assert file.path is None


def test_a_table_of_another_schema(duck):
    assert read(SourceFile(f"duckdb:{duck}::other.persons"), ["z"])["z"].to_list() == [9]


def test_hostile_names_are_inert(duck, lite, monkeypatch):
    assert read(SourceFile(f"duckdb:{duck}::{HOSTILE}"), ['a"b']).item() == 1
    assert refused(SourceFile(f"duckdb:{duck}::persons; drop table persons")).found == (
        "no such table in the database"
    )
    assert read(SourceFile(f"duckdb:{duck}::persons"), ["id"]).height == 2
    monkeypatch.setenv("SURVEY", f"sqlite:{lite}")
    assert read(SourceFile(f"env:SURVEY::{HOSTILE}"), ["a"]).item() == 1
    assert read(SourceFile("env:SURVEY::persons"), ["id"]).height == 3


def test_a_view_cannot_reach_outside(duck):
    fault = refused(SourceFile(f"duckdb:{duck}::outside"))
    assert fault.found == "a database that cannot be read"


def test_connections_from_the_environment(duck, lite, monkeypatch):
    monkeypatch.setenv("SURVEY", f"duckdb:{duck}")
    file = SourceFile("env:SURVEY::persons")
    assert read(file, ["id"])["id"].to_list() == ["007", "7"]
    assert file.name == "SURVEY::persons"
    monkeypatch.setenv("SURVEY", f"sqlite:{lite}")
    frame = read(file, ["id", "n", "mixed", "f"])
    assert frame["n"].to_list() == [2**62, None, 1]
    assert frame["mixed"].to_list() == ["x", "7", "0.5"]
    assert frame["f"].to_list() == [1.5, 2.0, None]
    assert "bytes in column 'b'" in refused(file, ["b"]).found
    monkeypatch.setenv("SURVEY", str(duck))
    assert read(file, ["id"])["id"].to_list() == ["007", "7"]


def test_faults_of_connections_never_show_them(tmp_path, duck, monkeypatch):
    file = SourceFile("env:SURVEY::persons")
    monkeypatch.delenv("SURVEY", raising=False)
    assert refused(file).found == "the environment variable SURVEY is not set"
    for connection in (f"postgres:host=localhost password={CANARY}", f"x:{CANARY}", f"o'{CANARY}"):
        monkeypatch.setenv("SURVEY", connection)
        assert refused(file).found == "a database that cannot be read"
    monkeypatch.setenv("SURVEY", f"duckdb:{tmp_path / CANARY}.db")
    assert refused(file).found == "no such file"
    for kind in ("duckdb", "sqlite"):
        broken = tmp_path / "broken.db"
        broken.write_bytes(b"x" * 5000)
        monkeypatch.setenv("SURVEY", f"{kind}:{broken}")
        assert "database" in refused(file).found
    cut = tmp_path / "cut.db"
    cut.write_bytes(duck.read_bytes()[:9000])
    assert "database" in refused(SourceFile(f"duckdb:{cut}::persons")).found


def test_a_flipped_bit_of_a_duckdb_file_is_refused_or_harmless(duck, tmp_path):
    names = ["id", "big", "pay"]
    sound = read(SourceFile(f"duckdb:{duck}::persons"), names)
    broken = tmp_path / "broken.db"
    draw = random.Random(3)  # noqa: S311  # any bit will do
    said = []
    for _ in range(30):
        data = bytearray(duck.read_bytes())
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        broken.write_bytes(data)
        try:
            assert read(SourceFile(f"duckdb:{broken}::persons"), names).equals(sound)
        except DataError as error:
            said.append(str(error))
    assert said
    assert all("broken.db::persons: a database that cannot be read" in text for text in said)


def test_without_the_extra_the_error_names_it(duck, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    fault = refused(SourceFile(f"duckdb:{duck}::persons"))
    assert "reident[duckdb]" in fault.remedy


def test_a_database_without_a_table_is_told(duck):
    assert refused(SourceFile(f"duckdb:{duck}")).found == "a database without a table"


def test_the_file_of_a_source(duck, lite, monkeypatch):
    assert file_of(SourceFile(f"duckdb:{duck}::persons")) == duck
    monkeypatch.setenv("SURVEY", f"sqlite:{lite}")
    assert file_of(SourceFile("env:SURVEY::persons")) == lite
    monkeypatch.setenv("SURVEY", "postgres:host=x")
    assert file_of(SourceFile("env:SURVEY::persons")) is None
    assert file_of(SourceFile(pl.DataFrame({"a": [1]}))) is None
    assert file_of(SourceFile("a/b.csv")) == Path("a/b.csv")


STUDY = """
schema = 1
[puf]
path = "duckdb:survey.db::puf"
key = "id"
[eif]
path = "eif.csv"
key = "id"
[variables]
sex = "categorical"
"""


def test_a_study_over_a_database(tmp_path, monkeypatch):
    rows = "('a', 'f'), ('b', 'm')"
    with duckdb.connect(str(tmp_path / "survey.db")) as connection:
        connection.execute(f"create table puf as select * from (values {rows}) v(id, sex)")  # noqa: S608
    (tmp_path / "eif.csv").write_text("id,sex\nx,f\ny,m\n")
    study = parse_study(STUDY, folder=tmp_path)
    assert study.puf.source == f"duckdb:{tmp_path}/survey.db::puf"
    assert study_dict(study)["puf"]["path"] == study.puf.source
    from reident.api import Study

    monkeypatch.chdir("/")
    result = Study(**{name: getattr(study, name) for name in type(study).model_fields}).run()
    held = result.manifest["inputs"]["puf"]
    digest = hashlib.sha256((tmp_path / "survey.db").read_bytes()).hexdigest()
    assert held == {
        "name": "survey.db::puf",
        "records": 2,
        "bytes": (tmp_path / "survey.db").stat().st_size,
        "sha256": digest,
    }


def test_a_path_that_only_looks_like_a_database_is_a_path():
    assert PublicFile("folder/duckdb::x.csv", key="id").path == Path("folder/duckdb::x.csv")
    assert PublicFile(Path("env:A::b"), key="id").path is None
