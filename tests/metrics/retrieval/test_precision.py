"""Precision: the share of the first k ranks that hold a relevant document."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    assert score("precision@4", retrieved=["a", "x", "b", "y"], relevance={"a": 1, "b": 2, "c": 1}) == 0.5


def test_ranks_that_hold_nothing_count_against_it() -> None:
    assert score("precision@5", retrieved=["a"], relevance={"a": 1}) == pytest.approx(0.2, rel=1e-12)


def test_a_level_decides_what_is_relevant() -> None:
    assert score("precision@2:level=2", retrieved=["a", "b"], relevance={"a": 1, "b": 2}) == 0.5


def test_a_grade_of_0_is_not_relevant() -> None:
    assert score("precision@1", retrieved=["a"], relevance={"a": 0, "b": 1}) == 0.0
