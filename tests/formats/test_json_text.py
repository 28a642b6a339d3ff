"""JSON documents that are read in parts: lists, objects that follow each other, and what is broken in them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.core.batch import Dataset, concatenated
from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.json import document_chunks
from tests.approved import pattern

ROWS: list[dict[str, Any]] = [{"question": "Who?", "answer": "安娜。"}, {"question": "When?", "answer": None}]


def rows(data: Dataset) -> list[dict[str, Any]]:
    return concatenated(data.batches()).table().drop_columns(["id"]).to_pylist()  # type: ignore[no-any-return]


DOCUMENTS = {
    "list": json.dumps(ROWS),
    "indented list": json.dumps(ROWS, indent=2, ensure_ascii=False),
    "columns": json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}),
    "RAGChecker": json.dumps({"results": ROWS, "metrics": {}}, indent=1),
    "lines": "\n".join(map(json.dumps, ROWS)),
}


@pytest.mark.parametrize("name", ["run.json", "run.unknown", "run"])
@pytest.mark.parametrize("form", DOCUMENTS)
def test_every_form_of_a_document(form: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("\ufeff" + DOCUMENTS[form], encoding="utf-8")
    assert rows(read(path)) == ROWS


def test_one_row(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps(ROWS[0]))
    assert rows(read(tmp_path / "run.json")) == ROWS[:1]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1000])
def test_a_list_is_read_in_parts(size: int) -> None:
    given = [{"answer": "a\n" * i, "n": i * 10**i} for i in range(12)]
    for indent in (None, 2):
        stream = io.BytesIO(json.dumps(given, indent=indent).encode())
        chunks = list(document_chunks(stream, "run.json", size))
        assert [value for chunk in chunks for value in chunk.columns["answer"]] == [row["answer"] for row in given]
        assert [value for chunk in chunks for value in chunk.columns["n"]] == [row["n"] for row in given]


def test_the_line_of_broken_json_is_counted_over_parts() -> None:
    broken = "[\n" + '{"answer": "a"},\n' * 50 + '{"answer" "a"}]'
    for size in (1, 10, 1000):
        with pytest.raises(DataError, match=pattern("formats.run_json_line_not_json_expecting_delimiter")):
            list(document_chunks(io.BytesIO(broken.encode()), "run.json", size))


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (
            '[\n{"answer": "a',
            "line 2: not JSON: a text without its closing quote in row 1; check that the file is whole",
        ),
        (
            '[{"answer": "a\tb"}]',
            (
                "line 1: not JSON: a line break or a tab within a text in row 1; "
                r"write \n or \t in its place, as json.dumps does"
            ),
        ),
        (
            r'[{"answer": "a\qb"}]',
            "line 1: not JSON: a single backslash within a text in row 1; write it twice, as json.dumps does",
        ),
    ],
)
def test_what_is_broken_is_said_without_a_place_left_open(broken: str, why: str) -> None:
    with pytest.raises(DataError) as caught:
        list(document_chunks(io.BytesIO(broken.encode()), "run.json"))
    assert str(caught.value) == f"run.json: {why}"


def test_standard_input_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.json").write_text('{"answer": ["a", "b"]}', encoding="utf-8")
    with (tmp_path / "run.json").open(encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert read("-", format="json").rows == 2
        assert not stdin.buffer.closed


@pytest.mark.parametrize("size", [8, 16, 1 << 20])
@pytest.mark.parametrize(
    "document",
    [{"question": ["谁种茶？", "Who?"], "answer": ["林婉", "Lin"]},
     {"results": [{"question": "谁种茶？", "answer": "林婉"}, {"question": "Who?", "answer": "Lin"}]}],
)  # fmt: skip
def test_an_object_that_is_longer_than_what_is_read_at_once_is_read_as_a_short_one(document: Any, size: int) -> None:
    text = json.dumps(document, ensure_ascii=False).encode()
    [chunk] = [one for one in document_chunks(io.BytesIO(text), "run.json", size) if one.columns]
    assert chunk.columns == {"question": ["谁种茶？", "Who?"], "answer": ["林婉", "Lin"]}
    assert list(chunk.places) == [1, 2]


@pytest.mark.parametrize(
    "pair",
    [
        (True, 1), (1, False), ({"a": True}, {"a": 1}), ({"a": 1}, {"a": True}), ([True], [1]), ([1.5], [False]),
        ({"a": [1]}, {"a": [True]}), ({"a": {"b": 1.5}}, {"a": {"b": False}}), ([[1]], [[True]]),
    ],
)  # fmt: skip
def test_truth_among_numbers_is_kept_as_json(pair: tuple[Any, Any]) -> None:
    values = concatenated(read([{"question": "q", "extra": one} for one in pair]).batches()).column("extra")
    assert values.to_pylist() == [json.dumps(one) for one in pair]


@pytest.mark.parametrize(("whole", "row"), [(0, 2), (1, 3), (3, 5)])
def test_objects_that_follow_each_other_are_numbered(whole: int, row: int) -> None:
    text = '{\n"answer": "a"}\n' * (1 + whole) + '{\n"answer" "b"}'
    with pytest.raises(DataError) as caught:
        list(document_chunks(io.BytesIO(text.encode()), "run.json"))
    assert str(caught.value) == f"run.json: line {2 * row}: not JSON: Expecting ':' delimiter in row {row}"


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ('{"resourceSpans": [],}', "a comma before } in row 2; remove it"),
        ('{"resourceSpans": [{"scopeSpans": []},]}', "{ must come here; got ']'"),
        ('{"resourceSpans": [{"scopeSpans": []}', "item 1 must be followed by , or ]; got the end of the file"),
        ('{"resourceSpans": [] "other": 1}', "key 1 must be followed by , or }; got '\"'"),
        ('{"resourceSpans": [], "other" 1}', ": must come here; got '1'"),
    ],
)
def test_an_export_of_spans_is_checked_although_it_is_never_whole_in_memory(document: str, why: str) -> None:
    with pytest.raises(DataError) as caught:
        list(document_chunks(io.BytesIO(document.encode()), "run.json"))
    assert str(caught.value) == f"run.json: line 1: not JSON: {why}"
