"""Sums over the units that trials swap, and by the weights of replicates, with the compiled kernel and without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge.core import native
from ragauge.core.statistics import split
from ragauge.inference.resampling import Draw, drawn_sums, kernel_sums, poisson_weights, swaps

kernel: Any = pytest.importorskip("ragauge_native", reason="ragauge was installed without a compiler of C++20")


@pytest.mark.parametrize("draw", [swaps, poisson_weights])
@pytest.mark.parametrize("units", [1, 7, 15, 16, 17, 31, 32, 33, 300])
@pytest.mark.parametrize("width", [1, 4, 5, 9, 15, 16, 17, 40])
def test_drawn_sums(draw: Draw, units: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(units * width)
    values = random.normal(size=(units, width)) * 10.0 ** random.integers(-20, 12, width)
    columns = np.concatenate(split(values, np.zeros(width, dtype=bool)), axis=1)
    keys = random.integers(0, 1 << 63, units, dtype=np.uint64)
    for trials in (1, 3, 64, 257, 1000, 1025, 2100):
        sums = []
        for value in "01":
            monkeypatch.setenv(native.VARIABLE, value)
            sums.append(drawn_sums(draw, columns, keys, trials, 5))
        assert trials < 64 or sums[0].any()
        assert sums[0].tobytes() == sums[1].tobytes()


@pytest.mark.parametrize("draw", [swaps, poisson_weights])
def test_sums_of_nothing_are_left_to_numpy(draw: Draw) -> None:
    keys = np.arange(3, dtype=np.uint64)
    assert kernel_sums(draw, np.empty((3, 0)), keys, 5, 0) is None
    assert kernel_sums(draw, np.empty((0, 3)), keys[:0], 5, 0) is None
    assert kernel_sums(draw, np.ones((3, 1)), keys, 0, 0) is None


def test_weights_from_four_on_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = np.arange(20_000, dtype=np.uint64)
    weights = poisson_weights(keys, 1, 0)
    assert weights.max() >= 6
    monkeypatch.setenv(native.VARIABLE, "1")
    columns = np.stack([weights[:, 0] == one for one in range(9)], axis=1).astype(float)
    sums = kernel_sums(poisson_weights, columns, keys, 1, 0)
    assert sums is not None
    assert sums[0].tolist() == [float(one * np.sum(weights == one)) for one in range(9)]


@pytest.mark.parametrize("draw", [swaps, poisson_weights])
@pytest.mark.parametrize("power", [0, -1060, 900])
def test_sums_of_many_large_numbers(draw: Draw, power: int, monkeypatch: pytest.MonkeyPatch) -> None:
    units = 10_001
    keys = np.arange(units, dtype=np.uint64)
    values = np.array([32767, -32767, 32768, 2**30 + 1, -(2**38) + 1, 0.5, 0]) * 2.0**power
    columns = np.repeat(values[None], units, axis=0)
    weights = draw(keys, 300, 5, 0)
    monkeypatch.setenv(native.VARIABLE, "1")
    sums = kernel_sums(draw, columns, keys, 300, 5)
    assert sums is not None
    assert sums.tolist() == np.outer(weights.sum(axis=0, dtype=np.float64), values).tolist()


def test_the_kernel_refuses_what_does_not_add_exactly() -> None:
    starts, out = np.arange(2, dtype=np.uint64), np.empty((5, 1))
    for columns, why in (([1.0, 2.0**70], "without error"), ([1.0, np.nan], "finite"), ([np.inf, 1.0], "finite")):
        with pytest.raises(ValueError, match=why):
            kernel.swapped_sums(np.array(columns)[:, None], starts, 5, 1, out)
    with pytest.raises(ValueError, match="15 limits"):
        kernel.weighted_sums(np.ones((2, 1)), starts, np.arange(1, 17, dtype=np.uint16), 5, 1, out)


def test_the_kernel_refuses_what_does_not_fit() -> None:
    starts, out = np.arange(3, dtype=np.uint64), np.empty((5, 2))
    for columns, trials in ((np.ones(5), 5), (np.ones((3, 2)), 6), (np.ones((3, 2)), -1), (np.ones((3, 1)), 5)):
        with pytest.raises(ValueError, match=r"rows must have one length|wrong size"):
            kernel.swapped_sums(columns, starts, trials, 1, out)
        with pytest.raises(ValueError, match=r"rows must have one length|wrong size"):
            kernel.weighted_sums(columns, starts, np.arange(1, 9, dtype=np.uint16), trials, 1, out)
