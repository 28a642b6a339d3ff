"""Every bad input, and the whole message that a person reads."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ragauge.errors import ColumnError, DataError, OptionError, RagaugeError
from ragauge.formats import read
from ragauge.formats.fields import shortened
from tests.approved import approved, pattern

Write = Callable[[str, bytes | str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file; messages then show its bare name."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, content: bytes | str) -> str:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return written


def message(source: Any, **options: Any) -> str:
    with pytest.raises(RagaugeError) as caught:
        read(source, **options)
    return str(caught.value)


def test_every_broken_line_is_named(write: Write) -> None:
    lines = ['{"question": "Who?"}'] * 100
    lines[6], lines[89] = '{"question": "Who?"', '{"question": }'
    assert message(write("run.jsonl", "\n".join(lines))) == (
        approved("formats.problems_line_not_json_expecting_delimiter_at")
    )


def test_problems_of_every_kind_come_together_in_the_order_of_lines(write: Write) -> None:
    content = (
        b'{"id": 1, "question": "a"}\n'
        b'{"id": 1, "answer": ["b"]}\n'
        b"\n"
        b"[1]\n"
        b'{"id": 2, "contexts": "abc"}\n'
        b'{"id": \xff}\n'
        b'{"id": 3, "retrieved": ["a"], "retrieved_scores": [1, 2]}\n'
        b'{"question": "z"}\n'
        b'{"id": 4, "retrieved": ["a"], "retrieved_scores": [NaN]}\n'
    )
    assert message(write("run.jsonl", content)) == (approved("formats.problems_line_answer_must_be_text_got"))


CELLS: list[tuple[dict[str, Any], str]] = [
    ({"question": False}, approved("formats.question_must_be_text_got_false")),
    ({"response": True}, approved("formats.answer_from_response_must_be_text_got")),
    ({"answer": {"text": "a"}}, approved("formats.answer_must_be_text_got_an_object")),
    ({"answer": "\ud800"}, approved("formats.answer_must_be_text_got_half_a")),
    ({"answer": b"\xff"}, approved("formats.answer_must_be_text_in_utf_got")),
    ({"id": 1.5}, approved("formats.id_must_be_text_or_a_whole")),
    ({"references": [True]}, approved("formats.references_item_must_be_text_got_the")),
    ({"references": True}, approved("formats.references_must_be_a_list_of_texts")),
    ({"references": ["a", None]}, approved("formats.references_item_must_be_text_got_null")),
    ({"contexts": [True]}, approved("formats.contexts_item_must_be_a_text_or")),
    (
        {"contexts": [{"txt": "a"}]},
        (approved("formats.contexts_item_has_no_text_its_keys")),
    ),
    ({"retrieved": "d1"}, approved("formats.retrieved_must_be_a_list_of_ids")),
    ({"retrieved": [None]}, approved("formats.retrieved_item_must_be_text_or_a")),
    ({"retrieved_scores": ["high"]}, approved("formats.retrieved_scores_item_must_be_a_finite")),
    ({"relevance": 1}, approved("formats.relevance_must_be_an_object_id_grade")),
    ({"relevance": {"d1": "high"}}, approved("formats.relevance_has_a_grade_that_is_no_2")),
    ({"relevance": {"d1": float("nan")}}, approved("formats.relevance_has_a_grade_that_is_no")),
    ({"relevance": [1, {"id": "d1", "grade": 1}]}, approved("formats.relevance_must_list_one_kind")),
    ({"relevance": [{"id": "d1"}]}, approved("formats.relevance_item_must_be_an_object_with")),
    (
        {"relevance": [{"id": "d1", "grade": 1}, {"id": "d1", "grade": 2}]},
        approved("formats.relevance_judges_d_twice_as_and_as"),
    ),
    (
        {"retrieved": ["a", "b"], "relevance": [1]},
        approved("formats.relevance_has_grade_but_retrieved_has_ids"),
    ),
    (
        {"question": [{"role": "system", "content": "Be brief."}]},
        approved("formats.question_is_a_list_of_messages_but"),
    ),
]


@pytest.mark.parametrize(("row", "what"), CELLS)
def test_a_cell_of_the_wrong_kind(row: dict[str, Any], what: str) -> None:
    assert message([{"topic": "good"}, row]) == f"list of dicts: row 2: {what}"


@pytest.mark.parametrize(
    ("mixed", "found"),
    [
        (["d1", {"id": "d2", "grade": 1}], "a text and an object"),
        (["d1", 2], "a text and the number 2"),
        ([1.5, "d1"], "the number 1.5 and a text"),
        ([{"id": "d2", "grade": 1}, None], "an object and null"),
    ],
)
def test_judgements_of_two_kinds_in_one_list(mixed: list[Any], found: str) -> None:
    assert message([{"relevance": mixed}]).endswith(f"of one kind; got {found}")


def test_rows_that_are_no_objects() -> None:
    assert message([{"question": "Who?"}, "Who?", None]) == (approved("formats.list_of_dicts_problems_row_a_row"))


def test_bad_cells_of_a_table_are_named_by_row() -> None:
    table = pa.table({"answer": [["a"], None, ["b"]]})
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
    (
        "run.bin",
        b"\x00\x01\x02",
        (approved("formats.run_bin_the_name_ends_in_bin")),
    ),
]


@pytest.mark.parametrize(("name", "content", "expected"), FILES)
def test_a_file_that_cannot_be_read(name: str, content: bytes, expected: str, write: Write) -> None:
    assert message(write(name, content)) == expected


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
    assert len(shown) == 22
    assert shown[0] == "run.jsonl: 50 problems"
    assert shown[-1] == "  ... and 30 more"


def test_all_problems_are_on_the_error(write: Write) -> None:
    with pytest.raises(DataError) as caught:
        read(write("run.jsonl", '{"answer": true}\n' * 50))
    assert caught.value.problems[49] == "line 50: answer must be text; got true"
    assert caught.value.exit_code == 3


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
        read([{"response": "a"}] * 2 + [{"answer": "b"}])
    assert str(caught.value) == (approved("formats.response_was_read_as_answer_until_column"))


def test_an_object_that_holds_no_data() -> None:
    assert message(3) == (approved("formats.cannot_read_data_of_type_int_give"))


def test_options_out_of_range() -> None:
    with pytest.raises(OptionError, match=pattern("formats.option_limit_of_read_must_be_a")):
        read([{"question": "a"}], limit=0)


@pytest.mark.parametrize("column", ["references", "contexts", "retrieved"])
@pytest.mark.parametrize("field", ['["a"', '["a", "b', "['a', 'b'", '[{"id": "a"', '["see [1]", "b"', "[1, 2"])
def test_a_list_without_its_end_is_no_text(field: str, column: str, write: Write) -> None:
    quoted = field.replace('"', '""')
    assert message(write("qa.csv", f'question,{column}\nWho?,"{quoted}"\n')) == (
        f"qa.csv: line 2: {column} must be a text or a JSON array; got {field!r}, a list without its end"
    )


@pytest.mark.parametrize("field", ["[1] Anna, as the list says", "[sic", "Anna [", "['tea'] is a word", "[[Anna]]"])
def test_a_text_may_start_with_a_bracket(field: str, write: Write) -> None:
    [batch] = read(write("qa.csv", f'question,references\nWho?,"{field}"\n')).batches()
    assert batch.column("references").to_pylist() == [[field]]


def test_a_text_as_a_grade_is_shown(write: Write) -> None:
    content = 'question,relevance\nWho?,"{""d1"": ""abc""}"\n'
    assert message(write("qa.csv", content)) == (
        "qa.csv: line 2: relevance must have a finite number as grade; got 'abc'"
    )


@pytest.mark.parametrize(("text", "shown"), [("茶", "茶"), ("x" * 40, "x" * 40), ("x" * 41, "x" * 37 + "...")])
def test_a_long_value_is_shortened(text: str, shown: str) -> None:
    assert shortened(text) == repr(shown)
