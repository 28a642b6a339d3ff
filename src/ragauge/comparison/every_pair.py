"""Several runs, each compared with each other, and which of them cannot be told from the best."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from math import isfinite
from typing import get_args

from ragauge.comparison.compare import differences_together, paired_runs
from ragauge.comparison.comparison import Comparison
from ragauge.comparison.corrected import corrected
from ragauge.comparison.difference import UNDECIDED, Difference, Outcome, PairedRuns
from ragauge.comparison.metric_tests import Testing
from ragauge.comparison.pairing import headline, sample_keys, shared_metrics
from ragauge.comparison.primary import price_metrics
from ragauge.comparison.verdict import PRICE_TOLERATED, Decision, change_text, fails_more, metric_title, too_dear
from ragauge.core.messages import Joined, Message
from ragauge.core.protocol import Direction
from ragauge.display.numbers import percentage
from ragauge.errors import RagaugeError
from ragauge.results.result import Result

_OTHER_WAY: Mapping[Outcome, Outcome] = {
    "better": "worse",
    "worse": "better",
    "leaning better": "leaning worse",
    "leaning worse": "leaning better",
}
_STANDS: Mapping[str, str] = {
    "better": "better than {runs} under {metrics}",
    "better all": "better than {runs} under all {n} primary metrics",
    "better both": "better than {runs} under both primary metrics",
    "better some": "better than {runs} under some primary metrics, and worse under none",
    "worse": "worse than {runs} under {metrics}",
    "worse all": "worse than {runs} under all {n} primary metrics",
    "worse both": "worse than {runs} under both primary metrics",
    "worse some": "worse than {runs} under some primary metrics, and better under none",
    "mixed worse": "better than {runs} under some primary metrics, and worse under {metrics}",
    "mixed better": "worse than {runs} under some primary metrics, and better under {metrics}",
    "mixed": "better than {runs} under some primary metrics, and worse under others",
    "open": "not told apart from {runs}",
    "apart": "not compared with {runs}",
}
_MOST_CLAUSES = 3
"""Clauses of a sentence on many runs that name metrics."""
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
    testing: Testing | None = None,
    cluster: str | None = None,
) -> EveryPair:
    """Compare each two of ``runs`` under the metrics that both have.

    Args:
        runs: r results.
        metrics: the name of each metric in each of the r runs; None where a run does not have it.
        known: differences of candidates (by place) from the first run that were computed before, by the same options.
        primary: the metrics that are corrected apart from the others, by their names in any run; by default all.
        on: the column to pair samples by.
        testing: how differences are tested; by default as `compare` does.
        cluster: the column of samples that belong together; by default that of the runs.

    >>> import ragauge
    >>> rows = [{"id": f"q{i}", "relevance": {"a": 1}} for i in range(12)]
    >>> ranked = (["b", "a"], ["a", "b"], ["a", "c"])
    >>> runs = [ragauge.evaluate([row | {"retrieved": ids} for row in rows], "mrr", resamples=0) for ids in ranked]
    >>> pairs = every_pair(runs, [["mrr"] * 3])
    >>> [pairs.of(1, run, 0).outcome for run in (0, 2)], pairs.like_the_best(1, 0, range(3))
    (['worse', 'equal'], [2])
    """
    testing = testing or Testing()
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
            raw |= _differences(together, testing, cluster)
            together = []
    raw |= _differences(together, testing, cluster)
    own = primary or {one.metric for one in raw.values()}
    prices = frozenset[str]().union(*map(price_metrics, runs))
    return EveryPair(dict(zip(raw, corrected(list(raw.values()), testing, own, prices), strict=True)), problems)


def _differences(
    together: Sequence[tuple[tuple[int, int], Mapping[str, int], PairedRuns]], testing: Testing, cluster: str | None
) -> dict[tuple[int, int, int], Difference]:
    """Return the differences of pairs of runs, (base, candidate, metric) -> difference, before any correction."""
    pairs, clusters = [], set()
    for _, _, runs in together:
        clusters.add(column := cluster or runs.base.options.get("cluster"))
        pairs.append((runs.metrics, sample_keys(runs.base, runs.samples, column), runs.name))
    differences = differences_together(pairs, testing, clustered=clusters != {None})
    return {
        (base, candidate, named[one.metric]): one
        for ((base, candidate), named, _), some in zip(together, differences, strict=True)
        for one in some
    }


MOST_PAIRED = 10
"""Of more runs not every pair is tested: 45 pairs may take a minute, and the correction leaves little to find."""


def pairs_of(comparison: Comparison) -> EveryPair | None:
    """Compare each two runs of a comparison under its primary metrics, as it did; None of more than ten runs."""
    if not 2 <= len(comparison.candidates) < MOST_PAIRED:
        return None
    options = comparison.options
    base = comparison.candidates[0].base
    runs = [base, *[one.candidate for one in comparison.candidates]]
    primary = primary_names(comparison)
    named = [dict(shared_metrics(base, run, primary, ("base", "candidate"))[0]) for run in runs[1:]]
    names = [[name, *[own.get(name) for own in named]] for name in primary]
    numbered = enumerate(comparison.candidates, 1)
    known = [(place, one) for place, versus in numbered for one in _primary(comparison, versus)]
    testing = Testing(**{field.name: options[field.name] for field in fields(Testing)})
    return every_pair(runs, names, known, (), options["on"], testing, options["cluster"])


def primary_names(comparison: Comparison) -> list[str]:
    """Return the primary metrics, by their names in the base."""
    return list(dict.fromkeys(one.metric for versus in comparison.candidates for one in _primary(comparison, versus)))


def _primary(comparison: Comparison, versus: PairedRuns) -> list[Difference]:
    return [one for one in comparison.of(versus.name) if one.group is None and one.primary]


def standing(comparison: Comparison, pairs: EveryPair | None, names: Sequence[str], places: Sequence[int]) -> str:
    """Return how the best candidate stands to each other run under the primary metrics, or that none may be shipped.

    Against the base it is as the verdict says; against the others as tested in ``pairs``, over all of them.

    Args:
        comparison: of several candidates with a base.
        pairs: each two of all runs; None where they are not tested.
        names: of the runs, the base first.
        places: of the primary metrics in ``pairs``.
    """
    best = in_order(comparison, pairs, places)[0]
    if all(one.decision == "do not ship" for one in comparison.verdicts()):
        return Message("No other run may take the place of {base}", names[0])
    versus = comparison.candidates[best]
    primary = _primary(comparison, versus)
    titles = {one.metric: metric_title(versus, one) for one in primary}
    against: dict[str, Mapping[str, Outcome]] = {names[0]: {titles[one.metric]: one.outcome for one in primary}}
    for run, name in enumerate(names[1:], 1):
        if run != best + 1 and pairs is not None:
            found = zip(primary_names(comparison), places, strict=True)
            tested = {metric: pairs.of(run, best + 1, place) for metric, place in found if metric in titles}
            against[name] = {titles[metric]: one.outcome for metric, one in tested.items() if one is not None}
    prices = frozenset(titles[name] for name in price_metrics(versus.base) if name in titles)
    said = [stands(names[best + 1], against, prices), *_on_prices(comparison, pairs, names, best, places)]
    return Joined(said, "; ")


def _on_prices(
    comparison: Comparison, pairs: EveryPair | None, names: Sequence[str], best: int, places: Sequence[int]
) -> Iterator[str]:
    """Yield what the best candidate's tolerated price is, and which are better than it but for a price beyond that."""
    tolerated = percentage(PRICE_TOLERATED)
    verdicts = comparison.verdicts()
    for place, versus in enumerate(comparison.candidates):
        if verdicts[place].decision != "better at a price":
            continue
        dear = too_dear(versus, comparison.of(versus.name))
        if place == best and not dear:
            worse = [one for one in _primary(comparison, versus) if one.outcome == "worse"]
            template = "{metrics} within the {share} over {base} that are tolerated"
            yield Message(template, Joined([metric_title(versus, one) for one in worse]), tolerated, names[0])
        elif place != best and dear and pairs is not None:
            prices = price_metrics(versus.base)
            named = zip(primary_names(comparison), places, strict=True)
            tested = [pairs.of(best + 1, place + 1, metric) for name, metric in named if name not in prices]
            outcomes = [one.outcome for one in tested if one is not None]
            if "better" in outcomes and "worse" not in outcomes:
                template = "{run} scores better, but has more than the {share} that are tolerated: {prices} than {base}"
                text = Joined([change_text(versus, one) for one in dear])
                yield Message(template, names[place + 1], tolerated, text, names[0])


