"""Paired randomisation: what the difference would be if it did not matter which run a sample's output is from."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
import numpy.typing as npt

from ragauge.hashing import GOLDEN, HashArray, splitmix64
from ragauge.inference.outcome import Outcome
from ragauge.inference.paired import Paired
from ragauge.ragged import FloatArray
from ragauge.statistics import Packed

# Products of so many numbers are too small for a BLAS to share among threads, which costs more than it gains.
_CHUNK = 64
_PRODUCT = 800_000
_BITS = 64
# Keeps the draws of tests apart from those of intervals, which hash the same keys and seed.
_STREAM = np.uint64(0x73776170)
# Two trials with the same units swapped, added in another order, differ by rounding; scores have about 1e-13 of it.
_TIE = 1e-11


def randomisation(pairs: Sequence[Paired], keys: HashArray, trials: int, seed: int) -> list[Outcome]:
    """Test whether two runs differ, by swapping their outputs unit by unit.

    Because statistics add, a trial needs the sums of the swapped units only, T'a = Ta - F Sa + F Sb; so the score of
    the swapped corpus is tested, not the mean of per-sample scores. The p-value counts the observed difference among
    the trials. Where at most ``trials`` ways of swapping exist, all are enumerated and the test is exact.

    Args:
        pairs: of the same u units.
        keys: (u,) hashes that say, with the seed, which units a trial swaps.
        trials: how many.
        seed: changes all the draws.

    Source: Noreen 1989, "Computer-intensive methods for testing hypotheses"; Riezler and Maxwell 2005, "On some
    pitfalls in automatic evaluation and significance testing for MT". Counting the observed one: Phipson and Smyth
    2010, "Permutation p-values should never be zero".
    """
    exact = [bool(pair.units) and 2 ** int(pair.differing.sum()) <= trials for pair in pairs]
    drawn = iter(_drawn([pair for pair, few in zip(pairs, exact, strict=True) if not few], keys, trials, seed))
    return [_exact(pair) if few else _outcome(pair, next(drawn)) for pair, few in zip(pairs, exact, strict=True)]


def swaps(keys: HashArray, trials: int, seed: int) -> npt.NDArray[np.uint8]:
    """Draw whether each unit is swapped in each trial, (u, trials) of 0 and 1, from hashes of (seed, key, trial)."""
    start = splitmix64(keys ^ splitmix64(np.array([seed], dtype=np.int64).astype(np.uint64) ^ _STREAM))
    counters = np.arange(-(-trials // _BITS), dtype=np.uint64) * np.uint64(GOLDEN)
    hashes = splitmix64(start[:, None] + counters[None, :])
    return np.unpackbits(hashes.astype("<u8", copy=False).view(np.uint8), axis=1, count=trials, bitorder="little")


def all_swaps(units: int) -> FloatArray:
    """Return every way of swapping ``units`` units, (2^units, units) of 0 and 1."""
    ways = np.arange(1 << units, dtype=np.int64)
    return ((ways[:, None] >> np.arange(units, dtype=np.int64)) & 1).astype(np.float64)


def _drawn(pairs: Sequence[Paired], keys: HashArray, trials: int, seed: int) -> list[FloatArray]:
    """Return the difference in each trial, (trials,), for each pair; all share the swaps."""
    if not pairs:
        return []
    moved = np.concatenate([pair.candidate - pair.base for pair in pairs], axis=2)
    packed = Packed.of(moved)
    sums = _swapped_sums(packed.columns, keys, trials, seed)
    pieces = np.split(packed.unpacked(sums), np.cumsum([len(pair.names) for pair in pairs])[:-1], axis=2)
    return [_swapped(pair, piece) for pair, piece in zip(pairs, pieces, strict=True)]


def _swapped_sums(columns: FloatArray, keys: HashArray, trials: int, seed: int) -> FloatArray:
    """Sum the rows (u, c) that each trial swaps, (trials, c)."""
    sums = np.zeros((columns.shape[1], trials))
    width = max(1, _PRODUCT // (_CHUNK * max(1, columns.shape[1])))
    for start in range(0, len(keys), _CHUNK):
        drawn = swaps(keys[start : start + _CHUNK], trials, seed)
        chunk = np.ascontiguousarray(columns[start : start + _CHUNK].T)
        for first in range(0, trials, width):
            strip = slice(first, first + width)
            sums[:, strip] += chunk @ drawn[:, strip].astype(np.float64)
    return sums.T


def _swapped(pair: Paired, moved: FloatArray) -> FloatArray:
    """Return the difference after ``moved`` (levels, trials, k), what the swapped units differ by, went over."""
    base, candidate = pair.totals()
    return pair.difference(base[:, None, :] + moved, candidate[:, None, :] - moved)


def _exact(pair: Paired) -> Outcome:
    differing = pair.differing
    moved = all_swaps(int(differing.sum())) @ (pair.candidate - pair.base)[:, differing]
    differences = _swapped(pair, moved)
    return Outcome("exact randomisation", float(np.mean(_as_far(differences, pair.observed))))


def _outcome(pair: Paired, differences: FloatArray) -> Outcome:
    if not pair.units:
        return Outcome("randomisation", nan)
    return Outcome("randomisation", (1 + int(_as_far(differences, pair.observed).sum())) / (1 + len(differences)))


def _as_far(differences: FloatArray, observed: float) -> npt.NDArray[np.bool_]:
    """Say which differences are at least as far from 0; one without a value is no evidence, so it counts as far."""
    return np.asarray(~(np.abs(differences) < abs(observed) - _TIE * max(1.0, abs(observed))))
