"""Draws hang on keys alone: any order, any way to cut the data, gives the same bits, and a seed the same for ever."""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pytest

from ragauge.core.hashing import hash_strings
from ragauge.core.statistics import Rows, split
from ragauge.inference.resampling import (
    GROUPS,
    PackedUnits,
    ResamplingUnits,
    _weights_by_draw,
    all_swaps,
    drawn_sums,
    poisson_weights,
    replicate_sums,
    replicated,
    swaps,
)
from ragauge.inference.tests import randomisation

from .simulated import keys, pair_of, scores


def test_a_seed_draws_the_same_in_every_version() -> None:
    samples = hash_strings(["q0", "q1", "q2"])
    assert poisson_weights(samples, 10, seed=0).tolist() == [
        [0, 0, 0, 0, 3, 2, 2, 0, 2, 2],
        [1, 1, 0, 1, 0, 2, 0, 0, 2, 2],
        [0, 3, 0, 2, 0, 3, 0, 1, 3, 0],
    ]
    assert poisson_weights(samples[:1], 10, seed=-5).tolist() == [[2, 0, 0, 1, 0, 2, 0, 1, 2, 2]]
    assert swaps(samples, 16, seed=0).tolist() == [
        [0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1],
        [0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0],
        [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1],
    ]
    assert swaps(samples[:1], 16, seed=7).tolist() == [[1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0]]


def test_more_samples_than_groups_are_put_into_buckets_by_their_keys() -> None:
    units = ResamplingUnits.of(hash_strings([f"q{i}" for i in range(12)]), 4)
    assert units.place.tolist() == [2, 0, 0, 0, 3, 1, 3, 3, 2, 1, 2, 2]
    assert units.order.tolist() == [1, 2, 3, 5, 9, 0, 8, 10, 11, 4, 6, 7]
    assert units.sums(np.ones((12, 1))).ravel().tolist() == [3, 2, 4, 3]


def test_every_way_of_swapping_is_there_once() -> None:
    assert all_swaps(2).tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert len({*map(tuple, all_swaps(9).tolist())}) == 512


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


def test_sums_are_the_same_in_small_products(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = split(np.random.default_rng(0).normal(size=(100, 3)), np.zeros(3, dtype=bool))
    together = replicate_sums(parts, keys(100), 150, seed=1)
    for name, size in {"PRODUCT": 64 * 8, "ROWS": 8, "COLUMNS": 1, "CHUNK": 20}.items():
        monkeypatch.setattr(f"ragauge.inference.resampling._{name}", size)
    assert replicate_sums(parts, keys(100), 150, seed=1).tobytes() == together.tobytes()


@pytest.mark.parametrize("columns", [1, 5, 70, 500])
def test_no_product_is_large_enough_for_threads(columns: int) -> None:
    sizes: list[int] = []

    class Seen(np.ndarray[Any, Any]):
        def __matmul__(self, other: Any) -> Any:
            sizes.append(self.size * other.shape[1])
            return np.asarray(self) @ other

    def draw(units: Any, draws: int, seed: int, first: int) -> Any:
        return swaps(units, draws, seed, first).astype(np.float64).view(Seen)

    values, units = np.ones((200, columns)), keys(200)
    expected = drawn_sums(swaps, values, units, 5000, 0)
    assert drawn_sums(draw, values, units, 5000, 0).tobytes() == expected.tobytes()
    assert 0 < max(sizes) <= 1 << 18


def test_later_swaps_are_those_of_all() -> None:
    assert (swaps(keys(9), 100, 3, first=64) == swaps(keys(9), 164, 3)[:, 64:]).all()


def test_rows_of_one_key_are_drawn_together() -> None:
    rows = Rows.of({"v": [1, 10]})
    sums = replicate_sums(split(rows.values, rows.whole), hash_strings(["c", "c"]), 50, seed=0)
    assert set(sums.sum(axis=0)[:, 0] % 11) == {0.0}


@pytest.mark.parametrize("n", [40, 3 * GROUPS])
def test_order_does_not_matter(n: int) -> None:
    base, candidate = scores(n, shift=0.01)
    hashes = keys(n)
    order = np.random.default_rng(1).permutation(n)
    straight, units = pair_of(base, candidate, hashes)
    shuffled, again = pair_of(base[order], candidate[order], hashes[order])
    assert (
        replicated([straight], units.keys, 100, 3)[0].tobytes()
        == replicated([shuffled], again.keys, 100, 3)[0].tobytes()
    )
    assert randomisation([straight], units.keys, 500, 3) == randomisation([shuffled], again.keys, 500, 3)
    assert straight.left_out.tobytes() == shuffled.left_out.tobytes()


def test_units_apart_change_no_bit() -> None:
    runs = [scores(80, shift=shift)[1] for shift in (0.0, 0.02, 0.05)]
    pairs, units = zip(*(pair_of(base, candidate) for base, candidate in combinations(runs, 2)), strict=True)
    keys_of_units, apart = units[0].keys, np.arange(80) % 9 == 0
    for draw in (replicated, randomisation):
        whole = draw(pairs, keys_of_units, 500, 3)
        for mask in (apart, ~apart, np.zeros(80, dtype=bool), np.ones(80, dtype=bool)):
            packed = PackedUnits.of_pairs(pairs, keys_of_units, mask)
            np.testing.assert_array_equal(draw(pairs, keys_of_units, 500, 3, packed), whole)
            some = draw([pairs[2], pairs[0]], keys_of_units, 500, 3, packed.some_pairs([2, 0]))
            np.testing.assert_array_equal(some, [whole[2], whole[0]])


def test_many_samples_fall_into_buckets() -> None:
    units = ResamplingUnits.of(keys(3 * GROUPS))
    assert 0.9 * GROUPS < len(units) <= GROUPS
    assert np.bincount(units.place).max() < 20


def test_swaps_are_fair_and_differ_by_seed() -> None:
    drawn = swaps(keys(500), 1000, seed=0)
    assert drawn.shape == (500, 1000)
    assert abs(drawn.mean() - 0.5) < 0.005
    assert abs(drawn.mean(axis=0) - 0.5).max() < 0.12
    assert abs((drawn == swaps(keys(500), 1000, seed=1)).mean() - 0.5) < 0.005


def test_metrics_share_swaps_without_changing_each_other() -> None:
    base, candidate = scores(60)
    one, units = pair_of(base, candidate)
    other, _ = pair_of(candidate, base)
    alone = randomisation([one], units.keys, 500, 0)
    assert randomisation([other, one], units.keys, 500, 0)[1:] == alone
    assert randomisation([other], units.keys, 500, 0) == alone
