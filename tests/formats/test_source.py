"""Chunks of rows as columns, and keys of objects within them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.fields import plain
from ragauge.formats.source import MOST_COLUMNS, Chunk, Problem, of_rows, unnested


def test_objects_of_mlflow_are_told_by_their_inputs() -> None:
    inputs, outputs = {"inputs": {"question": "Who?"}}, {"outputs": {"response": "Anna"}}
    assert set(read([{**inputs, **outputs}]).columns) == {"id", "question", "answer"}
    assert set(read([inputs]).columns) == {"id", "question"}
    with pytest.raises(DataError, match=r"answer \(from outputs\) must be text; got an object"):
        read([outputs])


def test_a_column_of_that_very_name_comes_before_a_key_within_an_object() -> None:
    row = {"meta": {"language": "zh"}, "meta.language": "ja"}
    [batch] = read([row], mapping={"language": "meta.language"}).batches()
    assert batch.column("language").to_pylist() == ["ja"]


def test_the_head_of_a_chunk_has_the_problems_before_the_next_row() -> None:
    problems = [Problem(2, "a"), Problem(5, "b")]
    chunk = Chunk({"question": ["x", "y", "z"]}, [1, 3, 6], problems, absent=7)
    head = chunk.head(2)
    assert (head.columns, head.places, head.problems, head.absent) == ({"question": ["x", "y"]}, [1, 3], problems, 0)
    assert chunk.head(1).problems == problems[:1]
    assert chunk.head(3) is chunk


def test_rows_are_columns_with_null_for_absent_keys_until_too_many_are_absent() -> None:
    chunk = of_rows([{"a": 1}, {"b": 2, "a": 3}], [4, 7])
    assert (chunk.columns, chunk.places, chunk.absent) == ({"a": [1, 3], "b": [None, 2]}, [4, 7], 4 - 17 * 3)
    [problem] = of_rows([{"a": 1}, dict.fromkeys(map(str, range(MOST_COLUMNS)))], [4, 7]).problems
    assert (problem.place, "brings the number of columns above 4,096" in str(problem.what)) == (7, True)
    [problem] = of_rows([{str(number): 1} for number in range(MOST_COLUMNS)], range(MOST_COLUMNS)).problems
    assert "makes the rows lack more fields than allowed" in str(problem.what)


def test_keys_become_columns_where_a_dotted_name_points_into_an_object() -> None:
    chunk = Chunk({"run": [{"answer": "a"}, None], "other": [{"b": 1}, {}]}, [1, 2])
    assert unnested(chunk, ["run.answer"]).columns == {"other": [{"b": 1}, {}], "run.answer": ["a", None]}
    arrow = Chunk({"run": pa.array([{"answer": "a"}, None])}, [1, 2])
    [values] = unnested(arrow, ["run.answer"]).columns.values()
    assert plain(values) == ["a", None]
    assert unnested(Chunk({"run": ["text"]}, [1]), ["run.answer"]).columns == {"run": ["text"]}
