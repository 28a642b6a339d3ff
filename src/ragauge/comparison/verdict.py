"""Whether a candidate may take the place of the base, in a word and the reasons for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal, TypeAlias

import numpy as np

from ragauge.comparison.difference import FOUND, UNDECIDED, Difference, PairedRuns
from ragauge.comparison.equal_columns import of_pairs
from ragauge.comparison.primary import price_metrics
from ragauge.core.messages import Counted, Joined, Message
from ragauge.core.protocol import FAILURE, failures
from ragauge.core.ragged import IntArray
from ragauge.display.numbers import interval, short_number, signed
from ragauge.errors import worded
from ragauge.inference.tests import mcnemar
from ragauge.metrics.column import Column
from ragauge.results.result import Result

_MOST_NAMED = 3
"""Metrics beside the primary ones that a reason has with their differences; of more it has the first names."""
_FAR = 100
"""A number of samples this many times as great as that of now is not named."""
MOST_LOST = 0.05
"""The share of the base's samples that a candidate may lose; the rules of a gate allow as many."""
Decision: TypeAlias = Literal["ship", "better at a price", "cannot tell yet", "do not ship"]
"""In the order of what may be shipped first."""
PRICE_TOLERATED = 0.2
"""The share of a base's time, tokens or cost by which a run may have more, and still be ranked by its quality."""
MARKS: Mapping[Decision, str] = {"ship": "▲", "better at a price": "△", "cannot tell yet": "≈", "do not ship": "▼"}
"""What stands before a decision where it is drawn."""
_SHOWN: Mapping[Decision, str] = {
    "ship": "Ship",
    "do not ship": "Do not ship",
    "better at a price": "Better at a price",
    "cannot tell yet": "Cannot tell yet",
}


@dataclass(frozen=True)
class CheckedRules:
    """The rules of a gate by which a candidate was checked."""

    number: int
    failed: tuple[str, ...]
    """Those that it does not meet, in words."""
    metrics: frozenset[str]
    """The metrics that a rule is about: what is worse under them is tolerated where the rules hold."""
    undecided: tuple[str, ...] = ()
    """Those that more answers have to decide, where one looks after each answer."""


