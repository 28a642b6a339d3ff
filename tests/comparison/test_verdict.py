"""Primary metrics, leaning outcomes and the verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.comparison.compare import differences_together
from ragauge.comparison.corrected import corrected
from ragauge.comparison.metric_tests import PairedMetric, Testing
from ragauge.comparison.pairing import sample_keys
from ragauge.comparison.primary import MOST_PRIMARY, price_metrics, primary_metrics
from ragauge.comparison.verdict import Verdict
from ragauge.comparison.verdict import verdict as decided
from ragauge.core.ragged import BoolArray
from ragauge.gates.check import by_rules
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
    assert primary_metrics(result, result.metrics) == ("recall", "groundedness", "answer-correctness", "latency")
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
        (0.1, 0.1, "better at a price", "worse under latency 0.100 s"),
        (0.1, -0.1, "ship", "better under good +0.100"),
        (0.0, -0.1, "ship", "better under latency 0.100 s"),
        (0.0, 0.1, "do not ship", "worse under latency 0.100 s"),
        (0.0, 0.0, "cannot tell yet", "the scores are the same under good, latency"),
    ],
)
def test_what_decides(good: float, fast: float, decision: str, reason: str) -> None:
    base, directions = noise(1), {"latency": "lower"}
    one = verdict(run(directions, good=base, latency=base), run(directions, good=base + good, latency=base + fast))
    assert (one.decision, one.reasons[0].split(" [")[0]) == (decision, reason)


def test_a_verdict_speaks_of_scores_before_prices() -> None:
    base, directions = noise(1), {"latency": "lower"}
    changes = [scale * (noise(seed) - noise(seed).mean()) for seed, scale in ((2, 1), (3, 1), (4, 50))]
    one, *more = [base + change for change in changes]
    before, after = (run(directions, **dict(zip(("good", "rank", "latency"), some, strict=True)))
                     for some in ([base] * 3, [one + 0.046, *more]))  # fmt: skip
    found = verdict(before, after)
    assert found.decision == "cannot tell yet"
    assert found.reasons[0].startswith("leaning better under good +0.04")
    assert found.reasons[1].startswith("rank may be worse by up to 0.0")
    assert found.reasons[2].endswith("would show whether the difference under good is real")


def test_what_is_open_says_how_bad_it_may_be_and_what_would_settle_it() -> None:
    base = noise(1)
    one = verdict(run(good=base), run(good=base + noise(2) - 0.52))
    assert one.decision == "cannot tell yet"
    comparison = ragauge.compare(run(good=base), run(good=base + noise(2) - 0.52), trials=1000, resamples=500)
    change = comparison["good"]
    needed = int(np.ceil(change.samples_for(change.difference)))
    assert one.reasons == (
        f"good may be worse by up to {-change.low:.3f}",
        f"about {needed:,} samples in all (now 200) would show whether the difference under good is real",
    )


def test_more_failures_beyond_chance_decide() -> None:
    base = noise(1)
    assert verdict(run(good=base, failed=3), run(good=base + 0.1, failed=5)).decision == "ship"
    one = verdict(run(good=base, failed=3), run(good=base + 0.1, failed=30))
    assert (one.decision, one.reasons[0]) == ("do not ship", "fails on 30 of 200 samples (base: 3)")
    assert verdict(run(good=base, failed=30), run(good=base + 0.1, failed=3)).decision == "ship"


def test_few_failures_are_named_and_many_leave_it_open() -> None:
    base = noise(1)
    one = verdict(run(good=base, failed=3), run(good=base + 0.1, failed=5))
    assert (one.decision, one.reasons[0]) == ("ship", "fails on 5 of 200 samples (base: 3)")
    few = run(good=base[:40]), run(good=base[:40] + 0.1, failed=5)
    one = verdict(*few)
    assert (one.decision, one.reasons[0]) == ("cannot tell yet", "fails on 5 of 40 samples (base: 0)")
    assert ragauge.compare(*few, trials=10).to_dict()["notes"] == [
        "candidate did not answer 5 of 40 samples (base: 0)."
    ]


@pytest.mark.parametrize("absent", [True, False])
def test_a_candidate_that_lacks_samples_of_the_base_is_not_shipped(absent: bool) -> None:
    base = noise(1)
    other = base[:100] + 0.1 if absent else np.append(base[:100] + 0.1, np.full(100, np.nan))
    one = verdict(run(good=base), run(good=other))
    assert one.decision == "cannot tell yet"
    assert one.reasons[0] == "no score in this run for 100 of the 200 samples of the base"
    assert verdict(run(good=base), run(good=base[:100] - 0.1)).decision == "do not ship"
    assert verdict(run(good=base), run(good=base[:191] + 0.1)).decision == "ship"


def test_answers_that_claim_nothing_are_lost_where_the_base_claimed_something() -> None:
    def of(answers: list[str]) -> ragauge.Result:
        rows = [
            {"id": str(place), "answer": text, "contexts": ["It opens at nine."]} for place, text in enumerate(answers)
        ]
        return ragauge.evaluate(rows, "groundedness", resamples=0)

    one = verdict(of(["It opens at ten."] * 40), of(["It opens at nine."] * 30 + [""] * 10))
    assert (one.decision, one.reasons[0]) == (
        "cannot tell yet",
        "no score in this run for 10 of the 40 samples of the base",
    )
    turned = verdict(of(["It opens at ten."] * 30 + [""] * 10), of([""] * 10 + ["It opens at nine."] * 30))
    assert turned.decision == "ship"


def test_what_is_worse_beside_the_primary_metrics_is_named() -> None:
    base = noise(1)
    one = verdict(run(good=base, other=base), run(good=base + 0.1, other=base - 0.2), primary="good")
    assert (one.decision, one.reasons[1]) == (
        "ship",
        "worse, beside the primary metrics, under other -0.200 [-0.200, -0.200]",
    )


def test_of_many_others_that_are_worse_the_first_are_named_behind_what_decided() -> None:
    base = noise(1)
    others = {f"other{place}": noise(place + 2) for place in range(5)}
    before = run(good=base, **others)
    one = verdict(
        before, run(good=base[:180] - 0.1, **{name: some[:180] - 0.2 for name, some in others.items()}), primary="good"
    )
    assert one.reasons[0].startswith("worse under good -0.100")
    assert one.reasons[1:] == (
        "worse, beside the primary metrics, under other0, other1, other2 and 2 more",
        "no score in this run for 20 of the 200 samples of the base",
    )


def test_a_price_comes_with_the_greatest_loss_that_is_left() -> None:
    base = noise(1)
    before = run({"latency": "lower"}, good=base, rest=base, latency=base)
    one = verdict(before, run({"latency": "lower"}, good=base + 0.1, rest=base + noise(2) - 0.52, latency=base + 1))
    assert one.decision == "better at a price"
    assert one.reasons[0] == "worse under latency 1.000 s [1.000, 1.000] higher"
    assert one.reasons[2] == "you can set a limit in [gate]"
    assert one.reasons[3].startswith("rest may be worse by up to 0.0")


def test_harm_is_no_price() -> None:
    base, directions = noise(1), {"hallucination": "lower"}
    before = run(directions, good=base, hallucination=base)
    assert verdict(before, run(directions, good=base + 0.1, hallucination=base + 0.1)).decision == "do not ship"


@pytest.mark.parametrize(
    ("count", "clusters", "reason"),
    [
        (1, 1, "too few to tell: 1 sample has a score in both runs"),
        (2, 2, "too few to tell: 2 samples have a score in both runs"),
        (5, 5, "too few to tell: 5 samples have a score in both runs"),
        (40, 3, "too few to tell: 40 samples have a score in both runs, in 3 clusters"),
    ],
)
def test_few_samples_or_clusters_decide_nothing_and_the_verdict_says_so(count: int, clusters: int, reason: str) -> None:
    rows = [{"id": str(place), "good": 1.0, "of": str(place % clusters)} for place in range(count)]
    before, after = (
        ragauge.evaluate([row | {"good": good} for row in rows], column("good"), cluster="of", resamples=0)
        for good in (1.0, 0.0)
    )
    one = verdict(before, after)
    assert (one.decision, one.reasons) == ("cannot tell yet", (reason,))


def test_two_scored_of_many_do_not_tell_how_many_would_do() -> None:
    base = noise(1, 40)
    one = verdict(run(good=base), run(good=[*(base[:2] - [0.3, 0.4]), *[np.nan] * 38]))
    assert one.reasons == (
        "no score in this run for 38 of the 40 samples of the base",
        "too few to tell: 2 samples have a score in both runs",
    )


@pytest.mark.parametrize(
    ("good", "latency", "rules", "decision", "reason"),
    [
        (0.1, 1.0, {"max": {"latency": 2}}, "ship", "all rules of [gate] hold (1)"),
        (0.0, 0.0, {"max_drop": {"good": 0.01}}, "ship", "all rules of [gate] hold (1)"),
        (-0.05, 0.0, {"max_drop": {"good": 0.1}}, "ship", "worse, within these rules, under good -0.050"),
        (-0.05, 1.0, {"max_drop": {"good": 0.1}}, "do not ship", "worse under latency 1.00"),
        (
            0.1,
            1.0,
            {"max": {"latency": 1}, "min": {"good": 0.1}},
            "do not ship",
            "1 of 2 rules of [gate] do not hold: latency at most 1 (1.",
        ),
        (0.1, 0.0, {"on": "id"}, "ship", "better under good +0.100"),
    ],
)
def test_rules_of_a_gate_decide(good: float, latency: float, rules: dict[str, Any], decision: str, reason: str) -> None:
    base, directions = noise(1), {"latency": "lower"}
    before = run(directions, good=base, latency=base)
    after = run(directions, good=base + good, latency=base + latency)
    [one] = by_rules(ragauge.compare(before, after, trials=1000, resamples=500), rules).verdicts()
    assert one.decision == decision
    assert any(said.startswith(reason) for said in one.reasons[:2])


def test_rules_that_cannot_be_checked_are_left_out_with_a_note() -> None:
    compared = ragauge.compare(run(good=noise(1)), run(good=noise(1) + 0.1), trials=100)
    ruled = by_rules(compared, {"min": {"mrr": 0.5}})
    assert ruled.verdicts() == compared.verdicts()
    assert "the rules of [gate] are left out: " in ruled.notes[-1]


@pytest.mark.long
@pytest.mark.parametrize("columns", [False, True])
def test_two_runs_of_one_system_are_seldom_told_apart(columns: bool) -> None:
    """Of 2,000 pairs without a difference at most 5 % may be better or worse; 6 % is two standard errors above that.

    Each sample is broken in one run or the other by a coin, so that scores are as correlated as those of answers are.
    With columns of latency and cost, two families, either of which errs, at most 5 % may be better, and 5 % worse.
    """
    samples = [one for one in planted(0) if one.kind != "failed"]
    draw = np.random.default_rng(0)
    prices = ("latency", "cost") if columns else ()
    rows = (
        [row | {name: draw.lognormal() for name in prices} for row in some]
        for some in ([one.before for one in samples], [one.after for one in samples])
    )
    specs = ["recall@5", "groundedness", "answer-correctness", *(f"column:name={name}" for name in prices)]
    base, candidate = (ragauge.evaluate(one, specs, resamples=0) for one in rows)
    runs = ragauge.compare(base, candidate, trials=1, resamples=1).candidates[0]
    keys, names = sample_keys(base, runs.samples, None), {metric.name for metric in runs.metrics}
    decisions: Counter[str] = Counter()
    for seed in range(2000):
        swap = np.random.default_rng(seed).random(len(samples)) < 0.5
        metrics = tuple(swapped(metric, swap) for metric in runs.metrics)
        testing = Testing(trials=1000, resamples=100, seed=seed)
        [differences] = differences_together([(metrics, keys, "after")], testing, clustered=False)
        found = corrected(differences, testing, names, price_metrics(base))
        decisions[decided(replace(runs, metrics=metrics), found, 0.05).decision] += 1
    print(dict(decisions))  # noqa: T201 - figures of the documentation
    good, bad = (decisions[one] + decisions["better at a price"] * columns for one in ("ship", "do not ship"))
    assert 0 < good + bad <= (240 if columns else 120), decisions
    assert max(good, bad) <= 120, decisions


def swapped(metric: PairedMetric, swap: BoolArray) -> PairedMetric:
    """Return a metric with base and candidate exchanged on some samples."""
    return replace(
        metric,
        base=np.where(swap[:, None], metric.candidate, metric.base),
        candidate=np.where(swap[:, None], metric.base, metric.candidate),
        scores=np.where(swap, metric.scores[::-1], metric.scores),
        status=np.where(swap, metric.status[::-1], metric.status),
    )
