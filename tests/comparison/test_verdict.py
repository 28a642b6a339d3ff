"""Primary metrics, leaning outcomes and the verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.comparison.compare import corrected, differences_together
from ragauge.comparison.metric_tests import PairedMetric, Testing
from ragauge.comparison.pairing import sample_keys
from ragauge.comparison.primary import MOST_PRIMARY, primary_metrics
from ragauge.comparison.verdict import Verdict
from ragauge.comparison.verdict import verdict as decided
from ragauge.core.ragged import BoolArray
from tests.cli.running import TEA_HOUSE

from .planted import planted


def column(name: str, direction: str = "higher") -> str:
    return f"{name}=column:name={name},direction={direction}"


def run(directions: dict[str, str] | None = None, failed: int = 0, **columns: Any) -> ragauge.Result:
    """Score columns of numbers; the system failed on the first ``failed`` samples."""
    count = len(next(iter(columns.values())))
    rows = [
        {"id": str(place), "failure": "timeout" if place < failed else None}
        | {name: float(values[place]) for name, values in columns.items()}
        for place in range(count)
    ]
    metrics = [column(name, (directions or {}).get(name, "higher")) for name in columns]
    return ragauge.evaluate(rows, metrics, resamples=0)


def verdict(base: ragauge.Result, candidate: ragauge.Result, **options: Any) -> Verdict:
    [one] = ragauge.compare(base, candidate, trials=1000, resamples=500, **options).verdicts()
    return one


def noise(seed: int, count: int = 200, by: float = 0.0) -> Any:
    return np.random.default_rng(seed).random(count) + by


def test_one_metric_of_each_question_is_primary() -> None:
    result = ragauge.evaluate(TEA_HOUSE, resamples=0)
    assert len(result.metrics) > 15
    assert primary_metrics(result, result.metrics) == ("recall", "groundedness", "answer-correctness")
    assert primary_metrics(result, ["mrr", "map", "bleu", "exact-match"]) == ("mrr", "bleu")
    assert primary_metrics(result, ["precision", "exact-match"]) == ("precision", "exact-match")
    assert primary_metrics(result, ["answer-relevancy"]) == ("answer-relevancy",)


def test_columns_are_primary_up_to_five() -> None:
    names = [f"c{place}" for place in range(7)]
    result = run(**{name: noise(1) for name in names})
    assert primary_metrics(result, result.metrics) == tuple(names[:MOST_PRIMARY])


def test_what_is_asked_for_is_primary() -> None:
    base = ragauge.evaluate(TEA_HOUSE, resamples=0)
    asked = ragauge.compare(base, base, metrics=["mrr", "map", "chrf", "bleu", "rouge-l", "token-f1"], trials=10)
    assert all(one.primary for one in asked.table)
    some = ragauge.compare(base, base, metrics=["mrr", "map"], primary="map", trials=10)
    assert [one.primary for one in some.table] == [False, True]


def test_the_correction_counts_the_metrics_of_its_kind() -> None:
    columns = {f"c{place}": noise(place, 40) for place in range(6)}
    other = {name: values + noise(10 + place, 40) - 0.45 for place, (name, values) in enumerate(columns.items())}
    comparison = ragauge.compare(run(**columns), run(**other), primary=["c0", "c1"], correction="bonferroni")
    for one in comparison.table:
        assert one.primary == (one.metric in ("c0", "c1"))
        assert one.corrected == pytest.approx(min(1.0, one.p * (2 if one.primary else 4)))


def test_a_column_that_should_rise_is_no_price() -> None:
    base = noise(1)
    one = verdict(run(good=base, rating=base), run(good=base + 0.1, rating=base - 0.1))
    assert one.decision == "do not ship"


@pytest.mark.parametrize(
    ("good", "fast", "decision", "reason"),
    [
        (0.1, 0.0, "ship", "better under good +0.100"),
        (-0.1, 0.0, "do not ship", "worse under good -0.100"),
        (0.1, 0.1, "better at a price", "worse under fast +0.100"),
        (0.0, 0.1, "do not ship", "worse under fast +0.100"),
        (0.0, 0.0, "cannot tell yet", "no sample has another score under good, fast"),
    ],
)
def test_what_decides(good: float, fast: float, decision: str, reason: str) -> None:
    base, directions = noise(1), {"fast": "lower"}
    one = verdict(run(directions, good=base, fast=base), run(directions, good=base + good, fast=base + fast))
    assert (one.decision, one.reasons[0].split(" [")[0]) == (decision, reason)


def test_what_is_open_says_how_bad_it_may_be_and_what_would_settle_it() -> None:
    base = noise(1)
    one = verdict(run(good=base), run(good=base + noise(2) - 0.52))
    assert one.decision == "cannot tell yet"
    comparison = ragauge.compare(run(good=base), run(good=base + noise(2) - 0.52), trials=1000, resamples=500)
    change = comparison["good"]
    needed = int(np.ceil(change.samples_for(change.difference)))
    assert one.reasons == (
        f"good may be worse by up to {-change.low:.3f}",
        f"about {needed:,} samples would show whether the difference seen under good is real",
    )


def test_more_failures_beyond_chance_decide() -> None:
    base = noise(1)
    assert verdict(run(good=base, failed=3), run(good=base + 0.1, failed=5)).decision == "ship"
    one = verdict(run(good=base, failed=3), run(good=base + 0.1, failed=30))
    assert (one.decision, one.reasons[0]) == ("do not ship", "fails on 30 of 200 samples (base: 3)")
    assert verdict(run(good=base, failed=30), run(good=base + 0.1, failed=3)).decision == "ship"


def test_a_single_sample_decides_nothing_and_the_verdict_says_so() -> None:
    one = verdict(run(good=[0.5]), run(good=[0.9]))
    assert (one.decision, one.reasons) == (
        "cannot tell yet",
        ("too few samples or clusters have a score in both runs to test good",),
    )


@pytest.mark.long
def test_two_runs_of_one_system_are_seldom_told_apart() -> None:
    """Of 2,000 pairs without a difference at most 5 % may be better or worse; 6 % is two standard errors above that.

    Each sample is broken in one run or the other by a coin, so that scores are as correlated as those of answers are.
    """
    samples = [one for one in planted(0) if one.kind != "failed"]
    rows = [one.before for one in samples], [one.after for one in samples]
    base, candidate = (ragauge.evaluate(one, ["recall@5", "groundedness", "answer-correctness"]) for one in rows)
    runs = ragauge.compare(base, candidate, trials=1, resamples=1).candidates[0]
    keys, names = sample_keys(base, runs.samples, None), {metric.name for metric in runs.metrics}
    decisions: Counter[str] = Counter()
    for seed in range(2000):
        swap = np.random.default_rng(seed).random(len(samples)) < 0.5
        metrics = tuple(swapped(metric, swap) for metric in runs.metrics)
        testing = Testing(trials=1000, resamples=100, seed=seed)
        [differences] = differences_together([(metrics, keys, "after")], testing, clustered=False)
        decisions[decided(replace(runs, metrics=metrics), corrected(differences, testing, names), 0.05).decision] += 1
    assert 0 < decisions["ship"] + decisions["do not ship"] <= 120, decisions


def swapped(metric: PairedMetric, swap: BoolArray) -> PairedMetric:
    """Return a metric with base and candidate exchanged on some samples."""
    return replace(
        metric,
        base=np.where(swap[:, None], metric.candidate, metric.base),
        candidate=np.where(swap[:, None], metric.base, metric.candidate),
        scores=np.where(swap, metric.scores[::-1], metric.scores),
        status=np.where(swap, metric.status[::-1], metric.status),
    )
