"""Spoiled inputs: whatever stands in a study file, a csv file or a rule, we refuse it or read it.

An error is one of ours, says something, and never holds the canary that stands in every value. More
examples by `make fuzz`.
"""

import os
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bad_input.study_folder import CANARY, folder_of
from reident.errors import ReidentError
from reident.io.csv import csv_batches, csv_names, read_csv
from reident.io.spec import parse_study, study_text
from reident.model.files import SourceFile
from reident.model.rules import BY_KEY, rule_of

some = settings(max_examples=int(os.environ.get("REIDENT_EXAMPLES", "2000")) // 4)

PIECES = st.sampled_from(
    [
        *(
            "\x00",
            "\ufeff",
            "\r",
            "\n",
            "\r\n",
            '"',
            '"""',
            "'",
            "[",
            "]",
            "[[",
            "{",
            "}",
            "=",
            "#",
        ),
        *(
            ",",
            ";",
            "\t",
            ".",
            "..",
            "/",
            "\\",
            "\\u",
            "nan",
            "inf",
            "-inf",
            "1e999",
            "9" * 40,
            "-1",
        ),
        *(
            "true",
            "1979-05-27",
            "07:32:00",
            "[attacks.x]",
            "[[variables]]",
            "schema = 2",
            "é",
            "\x1b",
        ),
        *(
            "method = 'taxicab'",
            "kind = 'numeric'",
            "{{7*7}}",
            "<script>",
            "=cmd",
            "\ud7ff",
            "\U0001f600",
        ),
    ]
)


@st.composite
def spoiled(draw, text, pieces=PIECES):
    """A text with a few pieces put in, taken out, doubled or moved."""
    for _ in range(draw(st.integers(1, 4))):
        a, b = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        b = min(b, a + draw(st.integers(0, 40)))
        put = draw(st.one_of(pieces, st.just(text[a:b] * 2), st.just(text[:0])))
        text = text[:a] + put + text[b:]
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A sound study on disk, whose values carry the canary."""
    return folder_of(tmp_path_factory.mktemp("fuzz"), "csv")


def refused(step):
    """What was read, or None where it was refused as it should be."""
    faults = ()
    try:
        return step()
    except ReidentError as error:
        faults = error.faults
    assert faults
    assert all(fault.where and fault.found and fault.remedy for fault in faults)
    assert not any(CANARY in str(fault) for fault in faults)
    return None


@some
@given(data=st.data())
def test_a_spoiled_study_file_is_refused_or_read_and_says_the_same_when_written(folder, data):
    text = data.draw(spoiled(folder.study.read_text(encoding="utf-8")))
    study = refused(lambda: parse_study(text, folder=folder.path))
    if study is not None:
        written = study_text(study)
        assert study_text(parse_study(written, folder=folder.path)) == written


@some
@given(data=st.data())
def test_a_spoiled_csv_file_is_refused_or_read_alike_in_one_piece_and_in_several(folder, data):
    sound = folder.files["puf"].read_bytes()
    pieces = PIECES.map(lambda piece: piece.encode()) | st.binary(max_size=4)
    path = folder.path / "spoiled.csv"
    path.write_bytes(data.draw(spoiled(sound, pieces)))
    file = SourceFile(path)
    names = refused(lambda: csv_names(path, file))
    whole = refused(lambda: read_csv(path, file, names)) if names else None
    if whole is not None:
        several = list(csv_batches(path, file, names, 2))
        assert [row for batch in several for row in batch.rows()] == whole.rows()


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 9),
    st.integers(),
    st.floats(),
    st.sampled_from(["", "exact", "date", "1", "5.0000001", "1e999", "nan", "jaro_winkler"]),
    st.just(date(2020, 1, 1)),
)
VALUES = st.recursive(SCALARS, lambda one: st.lists(one, max_size=4), max_leaves=8)
FIELDS = st.sampled_from(
    sorted({*BY_KEY, "x"}.union(*(kind.model_fields for kind in BY_KEY.values())))
)


@some
@given(data=st.one_of(VALUES, st.dictionaries(FIELDS, VALUES, max_size=4)))
def test_a_spoiled_rule_is_refused_or_taken(data):
    refused(lambda: rule_of(data))
