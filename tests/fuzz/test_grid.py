"""Hostile texts in each metric, short ones; ``python -m tests.fuzz.grid`` takes texts of 1 MB."""

from __future__ import annotations

import pytest

from tests.fuzz import grid


@pytest.mark.long
@pytest.mark.parametrize("metric", grid.metrics())
def test_hostile_texts_of_each_metric(metric: str) -> None:
    found = list(grid.cases(metric, 3000, ["mixed"], alone=False))
    assert [str(one) for one in found if not one.ended or one.seconds > 5] == []


def test_a_case_beyond_the_limits_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "MOST_SECONDS", 0.0)
    assert [one.holds for one in grid.cases("exact-match", 100, ["mixed"])] == [False] * 3


def test_texts_have_the_size_that_was_asked_for() -> None:
    assert {name for name, text in grid.texts(10_000).items() if not 8000 < len(text.encode()) < 14_000} == set()
