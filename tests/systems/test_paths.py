"""The place of a value in an output: found where one place fits, refused where several could be the answer."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.systems.objects import BadOutputError
from ragauge.systems.paths import is_at, nested_names, value_at

OUTPUT: dict[str, Any] = {"a.b": 1, "c": [{"d": 2}, {"d": 3}], "e": {"0": 4}}


@pytest.mark.parametrize(("path", "value"), [("a.b", 1), ("c.0.d", 2), ("c.-1.d", 3), ("e.0", 4)])
def test_values_at_paths(path: str, value: int) -> None:
    assert value_at(OUTPUT, path) == value
    assert is_at(OUTPUT, path)


@pytest.mark.parametrize("path", ["", "a", "c.2", "c.x", "c.0.d.e", "e.1", "c.0.", "."])
def test_nothing_is_at_another_path(path: str) -> None:
    assert not is_at(OUTPUT, path)


def test_several_places_of_an_answer_are_refused_and_of_passages_left() -> None:
    with pytest.raises(BadOutputError, match=r"a.answer and b.text could both be the answer; map it, as in"):
        nested_names({"a": {"answer": "x"}, "b": {"text": "y"}}, {})
    docs = [{"text": "x"}]
    assert nested_names({"a": {"docs": docs}, "b": {"docs": docs}, "answer": "x"}, {"answer": "answer"}) == {}
    assert nested_names({"a": {"sources": ["a.md"]}, "answer": "x"}, {"answer": "answer"}) == {}
