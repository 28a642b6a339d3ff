"""Jackknife intervals: within the limits, around the score, and covering what they claim to cover."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge
from ragauge.core.ragged import FloatArray
from ragauge.inference.intervals import error_freedom, jackknife, wilson

SCORES = st.lists(st.integers(0, 1000), min_size=2, max_size=30).map(lambda scores: np.array(scores) / 1000)
LEVELS = st.sampled_from([0.1, 0.8, 0.95, 0.999])


def without_each(scores: FloatArray) -> FloatArray:
    return np.asarray((scores.sum() - scores) / (len(scores) - 1))


def of(scores: FloatArray, level: float = 0.95, **options: Any) -> tuple[float, float]:
    return jackknife(float(scores.mean()), without_each(scores), level, **options)


@given(scores=SCORES, level=LEVELS)
def test_it_is_around_the_score_and_within_the_limits(scores: FloatArray, level: float) -> None:
    value = float(scores.mean())
    low, high = of(scores, level, limits=(0.0, 1.0))
    assert 0.0 <= low <= value <= high <= 1.0
    assert low < high
    low, high = of(scores, level)
    if np.isnan(low):
        assert len(scores) < 10
        assert np.ptp(scores) < 1e-9
    else:
        assert -np.inf < low <= value <= high < np.inf


@given(scores=SCORES)
def test_it_turns_round_with_the_scores(scores: FloatArray) -> None:
    for limits in ((0.0, 1.0), (-np.inf, np.inf)):
        low, high = of(scores, limits=limits)
        turned = of(1 - scores, limits=limits if limits[0] == 0 else (-np.inf, np.inf))
        assert turned == pytest.approx((1 - high, 1 - low), abs=1e-6, nan_ok=True)


def test_limits_may_be_anywhere() -> None:
    scores = np.random.default_rng(0).beta(4, 1, 25)
    low, high = of(scores, limits=(0.0, 1.0))
    assert of(20 * scores - 10, limits=(-10.0, 10.0)) == pytest.approx((20 * low - 10, 20 * high - 10))


def test_even_scores_get_students_interval(stats: Any) -> None:
    scores = np.linspace(-1, 1, 21)
    expected = stats.t.interval(0.95, 20, 0.0, stats.sem(scores))
    assert of(scores) == pytest.approx(expected, rel=1e-9)


def test_skewed_scores_get_halls_interval(stats: Any) -> None:
    """The ends are where Hall's transformation of Student's statistic has the quantiles of Student's t."""
    scores = np.random.default_rng(3).exponential(size=40)
    reach = stats.t.ppf(0.975, error_freedom(without_each(scores)))
    skew = stats.skew(scores, bias=False) / np.sqrt(40)
    for end, quantile in zip(of(scores), (reach, -reach), strict=True):
        t = (scores.mean() - end) / stats.sem(scores)
        assert t + skew * (t**2 / 3 + 1 / 6) + skew**2 * t**3 / 27 == pytest.approx(quantile, rel=1e-9)


def test_the_freedom_follows_the_kurtosis(stats: Any) -> None:
    normal = np.random.default_rng(0).normal(size=(400, 50))
    heavy = np.random.default_rng(0).standard_t(3, size=(400, 50))
    assert np.mean([error_freedom(row) for row in normal]) > 38
    assert np.mean([error_freedom(row) for row in heavy]) < 26
    scores = heavy[0]
    expected = 2 / (stats.kurtosis(scores, bias=False) / 50 + 2 / 49)
    assert error_freedom(without_each(scores)) == pytest.approx(expected, rel=1e-9)
    # Four units are the fewest that have a kurtosis: 4 here, so 2 / (4/4 + 2/3).
    assert error_freedom(np.array([0.0, 0.0, 0.0, 1.0])) == pytest.approx(1.2)
    assert [error_freedom(np.array(few)) for few in ([0.0, 1.0], [0.0, 0.0, 1.0], [0.5] * 9)] == [1.0, 2.0, 8.0]


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_equal_units_are_as_many_trials(value: float) -> None:
    assert jackknife(value, np.full(7, value), 0.95, (0.0, 1.0)) == wilson(value * 7, 7, 0.95)
    nearly: FloatArray = value + 1e-8 * np.arange(7, dtype=np.float64)
    assert jackknife(value, nearly, 0.95, (0.0, 1.0)) == wilson(value * 7, 7, 0.95)
    assert np.isnan(jackknife(value, np.full(9, value), 0.95)).all()
    assert jackknife(value, np.full(10, value), 0.95) == (value, value)


