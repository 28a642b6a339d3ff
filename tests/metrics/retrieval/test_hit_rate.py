"""Hit rate: whether the first k documents hold a relevant one."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(("k", "value"), [(1, 0.0), (2, 1.0), (3, 1.0)])
def test_the_first_relevant_document_decides(k: int, value: float) -> None:
    assert score(f"hit-rate@{k}", retrieved=["x", "a", "b"], relevance={"a": 1, "b": 1}) == value


def test_a_level_decides_what_is_relevant() -> None:
    assert score("hit-rate@2:level=2", retrieved=["a", "x"], relevance={"a": 1}) == 0.0
