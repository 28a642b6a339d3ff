"""Intervals, standard errors and what they say of a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge.inference.intervals import bca, percentile, standard_error, symmetric
from ragauge.inference.resampling import replicated
from ragauge.inference.tests import detectable, effect_size, needed, paired_bootstrap
from tests.skips import PEERS

from .simulated import pair_of, scores


def t_test_power() -> Any:
    return pytest.importorskip("statsmodels.stats.power", reason=PEERS).TTestPower()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_bca_is_scipys(seed: int, level: float, stats: Any) -> None:
    values = np.random.default_rng(seed).exponential(size=40)
    found = stats.bootstrap((values,), np.mean, confidence_level=level, method="BCa", n_resamples=2000, rng=seed)
    left_out = (values.sum() - values) / (len(values) - 1)
    ours = bca(found.bootstrap_distribution, float(values.mean()), left_out, level)
    assert ours == pytest.approx(tuple(found.confidence_interval), rel=1e-9)


def test_bca_where_nothing_varies() -> None:
    assert bca(np.full(9, 0.5), 0.5, np.full(10, 0.5), 0.95) == (0.5, 0.5)
    assert np.isnan(bca(np.full(9, 0.5), 0.5, np.full(9, 0.5), 0.95)).all()
    assert percentile(np.full(9, 0.5), 0.95, 10) == (0.5, 0.5)
    assert np.isnan(percentile(np.full(9, 0.5), 0.95, 9)).all()
    assert np.isnan(bca(np.full(9, np.nan), 0.5, np.full(4, 0.5), 0.95)).all()
    low, high = bca(np.linspace(1, 2, 99), 0.5, np.array([0.4, 0.5, 0.6]), 0.95)
    assert 1 <= low < high <= 2


def test_percentiles_widen_with_few_units(stats: Any) -> None:
    replicates = np.random.default_rng(0).normal(size=20_000)
    plain, few, many = (percentile(replicates, 0.95, units) for units in (None, 10, 10_000))
    assert few[0] < plain[0] < plain[1] < few[1]
    assert many == pytest.approx(plain, abs=2e-3)
    reach = stats.t.ppf(0.975, 9) * np.sqrt(10 / 9)
    assert few == pytest.approx((-reach, reach), abs=0.12)


def test_percentiles_widen_where_few_units_decide(stats: Any) -> None:
    replicates = np.random.default_rng(0).normal(size=20_000)
    plain, few = (percentile(replicates, 0.95, 50, freedom) for freedom in (None, 5.0))
    reach = stats.t.ppf(0.975, 5) * np.sqrt(50 / 49)
    assert few == pytest.approx((-reach, reach), abs=0.12)
    assert few[0] < plain[0] < plain[1] < few[1]


def test_effect_and_error_are_those_of_differences(stats: Any) -> None:
    base, candidate = scores(80, shift=0.05)
    pair, _ = pair_of(base, candidate)
    differences = candidate - base
    error = standard_error(pair.left_out)
    assert error == pytest.approx(stats.sem(differences), rel=1e-9)
    assert effect_size(pair.observed, error, 80) == pytest.approx(
        differences.mean() / differences.std(ddof=1), rel=1e-9
    )


@pytest.mark.parametrize("n", [15, 80, 1000])
def test_detectable_difference_has_its_power(n: int) -> None:
    deviation = 0.3
    found = detectable(deviation / np.sqrt(n), n)
    power = t_test_power().power(effect_size=found / deviation, nobs=n, alpha=0.05)
    assert power == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("effect", [0.1, 0.3, 0.8])
def test_needed_samples_are_statsmodels(effect: float) -> None:
    expected = t_test_power().solve_power(effect_size=effect, alpha=0.05, power=0.8)
    assert needed(effect, 1 / np.sqrt(50), 50) == pytest.approx(expected, abs=1.5)


def test_nothing_to_say_of_one_unit() -> None:
    assert np.isnan(standard_error(np.array([0.5])))
    assert np.isnan(detectable(np.nan, 1))
    assert np.isnan(needed(0.1, np.nan, 1))
    assert effect_size(0.0, 0.0, 5) == 0.0


def test_clusters_widen_the_interval_of_alike_samples() -> None:
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(60), 10)
    base = rng.random(600)
    candidate = base + rng.normal(0, 0.2, 60)[cluster]
    alone, units = pair_of(base, candidate)
    grouped, clusters = pair_of(base, candidate, (cluster + 7).astype(np.uint64))
    errors = [standard_error(pair.left_out) for pair in (alone, grouped)]
    assert errors[1] > 2.5 * errors[0]
    drawn = [replicated([p], u.keys, 2000, 0)[0].std() for p, u in ((alone, units), (grouped, clusters))]
    assert drawn == pytest.approx(errors, rel=0.1)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("skew", [0.0, 2.0])
def test_a_symmetric_interval_has_zero_outside_where_the_test_rejects_it(level: float, skew: float) -> None:
    drawn = np.random.default_rng(11).normal(size=999)
    drawn = drawn + skew * drawn**2
    outside = []
    for observed in np.linspace(-40.0, 40.0, 401):
        low, high = symmetric(drawn + observed, float(observed), level, 50)
        assert low + high == pytest.approx(2 * observed)
        outside.append(not low <= 0.0 <= high)
        assert outside[-1] == (paired_bootstrap(drawn + observed, float(observed)).p <= 1 - level + 1e-9)
    assert set(outside) == {True, False}


def test_too_few_replicates_have_no_symmetric_interval() -> None:
    assert np.isnan(symmetric(np.arange(18.0), 3.0, 0.95, 50)).all()
    assert np.isfinite(symmetric(np.arange(19.0), 3.0, 0.95, 50)).all()
    assert np.isnan(symmetric(np.arange(99.0), float("nan"), 0.95, 50)).all()
    assert np.isnan(symmetric(np.zeros(99), 3.0, 0.95, 9)).all()
    assert symmetric(np.zeros(99), 3.0, 0.95, 10) == (3.0, 3.0)
