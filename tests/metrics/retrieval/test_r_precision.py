"""R-precision: precision at the rank that equals the number of relevant documents."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    found = score("r-precision", retrieved=["a", "x", "b", "c"], relevance={"a": 1, "b": 1, "c": 1})
    assert found == pytest.approx(2 / 3, rel=1e-12)


def test_documents_after_rank_r_do_not_count() -> None:
    assert score("r-precision", retrieved=["x", "a"], relevance={"a": 1}) == 0.0


def test_there_it_equals_recall() -> None:
    given = {"retrieved": ["a", "x", "b"], "relevance": {"a": 1, "b": 1}}
    assert score("r-precision", **given) == score("recall@2", **given) == score("precision@2", **given)
