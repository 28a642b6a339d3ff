"""Tests of two runs equal those of scipy 1.17, statsmodels 0.15 and ranx 0.3.21."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Packed
from ragauge.inference import resampling
from ragauge.inference.resampling import drawn_sums, replicated
from ragauge.inference.tests import binomial, mcnemar, paired_bootstrap, randomisation, student, wilcoxon
from tests.skips import PEERS

from .simulated import pair_of, scores


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0])
def test_binomial_is_scipys(share: float, stats: Any) -> None:
    cases = [(k, n) for n in (1, 2, 5, 10, 23) for k in range(n + 1)] + [(k, 800) for k in range(0, 801, 40)]
    for k, n in cases:
        expected = stats.binomtest(k, n, share).pvalue
        assert binomial(k, n, share).p == pytest.approx(expected, rel=1e-9, abs=1e-200), (k, n)


@pytest.mark.parametrize("n", [2, 9, 40, 51, 300, 3000])
@pytest.mark.parametrize("shift", [0.0, 0.03])
def test_student_is_scipys(n: int, shift: float, stats: Any) -> None:
    base, candidate = scores(n, shift=shift)
    pair, _ = pair_of(base, candidate)
    expected = stats.ttest_rel(candidate, base).pvalue
    assert student(pair.left_out, pair.observed).p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [1, 5, 25, 50])
def test_wilcoxon_is_scipys_exact(n: int, stats: Any) -> None:
    rng = np.random.default_rng(n)
    differences = rng.permutation(np.arange(1, n + 1)) * rng.choice([-1.0, 1.0], n)
    assert wilcoxon(differences).p == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue, rel=1e-12)


def test_wilcoxon_is_scipys_normal_from_51_differences_on(stats: Any) -> None:
    rng = np.random.default_rng(7)
    differences = rng.permutation(np.arange(1, 52)) * rng.choice([-1.0, 1.0], 51)
    expected = [stats.wilcoxon(differences, method=method).pvalue for method in ("asymptotic", "exact")]
    assert wilcoxon(differences).p == pytest.approx(expected[0], rel=1e-9)
    assert expected[1] != pytest.approx(expected[0], rel=1e-4)


@pytest.mark.parametrize("n", [150, 1000])
def test_wilcoxon_is_scipys_with_ties_and_zeros(n: int, stats: Any) -> None:
    base, candidate = scores(n, decimals=1, shift=0.02)
    differences = (candidate - base).round(1)
    expected = stats.wilcoxon(differences, zero_method="wilcox", correction=False, method="asymptotic").pvalue
    assert wilcoxon(differences).p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("values", [(1, 1, -1, 2, 2, 3, -4, 5), (1, -1, 2, 3, -4)])
def test_wilcoxon_is_exact_with_ties(values: tuple[int, ...], stats: Any) -> None:
    differences = np.array(values, dtype=float)
    everything = stats.PermutationMethod(n_resamples=np.inf)
    expected = stats.wilcoxon(differences, method=everything).pvalue
    assert wilcoxon(differences).p == wilcoxon(-differences).p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("rose", "fell"), [(0, 0), (1, 5), (7, 7), (30, 50), (900, 1000)])
def test_mcnemar_is_statsmodels(rose: int, fell: int, stats: Any) -> None:
    differences = np.repeat([1.0, -1.0, 0.0], [rose, fell, 10])
    theirs = pytest.importorskip("statsmodels.stats.contingency_tables", reason=PEERS)
    expected = theirs.mcnemar([[5, rose], [fell, 5]], exact=True).pvalue if rose + fell else 1.0
    assert mcnemar(differences).p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [2, 6, 13])
def test_exact_randomisation_is_scipys(n: int, stats: Any) -> None:
    base, candidate = scores(n, shift=0.1, decimals=1)
    pair, units = pair_of(base, candidate)
    outcome = randomisation([pair], units.keys, 10_000, 0)[0]
    expected = stats.permutation_test(
        (candidate, base), _mean_difference, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert outcome.test == "exact randomisation"
    assert outcome.p == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("shift", [0.0, 0.02, 0.04])
def test_randomisation_is_scipys_within_its_error(shift: float, stats: Any) -> None:
    base, candidate = scores(200, shift=shift)
    pair, units = pair_of(base, candidate)
    p = randomisation([pair], units.keys, 20_000, 0)[0].p
    expected = stats.permutation_test(
        (candidate, base), _mean_difference, permutation_type="samples", n_resamples=20_000, rng=1, vectorized=True
    ).pvalue
    assert abs(p - expected) < 4 * np.sqrt(2 * expected * (1 - expected) / 20_000) + 2e-4


def test_randomisation_and_student_are_ranxs() -> None:
    tests = pytest.importorskip("ranx.statistical_tests", exc_type=ImportError)
    base, candidate = scores(120, shift=0.03)
    pair, units = pair_of(base, candidate)
    student_p = tests.paired_student_t_test(base, candidate)[0]
    assert student(pair.left_out, pair.observed).p == pytest.approx(float(student_p), rel=1e-9)
    fisher = tests.fisher_randomization_test(base, candidate, 20_000, 0.05, 1)[0]
    p = randomisation([pair], units.keys, 20_000, 0)[0].p
    assert abs(p - float(fisher)) < 4 * np.sqrt(2 * p * (1 - p) / 20_000) + 2e-4


def test_bootstrap_agrees_with_student_on_many_samples() -> None:
    base, candidate = scores(2000, shift=0.01)
    pair, units = pair_of(base, candidate)
    drawn = replicated([pair], units.keys, 10_000, 0)[0]
    p = paired_bootstrap(drawn, pair.observed).p
    assert p == pytest.approx(student(pair.left_out, pair.observed).p, abs=0.015)


@pytest.mark.parametrize("test", [wilcoxon, mcnemar])
def test_nothing_is_nothing_and_equal_is_one(test: object) -> None:
    assert callable(test)
    assert np.isnan(test(np.empty(0)).p)
    assert test(np.zeros(7)).p == 1.0


@pytest.mark.parametrize("n", [1, 5, 100])
def test_equal_runs_have_p_of_one(n: int) -> None:
    base, _ = scores(n)
    pair, units = pair_of(base, base)
    drawn = replicated([pair], units.keys, 100, 0)[0]
    assert randomisation([pair], units.keys, 1000, 0)[0].p == 1.0
    assert paired_bootstrap(drawn, pair.observed).p == 1.0
    assert n == 1 or student(pair.left_out, pair.observed).p == 1.0


def test_a_bootstrap_test_needs_a_difference_and_a_replicate() -> None:
    assert np.isnan(paired_bootstrap(np.array([1.0, 2.0, 3.0]), float("nan")).p)
    assert np.isnan(paired_bootstrap(np.full(3, np.nan), 1.0).p)
    assert paired_bootstrap(np.array([1.0, np.nan, 3.0]), 9.0).p == pytest.approx(1 / 3)


def test_one_constant_difference() -> None:
    base = np.arange(20) / 20
    pair, units = pair_of(base, base + 0.5)
    assert student(pair.left_out, pair.observed).p == pytest.approx(0.0, abs=1e-12)
    assert randomisation([pair], units.keys, 10_000, 0)[0].p == pytest.approx(1 / 10_001)


def test_nothing_counts() -> None:
    pair, units = pair_of(np.empty(0), np.empty(0))
    assert np.isnan(randomisation([pair], units.keys, 100, 0)[0].p)
    assert np.isnan(student(pair.left_out, pair.observed).p)


def _mean_difference(left: FloatArray, right: FloatArray, axis: int) -> FloatArray:
    return np.asarray(left.mean(axis=axis) - right.mean(axis=axis))


@pytest.mark.parametrize(("n", "as_far"), [(40, 56), (80, 501)])
def test_a_seed_draws_the_same_swaps_for_ever(n: int, as_far: int) -> None:
    base, candidate = scores(n, shift=0.02)
    pair, units = pair_of(base, candidate)
    assert round(randomisation([pair], units.keys, 1000, 0)[0].p * 1001) - 1 == as_far


def test_many_pairs_of_few_runs_draw_each_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Swaps of a difference are those of its runs: the p-values are as of each pair alone, from fewer sums."""
    runs = [scores(60, shift=shift)[1] for shift in (0.0, 0.02, 0.05, -0.01)]
    pairs, units = zip(*(pair_of(base, candidate) for base, candidate in combinations(runs, 2)), strict=True)
    alone = [randomisation([pair], units[0].keys, 500, 3)[0] for pair in pairs]
    drawn: list[int] = []

    def counted(draw: Any, columns: Any, *rest: Any) -> Any:
        drawn.append(columns.shape[1])
        return drawn_sums(draw, columns, *rest)

    monkeypatch.setattr(resampling, "drawn_sums", counted)
    assert randomisation(pairs, units[0].keys, 500, 3) == alone
    differences = [pair.candidate - pair.base for pair in pairs]
    assert drawn[0] < Packed.of(differences).columns.shape[1]
