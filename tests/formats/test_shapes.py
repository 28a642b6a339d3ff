"""Columns that are a known one only together; whole files are in ``tests/desk/files.toml``."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from ragauge.core.batch import concatenated
from ragauge.formats import read
from ragauge.formats.shapes import shaped
from ragauge.formats.source import Chunk

PROSE = "Tea is grown in Yunnan."


def columns(row: dict[str, Any], *wanted: str, written: bool = False) -> dict[str, Any]:
    chunk = Chunk({name: [value] for name, value in row.items()}, [1])
    return {name: values[0] for name, values in shaped(chunk, wanted, written=written).columns.items()}


def test_numbered_columns_are_a_list_where_they_begin_at_0_or_1_and_none_is_absent() -> None:
    assert columns({"context_0": "a", "context_1": "b"}) == {"contexts": ["a", "b"]}
    assert columns({"Context 10": "j"} | {f"Context {n}": "a" for n in range(1, 10)}) == {"contexts": ["a"] * 9 + ["j"]}
    for row in ({"context_1": "a"}, {"context_1": "a", "context_3": "b"}, {"context_2": "a", "context_3": "b"}):
        assert columns(row) == row
    with_own = {"contexts": ["x"], "context_1": "a", "context_2": "b"}
    assert columns(with_own) == with_own
    assert columns({"context_1": "a", "context_2": "b"}, "context_1") == {"context_1": "a", "context_2": "b"}
    assert columns({"context_1": "a", "context_2": "b"}, written=True) == {"contexts": '["a", "b"]'}


def test_a_row_without_any_is_null() -> None:
    assert columns({"context_1": None, "context_2": float("nan")}) == {"contexts": None}


def test_fields_say_whether_documents_are_passages() -> None:
    assert columns({"doc_1": PROSE, "doc_2": PROSE}) == {"contexts": [PROSE, PROSE]}
    assert columns({"doc_1": "d1", "doc_2": "d2"}) == {"retrieved": ["d1", "d2"]}


@pytest.mark.parametrize(
    "row",
    [
        {"summary": "a", "source": "b", "answer": "c"},
        {"summary": "a", "source": "b", "contexts": ["c"]},
        {"summary": "a"},
        {"source": "a", "question": "b", "answer": "c"},
        {"translation": "a", "source": "b", "question": "c"},
    ],
)
def test_a_task_is_known_by_all_of_its_columns_and_no_others_of_their_meaning(row: dict[str, Any]) -> None:
    assert columns(row) == row


def test_a_chat_fills_the_columns_that_are_not_there() -> None:
    chat = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    assert columns({"messages": chat}) == {"question": "q", "answer": "a"}
    assert columns({"messages": chat, "question": "x"}) == {"question": "x", "answer": "a"}
    assert columns({"messages": chat, "prompt": "x", "response": "y"})["question"] == "q"
    for other in ("text", ["text"], [{"role": "system", "content": "s"}], [{"text": "a"}], None):
        assert columns({"messages": other}) == {"messages": other}


def test_a_message_of_a_tool_is_no_answer() -> None:
    chat = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": None},
        {"role": "tool", "content": "t"},
    ]
    assert columns({"messages": chat}) == {"question": "q", "answer": "a"}


def test_the_mapping_says_of_which_columns_one_was_made() -> None:
    table = pa.table({"context_1": ["a", "b"], "context_2": ["c", None]})
    data = read(table)
    assert dict(data.mapping) == {"contexts": "context_1, context_2"}
    assert concatenated(data.batches()).column("contexts").to_pylist() == [["a", "c"], ["b"]]


def test_documents_numbered_by_columns_are_what_was_retrieved_where_they_are_ids() -> None:
    columns = {"doc1": ["d1", "d4"], "doc2": ["d2", "d5"]}
    assert shaped(Chunk(columns, [1, 2]), [], written=False).columns == {"retrieved": [["d1", "d2"], ["d4", "d5"]]}


def test_a_header_that_comes_twice_as_pandas_writes_it() -> None:
    columns = {"question": ["Who?"], "context": ["Anna."], "context.1": ["Ben."]}
    assert shaped(Chunk(columns, [1]), [], written=False).columns == {
        "question": ["Who?"],
        "contexts": [["Anna.", "Ben."]],
    }
