"""Recall: the share of the relevant documents that are among the first k."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    found = score("recall@2", retrieved=["a", "x", "b"], relevance={"a": 1, "b": 1, "c": 1})
    assert found == pytest.approx(1 / 3, rel=1e-12)


def test_without_a_cutoff_all_that_was_retrieved_counts() -> None:
    assert score("recall", retrieved=["a", "x", "b"], relevance={"a": 1, "b": 1}) == 1.0


def test_a_level_decides_what_is_relevant() -> None:
    assert score("recall@1:level=2", retrieved=["b"], relevance={"a": 1, "b": 2}) == 1.0


def test_it_never_falls_as_k_grows() -> None:
    given = {"retrieved": ["x", "a", "y", "b"], "relevance": {"a": 1, "b": 1}}
    assert [score(f"recall@{k}", **given) for k in (1, 2, 3, 4, 9)] == [0.0, 0.5, 0.5, 1.0, 1.0]
