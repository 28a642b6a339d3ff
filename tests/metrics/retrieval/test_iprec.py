"""Interpolated precision: the highest precision at a recall of at least the level."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(("recall", "value"), [(0.0, 1.0), (0.5, 1.0), (1.0, 2 / 3)])
def test_values_worked_by_hand(recall: float, value: float) -> None:
    # Precision 1 at recall 1/2 (rank 1), 2/3 at recall 1 (rank 3).
    found = score(f"iprec@{recall}", retrieved=["a", "x", "b"], relevance={"a": 1, "b": 1})
    assert found == pytest.approx(value, rel=1e-12)


def test_a_recall_that_is_never_reached_has_precision_0() -> None:
    assert score("iprec@1.0", retrieved=["a"], relevance={"a": 1, "b": 1}) == 0.0
