"""Measures that a system gives beside its answer, by the names that other libraries have for them."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.systems.measures import tokens_of, with_measures
from ragauge.systems.objects import BadOutputError


@pytest.mark.parametrize(
    ("row", "tokens"),
    [
        ({"usage": {"prompt_tokens": 7, "total_price": "0.5"}}, {"input_tokens": 7, "cost": 0.5}),
        ({"usage_metadata": {"output_tokens": 2, "input_tokens": None}}, {"output_tokens": 2}),
        ({"usage": "much"}, {}),
    ],
)
def test_tokens_have_several_names(row: dict[str, Any], tokens: dict[str, float]) -> None:
    assert tokens_of(row) == tokens


def test_a_measure_is_a_finite_number_or_missing() -> None:
    assert with_measures({"answer": "茶", "cost": None}, {}) == {"answer": "茶"}
    for columns, output in (({"cost": "free"}, {}), ({"cost": None}, {"cost": float("inf")})):
        with pytest.raises(BadOutputError, match="the system's cost must be a"):
            with_measures(columns, output)
