"""Resampling: keyed bootstrap replicates and swaps, resampling units, and two runs on the same units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from math import exp, factorial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import native
from ragauge.core.hashing import GOLDEN, HashArray, splitmix64
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import Packed, Totals
from ragauge.inference.intervals import error_freedom

# Four draws of 16 bits come from one 64-bit hash.
_DRAWS = 4
_STEPS = 1 << 16
_BITS = 64
# Makes the draws of tests independent of those of intervals, which hash the same keys and seed.
_STREAM = 0x73776170
Draw: TypeAlias = Callable[[HashArray, int, int, int], npt.NDArray[Any]]
"""Draws weights (u, draws) by the keys of units, the number of draws, a seed, and the number of draws before these."""
MOST_REPLICATES = 1_000_000
"""Most bootstrap replicates and randomisation trials: so many take about 400 MB for each metric."""

# OpenBLAS starts threads for products of more numbers, which cost more than they gain: ten times as much on a busy
# machine.
_PRODUCT = 1 << 18
_ROWS = 64
_COLUMNS = 64
# Units that are drawn for at once: their draws stay in cache.
_CHUNK = 1024


def replicate_sums(parts: FloatArray, keys: HashArray, resamples: int, seed: int) -> FloatArray:
    """Sum ``parts`` (6, n, k), of `ragauge.core.statistics.split`, by the weights of replicates: (6, resamples, k).

    The Poisson bootstrap (Hanley and MacGibbon 2006; Chamandy et al. 2012, "Estimating uncertainty for massive data
    streams"): in each replicate every row counts Poisson(1) times. Unlike multinomial weights these need no n, so that
    shards add. Rows with the same of ``keys`` (n,), those of one cluster, are drawn together.
    """
    return next(drawn_parts(poisson_weights, PackedUnits.of([parts], keys), resamples, seed))


@dataclass(frozen=True, eq=False)
class PackedUnits:
    """Parts (levels, u, k) of many runs on the same u units, packed by groups of units: each has its keys."""

    groups: Sequence[tuple[HashArray, Packed]]

    @classmethod
    def of(cls, several: Sequence[FloatArray], keys: HashArray, apart: BoolArray | None = None) -> PackedUnits:
        """Pack parts, the units of ``apart`` (u,) by themselves.

        Pairs of runs that differ in a few samples have the same columns but for the units of these. An array that is
        given several times is looked at once.
        """
        once = {id(parts): parts for parts in several}
        place = {known: at for at, known in enumerate(once)}
        which = [place[id(parts)] for parts in several]

        def packed(some: Iterable[FloatArray]) -> Packed:
            one = Packed.of(some)
            return Packed(one.columns, [one.slots[at] for at in which])

        if apart is None or not apart.any() or apart.all():
            return cls([(keys, packed(once.values()))])
        rows = [np.flatnonzero(mask) for mask in (~apart, apart)]
        return cls([(keys[some], packed(parts.take(some, axis=1) for parts in once.values())) for some in rows])

    @classmethod
    def of_pairs(cls, pairs: Sequence[PairedUnits], keys: HashArray, apart: BoolArray | None = None) -> PackedUnits:
        """Pack both runs of each pair, the base first."""
        return cls.of([part for pair in pairs for part in (pair.base, pair.candidate)], keys, apart)

    def some_pairs(self, places: Sequence[int]) -> PackedUnits:
        """Return what `of_pairs` does of the pairs at ``places`` alone."""
        if 2 * len(places) == len(self.groups[0][1].slots):
            return self
        which = [2 * place + role for place in places for role in range(2)]
        return PackedUnits([(keys, one.some(which)) for keys, one in self.groups])

    @property
    def different(self) -> int:
        """How many of the parts differ, but for units that stand apart."""
        return len({slots.tobytes() for slots in self.groups[0][1].slots})


def drawn_parts(draw: Draw, packed: PackedUnits, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield the sums of each of the packed parts (levels, u, k) by the weights of draws: (levels, draws, k)."""
    drawn = [drawn_sums(draw, one.columns, keys, draws, seed) for keys, one in packed.groups]
    # Columns are read one by one.
    groups = [(one, np.asfortranarray(sums)) for (_, one), sums in zip(packed.groups, drawn, strict=True)]
    for which in range(len(groups[0][0].slots)):
        first, *others = (one.unpacked(sums, which) for one, sums in groups)
        yield sum(others, first)


def drawn_differences(draw: Draw, packed: PackedUnits, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield candidate minus base of each of the packed pairs, as `drawn_parts` sums them; most columns are equal."""
    drawn = [np.asfortranarray(drawn_sums(draw, one.columns, keys, draws, seed)) for keys, one in packed.groups]
    for base in range(0, len(packed.groups[0][1].slots), 2):
        differences = np.zeros((*packed.groups[0][1].slots[base].shape, draws))
        for (_, one), sums in zip(packed.groups, drawn, strict=True):
            left, right = one.slots[base : base + 2]
            for level, column in np.argwhere(left != right).tolist():
                own = differences[level, column]
                if right[level, column] >= 0:
                    own += sums[:, right[level, column]]
                if left[level, column] >= 0:
                    own -= sums[:, left[level, column]]
        yield np.moveaxis(differences, 1, -1)


def drawn_sums(draw: Draw, columns: FloatArray, keys: HashArray, draws: int, seed: int) -> FloatArray:
    """Sum ``columns`` (u, c), which add without error, by the weights of each of so many ``draws``: (draws, c)."""
    if (served := kernel_sums(draw, columns, keys, draws, seed)) is not None:
        return served
    sums = np.zeros((draws, columns.shape[1]))
    width = _PRODUCT // (_ROWS * min(max(columns.shape[1], 1), _COLUMNS)) // _BITS * _BITS
    for first, start in product(range(0, draws, width), range(0, len(keys), _CHUNK)):
        chunk = slice(start, start + _CHUNK)
        weights = draw(keys[chunk], min(width, draws - first), seed, first).astype(np.float64, copy=False)
        for column, row in product(range(0, columns.shape[1], _COLUMNS), range(0, len(weights), _ROWS)):
            block = columns[chunk, column : column + _COLUMNS][row : row + _ROWS]
            sums[first : first + width, column : column + _COLUMNS] += weights[row : row + _ROWS].T @ block
    return sums


def kernel_sums(draw: Draw, columns: FloatArray, keys: HashArray, draws: int, seed: int) -> FloatArray | None:
    """Return what `drawn_sums` does, as the kernel sums it; None without it, and where nothing is summed."""
    if (module := native.kernel()) is None or not columns.size or not draws:
        return None
    sums = np.empty((columns.shape[1], draws))
    rows = np.ascontiguousarray(columns, np.float64)
    if draw is swaps:
        module.swapped_sums(rows, _starts(keys, seed, _STREAM), draws, pa.cpu_count(), sums)
    elif draw is poisson_weights:
        module.weighted_sums(rows, _starts(keys, seed), _limits(), draws, pa.cpu_count(), sums)
    else:
        return None
    return sums.T


def poisson_weights(keys: HashArray, resamples: int, seed: int, first: int = 0) -> FloatArray:
    """Draw Poisson(1) weights, whole numbers, from hashes of (seed, key, replicate): (n, resamples).

    ``first`` is the number of replicates before these, a multiple of 4; blocks of replicates are those of all.

    >>> poisson_weights(np.array([7, 8, 7], dtype=np.uint64), 3, seed=0)[[0, 2]].tolist()
    [[2.0, 0.0, 2.0], [2.0, 0.0, 2.0]]
    """
    blocks = -(-resamples // _DRAWS)
    start = _starts(keys, seed)
    counters = np.arange(first // _DRAWS, first // _DRAWS + blocks, dtype=np.uint64) * np.uint64(GOLDEN)
    hashes = splitmix64(start[:, None] + counters[None, :])
    draws = hashes.astype("<u8", copy=False).view("<u2")[:, :resamples]
    return _weights_by_draw().take(draws).astype(np.float64)


def _starts(keys: HashArray, seed: int, stream: int = 0) -> HashArray:
    """Return what the counters of the draws of each unit are added to, (u,)."""
    return splitmix64(keys ^ splitmix64(np.array([seed], dtype=np.int64).astype(np.uint64) ^ np.uint64(stream)))


@cache
def _weights_by_draw() -> npt.NDArray[np.uint8]:
    """Return the weight of each 16-bit draw, (65536,), with mean 1 and variance 1 exactly."""
    counts = [round(_STEPS * exp(-1) / factorial(weight)) for weight in range(9)]
    counts[2] -= (sum(w * (w - 1) * c for w, c in enumerate(counts)) - _STEPS) // 2
    counts[1] -= sum(w * c for w, c in enumerate(counts)) - _STEPS
    counts[0] -= sum(counts) - _STEPS
    return np.repeat(np.arange(len(counts), dtype=np.uint8), counts)


@cache
def _limits() -> npt.NDArray[np.uint16]:
    """Return the least draw of each weight from 1 on."""
    weights = _weights_by_draw()
    return np.searchsorted(weights, np.arange(1, int(weights[-1]) + 1)).astype(np.uint16)


def swaps(keys: HashArray, trials: int, seed: int, first: int = 0) -> npt.NDArray[np.uint8]:
    """Draw whether each unit is swapped in each trial, (u, trials) of 0 and 1, from hashes of (seed, key, trial).

    ``first`` is the number of trials before these, a multiple of 64.
    """
    start = _starts(keys, seed, _STREAM)
    counters = np.arange(first // _BITS, first // _BITS - (-trials // _BITS), dtype=np.uint64) * np.uint64(GOLDEN)
    hashes = splitmix64(start[:, None] + counters[None, :])
    return np.unpackbits(hashes.astype("<u8", copy=False).view(np.uint8), axis=1, count=trials, bitorder="little")


def all_swaps(units: int) -> FloatArray:
    """Return every way of swapping ``units`` units, (2^units, units) of 0 and 1."""
    ways = np.arange(1 << units, dtype=np.int64)
    return ((ways[:, None] >> np.arange(units, dtype=np.int64)) & 1).astype(np.float64)


GROUPS = 1 << 12
"""With more samples or clusters, tests of two runs draw and swap buckets of them, chosen by their hashes.

A random grouping keeps a test exact and an interval valid; with 4096 buckets the standard error is known to 1.1 %.
"""


@dataclass(frozen=True, eq=False)
class ResamplingUnits:
    """The u resampling units that n samples belong to, in an order that depends on their keys alone.

    Shapes: ``keys`` (u,), the hash of each unit, rising; ``place`` (n,), the unit of each sample; ``order`` (n,), the
    samples sorted by unit.

    >>> units = ResamplingUnits.of(np.array([7, 5, 7], dtype=np.uint64))
    >>> units.place
    array([1, 0, 1])
    >>> units.sums(np.array([[1.0], [10.0], [100.0]]))
    array([[ 10.],
           [101.]])
    """

    keys: HashArray
    place: IntArray
    order: IntArray

    @classmethod
    def of(cls, keys: HashArray, groups: int = GROUPS) -> ResamplingUnits:
        """Return one unit per distinct key, or ``groups`` buckets where there are more keys."""
        distinct, place = np.unique(keys, return_inverse=True)
        if len(distinct) > groups:
            distinct, place = np.unique(keys & np.uint64(groups - 1), return_inverse=True)
        unit = place.ravel().astype(np.int64)
        order = np.argsort(unit, kind="stable").astype(np.int64)
        return cls(distinct, unit, order)

    def __len__(self) -> int:
        return len(self.keys)

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums of ``values`` (..., n, k) by unit, (..., u, k); exact for `ragauge.core.statistics.split`."""
        if len(self.order) == len(self.keys):
            return np.take(values, self.order, axis=-2)
        columns = np.swapaxes(values, -1, -2)
        # Columns are read one by one, so each lies together.
        sums = np.zeros((*columns.shape[:-1], len(self)))
        # Whole numbers leave all parts but one empty.
        for part in (one for one in np.ndindex(values.shape[:-2]) if values[one].any()):
            for column, own in enumerate(columns[part]):
                sums[*part, column] = np.bincount(self.place, own, len(self))
        return np.swapaxes(sums, -1, -2)


Scorer: TypeAlias = Callable[[Totals], FloatArray]
"""Turns totals with any leading axes into scores of those axes."""


@dataclass(frozen=True, eq=False)
class PairedUnits:
    """Statistics of a base and a candidate run, by unit.

    Shapes: ``base`` and ``candidate`` (levels, u, k), parts from `ragauge.core.statistics.split`, with columns
    ``names``; ``scored`` (u,), the number of samples of each unit that are scored in both runs.
    """

    names: tuple[str, ...]
    base: FloatArray
    candidate: FloatArray
    scored: IntArray
    score: Scorer

    @property
    def units(self) -> int:
        """Number of units with a sample that is scored in both runs."""
        return int(np.count_nonzero(self.scored))

    @property
    def differing(self) -> BoolArray:
        """Mask of the units with different statistics in the two runs, (u,)."""
        return np.asarray((self.base != self.candidate).any(axis=(0, 2)))

    @cached_property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """The sums of both runs, each (levels, k)."""
        return self.base.sum(axis=1), self.candidate.sum(axis=1)

    def scores(self, base: FloatArray, candidate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Score sums of both runs, each (levels, ..., k)."""
        return self.score(Totals(self.names, base)), self.score(Totals(self.names, candidate))

    def difference(self, base: FloatArray, candidate: FloatArray) -> FloatArray:
        """Return candidate minus base of sums (levels, ..., k)."""
        old, new = self.scores(base, candidate)
        return np.asarray(new - old)

    @property
    def observed(self) -> float:
        """The difference of the two runs; NaN where no sample is scored in both."""
        return float(self.difference(*self.totals)) if self.units else float("nan")

    @cached_property
    def left_out(self) -> FloatArray:
        """The difference without each of the units that are scored, (units,): the jackknife."""
        counts = self.scored > 0
        base, candidate = self.totals
        own = [run if counts.all() else run[:, counts] for run in (self.base, self.candidate)]
        return self.difference(base[:, None, :] - own[0], candidate[:, None, :] - own[1])

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of the jackknife standard error of the difference; of two units at least."""
        return error_freedom(self.left_out)


def replicated(
    pairs: Sequence[PairedUnits], keys: HashArray, resamples: int, seed: int, packed: PackedUnits | None = None
) -> list[FloatArray]:
    """Return the difference in each bootstrap replicate, (resamples,), for each pair of runs on the same u units.

    All share the weights, which are drawn by ``keys`` (u,) and ``seed``; see `replicate_sums`. ``packed``: the pairs,
    if they are packed already.
    """
    if not pairs:
        return []
    parts = drawn_parts(poisson_weights, packed or PackedUnits.of_pairs(pairs, keys), resamples, seed)
    return [pair.difference(next(parts), next(parts)) for pair in pairs]