@dataclass(frozen=True)
class Verdict:
    """Whether a candidate may take the place of the base.

    ``do not ship`` where it is worse under a primary metric, or its system fails on more samples beyond chance; else
    ``cannot tell yet`` where it has no score for more than 5 % of the base's samples; else ``ship`` where it is better
    under a primary metric; else ``cannot tell yet``. Where scores are better, and all that is worse are columns of
    time, tokens or cost, ``ship`` becomes ``better at a price``: only people can weigh that.

    Rules of a gate come first: ``do not ship`` where one does not hold, ``cannot tell yet`` where one is not decided;
    where all hold, what is worse under their metrics is tolerated, and no metric has to be better.
    """

    run: str
    decision: Decision
    reasons: tuple[str, ...]
    """Sentences: what decided it first, and the greatest loss that the samples still allow under a primary metric."""

    @property
    def headline(self) -> str:
        """The decision in words."""
        return worded(_SHOWN[self.decision])

    @property
    def sentence(self) -> str:
        """The decision and its reasons, with the name of the run."""
        reasons = Joined(self.reasons or [worded("no primary metric was compared")], "; ")
        return Message("{decision} ({run}): {reasons}", self.headline, self.run, reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON types."""
        return {"decision": self.decision, "reasons": list(map(str, self.reasons))}


def verdict(
    runs: PairedRuns, differences: Sequence[Difference], alpha: float, rules: CheckedRules | None = None
) -> Verdict:
    """Return the verdict on the candidate of ``runs`` by its ``differences``, of which the primary ones count."""
    overall = [one for one in differences if one.group is None]
    primary = [one for one in overall if one.primary]
    better, worse = ([one for one in primary if one.outcome == outcome] for outcome in ("better", "worse"))
    failing = _Failing.of(runs)
    lost = max((runs.lost(one.metric) for one in primary), default=0)
    total = len(runs.samples) + len(runs.samples.only_base)
    vetoes = [one for one in worse if rules is None or one.metric not in rules.metrics]
    prices = [one for one in vetoes if one.metric in price_metrics(runs.base)]
    decision: Decision = "ship" if better or rules is not None else "cannot tell yet"
    broken = rules is not None and bool(rules.failed)
    if broken or failing.beyond_chance(alpha) or len(prices) < len(vetoes) or (prices and not better):
        decision = "do not ship"
    elif lost > MOST_LOST * total or (rules is not None and rules.undecided):
        decision = "cannot tell yet"
    elif prices:
        decision = "better at a price"
    lacking = [*failing.words(), *_missing(lost, total, failing)]
    of_rules = list(_on_rules(rules)) if rules is not None else []
    # The reasons of the decision come first: rules that hold decide nothing but to ship.
    first = decision != "do not ship" or failing.beyond_chance(alpha)
    decisive = broken or decision == "ship" or (rules is not None and bool(rules.undecided))
    reasons = of_rules if decisive else []
    again = {name for one in of_pairs(runs, {one.metric for one in primary}) for name in one.others}
    others = [one for one in overall if not one.primary and one.outcome == "worse" and one.metric not in again]
    tolerated = [] if rules is None or broken else [one for one in worse if one.metric in rules.metrics]
    leaning = primary if decision == "cannot tell yet" else ()
    changed = [
        *_changed(runs, [one for one in worse if one not in tolerated], tolerated, better, leaning),
        *_beside(runs, others),
    ]
    reasons += [*lacking, *changed] if first else [*changed, *lacking]
    reasons += [] if decisive else of_rules
    if decision == "better at a price":
        reasons.append(worded("you can set a limit in [gate]"))
    if decision != "do not ship":
        reasons += _open(runs, primary, alpha, settle=decision == "cannot tell yet" and not better)
    return Verdict(runs.name, decision, tuple(reasons))


def verdict_by_rules(run: str, rules: CheckedRules) -> Verdict:
    """Return the verdict on a run that is compared with none: that of the rules alone."""
    decision: Decision = "do not ship" if rules.failed else "cannot tell yet" if rules.undecided else "ship"
    return Verdict(run, decision, tuple(_on_rules(rules)))


def _missing(lost: int, total: int, failing: _Failing) -> Iterator[str]:
    if lost > failing.candidate and lost > MOST_LOST * total:
        yield Message("no score in this run for {n:,} of the {total:,} samples of the base", lost, total)


def _changed(
    runs: PairedRuns,
    worse: Sequence[Difference],
    tolerated: Sequence[Difference],
    better: Sequence[Difference],
    leaning: Sequence[Difference],
) -> Iterator[str]:
    """Yield the primary metrics that changed, with their differences."""
    for template, some in (
        ("worse under {metrics}", worse),
        ("worse, within these rules, under {metrics}", tolerated),
        ("better under {metrics}", better),
        ("leaning worse under {metrics}", [one for one in leaning if one.outcome == "leaning worse"]),
        ("leaning better under {metrics}", [one for one in leaning if one.outcome == "leaning better"]),
    ):
        if some:
            yield Message(template, Joined([change_text(runs, one) for one in some]))


def _beside(runs: PairedRuns, worse: Sequence[Difference]) -> Iterator[str]:
    """Yield the other metrics that got worse: a few with their differences, of many the first names."""
    if len(worse) > _MOST_NAMED:
        names = Joined([metric_title(runs, one) for one in worse[:_MOST_NAMED]])
        template = "worse, beside the primary metrics, under {metrics} and {n} more"
        yield Message(template, names, len(worse) - _MOST_NAMED)
    elif worse:
        changes = Joined([change_text(runs, one) for one in worse])
        yield Message("worse, beside the primary metrics, under {metrics}", changes)


def _on_rules(rules: CheckedRules) -> Iterator[str]:
    if rules.failed:
        yield Message("{n} of {total} rules of [gate] do not hold: {rules}", len(rules.failed), rules.number,
                      Joined(rules.failed, "; "))  # fmt: skip
    if rules.undecided:
        yield Message("{n} of {total} rules of [gate] are not decided yet: {rules}", len(rules.undecided), rules.number,
                      Joined(rules.undecided, "; "))  # fmt: skip
    if not (rules.failed or rules.undecided):
        yield Message("all rules of [gate] hold ({n})", rules.number)


@dataclass(frozen=True)
class _Failing:
    """On how many of the paired samples the system failed in each run; ``p`` of McNemar's test."""

    base: int
    candidate: int
    total: int
    p: float

    @classmethod
    def of(cls, runs: PairedRuns) -> _Failing:
        base, candidate = failing(runs.base, runs.samples.base), failing(runs.candidate, runs.samples.candidate)
        p = mcnemar(candidate.astype(np.float64) - base).p
        return cls(int(base.sum()), int(candidate.sum()), len(base), p)

    def beyond_chance(self, alpha: float) -> bool:
        """Return whether the candidate fails on more samples, by more than chance."""
        return self.candidate > self.base and self.p <= alpha

    def stands_out(self, alpha: float) -> bool:
        """Return whether the candidate fails on more samples, by more than chance or on more than a few."""
        return self.beyond_chance(alpha) or self.candidate > max(self.base, MOST_LOST * self.total)

    def words(self) -> Iterator[str]:
        """Yield on how many samples each fails: where the candidate does on more, or the base on more than a few."""
        if self.candidate > self.base or (self.base > MOST_LOST * self.total and self.base != self.candidate):
            template = "fails on {n:,} of {total:,} samples (base: {base:,})"
            yield Message(template, self.candidate, self.total, self.base)


def fails_more(runs: PairedRuns, alpha: float) -> bool:
    """Return whether the candidate's system fails on more samples than the base's, beyond chance or on over 5 %."""
    return _Failing.of(runs).stands_out(alpha)


def too_dear(runs: PairedRuns, differences: Sequence[Difference]) -> list[Difference]:
    """Return the primary prices of all samples under which a candidate is worse by more than is tolerated."""
    prices = price_metrics(runs.base)
    worse = [one for one in differences if one.group is None and one.primary and one.outcome == "worse"]
    return [one for one in worse if one.metric in prices and abs(one.difference) > PRICE_TOLERATED * abs(one.base)]


def failing(result: Result, rows: IntArray) -> IntArray:
    """Return 1 for each of the samples at ``rows`` (m,) on which the system failed, else 0."""
    if FAILURE not in result.data.columns:
        return np.zeros(len(rows), dtype=np.int64)
    return np.concatenate([failures(batch)[0] for batch in result.data.batches()])[rows].astype(np.int64)


def metric_title(runs: PairedRuns, one: Difference) -> str:
    """Return the name of a metric for readers: of a column without a label that of the column."""
    metric = runs.base.metrics[one.metric]
    own = isinstance(metric, Column) and one.metric.startswith("column:")
    return metric.name if own and isinstance(metric, Column) else runs.base[one.metric].title


def _amount(runs: PairedRuns, one: Difference, value: float, ends: str = "") -> str:
    """Return an amount with its interval and the unit of its column, if that is known."""
    return " ".join(filter(None, [short_number(value, one.low, one.high), runs.base[one.metric].unit, ends]))


def change_text(runs: PairedRuns, one: Difference) -> str:
    """Return a metric and its difference; in words where lower is better, because a sign would mislead."""
    if one.direction == "higher":
        ends = interval(one.low, one.high, signed, without_0=one.outcome in FOUND)
        return " ".join(filter(None, [metric_title(runs, one), signed(one.difference, one.low, one.high), ends]))
    low, high = sorted((-one.low, -one.high)) if one.difference < 0 else (one.low, one.high)
    template = "{metric} {amount} lower" if one.difference < 0 else "{metric} {amount} higher"
    amount = _amount(runs, one, abs(one.difference), interval(low, high, short_number, without_0=one.outcome in FOUND))
    return Message(template, metric_title(runs, one), amount)


def _open(runs: PairedRuns, primary: Sequence[Difference], alpha: float, *, settle: bool) -> Iterator[str]:
    """Yield the greatest loss that is still possible, and how many samples would settle what was seen.

    A price is named where no other metric may have lost.
    """
    tested = [one for one in primary if one.outcome in UNDECIDED]
    if primary and all(one.outcome == "equal" for one in primary):
        yield Message("the scores are the same under {metrics}", Joined([metric_title(runs, one) for one in primary]))
        return
    # Of fewer units the least p of the randomisation test is beyond alpha.
    enough = [one for one in tested if 2.0 ** (1 - one.units) <= alpha]
    losses = {one.metric: -one.low if one.direction == "higher" else one.high for one in enough}
    prices = price_metrics(runs.base)
    possible = [one for one in enough if losses[one.metric] > 0]
    possible = [one for one in possible if one.metric not in prices] or possible
    if possible:
        # In standard errors: metrics have other units.
        worst = max(possible, key=lambda one: losses[one.metric] / one.error)
        loss = _amount(runs, worst, losses[worst.metric])
        yield Message("{metric} may be worse by up to {loss}", metric_title(runs, worst), loss)
    needed = {one.metric: one.samples_for(one.difference) for one in enough}
    settled = [one for one in enough if needed[one.metric] <= _FAR * one.scored]
    settled = [one for one in settled if one.metric not in prices] or settled
    if settle and settled:
        first = min(settled, key=lambda one: needed[one.metric])
        template = "about {n:,} samples in all (now {now:,}) would show whether the difference under {metric} is real"
        yield Message(template, ceil(needed[first.metric]), first.scored, metric_title(runs, first))
    if primary and settle and not (possible or settled):
        most = max(primary, key=lambda one: one.units)
        clusters = Message(", in {clusters}", Counted(most.units, "cluster")) if most.units < most.scored else ""
        template = "too few to tell: {samples} a score in both runs{clusters}"
        yield Message(template, Counted(most.scored, "sample has", "samples have"), clusters)
