"""Inferred average precision: an estimate where only some of the pool was judged."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(("relevance", "value"), [
    # At rank 3 one document above was judged relevant, one pooled: 1/3 + 2/3 * 2/2 * (1 + e) / (1 + 2e).
    ({"a": 1, "b": -1, "c": 1}, (1 + 1 / 3 + 2 / 3 * 1.00001 / 1.00002) / 2),
    # The same where the second was judged not relevant: half of those above are relevant.
    ({"a": 1, "b": 0, "c": 1}, (1 + 1 / 3 + 2 / 3 * 1.00001 / 2.00002) / 2),
    # And where it was not pooled at all: then it is not relevant, and half of those above are pooled.
    ({"a": 1, "c": 1}, (1 + 1 / 3 + 2 / 3 * (1 / 2) * 1.00001 / 1.00002) / 2),
    ({"x": 1}, 0.0),
])  # fmt: skip
def test_values_worked_by_hand(relevance: dict[str, int], value: float) -> None:
    assert score("infap", retrieved=["a", "b", "c"], relevance=relevance) == pytest.approx(value, abs=1e-15)
