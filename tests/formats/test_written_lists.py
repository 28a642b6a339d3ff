"""Lists that are written in one text."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ragauge.formats.written_lists import are_lists_of_texts, hold_lists_of_ids, list_in, with_bare_lists


@pytest.mark.parametrize(
    ("answers", "are_lists"), [(None, False), (["x"], True), (["['x']"], False), (["[1] x"], True)]
)
def test_one_list_of_python_is_enough_where_answers_are_none(answers: list[str] | None, are_lists: bool) -> None:
    references = ["['x', 'y']", "z", "v"]
    assert are_lists_of_texts(references, None if answers is None else pa.array(answers)) is are_lists


def test_an_id_that_is_written_in_brackets_is_no_list_of_ids() -> None:
    assert not hold_lists_of_ids(["[d1]", "[1] d2", "d3['x']"])
    assert not hold_lists_of_ids(pa.array([["['d1']"]]))
    assert hold_lists_of_ids(pa.array(["d1", '["d2", "д3"]']))


def test_what_cannot_be_read_is_none() -> None:
    assert list_in("['d1'" * 10_000) is None
    assert with_bare_lists(["{d1: 2"]) == ["{d1: 2"]
