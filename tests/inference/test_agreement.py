"""Agreement with people equals scipy 1.17, scikit-learn 1.9 and krippendorff 0.9."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.hashing import hash_strings
from ragauge.core.ragged import FloatArray
from ragauge.inference.agreement import (
    Scale,
    alpha,
    balanced_accuracy,
    cohen_kappa,
    concordance,
    cross_fitted,
    kappa,
    kendall,
    pairwise_accuracy,
    pearson,
    selective_accuracy,
    spearman,
    weighted_kappa,
)
from tests.skips import PEERS


def columns(n: int, decimals: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng([n, decimals])
    x = rng.random(n).round(decimals)
    return x, (x + rng.random(n)).round(decimals), rng.poisson(1, (3, n)).astype(np.float64)


@pytest.mark.parametrize("n", [30, 700])
@pytest.mark.parametrize("decimals", [1, 9])
def test_weights_are_repetitions(n: int, decimals: int, stats: Any) -> None:
    x, y, weights = columns(n, decimals)
    pairs = [(pearson, stats.pearsonr), (spearman, stats.spearmanr), (kendall, stats.kendalltau)]
    for row, weight in enumerate(weights.astype(int)):
        often = (np.repeat(x, weight), np.repeat(y, weight))
        for ours, theirs in pairs:
            assert ours(x, y, weights)[row] == pytest.approx(theirs(*often)[0], rel=1e-9)


@pytest.mark.parametrize("decimals", [1, 9])
def test_discrimination_is_scikit_learns(decimals: int, sklearn_metrics: Any) -> None:
    x, y, weights = columns(300, decimals)
    good = y > 1
    for row, weight in enumerate(weights.astype(int)):
        label, score = np.repeat(good, weight), np.repeat(x, weight)
        area = pairwise_accuracy(x, good.astype(float), weights)[row]
        assert area == pytest.approx(sklearn_metrics.roc_auc_score(label, score), rel=1e-12)
        balanced = balanced_accuracy(x > 0.5, good, weights)[row]
        assert balanced == pytest.approx(sklearn_metrics.balanced_accuracy_score(label, score > 0.5), rel=1e-12)


def test_pairwise_accuracy_counts_pairs() -> None:
    x, y, _ = columns(60, 1)
    held = [(x[i] < x[j]) + 0.5 * (x[i] == x[j]) for i in range(60) for j in range(60) if y[i] < y[j]]
    assert pairwise_accuracy(x, y, np.ones((1, 60)))[0] == pytest.approx(np.mean(held), rel=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 300])
@pytest.mark.parametrize(("few", "many"), [(2, 3), (5, 40), (1000, 2)])
def test_concordance_is_that_of_all_pairs(n: int, few: int, many: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, few, n).astype(float), rng.integers(0, many, n).astype(float)
    weights = rng.poisson(1, (6, n)).astype(float)
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    both_ways = ((weights @ signs) * weights).sum(axis=1)
    assert concordance(x, y, weights).tolist() == (both_ways / 2).tolist()


@pytest.mark.parametrize("scale", ["nominal", "interval"])
@pytest.mark.parametrize("annotators", [2, 5])
def test_alpha_is_krippendorffs(scale: Scale, annotators: int) -> None:
    rng = np.random.default_rng(annotators)
    labels = (rng.integers(0, 4, 80) + rng.integers(-1, 2, (annotators, 80))).astype(float)
    labels[rng.random(labels.shape) < 0.25] = np.nan
    krippendorff = pytest.importorskip("krippendorff", reason=PEERS)
    expected = krippendorff.alpha(labels, level_of_measurement=scale)
    assert alpha(labels, scale, np.ones((1, 80)))[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("scale", "weights"), [("nominal", None), ("interval", "quadratic")])
def test_kappa_is_scikit_learns(scale: Scale, weights: str | None, sklearn_metrics: Any) -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, 90)
    second = np.where(rng.random(90) < 0.6, first, rng.integers(0, 4, 90))
    ours = kappa(np.array([first, second], dtype=float), scale)
    assert ours == pytest.approx(sklearn_metrics.cohen_kappa_score(first, second, weights=weights), rel=1e-9)


@pytest.mark.parametrize(
    ("measure", "categories", "weights"),
    [(weighted_kappa, 2, None), (weighted_kappa, 5, "quadratic"), (cohen_kappa, 2, None), (cohen_kappa, 5, None)],
)
def test_kappa_by_weights_is_sklearns(measure: Any, categories: int, weights: str | None, sklearn_metrics: Any) -> None:
    rng = np.random.default_rng(categories)
    x = rng.integers(0, categories, 90).astype(float)
    y = np.where(rng.random(90) < 0.6, x, rng.integers(0, categories, 90))
    times = rng.poisson(1, (3, 90))
    expected = [
        sklearn_metrics.cohen_kappa_score(*(np.repeat(column, some).astype(int) for column in (x, y)), weights=weights)
        for some in times
    ]
    assert measure(x, y, times.astype(float)) == pytest.approx(expected, rel=1e-9)
    same = np.ones(90)
    assert np.isnan(measure(same, same, times.astype(float))).all()


def test_constant_columns_have_no_correlation() -> None:
    x, flat, weights = np.arange(9.0), np.full(9, 0.1), np.ones((2, 9))
    for measure in (pearson, spearman, kendall):
        assert np.isnan(measure(x, flat, weights)).all()
        assert np.isnan(measure(flat, x, weights)).all()
    assert np.isnan(pairwise_accuracy(x, flat, weights)).all()
    assert pairwise_accuracy(flat, x, weights) == pytest.approx(0.5)
    assert np.isnan(alpha(np.full((2, 5), 1.0), "nominal", np.ones((1, 5)))).all()
    assert np.isnan(kappa(np.full((2, 5), 1.0), "nominal"))
    assert np.isnan(balanced_accuracy(x > 3, x < 99, weights)).all()


def test_a_column_far_from_0_is_not_constant(stats: Any) -> None:
    x, noise = 1e6 + np.random.default_rng(0).normal(size=(2, 50))
    assert pearson(x, noise, np.ones((1, 50)))[0] == pytest.approx(stats.pearsonr(x, noise).statistic, abs=1e-9)
    for flat in (np.full(100_000, 0.1), np.full(100_000, 1e6 + 0.1)):
        assert np.isnan(pearson(np.arange(100_000.0), flat, np.ones((1, 100_000)))).all()


def test_thresholds_are_chosen_on_the_other_half() -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**63, 4000).astype(np.uint64)
    noise, label = rng.random(4000), rng.random(4000) < 0.3
    assert cross_fitted(noise, label, keys, np.ones((1, 4000)))[0] == pytest.approx(0.5, abs=0.02)
    assert cross_fitted(label.astype(float), label, keys, np.ones((1, 4000)))[0] == 1.0
    assert np.isnan(cross_fitted(noise, noise < 2, keys, np.ones((1, 4000)))).all()


def test_the_halves_of_samples_stay_from_version_to_version() -> None:
    keys = hash_strings(pa.array([f"q{i}" for i in range(60)]))
    x = np.array([i * 37 % 60 for i in range(60)]) / 60
    label = np.array([i * 37 % 60 + i * i % 40 > 50 for i in range(60)])
    assert cross_fitted(x, label, keys, np.ones((1, 60)))[0] == pytest.approx(0.725, abs=1e-12)


def test_a_constant_column_of_large_numbers_has_no_correlation() -> None:
    weights = np.random.default_rng(0).integers(0, 5, (50, 7)).astype(float)
    assert np.isnan(pearson(np.full(7, 1e9 / 3), np.arange(7.0), weights)).all()


def _over_all_orders(x: list[float], y: list[float]) -> float:
    """Return the mean accuracy of the first 1, 2 ... n samples, over all orders of falling ``x``."""
    places = range(len(x))
    orders = [order for order in permutations(places) if all(x[a] >= x[b] for a, b in pairwise(order))]
    return float(np.mean([[np.mean([y[place] for place in order[: n + 1]]) for n in places] for order in orders]))


def test_selective_accuracy_is_the_mean_over_coverages_and_orders_of_ties() -> None:
    random = np.random.default_rng(3)
    for _ in range(30):
        x, y = random.integers(0, 3, 5).astype(float), random.integers(0, 2, 5).astype(float)
        weights = np.vstack([np.ones(5), random.integers(0, 3, 5), np.zeros(5)])
        weights[1, 0] = max(weights[1, 0], 1)
        drawn = np.repeat(np.arange(5), weights[1].astype(int))[:7]
        weights[1] = np.bincount(drawn, minlength=5)
        found = selective_accuracy(x, y, weights)
        assert found[0] == pytest.approx(_over_all_orders(x.tolist(), y.tolist()), rel=1e-12)
        assert found[1] == pytest.approx(_over_all_orders(x[drawn].tolist(), y[drawn].tolist()), rel=1e-12)
        assert np.isnan(found[2])


def test_selective_accuracy_of_an_order_that_says_nothing_is_the_share() -> None:
    y = np.array([1.0, 0.0, 0.0, 1.0, 1.0])
    assert selective_accuracy(np.ones(5), y, np.ones((1, 5)))[0] == pytest.approx(0.6)
