"""Simulate how often intervals cover and tests reject, on data whose truth is known.

    python benchmarks/calibration.py [--simulations 4000] [--sizes 30,100,300,1000,3000] [--processes 2] [--no-tests]
    python benchmarks/calibration.py --decisions 2000

Each scenario draws samples from a population. Coverage counts the intervals that hold the population's score (of one
run), or the difference 0 (of two runs whose outputs are exchangeable sample by sample); rejections count p <= .05 where
there is no difference. The population's score is that of two million samples. The second command simulates gates,
prediction-powered means and agreement with labels. Printed as Markdown tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

import ragauge
from ragauge.core.statistics import Totals, ratio, split
from ragauge.inference.intervals import bca, error_freedom, jackknife, percentile
from ragauge.inference.prediction_powered import powered_mean
from ragauge.inference.resampling import PairedUnits, ResamplingUnits, replicate_sums
from ragauge.inference.tests import detectable, paired_bootstrap, randomisation, student, wilcoxon
from ragauge.metrics.parse import parse
from ragauge.validation.labels import LabelledSamples, agreements
from ragauge.validation.validate import measured

Generator = np.random.Generator
RESAMPLES, TRIALS, LEVEL, ALPHA = 1000, 999, 0.95, 0.05
POPULATION = 2_000_000
ORDERS = (1, 2, 3, 4)
SCORE = "column:name=x"


def mean(totals: Any) -> Any:
    return ratio(totals["value"], totals["count"])


@dataclass(frozen=True)
class Scenario:
    """Samples of two runs: ``draw(rng, n)`` gives (n, k) statistics of both, and n cluster numbers or None."""

    names: tuple[str, ...]
    draw: Callable[[Generator, int], tuple[Any, Any, Any]]
    score: Callable[[Any], Any]
    mean: bool
    """Whether the score is the mean of the first column: only then do tests of samples fit."""


def _counted(values: Any) -> Any:
    return np.column_stack([values, np.ones(len(values))])


def draw_graded(rng: Generator, n: int) -> tuple[Any, Any, None]:
    """Draw scores like groundedness or ROUGE: a shared difficulty, and a deviation of each run."""
    easy = rng.beta(3, 1.5, n)
    runs = [np.clip(0.7 * easy + 0.3 * rng.beta(3, 1.5, n), 0, 1) for _ in range(2)]
    return _counted(runs[0]), _counted(runs[1]), None


def draw_ndcg(rng: Generator, n: int) -> tuple[Any, Any, None]:
    """Draw 1 / log2(rank + 1) of one relevant document, not found in half of the queries by either run."""
    hopeless = rng.random(n) < 0.5
    runs = []
    for _ in range(2):
        rank = rng.geometric(0.35, n)
        runs.append(_counted(np.where(hopeless | (rank > 10), 0.0, 1 / np.log2(rank + 1))))
    return runs[0], runs[1], None


def _ratio(rng: Generator, n: int) -> tuple[Any, Any, None]:
    """Draw hits among a number of tokens that differs from sample to sample, pooled."""
    tokens = rng.poisson(np.exp(rng.normal(3, 0.7, n))) + 1
    easy = rng.beta(4, 3, n)
    return *(np.column_stack([rng.binomial(tokens, easy), tokens]).astype(float) for _ in range(2)), None


def draw_bleu(rng: Generator, n: int) -> tuple[Any, Any, None]:
    """Draw matches of n-grams, each order among what the order below matched."""
    reference = rng.poisson(np.exp(rng.normal(2.8, 0.5, n))) + 4
    easy = rng.beta(5, 4, n)
    runs = []
    for _ in range(2):
        length = np.maximum(4, rng.binomial(2 * reference, 0.49))
        match = [rng.binomial(length, easy)]
        for order in ORDERS[1:]:
            match.append(np.minimum(rng.binomial(match[-1], 0.35 + 0.5 * easy), length - order + 1))
        totals = [length - order + 1 for order in ORDERS]
        runs.append(np.column_stack([*match, *totals, length, reference]).astype(float))
    return runs[0], runs[1], None


def _clusters(rng: Generator, n: int) -> tuple[Any, Any, Any]:
    """Draw n / 5 documents of 1 to 9 questions; those of a document are alike, in each run in its own way."""
    documents = max(2, n // 5)
    cluster = np.repeat(np.arange(documents), rng.integers(1, 10, documents))
    shared = rng.normal(0, 0.15, documents)[cluster]
    runs = []
    for _ in range(2):
        own = rng.normal(0, 0.15, documents)[cluster]
        runs.append(_counted(np.clip(0.6 + shared + own + rng.normal(0, 0.15, len(cluster)), 0, 1)))
    return runs[0], runs[1], cluster


BLEU_NAMES = (
    *(f"match{order}" for order in ORDERS),
    *(f"total{order}" for order in ORDERS),
    "hypothesis_length",
    "reference_length",
)
SCENARIOS = {
    "mean of graded scores": Scenario(("value", "count"), draw_graded, mean, mean=True),
    "ndcg, half of it 0": Scenario(("value", "count"), draw_ndcg, mean, mean=True),
    "pooled ratio": Scenario(("value", "count"), _ratio, mean, mean=False),
    "corpus BLEU": Scenario(BLEU_NAMES, draw_bleu, parse("bleu").score, mean=False),
    "clusters": Scenario(("value", "count"), _clusters, mean, mean=False),
}


@cache
def truth(name: str) -> float:
    scenario = SCENARIOS[name]
    base = scenario.draw(np.random.default_rng(1), POPULATION)[0]
    return float(scenario.score(Totals(scenario.names, split(base, whole(base)).sum(axis=1))))


def whole(values: Any) -> Any:
    return np.all(values == np.rint(values), axis=0)


def simulate(name: str, n: int, seed: int, *, tests: bool = True) -> dict[str, bool]:
    """Draw one data set; say which intervals cover the truth and, with ``tests``, which tests reject."""
    scenario = SCENARIOS[name]
    rng = np.random.default_rng([n, seed])
    base, candidate, cluster = scenario.draw(rng, n)
    labels = rng.permutation(len(base)) if cluster is None else cluster
    hashes = rng.integers(0, 2**63, len(labels)).astype(np.uint64)[labels]
    units = ResamplingUnits.of(hashes)
    parts = [units.sums(split(run, whole(base))) for run in (base, candidate)]
    pair = PairedUnits(scenario.names, parts[0], parts[1], np.bincount(units.place), scenario.score)
    both = np.concatenate([pair.base, pair.candidate], axis=2)
    runs = np.split(replicate_sums(both, units.keys, RESAMPLES, seed), 2, axis=2)
    one, other = pair.scores(*runs)
    drawn = (one, other - one)
    covers = _covers(pair, drawn, truth(name))
    if not tests:
        return covers
    return {**covers, **_rejects(pair, units, drawn[1], seed, base, candidate, scenario)}


def _covers(pair: PairedUnits, drawn: tuple[Any, Any], true: float) -> dict[str, bool]:
    n = pair.units
    one, two = drawn
    totals, _ = pair.totals()
    alone = pair.score(Totals(pair.names, totals[:, None, :] - pair.base))
    value = float(pair.score(Totals(pair.names, totals)))
    intervals = {
        "run: jackknife": (jackknife(value, alone, LEVEL, (0.0, 1.0)), true),
        "run: plain percentile": (percentile(one, LEVEL), true),
        "run: percentile": (percentile(one, LEVEL, n), true),
        "run: BCa": (bca(one, value, alone, LEVEL), true),
        "difference: plain percentile": (percentile(two, LEVEL), 0.0),
        "difference: percentile": (percentile(two, LEVEL, n, error_freedom(pair.left_out())), 0.0),
        "difference: BCa": (bca(two, pair.observed, pair.left_out(), LEVEL), 0.0),
    }
    return {kind: bool(ends[0] <= held <= ends[1]) for kind, (ends, held) in intervals.items()}


def _rejects(
    pair: PairedUnits, units: ResamplingUnits, two: Any, seed: int, base: Any, candidate: Any, scenario: Scenario
) -> dict[str, bool]:
    outcomes = {
        "test: randomisation": randomisation([pair], units.keys, TRIALS, seed)[0].p,
        "test: bootstrap": paired_bootstrap(two, pair.observed).p,
        "test: t": student(pair.left_out(), pair.observed).p,
    }
    if scenario.mean:
        outcomes["test: wilcoxon"] = wilcoxon(candidate[:, 0] - base[:, 0]).p
    return {kind: p <= ALPHA for kind, p in outcomes.items()}


def _many(name: str, n: int, seeds: range, *, tests: bool) -> dict[str, int]:
    counts: dict[str, int] = {}
    for seed in seeds:
        for kind, held in simulate(name, n, seed, tests=tests).items():
            counts[kind] = counts.get(kind, 0) + held
    return counts


def shares(
    name: str, n: int, simulations: int, pool: ProcessPoolExecutor, processes: int, *, tests: bool
) -> dict[str, float]:
    blocks = [range(start, simulations, processes) for start in range(processes)]
    found = [job.result() for job in [pool.submit(_many, name, n, block, tests=tests) for block in blocks]]
    return {kind: sum(block[kind] for block in found) / simulations for kind in found[0]}


def gates(simulations: int, n: int = 200) -> None:
    """Count equal runs that pass a confident gate, and drops of twice the detectable difference that it catches."""
    rng = np.random.default_rng(0)
    base, candidate, _ = draw_graded(rng, POPULATION // 10)
    error = float(np.std(candidate[:, 0] - base[:, 0])) / np.sqrt(n)
    drop = 2 * detectable(error, n)
    passed = caught = 0
    for seed in range(simulations):
        old, new, _ = draw_graded(np.random.default_rng([7, seed]), n)
        runs = [_result(scores, seed) for scores in (old[:, 0], new[:, 0], new[:, 0] - drop)]
        passed += ragauge.gate(runs[1], runs[0], max_drop={SCORE: 0.0}, confident=True).passed
        caught += not ragauge.gate(runs[2], runs[0], max_drop={SCORE: 0.0}, confident=True).passed
    print(f"\n**confident gates**, n = {n}, {simulations} simulations\n\n| | % |\n|---|---:|")
    print(f"| equal runs pass | {100 * passed / simulations:.1f} |")
    print(f"| drops of twice the detectable difference ({drop:.3f}) are caught | {100 * caught / simulations:.1f} |")


def _result(scores: Any, seed: int) -> ragauge.Result:
    table = pa.table({"id": [f"{seed}-{i}" for i in range(len(scores))], "x": scores})
    return ragauge.evaluate(table, SCORE, resamples=0)


def powered(simulations: int) -> None:
    """Count the prediction-powered intervals that cover, and how long they are beside those of the labels alone."""
    print(f"\n**prediction-powered means**, % of {simulations}\n\n| labels | covers | labels alone cover | length |")
    print("|---:|---:|---:|---:|")
    for labelled in (30, 100, 300):
        held, lengths = np.zeros(2), np.zeros(2)
        for seed in range(simulations):
            rng = np.random.default_rng([3, labelled, seed])
            quality = rng.beta(3, 1.5, 10 * labelled)
            truth = (rng.random(len(quality)) < quality).astype(float)
            given = np.where(np.arange(len(truth)) < labelled, truth, np.nan)
            mean = powered_mean(given, quality)
            for place, ends in enumerate((mean.interval(LEVEL), mean.interval(LEVEL, alone=True))):
                held[place] += ends[0] <= 3 / 4.5 <= ends[1]
                lengths[place] += ends[1] - ends[0]
        covers = 100 * held / simulations
        print(f"| {labelled} | {covers[0]:.1f} | {covers[1]:.1f} | {lengths[0] / lengths[1]:.2f} |")


def agreement(simulations: int) -> None:
    """Count the intervals of agreement that cover, and the contests of equally good metrics that find a winner."""
    large = _labelled(np.random.default_rng(1), 20_000)
    truths = {key: float(value[0]) for key, value in agreements(large, 0, np.ones((1, len(large)))).items()}
    print(f"\n**agreement with 0/1 labels**, % of {simulations}\n\n| | n = 100 | n = 300 |\n|---|---:|---:|")
    found: dict[str, list[str]] = {}
    for n in (100, 300):
        counts: dict[str, int] = {}
        for seed in range(simulations):
            one, contests = measured(_labelled(np.random.default_rng([5, n, seed]), n), RESAMPLES, LEVEL, seed)
            for each in one[: len(truths)]:
                held = each.low <= truths[each.scope, each.measure] <= each.high
                counts[f"{each.measure} covers"] = counts.get(f"{each.measure} covers", 0) + held
            for contest in contests:
                name = f"{contest.measure}: equally good metrics are told apart"
                counts[name] = counts.get(name, 0) + (contest.p <= ALPHA)
        for name, count in counts.items():
            found.setdefault(name, []).append(f"{100 * count / simulations:.1f}")
    print("\n".join(f"| {name} | {' | '.join(cells)} |" for name, cells in found.items()))


def _labelled(rng: Generator, n: int) -> LabelledSamples:
    quality = rng.random(n)
    scores = np.stack([quality + 0.4 * rng.normal(size=n) for _ in range(2)])
    good = rng.random(n) < quality
    keys = np.sort(rng.integers(0, 2**63, n).astype(np.uint64))
    return LabelledSamples(("a", "b"), scores, good.astype(float), good, keys, None, None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--sizes", default="30,100,300,1000,3000")
    parser.add_argument("--scenarios", default="")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-tests", dest="tests", action="store_false", help="simulate intervals alone")
    parser.add_argument("--decisions", type=int, default=0, help="simulate decisions so often")
    options = parser.parse_args()
    if options.decisions:
        gates(options.decisions)
        powered(options.decisions)
        agreement(options.decisions // 2)
        return
    sizes = [int(size) for size in options.sizes.split(",")]
    with ProcessPoolExecutor(options.processes) as pool:
        for name in (each for each in SCENARIOS if options.scenarios in each):
            tables = {
                n: shares(name, n, options.simulations, pool, options.processes, tests=options.tests) for n in sizes
            }
            print(f"\n**{name}**, % of {options.simulations}\n")
            print("| | " + " | ".join(f"n = {n}" for n in sizes) + " |\n|---" * 1 + "|---:" * len(sizes) + "|")
            for kind in tables[sizes[0]]:
                cells = (f"{100 * tables[n][kind]:.1f}" for n in sizes)
                print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
