"""Statistics of two runs, drawn from a seed."""

from __future__ import annotations

import numpy as np

from ragauge.core.hashing import HashArray, hash_strings
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Totals, ratio, split
from ragauge.inference.resampling import PairedUnits, ResamplingUnits


def mean(totals: Totals) -> FloatArray:
    return ratio(totals["value"], totals["count"])


def scores(n: int, *, seed: int = 0, shift: float = 0.0, decimals: int = 3) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    easy = rng.random(n)
    base = (0.5 * easy + 0.5 * rng.random(n)).round(decimals)
    return base, (0.5 * easy + 0.5 * rng.random(n) + shift).round(decimals)


def keys(n: int) -> HashArray:
    return hash_strings([f"q{i}" for i in range(n)])


def pair_of(
    base: FloatArray, candidate: FloatArray, hashes: HashArray | None = None
) -> tuple[PairedUnits, ResamplingUnits]:
    """Pair mean scores; by clusters where ``hashes`` repeat."""
    units = ResamplingUnits.of(keys(len(base)) if hashes is None else hashes)
    whole = np.array([False, True])
    runs = [units.sums(split(np.column_stack([run, np.ones(len(run))]), whole)) for run in (base, candidate)]
    counted = np.bincount(units.place, minlength=len(units)).astype(np.int64)
    return PairedUnits(("value", "count"), runs[0], runs[1], counted, mean), units
