"""Several runs, each compared with each other, and which of them cannot be told from the best."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite

from ragauge.comparison.compare import differences_together, paired_runs
from ragauge.comparison.corrected import corrected
from ragauge.comparison.difference import UNDECIDED, Difference, Outcome, PairedRuns
from ragauge.comparison.metric_tests import Testing
from ragauge.comparison.pairing import headline, sample_keys
from ragauge.core.protocol import Direction
from ragauge.errors import RagaugeError
from ragauge.results.result import Result

_OTHER_WAY: Mapping[Outcome, Outcome] = {
    "better": "worse",
    "worse": "better",
    "leaning better": "leaning worse",
    "leaning worse": "leaning better",
}
_MOST_CELLS = 4_000_000
"""Samples by metrics of the pairs that are tested at once: about 200 MB."""


@dataclass(frozen=True, eq=False)
class EveryPair:
    """The differences of all pairs of r runs, with p-values corrected over all of them.

    Because all pairs share one correction, a reader may choose any run as the base, and the best of a metric may be
    picked after the scores are known: the probability of any false finding is still at most alpha.
    """

    differences: Mapping[tuple[int, int, int], Difference]
    """(base, candidate, metric), as places, with base < candidate."""
    problems: Mapping[tuple[int, int], str]
    """Why two runs cannot be compared."""

    @property
    def tests(self) -> int:
        """Number of tests that p-values are corrected for."""
        return sum(isfinite(one.p) for one in self.differences.values())

    def of(self, base: int, candidate: int, metric: int) -> Difference | None:
        """Return the difference of two runs under a metric; None where they cannot be compared."""
        one = self.differences.get((min(base, candidate), max(base, candidate), metric))
        return one if one is None or base < candidate else reverse(one)

    def like_the_best(self, best: int, metric: int, runs: Iterable[int]) -> list[int]:
        """Return those of ``runs`` that no test tells from run ``best``; none that cannot be tested."""
        pairs = {run: self.of(best, run, metric) for run in runs if run != best}
        return [run for run, one in pairs.items() if one is not None and one.outcome in UNDECIDED]


def every_pair(
    runs: Sequence[Result],
    metrics: Sequence[Sequence[str | None]],
    known: Iterable[tuple[int, Difference]] = (),
    primary: Collection[str] = (),
    on: str = "id",
) -> EveryPair:
    """Compare each two of ``runs`` under the metrics that both have, by the default test of `compare`.

    Args:
        runs: r results.
        metrics: the name of each metric in each of the r runs; None where a run does not have it.
        known: differences of candidates (by place) from the first run that were computed before, by the same options.
        primary: the metrics that are corrected apart from the others, by their names in any run; by default all.
        on: the column to pair samples by.

    >>> import ragauge
    >>> rows = [{"id": f"q{i}", "relevance": {"a": 1}} for i in range(12)]
    >>> ranked = (["b", "a"], ["a", "b"], ["a", "c"])
    >>> runs = [ragauge.evaluate([row | {"retrieved": ids} for row in rows], "mrr", resamples=0) for ids in ranked]
    >>> pairs = every_pair(runs, [["mrr"] * 3])
    >>> [pairs.of(1, run, 0).outcome for run in (0, 2)], pairs.like_the_best(1, 0, range(3))
    (['worse', 'equal'], [2])
    """
    raw: dict[tuple[int, int, int], Difference] = {}
    problems: dict[tuple[int, int], str] = {}
    places = {names[0]: place for place, names in enumerate(metrics) if names[0] is not None}
    raw |= {(0, run, places[one.metric]): one for run, one in known}
    together: list[tuple[tuple[int, int], dict[str, int], PairedRuns]] = []
    for base, candidate in combinations(range(len(runs)), 2):
        named = {
            name: place
            for place, names in enumerate(metrics)
            if (name := names[base]) is not None and names[candidate] is not None
        }
        left = {name: place for name, place in named.items() if (base, candidate, place) not in raw}
        if not left:
            continue
        try:
            pair, _ = paired_runs(runs[base], runs[candidate], tuple(left), on, ("base", "candidate"))
        except RagaugeError as error:
            problems[base, candidate] = headline(error)
            continue
        together.append(((base, candidate), left, pair))
        if sum(len(pair.samples) * len(pair.metrics) for _, _, pair in together) > _MOST_CELLS:
            raw |= _differences(together)
            together = []
    raw |= _differences(together)
    own = primary or {one.metric for one in raw.values()}
    return EveryPair(dict(zip(raw, corrected(list(raw.values()), Testing(), own), strict=True)), problems)


def _differences(
    together: Sequence[tuple[tuple[int, int], Mapping[str, int], PairedRuns]],
) -> dict[tuple[int, int, int], Difference]:
    """Return the differences of pairs of runs, (base, candidate, metric) -> difference, before any correction."""
    pairs = []
    for _, _, runs in together:
        keys = sample_keys(runs.base, runs.samples, runs.base.options.get("cluster"))
        pairs.append((runs.metrics, keys, runs.name))
    differences = differences_together(pairs, Testing(), clustered=False)
    return {
        (base, candidate, named[one.metric]): one
        for ((base, candidate), named, _), some in zip(together, differences, strict=True)
        for one in some
    }


def best_of(values: Sequence[float], direction: Direction) -> list[int]:
    """Return the places of the best of ``values``, several where they are equal; NaN is never the best.

    >>> best_of([0.2, 0.7, 0.7, float("nan")], "higher"), best_of([0.2, 0.7], "lower")
    ([1, 2], [0])
    """
    finite = [value for value in values if isfinite(value)]
    if not finite:
        return []
    best = max(finite) if direction == "higher" else min(finite)
    return [place for place, value in enumerate(values) if value == best]


def reverse(one: Difference) -> Difference:
    """Return the difference with base and candidate exchanged.

    Its names, and what it says of samples that were left out, stay those of the first order.
    """
    return replace(
        one,
        base=one.candidate,
        candidate=one.base,
        difference=-one.difference,
        low=-one.high,
        high=-one.low,
        alone_low=-one.alone_high,
        alone_high=-one.alone_low,
        outcome=_OTHER_WAY.get(one.outcome, one.outcome),
        wins=one.losses,
        losses=one.wins,
        effect=-one.effect,
    )
