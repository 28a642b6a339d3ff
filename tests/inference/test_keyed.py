"""Draws hang on keys alone: any order, any way to cut the data, gives the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.inference.resampling import GROUPS, ResamplingUnits, replicated, swaps
from ragauge.inference.tests import randomisation

from .simulated import keys, pair_of, scores


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
    assert straight.left_out().tobytes() == shuffled.left_out().tobytes()


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
