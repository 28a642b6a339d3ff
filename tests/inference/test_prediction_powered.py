"""The prediction-powered mean equals that of ppi-python 0.2.3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge.inference.prediction_powered import powered_mean


@pytest.mark.parametrize("noise", [0.1, 0.5, 3.0])
@pytest.mark.parametrize("labelled", [20, 80])
def test_prediction_powered_mean_is_ppi_pythons(noise: float, labelled: int) -> None:
    ppi = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(labelled)
    truth = rng.random(600)
    scores = truth + noise * rng.normal(size=600)
    mean = powered_mean(np.where(np.arange(600) < labelled, truth, np.nan), scores)
    given = (truth[:labelled], scores[:labelled], scores[labelled:])
    assert mean.value == pytest.approx(float(ppi.ppi_mean_pointestimate(*given)[0]), rel=1e-9)
    low, high = ppi.ppi_mean_ci(*given, alpha=0.05)
    assert mean.interval(0.95, normal=True) == pytest.approx((float(low[0]), float(high[0])), rel=1e-9)


def test_intervals_are_by_students_distribution_because_labels_are_few(stats: Any) -> None:
    rng = np.random.default_rng(1)
    scores = rng.random(200)
    mean = powered_mean(np.where(np.arange(200) < 12, scores + 0.1 * rng.normal(size=200), np.nan), scores)
    for value, error, alone in ((mean.value, mean.error, False), (mean.alone, mean.alone_error, True)):
        expected = stats.t(11, loc=value, scale=error).interval(0.95)
        assert mean.interval(0.95, alone=alone) == pytest.approx(expected, rel=1e-9)


def test_prediction_powered_mean_with_little_to_go_on() -> None:
    scores = np.linspace(0, 1, 10)
    nothing = powered_mean(np.full(10, np.nan), scores)
    assert np.isnan(nothing.value)
    assert np.isnan(nothing.interval(0.95)).all()
    one = powered_mean(np.array([0.5, *[np.nan] * 9]), scores)
    assert (one.value, one.weight) == (0.5, 0.0)
    assert np.isnan(one.interval(0.95)).all()
    two = powered_mean(np.array([0.25, 0.75, *[np.nan] * 8]), scores)
    low, high = two.interval(0.95, alone=True)
    assert low < two.alone == 0.5 < high
    every = powered_mean(scores, scores)
    assert (every.value, every.weight) == (scores.mean(), 0.0)
    flat = powered_mean(np.where(np.arange(10) < 5, scores, np.nan), np.full(10, 0.1))
    assert (flat.weight, flat.value) == (0.0, flat.alone)


def test_clusters_widen_the_prediction_powered_interval() -> None:
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(100), 10)
    truth = rng.normal(size=100)[cluster] + 0.1 * rng.normal(size=1000)
    labels = np.where(cluster < 20, truth, np.nan)
    scores = truth + 0.5 * rng.normal(size=1000)
    assert powered_mean(labels, scores, cluster.astype(np.uint64)).error > 2 * powered_mean(labels, scores).error
