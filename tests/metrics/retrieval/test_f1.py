"""F1: the harmonic mean of precision and recall at k."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # Precision 1 / 4, recall 1 / 2: 2 * 1/4 * 1/2 / (3/4) = 1 / 3.
    found = score("f1@4", retrieved=["a", "x", "y", "z"], relevance={"a": 1, "b": 1})
    assert found == pytest.approx(1 / 3, rel=1e-12)


def test_beta_weighs_recall() -> None:
    # (1 + 4) * 1/4 * 1/2 / (4 * 1/4 + 1/2) = 5 / 12.
    found = score("f1@4:beta=2", retrieved=["a", "x", "y", "z"], relevance={"a": 1, "b": 1})
    assert found == pytest.approx(5 / 12, rel=1e-12)


def test_without_a_hit_it_is_0() -> None:
    assert score("f1@2", retrieved=["x", "y"], relevance={"a": 1}) == 0.0
