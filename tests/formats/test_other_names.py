"""A known column under several names: rows of several chunks, and rows that have two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragauge.core.batch import concatenated
from ragauge.errors import ColumnError
from ragauge.formats import read
from ragauge.formats.other_names import under_one_name
from ragauge.formats.source import Chunk


def rows_of_two_chunks(path: Path, *last: dict[str, str]) -> Path:
    """Write rows with `response`, more than one chunk holds, and further rows."""
    rows = [{"id": f"r{row}", "response": "x" * 2000} for row in range(6000)]
    path.write_text("".join(json.dumps(row) + "\n" for row in (*rows, *last)), encoding="utf-8")
    return path


def test_a_later_chunk_may_have_the_other_name(tmp_path: Path) -> None:
    data = read(rows_of_two_chunks(tmp_path / "a.jsonl", {"id": "a", "output": "y"}, {"id": "b", "output": "z"}))
    assert concatenated(data.batches()).column("answer").to_pylist()[-2:] == ["y", "z"]
    assert dict(data.mapping) == {"answer": "response, output"}
    assert [note.partition(",")[0] for note in data.notes] == [
        "response: 2 rows have this column under the name 'output'"
    ]


def test_a_row_with_both_names_is_an_error_where_they_were_one() -> None:
    both = Chunk({"response": ["x"], "output": ["y"]}, [3])
    with pytest.raises(ColumnError, match="are answer in different rows, and a later row has both"):
        under_one_name(both, {"answer": "response"}, {"answer": {"output"}}, ["response"], {})


def test_a_column_that_rows_before_had_stays() -> None:
    chunk = Chunk({"answer": ["x", None], "response": [None, "y"]}, [3, 4])
    assert under_one_name(chunk, {"answer": "answer"}, {}, ["answer", "response"], {}) == (chunk, {})


def test_a_prediction_beside_the_right_answer_stays() -> None:
    chunk = Chunk({"answer": ["x", None], "predicted_answer": [None, "y"]}, [1, 2])
    assert under_one_name(chunk, {}, {}, [], {}) == (chunk, {})