def test_clusters_of_0_and_1_count_no_more_than_their_samples() -> None:
    opposite = np.array([0.5, 0.5001, 0.4999, 0.5])
    free, capped = (jackknife(0.5, opposite, 0.95, (0.0, 1.0), trials=trials) for trials in (np.inf, 40))
    assert free[1] - free[0] < 0.01
    assert capped[1] - capped[0] > 0.25


@pytest.mark.parametrize("unit", [1e-120, 1e-9, 1e120])
def test_the_unit_of_scores_does_not_matter(unit: float) -> None:
    scores = np.random.default_rng(1).lognormal(size=30)
    low, high = of(scores)
    assert of(unit * scores) == pytest.approx((unit * low, unit * high), rel=1e-9, abs=0)


def test_what_has_no_score_has_no_interval() -> None:
    assert np.isnan(jackknife(np.nan, np.array([0.1, 0.2]), 0.95)).all()
    assert np.isnan(jackknife(0.5, np.array([0.5, np.nan]), 0.95)).all()
    assert jackknife(0.5, np.array([0.4, 0.6, np.nan]), 0.95) == jackknife(0.5, np.array([0.4, 0.6]), 0.95)


def test_a_score_beyond_its_limits_has_an_interval_nonetheless() -> None:
    low, high = of(np.array([0.9, 1.4, 1.2]), limits=(0.0, 1.0))
    assert low < high == pytest.approx(3.5 / 3)


@pytest.mark.long
@pytest.mark.parametrize(
    ("draw", "truth", "limits"),
    [
        (lambda rng: rng.lognormal(0, 1, (1000, 50)), np.exp(0.5), (-np.inf, np.inf)),
        (lambda rng: rng.exponential(1, (1000, 20)), 1.0, (-np.inf, np.inf)),
        (lambda rng: rng.normal(0, 1, (1000, 20)), 0.0, (-np.inf, np.inf)),
        (lambda rng: rng.beta(9, 1, (1000, 20)), 0.9, (0.0, 1.0)),
        (lambda rng: np.where(rng.random((1000, 50)) < 0.8, 1.0, rng.random((1000, 50))), 0.9, (0.0, 1.0)),
    ],
    ids=["lognormal", "exponential", "normal", "beta", "mostly ones"],
)
def test_it_covers(draw: Callable[[Any], FloatArray], truth: float, limits: tuple[float, float]) -> None:
    """Within 93 and 97 %, give or take one and a half times the error of 1000 simulations."""
    found = [of(scores, limits=limits) for scores in draw(np.random.default_rng(8))]
    assert 0.92 <= np.mean([low <= truth <= high for low, high in found]) <= 0.98


@pytest.mark.parametrize("metric", ["bleu", "rouge-1:average=pooled", "rouge-1", "column:name=x", "exact-match"])
@pytest.mark.parametrize("cluster", [None, "g"])
def test_the_order_of_the_data_changes_no_bit(metric: str, cluster: str | None) -> None:
    rng = np.random.default_rng(5)
    rows = [
        {
            "id": f"q{i}",
            "answer": " ".join(rng.choice(list("abcde"), rng.integers(4, 12))),
            "references": [" ".join(rng.choice(list("abcde"), 8))],
            "x": float(rng.lognormal()),
            "g": int(rng.integers(8)),
        }
        for i in range(60)
    ]
    found = [ragauge.evaluate(some, metric, cluster=cluster).table[0] for some in (rows, rows[::-1])]
    assert (found[0].low, found[0].high) == (found[1].low, found[1].high)


@pytest.mark.parametrize("values", [[1, 1], [True, True], [0.0, 0.0], [1.0] * 5])
@pytest.mark.parametrize("cluster", [None, "id"])
def test_a_constant_column_of_0_or_1_is_a_share(values: list[float], cluster: str | None) -> None:
    rows = [{"id": str(place), "x": value} for place, value in enumerate(values)]
    result = ragauge.evaluate(rows, "column:name=x", cluster=cluster)
    score = result.table[0]
    assert (score.low, score.high) == wilson(sum(values), len(values), 0.95)
    assert not ragauge.gate(result, min={"column:name=x": 0.9}, confident=True).passed


def test_small_runs_of_perfect_scores_do_not_pass_a_confident_gate() -> None:
    rows = [{"id": str(i), "answer": "the cat sat down", "references": ["the cat sat down"]} for i in range(2)]
    for metric in ("bleu", "rouge-l", "token-f1"):
        result = ragauge.evaluate(rows, metric)
        assert result[metric].value == pytest.approx(1.0)
        assert not ragauge.gate(result, min={metric: 0.9}, confident=True).passed
