"""Sums over the units that trials swap: with the compiled kernel and without it the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge.core import native
from ragauge.core.statistics import split
from ragauge.inference.resampling import drawn_sums, swapped_sums, swaps

kernel: Any = pytest.importorskip("ragauge_native", reason="ragauge was installed without a compiler of C++20")


@pytest.mark.parametrize("units", [1, 7, 31, 32, 33, 300])
@pytest.mark.parametrize("width", [1, 15, 16, 17, 40])
def test_swapped_sums(units: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(units * width)
    values = random.normal(size=(units, width)) * 10.0 ** random.integers(-20, 12, width)
    columns = np.concatenate(split(values, np.zeros(width, dtype=bool)), axis=1)
    keys = random.integers(0, 1 << 63, units, dtype=np.uint64)
    for trials in (1, 64, 1000, 1025, 2100):
        sums = []
        for value in "01":
            monkeypatch.setenv(native.VARIABLE, value)
            sums.append(drawn_sums(swaps, columns, keys, trials, 5))
        assert trials < 64 or sums[0].any()
        assert sums[0].tobytes() == sums[1].tobytes()


def test_sums_of_nothing_are_left_to_numpy() -> None:
    assert swapped_sums(np.empty((3, 0)), np.arange(3, dtype=np.uint64), 5) is None
    assert swapped_sums(np.empty((0, 3)), np.empty(0, dtype=np.uint64), 5) is None
    assert swapped_sums(np.ones((3, 1)), np.arange(3, dtype=np.uint64), 0) is None


def test_the_kernel_refuses_what_does_not_fit() -> None:
    starts, out = np.arange(3, dtype=np.uint64), np.empty((5, 2))
    for columns, trials in ((np.ones(5), 5), (np.ones((3, 2)), 6), (np.ones((3, 2)), -1), (np.ones((3, 1)), 5)):
        with pytest.raises(ValueError, match=r"rows must have one length|wrong size"):
            kernel.swapped_sums(columns, starts, trials, 1, out)
