"""Intervals: percentile and Wilson."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.inference.intervals import NO_INTERVAL, percentile, wilson


@given(trials=st.integers(1, 500), data=st.data())
def test_wilson_holds_the_share_and_stays_within_0_and_1(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = wilson(successes, trials, 0.95)
    assert 0.0 <= low <= successes / trials <= high <= 1.0
    assert low < high


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # scipy.stats.binomtest(successes, trials).proportion_ci(method="wilson"), scipy 1.17.1.
    [(7, 10, 0.3967781, 0.8922087), (0, 5, 0.0, 0.4344825), (98, 100, 0.9299882, 0.9944980)],
)
def test_wilson_is_that_of_scipy(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials, 0.95) == pytest.approx((low, high), abs=1e-7)


def test_wilson_of_failures_mirrors_that_of_successes() -> None:
    low, high = wilson(2, 9, 0.9)
    assert wilson(7, 9, 0.9) == pytest.approx((1 - high, 1 - low))


def test_a_higher_level_is_wider() -> None:
    replicates = np.random.default_rng(0).normal(size=1000)
    low, high = percentile(replicates, 0.99)
    inner_low, inner_high = percentile(replicates, 0.8)
    assert low < inner_low < inner_high < high


def test_replicates_that_drew_nothing_are_left_out() -> None:
    assert percentile(np.array([np.nan, 1.0, np.nan, 1.0]), 0.95) == (1.0, 1.0)
    assert np.isnan(percentile(np.array([np.nan]), 0.95)).all()
    assert np.isnan(NO_INTERVAL).all()
