"""Reciprocal rank: one over the rank of the first relevant document."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(("place", "value"), [(0, 1.0), (1, 1 / 2), (2, 1 / 3), (9, 1 / 10)])
def test_it_is_one_over_the_first_relevant_rank(place: int, value: float) -> None:
    retrieved = [f"x{i}" for i in range(place)] + ["a", "b"]
    assert score("mrr", retrieved=retrieved, relevance={"a": 1, "b": 1}) == pytest.approx(value, rel=1e-12)


def test_beyond_the_cutoff_it_is_0() -> None:
    assert score("mrr@2", retrieved=["x", "y", "a"], relevance={"a": 1}) == 0.0


def test_a_level_decides_what_is_relevant() -> None:
    assert score("mrr:level=2", retrieved=["a", "b"], relevance={"a": 1, "b": 2}) == 0.5
