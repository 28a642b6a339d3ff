"""Confidence sequences: the level held at every look, and how soon a broken system is found out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from math import isnan

import numpy as np
import pytest

from ragauge.core.ragged import FloatArray
from ragauge.inference.sequential import above, confidence_sequence, decided_after, log_capital
from tests import fresh

RUNS, LOOKS = 1_000, 200
Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]


def right(rng: np.random.Generator, size: tuple[int, int], share: float) -> FloatArray:
    return (rng.random(size) < share).astype(np.float64)


SHAPES: dict[str, tuple[float, Draw]] = {
    **{f"shares of {mean}": (mean, partial(right, share=mean)) for mean in (0.5, 0.9, 0.02)},
    "skewed": (2 / 7, lambda rng, size: rng.beta(2, 5, size)),
    "three values": (0.5, lambda rng, size: rng.choice([0.0, 0.5, 1.0], size)),
    "one value": (0.7, lambda rng, size: np.full(size, 0.7)),
}


def ever_wrong(values: FloatArray, mean: float) -> float:
    """Return in which share of runs (r, n) an interval of 95 % excluded the mean at any look."""
    return float((above(values, mean, 0.025)[:, -1] | above(1 - values, 1 - mean, 0.025)[:, -1]).mean())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", [1, fresh.seed()], ids=["known", "fresh"])
def test_the_level_is_held_at_every_look(shape: str, seed: int) -> None:
    """At most 5 % of all runs ever exclude the mean, at any of the looks; four errors more by chance."""
    mean, draw = SHAPES[shape]
    values = draw(np.random.default_rng(seed), (RUNS, LOOKS))
    assert ever_wrong(values, mean) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.long
def test_the_figures_of_the_documentation() -> None:
    """Printed with -s: how often intervals are wrong at any look, and how soon broken systems are found out."""
    random = np.random.default_rng(1)
    for share in (0.5, 0.9, 0.05):
        values = (random.random((4_000, 500)) < share).astype(np.float64)
        counts = np.arange(1, 501)
        means = values.cumsum(axis=1) / counts
        reach = 1.96 * np.sqrt(means * (1 - means) / counts)
        plain = float((np.abs(means - share) > reach)[:, 29:].any(axis=1).mean())
        wrong = ever_wrong(values, share)
        sys.stdout.write(f"{share}: plain {plain:.3f}, sequences {wrong:.3f}\n")
        assert wrong <= 0.055 < plain
    for share in (0.6, 0.5, 0.3):
        after = [-decided_after((random.random(500) < share).astype(np.float64), 0.8, 0.95) for _ in range(1_000)]
        sys.stdout.write(f"{share} where .8 is asked: {np.median(after):.0f}, 95 %: {np.quantile(after, 0.95):.0f}\n")
        assert np.median(after) <= 70


def test_a_broken_system_is_found_out_with_a_tenth_of_the_questions() -> None:
    """At least .8 is asked of a system that has .3, or .5: 500 questions are there, and 50 decide most often."""
    random = np.random.default_rng(2)
    for share, decided, middle in ((0.3, 0.98, 10), (0.5, 0.8, 25)):
        values = (random.random((400, 500)) < share).astype(np.float64)
        after = np.array([decided_after(one, 0.8, 0.95) for one in values])
        assert (after < 0).all()
        assert (-after <= 50).mean() >= decided
        assert np.median(-after) <= middle


def test_the_interval_is_where_bets_stop_winning() -> None:
    values = np.random.default_rng(3).beta(3, 2, 120)
    low, high = confidence_sequence(values, 0.95)
    assert low < 0.6 < high
    for mean, known in ((low - 1e-6, True), (low + 1e-6, False)):
        assert above(values, mean, 0.025)[-1] == known
    for mean, known in ((high + 1e-6, True), (high - 1e-6, False)):
        assert above(1 - values, 1 - mean, 0.025)[-1] == known
    assert decided_after(values, low - 0.01, 0.95) > 0 > decided_after(values, high + 0.01, 0.95)
    assert decided_after(values, 0.6, 0.95) == 0


def test_bets_look_only_back() -> None:
    """What comes later changes nothing that was won before."""
    values = np.random.default_rng(4).random(50)
    assert log_capital(values, 0.4, 0.05)[:30].tolist() == log_capital(values[:30], 0.4, 0.05).tolist()


def test_the_capital_by_hand() -> None:
    """Of 1 and 0 against a mean of .4: bets by the variance before, none above .75 / .4."""
    first = np.sqrt(2 * np.log(20) / (0.25 * 1 * np.log(2)))
    second = np.sqrt(2 * np.log(20) / ((0.25 + 0.25**2) / 2 * 2 * np.log(3)))
    bets = [min(first, 0.75 / 0.4), min(second, 0.75 / 0.4)]
    expected = np.cumsum(np.log([1 + bets[0] * 0.6, 1 - bets[1] * 0.4]))
    assert log_capital(np.array([1.0, 0.0]), 0.4, 0.05) == pytest.approx(expected)


def test_ends_of_the_range_and_nothing() -> None:
    assert confidence_sequence(np.ones(50), 0.95)[1] == 1
    assert confidence_sequence(np.zeros(50), 0.95)[0] == 0
    assert isnan(confidence_sequence(np.empty(0), 0.95)[0])
    assert decided_after(np.empty(0), 0.5, 0.95) == 0
    assert decided_after(np.zeros(5), 0.0, 0.95) == decided_after(np.ones(5), 1.0, 0.95) == 0
