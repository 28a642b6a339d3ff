"""What the statistics make of fixed numbers: ``python -m tests.inference.stood`` writes stood.txt anew.

Many are those of other libraries too, see test_tests.py and test_intervals.py; draws are ours alone, and the same
seed must draw the same in every version.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.core.hashing import hash_strings
from ragauge.core.statistics import split
from ragauge.inference import agreement, intervals, prediction_powered, resampling
from ragauge.inference import tests as testing
from tests.stood import Case, Stood, rounded

STOOD = Stood(Path(__file__).with_name("stood.txt"))
KEYS = hash_strings([f"q{i}" for i in range(40)])
SAMPLES: dict[str, list[float]] = {
    "none": [],
    "one": [0.5],
    "equal": [0.25] * 12,
    "zeros": [0.0] * 12,
    "marks": [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0],
    "few": [0.1, -0.4, 0.3],
    "ties": [0.5, -0.5, 0.25, 0.25, 0.0, 0.0, -0.25, 1.0],
    "skewed": [2.0**-i for i in range(40)],
    "both": [((i * 37) % 41 - 20) / 20 for i in range(40)],
    "gaps": [nan, 0.5, nan, 0.75, 1.0],
}


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns, or the kind of error that it raises of numbers that it is never given."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return rounded(function(*arguments))
        except (IndexError, ValueError, ZeroDivisionError) as error:
            return type(error).__name__


@STOOD.group
def draws() -> Iterator[Case]:
    for seed in (0, 1, 7):
        for first in (0, 4, 8):
            yield f"weights {seed} from {first}", partial(_call, resampling.poisson_weights, KEYS[:5], 14, seed, first)
        yield f"swaps {seed}", partial(_call, resampling.swaps, KEYS[:5], 100, seed)
        parts = split(np.array(SAMPLES["both"]).reshape(40, 1), np.array([False]))
        yield f"sums {seed}", partial(_call, resampling.replicate_sums, parts, KEYS, 30, seed)
    for groups in (2, 8, 64):
        units = resampling.ResamplingUnits.of(KEYS, groups)
        yield f"units {groups}", partial(_call, list, [units.place, units.order, units.starts, len(units)])
    yield "all swaps", partial(_call, resampling.all_swaps, 4)


@STOOD.group
def tests_of_differences() -> Iterator[Case]:
    for name, values in SAMPLES.items():
        given = np.array(values)
        for observed in (0.0, 0.1, -0.3):
            yield f"bootstrap {name} {observed}", partial(_call, testing.paired_bootstrap, given, observed)
            yield f"student {name} {observed}", partial(_call, testing.student, given, observed)
        yield f"wilcoxon {name}", partial(_call, testing.wilcoxon, given)
        yield f"mcnemar {name}", partial(_call, testing.mcnemar, np.sign(given))
        for correct in (testing.holm, testing.bonferroni, testing.benjamini_hochberg):
            yield f"{correct.__name__} {name}", partial(_call, correct, np.abs(given) / 40)
    for difference, error, samples in ((0.1, 0.02, 50), (-0.2, 0.1, 8), (0.0, 0.1, 5), (0.1, 0.0, 5), (0.1, 0.2, 1)):
        yield f"effect {difference} {error} {samples}", partial(_call, testing.effect_size, difference, error, samples)
        yield f"detectable {error} {samples}", partial(_call, testing.detectable, error, samples)
        yield f"needed {difference} {error} {samples}", partial(_call, testing.needed, difference, error, samples)


@STOOD.group
def intervals_of_scores() -> Iterator[Case]:
    for name, values in SAMPLES.items():
        given = np.array(values)
        for level in (0.95, 0.5):
            for value in (0.0, 0.4):
                for units in (1, 5, 100):
                    yield (
                        f"symmetric {name} {value} {level} {units}",
                        partial(_call, intervals.symmetric, given, value, level, units),
                    )
                for limits in ((-inf, inf), (0.0, 1.0), (-1.0, 1.0), (0.0, inf)):
                    yield (
                        f"jackknife {name} {value} {level} {limits}",
                        partial(_call, intervals.jackknife, value, given, level, limits),
                    )
                left_out = given if len(given) > 1 else np.array([0.1, 0.3])
                yield f"bca {name} {value} {level}", partial(_call, intervals.bca, given, value, left_out, level)
        yield f"error {name}", partial(_call, intervals.standard_error, given)
        yield f"freedom {name}", partial(_call, intervals.error_freedom, given)
    for successes, trials in ((0, 0), (0, 5), (5, 5), (2, 7), (30, 100)):
        yield f"wilson {successes} {trials}", partial(_call, intervals.wilson, successes, trials, 0.95)
    for p in (0.001, 0.3, 0.5, 0.975):
        yield f"normal {p}", partial(_call, intervals.normal_quantile, p)
        for freedom in (0.5, 1.0, 3.0, 30.0, 1e6, inf):
            yield f"t {p} {freedom}", partial(_call, intervals.student_quantile, p, freedom)
            yield f"two-sided {p} {freedom}", partial(_call, intervals.student_two_sided, 4 * p, freedom)
            yield f"spread {p} {freedom}", partial(_call, intervals.spread_of_t, max(p, 0.5), freedom)
        for a, b in ((0.5, 0.5), (1.0, 3.0), (20.0, 2.0)):
            yield f"beta {p} {a} {b}", partial(_call, intervals.beta_cdf, p, a, b)


@STOOD.group
def agreements() -> Iterator[Case]:
    marks = np.array(SAMPLES["marks"] * 4)
    for name, values in SAMPLES.items():
        x = np.array(values)
        y, keys = marks[: len(x)], KEYS[: len(x)]
        for weighted, weights in (("equal", np.ones(len(x))), ("other", np.arange(len(x)) % 3.0)):
            for measure in (agreement.pearson, agreement.spearman, agreement.kendall, agreement.pairwise_accuracy,
                            agreement.concordance, agreement.weighted_kappa):  # fmt: skip
                if len(x):
                    yield f"{measure.__name__} {name} {weighted}", partial(_call, measure, x, y, weights)
            if len(x):
                yield f"ranks {name} {weighted}", partial(_call, agreement.weighted_ranks, x, weights)
                yield f"thresholds {name} {weighted}", partial(_call, agreement.thresholds, x, y > 0, weights)
                yield f"cross-fitted {name} {weighted}", partial(_call, agreement.cross_fitted, x, y > 0, keys, weights)
        if len(x):
            yield f"mid-ranks {name}", partial(_call, agreement.mid_ranks, x)
            labels = np.where(np.arange(len(x)) % 3 == 0, nan, y)
            yield f"powered {name}", partial(_call, prediction_powered.powered_mean, labels, x, keys)


if __name__ == "__main__":
    STOOD.write()
