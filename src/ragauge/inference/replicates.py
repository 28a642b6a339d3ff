"""Bootstrap replicates keyed by sample: the same in any order, batch size, shard or engine."""

from __future__ import annotations

from functools import cache
from math import exp, factorial

import numpy as np
import numpy.typing as npt

from ragauge.hashing import GOLDEN, HashArray, splitmix64
from ragauge.ragged import FloatArray
from ragauge.statistics import Packed

# Four draws of 16 bits come from one 64-bit hash.
_DRAWS = 4
_STEPS = 1 << 16
# Weights of 64 samples and 1000 replicates stay in cache until they are used, and products of them with 8 columns are
# too small for a BLAS to share among threads, which costs more than it gains: ten times as much on a busy machine.
_CHUNK = 64
_STRIP = 8


def replicate_sums(parts: FloatArray, keys: HashArray, resamples: int, seed: int) -> FloatArray:
    """Sum rows under the weights of each replicate.

    The Poisson bootstrap (Hanley and MacGibbon 2006; Chamandy et al. 2012, "Estimating uncertainty for massive data
    streams"): in each replicate every row counts Poisson(1) times. Unlike multinomial weights these need no n, so that
    shards add.

    Args:
        parts: (6, n, k), what `ragauge.statistics.split` returned.
        keys: (n,) hashes; rows with the same key, those of one cluster, are drawn together.
        resamples: how many replicates.
        seed: changes all the draws.

    Returns:
        (6, resamples, k).
    """
    packed = Packed.of(parts)
    sums = np.zeros((resamples, packed.columns.shape[1]))
    for start in range(0, len(keys), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        weights = poisson_weights(keys[chunk], resamples, seed).T
        for first in range(0, sums.shape[1], _STRIP):
            strip = slice(first, first + _STRIP)
            sums[:, strip] += weights @ packed.columns[chunk, strip]
    return packed.unpacked(sums)


def poisson_weights(keys: HashArray, resamples: int, seed: int) -> FloatArray:
    """Draw Poisson(1) weights from hashes of (seed, key, replicate).

    Returns:
        (n, resamples) float64 of whole numbers.

    >>> poisson_weights(np.array([7, 8, 7], dtype=np.uint64), 3, seed=0)[[0, 2]].tolist()
    [[2.0, 0.0, 2.0], [2.0, 0.0, 2.0]]
    """
    blocks = -(-resamples // _DRAWS)
    start = splitmix64(keys ^ splitmix64(np.array([seed], dtype=np.int64).astype(np.uint64)))
    counters = np.arange(blocks, dtype=np.uint64) * np.uint64(GOLDEN)
    hashes = splitmix64(start[:, None] + counters[None, :])
    draws = hashes.astype("<u8", copy=False).view("<u2")[:, :resamples]
    return _weights_by_draw().take(draws).astype(np.float64)


@cache
def _weights_by_draw() -> npt.NDArray[np.uint8]:
    """Tabulate the weight that each 16-bit draw stands for, with mean 1 and variance 1 to the last bit."""
    counts = [round(_STEPS * exp(-1) / factorial(weight)) for weight in range(9)]
    counts[2] -= (sum(w * (w - 1) * c for w, c in enumerate(counts)) - _STEPS) // 2
    counts[1] -= sum(w * c for w, c in enumerate(counts)) - _STEPS
    counts[0] -= sum(counts) - _STEPS
    return np.repeat(np.arange(len(counts), dtype=np.uint8), counts)
