"""Average precision: the mean of precision at the ranks of relevant documents, over all relevant ones."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # Precision 1/1 at a, 2/3 at b; c is not retrieved: (1 + 2/3) / 3.
    found = score("map", retrieved=["a", "x", "b"], relevance={"a": 1, "b": 1, "c": 1})
    assert found == pytest.approx((1 + 2 / 3) / 3, rel=1e-12)


def test_the_cutoff_leaves_later_documents_out() -> None:
    assert score("map@2", retrieved=["a", "x", "b"], relevance={"a": 1, "b": 1}) == 0.5


def test_all_relevant_first_is_1() -> None:
    assert score("map", retrieved=["a", "b", "x"], relevance={"a": 1, "b": 2}) == 1.0