def in_order(comparison: Comparison, pairs: EveryPair | None, places: Sequence[int]) -> list[int]:
    """Return the places of the candidates: what may be shipped first, then what does not fail on more samples.

    What is better at a price may be shipped as well where the price is no more than is tolerated. Of those that are
    equal in this, first what is worse than the base under the fewest metrics, better under the most, and then what is
    better than other candidates; all this without prices, which then count the same way. Arguments as of `standing`.
    """
    verdicts, decisions = comparison.verdicts(), get_args(Decision)
    prices = price_metrics(comparison.candidates[0].base)
    named = dict(zip(primary_names(comparison), places, strict=True))

    def counts(place: int, *, of_prices: bool) -> tuple[int, ...]:
        primary = _primary(comparison, comparison.candidates[place])
        own = [one.outcome for one in primary if (one.metric in prices) == of_prices]
        metrics = [metric for name, metric in named.items() if (name in prices) == of_prices]
        others = [run for run in range(1, len(verdicts) + 1) if run != place + 1]
        tested = [pairs.of(run, place + 1, metric) for run in others for metric in metrics] if pairs is not None else []
        outcomes = [one.outcome for one in tested if one is not None]
        return own.count("worse"), -own.count("better"), outcomes.count("worse") - outcomes.count("better")

    def rank(place: int) -> tuple[int, ...]:
        versus = comparison.candidates[place]
        decision = verdicts[place].decision
        if decision == "better at a price" and not too_dear(versus, comparison.of(versus.name)):
            decision = "ship"
        fails = fails_more(versus, comparison.options["alpha"])
        quality, price = (counts(place, of_prices=one) for one in (False, True))
        return decisions.index(decision), fails, *quality, *price

    return sorted(range(len(verdicts)), key=rank)


