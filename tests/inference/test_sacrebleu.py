"""PairedUnits tests of corpus BLEU against sacrebleu 2.6.0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import split
from ragauge.inference.resampling import PairedUnits, ResamplingUnits
from ragauge.inference.tests import _swapped, randomisation
from ragauge.metrics.parse import parse

from .simulated import keys

TRIALS = 2000
NAMES = (
    *(f"match{order}" for order in range(1, 5)),
    *(f"total{order}" for order in range(1, 5)),
    "hypothesis_length",
    "reference_length",
)


def statistics(skill: float, seed: int) -> FloatArray:
    rng, asked = np.random.default_rng(seed), np.random.default_rng(9)
    reference = asked.poisson(20, 150) + 8
    length = np.maximum(8, reference + rng.integers(-3, 4, 150))
    match = [rng.binomial(length, skill)]
    for order in range(1, 4):
        match.append(np.minimum(rng.binomial(match[-1], skill), length - order))
    return np.column_stack([*match, *(length - order for order in range(4)), length, reference]).astype(float)


def pair_of(base: FloatArray, candidate: FloatArray) -> tuple[PairedUnits, ResamplingUnits]:
    units = ResamplingUnits.of(keys(len(base)))
    parts = [units.sums(split(rows, np.ones(len(NAMES), dtype=bool))) for rows in (base, candidate)]
    return PairedUnits(NAMES, parts[0], parts[1], np.ones(len(base), dtype=np.int64), parse("bleu").score), units


def their_p(base: FloatArray, candidate: FloatArray, seed: int) -> float:
    metrics = pytest.importorskip("sacrebleu.metrics")
    significance = pytest.importorskip("sacrebleu.significance")
    metric: Any = metrics.BLEU()
    old, new = (np.column_stack([rows[:, 8:], rows[:, :8]]) for rows in (base, candidate))
    metric._extract_corpus_statistics = lambda *_: new.tolist()
    info = {"BLEU": (old, significance.Result(metric._aggregate_and_compute(old.tolist()).score))}
    texts = [""] * len(base)
    _, found = significance._paired_ar_test(info, "new", texts, None, {"BLEU": metric}, TRIALS, -1, seed)
    return float(found["BLEU"].p_value)


@pytest.mark.parametrize("skill", [0.60, 0.615, 0.63])
def test_the_same_swaps_give_the_same_p(skill: float) -> None:
    base, candidate = statistics(0.6, 1), statistics(skill, 2)
    pair, units = pair_of(base, candidate)
    kept = np.random.default_rng(7).integers(2, size=(TRIALS, len(base)), dtype=bool)
    placed = np.empty_like(kept)
    placed[:, units.place] = kept
    moved = (~placed).astype(float) @ (pair.candidate - pair.base)
    differences = np.abs(_swapped(pair, moved))
    p = (1 + int((differences > abs(pair.observed)).sum())) / (1 + TRIALS)
    assert p == pytest.approx(their_p(base, candidate, 7), abs=1e-12)


@pytest.mark.parametrize("skill", [0.60, 0.615])
def test_our_own_swaps_agree_within_their_error(skill: float) -> None:
    base, candidate = statistics(0.6, 1), statistics(skill, 2)
    pair, units = pair_of(base, candidate)
    p = randomisation([pair], units.keys, 10_000, 0)[0].p
    assert abs(p - their_p(base, candidate, 3)) < 4 * np.sqrt(p * (1 - p) * (1 / TRIALS + 1e-4)) + 1e-3
