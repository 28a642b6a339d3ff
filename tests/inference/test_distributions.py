"""Distributions against scipy, and quantiles against plain halving."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from ragauge.inference import distributions
from ragauge.inference.distributions import beta_cdf, normal_quantile, student_quantile, student_two_sided


@pytest.mark.parametrize("freedom", [1, 2, 7.5, 100, 1e5])
def test_students_distribution(freedom: float, stats: Any) -> None:
    for t in (0.0, 0.3, 1.96, 12.0):
        assert student_two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9)
    for p in (0.5, 0.8, 0.975, 0.9999):
        assert student_quantile(p, freedom) == pytest.approx(stats.t.ppf(p, freedom), rel=1e-8, abs=1e-12)


def halved(p: float, freedom: float) -> float:
    """The quantile of Student's t by halving alone, which the shorter way must equal to the last bit."""
    low, high = 0.0, 1.0
    while student_two_sided(high, freedom) > 2 * (1 - p):
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_two_sided(middle, freedom) > 2 * (1 - p) else (low, middle)
    return (low + high) / 2


@pytest.mark.parametrize("freedom", [1, 29.5, 30, 77.7, 4095, 1e6])
def test_the_short_way_to_a_quantile_changes_no_bit(freedom: float) -> None:
    for p in (0.5, 0.500001, 0.8, 0.975, 0.99917, 0.9999998, 1 - 1e-10):
        assert student_quantile(p, freedom) == halved(p, freedom)


def test_quantiles_take_half_the_steps_where_there_are_many_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Mock(wraps=student_two_sided)
    monkeypatch.setattr(distributions, "student_two_sided", counted)
    student_quantile.__wrapped__(0.975, 4000.5)
    assert counted.call_count <= 32


@pytest.mark.parametrize("p", [0.001, 0.3, 0.5, 0.975, 1 - 1e-9])
def test_quantiles_of_the_normal_distribution(p: float, stats: Any) -> None:
    assert normal_quantile(p) == pytest.approx(stats.norm.ppf(p), rel=1e-8, abs=1e-12)
    assert student_quantile(p, 1e7) == pytest.approx(stats.norm.ppf(p), rel=1e-5, abs=1e-12)
    for freedom in (1e10, 1e16, float("inf")):
        assert student_quantile(p, freedom) == pytest.approx(stats.norm.ppf(p), rel=1e-8, abs=1e-12)


def test_beta_distribution(stats: Any) -> None:
    rng = np.random.default_rng(0)
    for x, a, b in zip(rng.random(200), 1e4 ** rng.random(200), 1e4 ** rng.random(200), strict=True):
        assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), rel=1e-7, abs=1e-14)