def stands(run: str, against: Mapping[str, Mapping[str, Outcome]], prices: frozenset[str] = frozenset()) -> str:
    """Return how a run stands to others, whose outcomes under each metric are given; none where they are not compared.

    The metrics are named where that takes at most three clauses, and ``prices`` against quality always.

    >>> same, better = {"mrr": "unclear", "rouge-l": "equal"}, {"mrr": "better", "rouge-l": "better"}
    >>> str(stands("v5", {"v1": better, "v2": better, "v3": same, "v4": same}))
    'v5 is better than v1, v2 under both primary metrics; not told apart from v3, v4'
    >>> str(stands("v5", {"v1": {"mrr": "better", "rouge-l": "worse"}}))
    'v5 is better than v1 under mrr; worse than v1 under rouge-l'
    >>> str(stands("v5", dict.fromkeys(["v1", "v2", "v3"], same)))
    'v5 is not told apart from all 3 other runs'
    """
    groups = _grouped(against, prices, named=True)
    if len(groups) > _MOST_CLAUSES:
        groups = _grouped(against, prices, named=False)
    order = list(_STANDS)
    every_other = Message("all {n} other runs", len(against))
    said = [
        Message(_STANDS[kind], every_other if len(names) == len(against) > 2 else Joined(names), *under)
        for (kind, under), names in sorted(groups.items(), key=lambda item: order.index(item[0][0]))
    ]
    return Message("{run} is {standing}", run, Joined(said, "; "))


def _grouped(
    against: Mapping[str, Mapping[str, Outcome]], prices: frozenset[str], *, named: bool
) -> dict[tuple[str, tuple[str | int, ...]], list[str]]:
    """Return the runs of each clause: its key of `_STANDS`, and the metrics or their number."""
    groups: dict[tuple[str, tuple[str | int, ...]], list[str]] = {}
    for name, outcomes in against.items():
        tested = [metric for metric, outcome in outcomes.items() if outcome != "nothing"]
        kinds = {kind: some for kind in ("better", "worse") if (some := [m for m in tested if outcomes[m] == kind])}
        clauses: list[tuple[str, tuple[str | int, ...]]] = []
        for kind, metrics in kinds.items():
            if len(metrics) == len(outcomes) > 1:
                clauses.append((f"{kind} both", ()) if len(metrics) == 2 else (f"{kind} all", (len(metrics),)))
            else:
                clauses.append((kind, (Joined(metrics),)) if named else (f"{kind} some", ()))
        if len(clauses) == 2 and not named:
            price = next((kind for kind, some in kinds.items() if prices.issuperset(some)), None)
            clauses = [("mixed", ()) if price is None else (f"mixed {price}", (Joined(kinds[price]),))]
        for clause in clauses or [("open" if tested else "apart", ())]:
            groups.setdefault(clause, []).append(name)
    return groups


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
