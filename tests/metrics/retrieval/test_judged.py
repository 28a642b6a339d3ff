"""Judged: the share of the first k documents that somebody judged."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    found = score("judged@3", retrieved=["a", "x", "n", "y"], relevance={"a": 1, "n": 0})
    assert found == pytest.approx(2 / 3, rel=1e-12)


def test_a_grade_of_0_is_a_judgement() -> None:
    assert score("judged@1", retrieved=["n"], relevance={"n": 0}) == 1.0


def test_documents_after_the_cutoff_do_not_count() -> None:
    assert score("judged@1", retrieved=["x", "a"], relevance={"a": 1}) == 0.0
