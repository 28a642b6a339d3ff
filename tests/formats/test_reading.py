"""Every bad input, and the whole message that a person reads."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ragauge.errors import ColumnError, DataError, OptionError
from ragauge.formats import read
from tests.approved import approved, pattern
from tests.formats.files import Write, known_suffixes, message


def test_every_broken_line_is_named(write: Write) -> None:
    lines = ['{"question": "Who?"}'] * 100
    lines[6], lines[89] = '{"question": "Who?"', '{"question": }'
    assert message(write("run.jsonl", "\n".join(lines))) == (
        approved("formats.problems_line_not_json_expecting_delimiter_at")
    )


def test_problems_of_every_kind_come_together_in_the_order_of_lines(write: Write) -> None:
    content = (
        b'{"id": 1, "question": "a"}\n'
        b'{"id": 1, "answer": ["b", "c"], "references": ["b"]}\n'
        b"\n"
        b"[1]\n"
        b'{"id": 2, "contexts": "[abc"}\n'
        b'{"id": \xff}\n'
        b'{"id": 3, "retrieved": ["a"], "retrieved_scores": [1, 2]}\n'
        b'{"question": "z"}\n'
        b'{"id": 4, "retrieved": ["a"], "retrieved_scores": [NaN]}\n'
    )
    assert message(write("run.jsonl", content)) == (approved("formats.problems_line_answer_must_be_text_got"))


def test_rows_that_are_no_objects() -> None:
    assert message([{"question": "Who?"}, "Who?", None]) == (approved("formats.list_of_dicts_problems_row_a_row"))


def test_bad_cells_of_a_table_are_named_by_row() -> None:
    table = pa.table({"answer": [["a", "c"], None, ["b", "c"]], "references": [["a"]] * 3})
    assert message(table) == (approved("formats.pyarrow_table_problems_row_answer_must_be"))


FILES: list[tuple[str, bytes, str]] = [
    ("run.jsonl", b"", approved("formats.is_empty_give_at_least_one_row")),
    ("run.jsonl", b" \n\n", approved("formats.is_empty_give_at_least_one_row")),
    ("run.json", b"[]", approved("formats.has_no_rows_give_at_least_one_2")),
    ("run.json", b"[{}]", approved("formats.the_rows_have_no_columns_give_at")),
    (
        "run.jsonl",
        b'{\n"question": "Who?"}',
        (approved("formats.problems_line_not_json_the_row_goes")),
    ),
    ("run.csv", b"question,answer\n", approved("formats.has_no_rows_give_at_least_one")),
    (
        "run.jsonl.gz",
        b'{"question": "Who?"}',
        approved("formats.the_name_ends_in_gz_but_the"),
    ),
    (
        "run.jsonl.zst",
        b'{"question": "Who?"}',
        (approved("formats.the_name_ends_in_zst_but_the")),
    ),
    (
        "run.jsonl.gz",
        gzip.compress(b'{"question": "Who?"}\n' * 1000, mtime=0)[:-20],
        approved("formats.the_compressed_file_ends_too_early_it_2"),
    ),
    (
        "run.jsonl.zst",
        pa.compress(b'{"question": "Who?"}\n' * 1000, codec="zstd", asbytes=True)[:-5],
        approved("formats.the_compressed_file_ends_too_early_it"),
    ),
    (
        "run.csv",
        "question,answer\nWho?,Zoë\n".encode("latin-1"),
        (approved("formats.line_not_utf_byte_xeb_at_byte")),
    ),
    ("run.json", b'[{"question": "\xff"}]', approved("formats.not_utf_it_has_a_byte_xff")),
    (
        "run.json",
        b'[{"question": "Who?"},\n {"question" "Who?"}]',
        approved("formats.line_not_json_expecting_delimiter_in_row"),
    ),
    (
        "run.json",
        b'[{"question": "Who?"}\n{"question": "Who?"}]',
        approved("formats.line_not_json_row_must_be_followed_2"),
    ),
    (
        "run.json",
        b'[{"question": "Who?"}',
        approved("formats.line_not_json_row_must_be_followed"),
    ),
    ("run.json", b'[{"question": "Who?"}] x', approved("formats.line_not_json_there_is_more_after")),
    ("run.json", b'{\n"question": ', approved("formats.not_json_expecting_value_at_line_column")),
    ("run.json", b'"text"', approved("formats.must_be_a_list_of_rows_or")),
    (
        "run.json",
        b'{"question": ["a", "b"], "answer": ["c"]}',
        approved("formats.columns_must_be_equally_long_got_question"),
    ),
    (
        "run.csv",
        b'question,answer\na,b,c\nd\n"x"y,z\ne,"f\ng',
        (approved("formats.problems_line_has_fields_but_the_header")),
    ),
    ("run.csv", b"answer,answer\na,b\n", approved("formats.line_two_columns_are_named_answer_rename")),
    (
        "run.csv",
        b"""question,contexts,retrieved_scores,relevance\na,"['b' 'c']",[1;2],{d1: 1}\n""",
        (approved("formats.problems_line_retrieved_scores_must_be_a")),
    ),
]


@pytest.mark.parametrize(("name", "content", "expected"), FILES)
def test_a_file_that_cannot_be_read(name: str, content: bytes, expected: str, write: Write) -> None:
    assert message(write(name, content)) == expected


def test_a_file_of_no_known_format_cannot_be_read(write: Write) -> None:
    found = message(write("run.bin", b"\x00\x01\x02"))
    assert found == approved("formats.run_bin_the_name_ends_in_bin", suffixes=known_suffixes())


@pytest.mark.parametrize("name", ["run.parquet", "run.arrow"])
def test_a_binary_file_that_is_not_what_its_name_says(name: str, write: Write) -> None:
    found = message(write(name, b"not at all" * 10))
    assert found.startswith(f"{name}: cannot be read: ")
    assert found.endswith("; it is damaged, or is not of the format that its name says")


@pytest.mark.parametrize("source", [[], {"question": []}])
def test_nothing(source: Any) -> None:
    assert message(source).endswith(": has no rows; give at least one")


def test_a_file_that_is_not_there(write: Write) -> None:
    write("answers.jsonl", "{}")
    assert message("answer.jsonl") == approved("formats.file_not_found_did_you_mean_answers")
    assert message("nowhere/run.jsonl") == approved("formats.file_not_found")


def test_a_folder(write: Write) -> None:
    Path("runs").mkdir()
    assert message("runs") == (approved("formats.runs_is_a_folder_name_the_file_2"))
    Path("runs/qrels").mkdir()
    assert message("runs") == (approved("formats.runs_is_a_folder_name_the_file"))


def test_many_problems_are_counted_and_twenty_shown(write: Write) -> None:
    shown = message(write("run.jsonl", '{"answer": true}\n' * 50)).splitlines()
    assert len(shown) == 23
    assert shown[0] == "run.jsonl: 50 problems"
    assert shown[-2] == "  ... and 30 more"


def test_all_problems_are_on_the_error(write: Write) -> None:
    with pytest.raises(DataError) as caught:
        read(write("run.jsonl", '{"answer": true}\n' * 50))
    assert caught.value.problems[49] == "line 50: answer must be text; got true"
    assert caught.value.exit_code == 3


@pytest.mark.costly
def test_reading_stops_at_a_file_of_nothing_but_problems(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.reading.MOST_PROBLEMS", 10)
    with pytest.raises(DataError) as caught:
        read([{"answer": True}] * 100_000)
    assert len(caught.value.problems) < 100_000


@pytest.mark.parametrize(("wrong", "listed"), [(9_999, 10_004), (10_000, 10_000)])
def test_reading_stops_after_ten_thousand_problems(wrong: int, listed: int) -> None:
    """The limit that docs/reliability.md states, met at the end of a block of rows."""
    rows = [{"answer": True}] * wrong + [{"answer": "a"}] * (16_384 - wrong) + [{"answer": True}] * 5
    with pytest.raises(DataError) as caught:
        read(rows)
    assert len(caught.value.problems) == listed


def test_two_columns_for_one() -> None:
    with pytest.raises(ColumnError) as caught:
        read([{"response": "a", "prediction": "b"}])
    assert str(caught.value) == (approved("formats.response_and_prediction_could_both_be_answer"))


def test_context_alone_is_ambiguous() -> None:
    with pytest.raises(ColumnError) as caught:
        read([{"question": "a", "context": ["b"]}])
    assert str(caught.value) == (approved("formats.column_context_is_ambiguous_in_some_data"))


def test_a_mapping_to_a_column_that_there_is_not() -> None:
    with pytest.raises(ColumnError) as caught:
        read([{"user_inputs": "a"}], mapping={"question": "user_input"})
    assert str(caught.value) == approved("formats.map_question_user_input_the_data_have")


def test_a_column_that_changes_the_map_late(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 2)
    with pytest.raises(ColumnError) as caught:
        read([{"response": "a"}] * 2 + [{"answer": "b", "response": "c"}])
    assert str(caught.value) == (approved("formats.response_was_read_as_answer_until_column"))


def test_an_object_that_holds_no_data() -> None:
    assert message(3) == (approved("formats.cannot_read_data_of_type_int_give"))


def test_options_out_of_range() -> None:
    with pytest.raises(OptionError, match=pattern("formats.option_limit_of_read_must_be_a")):
        read([{"question": "a"}], limit=0)
