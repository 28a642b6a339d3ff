"""Chunks of rows as columns, and keys of objects within them."""

from __future__ import annotations

from ragauge.formats.source import MOST_COLUMNS, Chunk, Problem, of_rows


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
