"""Bootstrap replicates: keyed by sample, so the same in any order and any cut of the data."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from ragauge.core.hashing import HashArray, hash_strings
from ragauge.core.statistics import Rows, split
from ragauge.inference.resampling import _weights_by_draw, poisson_weights, replicate_sums


def keys(n: int) -> HashArray:
    return hash_strings([f"sample {i}" for i in range(n)])


def test_weights_have_the_moments_of_poisson_one() -> None:
    weights = poisson_weights(keys(1000), 1000, seed=3)
    assert weights.mean() == pytest.approx(1.0, abs=0.005)
    assert weights.var() == pytest.approx(1.0, abs=0.01)
    assert (weights == 0).mean() == pytest.approx(np.exp(-1), abs=0.005)
    assert (weights == 3).mean() == pytest.approx(np.exp(-1) / 6, abs=0.005)


def test_each_draw_of_16_bits_has_a_weight_with_mean_1_and_variance_1_exactly() -> None:
    table = _weights_by_draw().astype(np.int64)
    assert (len(table), table.sum(), (table**2).sum()) == (1 << 16, 1 << 16, 2 << 16)
    counts = np.bincount(table)
    poisson = [np.exp(-1) / factorial(weight) for weight in range(len(counts))]
    assert counts / (1 << 16) == pytest.approx(poisson, abs=3e-4)


def test_replicates_and_samples_do_not_go_together() -> None:
    weights = poisson_weights(keys(400), 400, seed=0)
    for matrix in (weights, weights.T):
        correlations = np.asarray(np.corrcoef(matrix))[np.triu_indices(400, 1)]
        assert np.abs(correlations).max() < 0.3
        assert correlations.mean() == pytest.approx(0.0, abs=0.002)


def test_a_weight_depends_on_its_key_replicate_and_seed_only() -> None:
    every = keys(50)
    weights = poisson_weights(every, 30, seed=7)
    assert (poisson_weights(every[[20, 3]], 30, seed=7) == weights[[20, 3]]).all()
    assert (poisson_weights(every, 11, seed=7) == weights[:, :11]).all()
    assert (poisson_weights(every, 30, seed=8) != weights).any()
    assert (poisson_weights(every, 18, seed=7, first=12) == weights[:, 12:]).all()


@pytest.mark.parametrize("seed", [0, -1, 2**63 - 1, -(2**63)])
def test_any_64_bit_seed_will_do(seed: int) -> None:
    assert poisson_weights(keys(2), 5, seed).shape == (2, 5)


@pytest.mark.parametrize("columns", [1, 8, 9, 30])
def test_sums_are_those_of_the_weights_whatever_the_chunks(columns: int) -> None:
    random = np.random.default_rng(columns)
    every = keys(300)
    values = random.normal(size=(300, columns))
    parts = split(values, np.zeros(columns, dtype=bool))
    sums = replicate_sums(parts, every, 20, seed=1)
    expected = np.einsum("nr,pnk->prk", poisson_weights(every, 20, seed=1), parts)
    assert sums.tobytes() == expected.tobytes()
    order = random.permutation(300)
    assert replicate_sums(parts[:, order], every[order], 20, seed=1).tobytes() == sums.tobytes()
    shards = [replicate_sums(parts[:, cut], every[cut], 20, seed=1) for cut in np.array_split(order, 7)]
    assert sum(shards).tobytes() == sums.tobytes()  # type: ignore[union-attr]


def test_sums_are_the_same_in_blocks_of_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = split(np.random.default_rng(0).normal(size=(100, 3)), np.zeros(3, dtype=bool))
    together = replicate_sums(parts, keys(100), 30, seed=1)
    monkeypatch.setattr("ragauge.inference.resampling._REPLICATES", 8)
    assert replicate_sums(parts, keys(100), 30, seed=1).tobytes() == together.tobytes()


def test_rows_of_one_key_are_drawn_together() -> None:
    rows = Rows.of({"v": [1, 10]})
    sums = replicate_sums(split(rows.values, rows.whole), hash_strings(["c", "c"]), 50, seed=0)
    assert set(sums.sum(axis=0)[:, 0] % 11) == {0.0}
