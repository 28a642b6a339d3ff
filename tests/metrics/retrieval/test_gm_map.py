"""Geometric mean average precision."""

from __future__ import annotations

from math import exp, log

import pytest

from ragauge import evaluate

ROWS = [
    {"id": "p", "retrieved": ["a", "x"], "relevance": {"a": 1}},
    {"id": "q", "retrieved": ["x", "y", "z", "b"], "relevance": {"b": 1}},
]


def test_a_value_worked_by_hand() -> None:
    """Average precisions of 1 and 1/4: their product is 1/4, its root 1/2."""
    assert evaluate(ROWS, "gm-map", resamples=0)["gm-map"].value == pytest.approx(0.5, rel=1e-15)


def test_a_query_without_a_hit_counts_as_the_least_value() -> None:
    rows = [*ROWS, {"id": "r", "retrieved": ["x"], "relevance": {"a": 1}}]
    expected = exp((log(1) + log(1 / 4) + log(1e-5)) / 3)
    assert evaluate(rows, "gm-map", resamples=0)["gm-map"].value == pytest.approx(expected, rel=1e-14)


def test_the_cutoff() -> None:
    expected = exp((log(1) + log(1e-5)) / 2)
    assert evaluate(ROWS, "gm-map@3", resamples=0)["gm-map@3"].value == pytest.approx(expected, rel=1e-14)
