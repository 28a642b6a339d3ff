"""Count how often 95 % intervals cover the truth, on skewed, clustered and small samples.

    python benchmarks/interval_coverage.py [--simulations 2000] [--only NAME]
    python benchmarks/interval_coverage.py --differences

Each of 16 populations has a known score. Data sets are drawn from it, evaluated as any data are, and their intervals
are compared with that score. Many data sets are groups of one table; the interval of a group is that of its samples
alone. Printed as a Markdown table: how many intervals cover, lie wholly above the truth or wholly below it, in %; their
mean width; and the same of percentiles of the bootstrap. The second command does so for differences of two runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from calibration import BLEU_NAMES, draw_bleu, draw_graded, draw_ndcg, mean

import ragauge
from ragauge.core.statistics import Rows, Totals, ratio, split
from ragauge.inference.intervals import error_freedom, percentile
from ragauge.inference.resampling import replicate_sums
from ragauge.metrics.parse import parse

Generator = np.random.Generator
POPULATION = 1_000_000
# With more samples in one call their groups would be drawn as buckets.
SAMPLES = 60_000
METHODS = ("jackknife", "percentile")


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """A metric whose statistics are columns of the data."""

    names: tuple[str, ...]
    formula: Callable[[Any], Any]
    average: ClassVar[str] = "pooled"
    stage: ClassVar[str] = "generation"
    direction: ClassVar[str] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1

    @property
    def needs(self) -> Any:
        """The columns."""
        return (self.names,)

    def measure(self, batch: Any) -> Rows:
        """Return the columns as statistics."""
        return Rows.of({name: batch.column(name).to_numpy(zero_copy_only=False) for name in self.names})

    def score(self, totals: Any) -> Any:
        """Return the formula of the sums."""
        return self.formula(totals)


BOUNDED, UNBOUNDED = parse("column:name=value,low=0,high=1"), parse("column:name=value")


@dataclass(frozen=True)
class Population:
    """``draw(rng, units)`` gives statistics of samples (n, k) and the number of samples of each unit, or None for 1."""

    units: int
    draw: Callable[[Generator, int], tuple[Any, Any]]
    metric: Any = BOUNDED
    names: tuple[str, ...] = ("value",)

    def truth(self) -> float:
        """Return the score of a million units."""
        values, _ = self.draw(np.random.default_rng(1), POPULATION)
        sums = values.sum(axis=0)
        if not isinstance(self.metric, Pooled):
            return float(sums[0] / len(values))
        return float(self.metric.score(Totals.of(**dict(zip(self.names, sums, strict=True)))))


def _values(draw: Callable[[Generator, int], Any]) -> Callable[[Generator, int], tuple[Any, Any]]:
    return lambda rng, n: (np.asarray(draw(rng, n), dtype=float)[:, None], None)


def _binary(share: float) -> Callable[[Generator, int], tuple[Any, Any]]:
    return _values(lambda rng, n: rng.random(n) < share)


def _mostly_perfect(rng: Generator, n: int) -> Any:
    """Draw scores of which 80 % are 1 and the others spread evenly from 0 to 1."""
    return np.where(rng.random(n) < 0.8, 1.0, rng.random(n))


def _binary_clusters(rng: Generator, clusters: int, *, right: float, wrong: float) -> tuple[Any, Any]:
    """Draw documents of 1 to 10 questions, each document with its own share of right answers."""
    sizes = rng.integers(1, 11, clusters)
    shares = np.repeat(rng.beta(right, wrong, clusters), sizes)
    return (rng.random(len(shares)) < shares).astype(float)[:, None], sizes


def _graded_clusters(rng: Generator, clusters: int) -> tuple[Any, Any]:
    """Draw documents of 1 to 10 questions whose scores are alike."""
    sizes = rng.integers(1, 11, clusters)
    centres = np.repeat(0.6 + rng.normal(0, 0.2, clusters), sizes)
    return np.clip(centres + rng.normal(0, 0.15, len(centres)), 0, 1)[:, None], sizes


def _f1(rng: Generator, n: int) -> tuple[Any, Any]:
    """Draw matching, answer and reference tokens."""
    answer, reference = (rng.poisson(np.exp(rng.normal(mean, 0.8, n))) + 1 for mean in (1.7, 1.5))
    matching = rng.binomial(np.minimum(answer, reference), rng.beta(2, 1, n))
    return np.column_stack([matching, answer, reference]), None


F1_NAMES = ("matching", "answer_tokens", "reference_tokens")
F1 = Pooled(names=F1_NAMES, formula=lambda sums: ratio(2 * sums[F1_NAMES[0]], sums[F1_NAMES[1]] + sums[F1_NAMES[2]]))
BLEU = Pooled(names=BLEU_NAMES, formula=parse("bleu").score)

POPULATIONS = {
    "0 or 1, .5 right": Population(100, _binary(0.5)),
    "0 or 1, .9 right": Population(100, _binary(0.9)),
    "0 or 1, .98 right": Population(100, _binary(0.98)),
    "graded scores": Population(20, lambda rng, n: (draw_graded(rng, n)[0][:, :1], None)),
    "beta(9, 1)": Population(20, _values(lambda rng, n: rng.beta(9, 1, n))),
    "beta(1, 3)": Population(20, _values(lambda rng, n: rng.beta(1, 3, n))),
    "ndcg, half of it 0": Population(30, lambda rng, n: (draw_ndcg(rng, n)[0][:, :1], None)),
    "80 % ones, others even": Population(50, _values(_mostly_perfect)),
    "exponential": Population(20, _values(lambda rng, n: rng.exponential(1, n)), UNBOUNDED),
    "lognormal, n = 20": Population(20, _values(lambda rng, n: rng.lognormal(0, 1, n)), UNBOUNDED),
    "lognormal, n = 50": Population(50, _values(lambda rng, n: rng.lognormal(0, 1, n)), UNBOUNDED),
    "20 clusters, 0 or 1, beta(9, 1)": Population(20, partial(_binary_clusters, right=9, wrong=1)),
    "20 clusters, 0 or 1, beta(.9, .1)": Population(20, partial(_binary_clusters, right=0.9, wrong=0.1)),
    "8 clusters, graded": Population(8, _graded_clusters),
    "pooled F1": Population(50, _f1, F1, F1_NAMES),
    "corpus BLEU": Population(30, lambda rng, n: (draw_bleu(rng, n)[0].astype(np.int64), None), BLEU, BLEU_NAMES),
}


def intervals(population: Population, seeds: Sequence[int], method: str) -> Any:
    """Return the ends of the interval of each simulation, (seeds, 2)."""
    drawn = [population.draw(np.random.default_rng([2, seed]), population.units) for seed in seeds]
    sizes = [len(values) for values, _ in drawn]
    columns = dict(zip(population.names, np.concatenate([values for values, _ in drawn]).T, strict=True))
    units = [
        np.arange(len(values)) if per_unit is None else np.repeat(np.arange(len(per_unit)), per_unit)
        for values, per_unit in drawn
    ]
    simulation = np.repeat(seeds, sizes)
    unit = [f"{seed} {place}" for seed, place in zip(simulation, np.concatenate(units), strict=True)]
    table = pa.table({"simulation": simulation, "unit": unit, **columns})
    clustered = drawn[0][1] is not None
    if not clustered:
        table = table.rename_columns(["simulation", "id", *columns])
    result = ragauge.evaluate(
        table, population.metric, by="simulation", cluster="unit" if clustered else None, interval=method
    )
    name = next(iter(result.metrics))
    groups = result.groups(name, "simulation")
    return np.array([(groups[seed].low, groups[seed].high) for seed in seeds])


def row(name: str, simulations: int) -> str:
    """Return the row of the table of one population."""
    population = POPULATIONS[name]
    truth = population.truth()
    step = max(1, SAMPLES // (population.units * (10 if "clusters" in name else 1)))
    blocks = [range(start, min(start + step, simulations)) for start in range(0, simulations, step)]
    cells = []
    for method in METHODS:
        ends = np.concatenate([intervals(population, list(block), method) for block in blocks])
        high, low = 100 * np.mean(ends[:, 0] > truth), 100 * np.mean(ends[:, 1] < truth)
        cells.append(f"{100 - high - low:.1f} | {high:.1f} | {low:.1f} | {np.mean(ends[:, 1] - ends[:, 0]):.3f}")
    return f"| {name} | {population.units} | {truth:.3f} | {' | '.join(cells)} |"


def _changed(share: float, change: Callable[[Generator, int], Any]) -> Callable[[Generator, int], Any]:
    """Draw differences of which only a share is not 0."""
    return lambda rng, n: np.where(rng.random(n) < share, change(rng, n), 0.0)


DIFFERENCES: dict[str, tuple[int, Callable[[Generator, int], Any], float]] = {
    "normal": (20, lambda rng, n: rng.normal(0, 0.1, n), 0.0),
    "of two lognormals": (20, lambda rng, n: rng.lognormal(0, 1, n) - rng.lognormal(0, 1, n), 0.0),
    "a fifth changed, either way": (20, _changed(0.2, lambda rng, n: rng.uniform(-1, 1, n)), 0.0),
    "a fifth changed, either way (50)": (50, _changed(0.2, lambda rng, n: rng.uniform(-1, 1, n)), 0.0),
    "a fifth better": (20, _changed(0.2, lambda rng, n: rng.random(n)), 0.1),
    "a fifth better (50)": (50, _changed(0.2, lambda rng, n: rng.random(n)), 0.1),
    "a fifth from 0 to 1": (20, _changed(0.2, lambda _rng, n: np.ones(n)), 0.2),
    "exponential, its mean taken off": (20, lambda rng, n: rng.exponential(1, n) - 1, 0.0),
    "lognormal, its mean taken off": (20, lambda rng, n: rng.lognormal(0, 1, n) - np.exp(0.5), 0.0),
}
"""n, differences of samples, and their true mean."""


def difference_row(name: str, simulations: int) -> str:
    """Return the row of one population: percentiles as `ragauge.compare` makes them, and with freedom n - 1."""
    n, draw, truth = DIFFERENCES[name]
    ends = np.empty((simulations, 2, 2))
    for seed in range(simulations):
        rng = np.random.default_rng([3, seed])
        changes = draw(rng, n)
        rows = np.column_stack([changes, np.ones(n)])
        keys = rng.integers(0, 2**63, n).astype(np.uint64)
        sums = replicate_sums(split(rows, np.array([False, True])), keys, 2000, 0)
        drawn = mean(Totals(("value", "count"), sums))
        left_out = (changes.sum() - changes) / (n - 1)
        ends[seed, 0] = percentile(drawn, 0.95, n, error_freedom(left_out))
        ends[seed, 1] = percentile(drawn, 0.95, n)
    covers = 100 * np.mean((ends[..., 0] <= truth) & (truth <= ends[..., 1]), axis=0)
    width = np.mean(ends[..., 1] - ends[..., 0], axis=0)
    return f"| {name} | {n} | {covers[0]:.1f} | {width[0]:.3f} | {covers[1]:.1f} | {width[1]:.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--only", default="", help="populations whose name has this in it")
    parser.add_argument("--differences", action="store_true", help="differences of two runs, not scores of one")
    options = parser.parse_args()
    if options.differences:
        print("| differences | n | covers | width | without freedom | width |\n|---|---:|---:|---:|---:|---:|")
        for name in DIFFERENCES:
            print(difference_row(name, options.simulations), flush=True)
        return
    print("| population | n | truth | covers | above | below | width | percentiles cover | above | below | width |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in (each for each in POPULATIONS if options.only in each):
        print(row(name, options.simulations), flush=True)


if __name__ == "__main__":
    main()
