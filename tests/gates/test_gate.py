"""What passes a gate and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.display.table import markdown
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.results.result import Result
from tests.approved import pattern


def run_of(
    scores: Sequence[float | None], *, direction: str = "higher", resamples: int = 200, **columns: Any
) -> Result:
    rows = [
        {"id": f"q{i}", "x": score, **{name: of[i] for name, of in columns.items()}} for i, score in enumerate(scores)
    ]
    return ragauge.evaluate(rows, f"column:name=x,direction={direction}", resamples=resamples)


NAME = "column:name=x,direction=higher"
LOWER = "column:name=x,direction=lower"
RUN = run_of(np.linspace(0.3, 0.7, 50).tolist())
WORSE = run_of((np.linspace(0.3, 0.7, 50) - np.tile([0.0, 0.1], 25)).tolist())


@pytest.mark.parametrize(("least", "passed"), [(0.4, True), (0.5, True), (0.51, False)])
def test_least_value(least: float, passed: bool) -> None:
    found = ragauge.gate(RUN, min={NAME: least})
    assert found.passed is passed
    assert [check.why for check in found.failures] == ([] if passed else ["the score is 0.010 below the limit"])


@pytest.mark.parametrize(("least", "passed"), [(0.45, True), (0.49, False)])
def test_least_value_confidently(least: float, passed: bool) -> None:
    found = ragauge.gate(RUN, min={NAME: least}, confident=True)
    assert found.passed is passed
    assert (found.checks[0].low, found.checks[0].high) == (RUN[NAME].low, RUN[NAME].high)


def test_greatest_value_is_for_metrics_of_which_lower_is_better() -> None:
    run = run_of([0.2, 0.4], direction="lower")
    assert ragauge.gate(run, max={LOWER: 0.3}).passed
    assert not ragauge.gate(run, max={LOWER: 0.29}).passed
    with pytest.raises(UsageError, match=pattern("gates.column_name_direction_lower_is_better_when")):
        ragauge.gate(run, min={LOWER: 0.3})
    with pytest.raises(UsageError, match=pattern("gates.column_name_direction_higher_is_better_when")):
        ragauge.gate(RUN, max={NAME: 0.3})


@pytest.mark.parametrize(("most", "passed"), [(0.06, True), (0.05, True), (0.04, False)])
def test_drop(most: float, passed: bool) -> None:
    found = ragauge.gate(WORSE, RUN, max_drop={NAME: most})
    assert found.passed is passed
    assert found.checks[0].value == pytest.approx(0.05)


@pytest.mark.parametrize(("most", "passed"), [(0.045, True), (0.02, False)])
def test_drop_confidently(most: float, passed: bool) -> None:
    found = ragauge.gate(WORSE, RUN, max_drop={NAME: most}, confident=True)
    assert found.passed is passed
    assert found.checks[0].low < 0.05 < found.checks[0].high


def test_samples_are_paired_by_another_column() -> None:
    topics = [f"茶 {place}" for place in range(50)]
    base = run_of(np.linspace(0.3, 0.7, 50).tolist(), topic=topics)
    other = [{"id": f"other {place}", "x": 0.5, "topic": topic} for place, topic in enumerate(topics)]
    run = ragauge.evaluate(other, NAME, resamples=0)
    with pytest.raises(UsageError, match="no sample in common by 'id'"):
        ragauge.gate(run, base, max_drop={NAME: 0.1})
    assert ragauge.gate(run, base, max_drop={NAME: 0.1}, on="topic").checks[0].scored == 50


def test_a_rise_is_no_drop_and_a_rise_of_latency_is() -> None:
    assert ragauge.gate(RUN, WORSE, max_drop={NAME: 0.0}).passed
    slow, quick = run_of([0.4, 0.6], direction="lower"), run_of([0.2, 0.3], direction="lower")
    assert not ragauge.gate(slow, quick, max_drop={LOWER: 0.1}).passed
    assert ragauge.gate(quick, slow, max_drop={LOWER: 0.0}).passed


def test_the_more_drops_are_watched_the_wider_the_intervals() -> None:
    fell, rows = (
        [{"id": f"q{i}", "a": i / 40 - drop * (i % 2), "b": i / 40} for i in range(40)] for drop in (0.1, 0.0)
    )
    runs = [ragauge.evaluate(some, ["column:name=a", "column:name=b"], resamples=0) for some in (fell, rows)]
    one = ragauge.gate(*runs, max_drop={"column:name=a": 0}, confident=True).checks[0]
    two = ragauge.gate(*runs, max_drop={"column:name=a": 0, "column:name=b": 0}, confident=True).checks[0]
    assert two.low < one.low


def test_failed_and_counted() -> None:
    run = run_of([*[0.5] * 18, None, 0.5], failure=["down", *[None] * 19])
    assert ragauge.gate(run, max_failed="10%", min_scored=18).passed
    found = ragauge.gate(run, max_failed=0.09, min_scored=19)
    assert [check.why for check in found.checks] == [
        f"1 failed and 1 missing of 20 under {NAME}",
        f"only 18 of 20 are scored under {NAME}",
    ]
    assert "failed or missing at most 9 %" in str(found)


def half_failed(scores: Sequence[float | None], failed: int) -> Result:
    return run_of(scores, failure=["down"] * failed + [None] * (len(scores) - failed))


def test_a_rule_that_lost_samples_fails_and_says_how_many() -> None:
    run = half_failed([0.5] * 40, 20)
    by_rule: list[dict[str, Any]] = [{"min": {NAME: 0.1}}, {"max_drop": {NAME: 0.5}}]
    allowing: list[dict[str, Any]] = [{"min_coverage": 0.5}, {"max_failed": "50%"}]
    for rules in by_rule:
        found = ragauge.gate(run, run_of([0.5] * 40), **rules)
        [check] = found.checks
        assert check.why == (
            "20 of 40 samples are lost, more than 5 %; score them again, or allow it with min_coverage=0.5"
        )
        assert (check.scored, check.total, check.lost) == (20, 40, 20)
        assert "20/40" in str(found)
        assert check.coverage.startswith("20 of 40 scored: 20 failed")
        assert check.coverage in str(found)
        assert check.to_dict()["excluded"] == dict(check.excluded)
        for allowed in allowing:
            passed = ragauge.gate(run, run_of([0.5] * 40), **rules, **allowed)
            assert passed.passed
            assert passed.checks[0].coverage in str(passed)
        assert not ragauge.gate(run, run_of([0.5] * 40), **rules, min_coverage="51%").passed
        assert not ragauge.gate(run, run_of([0.5] * 40), **rules, max_failed="50%", min_coverage="51%").passed


@pytest.mark.parametrize(("run", "text"), [(WORSE, "worse: -0.050"), (RUN, "0.000")])
def test_a_drop_has_the_sign_of_a_difference_and_a_word(run: Result, text: str) -> None:
    assert ragauge.gate(run, RUN, max_drop={NAME: 0.5}).checks[0].value_text == text
    if run is WORSE:
        assert ragauge.gate(RUN, run, max_drop={NAME: 0.5}).checks[0].value_text == "better: +0.050"


@pytest.mark.parametrize(("lost", "passed"), [(2, True), (3, False)])
def test_five_per_cent_may_be_lost(lost: int, passed: bool) -> None:
    base = run_of([0.5] * 40)
    kept = [0.5] * (40 - lost)
    runs = [half_failed([0.5] * 40, lost), run_of([*[None] * lost, *kept]), run_of(kept)]
    for run, baseline in [(runs[0], base), (runs[1], base), (runs[2], base), (base, runs[0]), (base, runs[1])]:
        check = ragauge.gate(run, baseline, max_drop={NAME: 0.5}).checks[0]
        assert (check.passed, check.lost, check.scored, check.total) == (passed, lost, 40 - lost, 40)
    assert ragauge.gate(runs[0], min={NAME: 0.1}).passed is passed
    assert ragauge.gate(runs[1], min={NAME: 0.1}).passed is passed
    assert "only in the baseline" in str(ragauge.gate(runs[2], base, max_drop={NAME: 0.5}))
    # New samples take nothing from the comparison.
    assert ragauge.gate(base, runs[2], max_drop={NAME: 0.5}).checks[0].lost == 0


def test_a_rule_that_is_broken_and_lost_samples_says_both() -> None:
    [check] = ragauge.gate(half_failed([0.5] * 4, 2), min={NAME: 0.6}).checks
    assert check.why.startswith("the score is 0.100 below the limit; 2 of 4 samples are lost")


def test_what_the_reference_leaves_undefined_is_shown_and_not_lost() -> None:
    rows = [{"id": f"q{i}", "retrieved": ["a"], "relevance": {"a": 1} if i % 2 else {}} for i in range(20)]
    run = ragauge.evaluate(rows, "recall@1:undefined=skip", resamples=0)
    found = ragauge.gate(run, run, min={"recall@1:undefined=skip": 0.5}, max_drop={"recall@1:undefined=skip": 0})
    assert [check.coverage for check in found.checks] == [
        "10 of 20 scored: 10 undefined",
        "10 of 20 scored: 10 undefined in both",
    ]
    assert found.passed


def test_claims_that_the_system_does_not_make_are_lost() -> None:
    rows = [{"id": f"q{i}", "answer": "Tea is hot." if i % 2 else "", "contexts": ["Tea is hot."]} for i in range(20)]
    run = ragauge.evaluate(rows, "groundedness", resamples=0)
    rules: dict[str, Any] = {"min": {"groundedness": 0.5}, "max_drop": {"groundedness": 0}}
    assert [check.lost for check in ragauge.gate(run, run, **rules).checks] == [10, 10]


def test_null_answers_count_as_failed() -> None:
    rows = [{"id": f"q{i}", "answer": None if i == 3 else "tea", "references": ["tea"]} for i in range(10)]
    run = ragauge.evaluate(rows, "exact-match", resamples=0)
    [check] = ragauge.gate(run, max_failed=0).checks
    assert (check.value, check.why) == (0.1, "0 failed and 1 missing of 10 under exact-match")
    assert ragauge.gate(run, max_failed="10%").passed


def test_runs_are_named(tmp_path: Path) -> None:
    RUN.save(tmp_path / "main")
    found = ragauge.gate(WORSE, tmp_path / "main", max_drop={NAME: 1})
    assert (found.run, found.baseline) == ("50 samples from list of dicts", str(tmp_path / "main"))
    assert "- run: `50 samples from list of dicts`" in markdown(found.blocks())


def test_the_run_that_lacks_metrics_is_named() -> None:
    run = ragauge.evaluate([{"id": "1", "answer": "a", "references": ["a"]}], ["bleu", "chrf", "exact-match"])
    base = ragauge.evaluate([{"id": "1", "answer": "a", "references": ["a"]}], ["exact-match"])
    with pytest.raises(UnknownNameError) as lacking:
        ragauge.gate(run, base, max_drop={"bleu": 0.1, "chrf": 0.1, "exact-match": 0.1})
    assert str(lacking.value) == (
        "unknown metric in base: 'bleu'; available: exact-match\nunknown metric in base: 'chrf'; available: exact-match"
    )


def test_nothing_to_judge_fails_and_says_so() -> None:
    empty, one = run_of([None, None]), run_of([0.5])
    assert ragauge.gate(empty, min={NAME: 0.0}).checks[0].why.startswith("no sample was scored: 0 failed, 2 missing")
    assert ragauge.gate(one, min={NAME: 0.0}, confident=True).checks[0].why.startswith("1 scored sample, but")
    assert (
        ragauge.gate(empty, run_of([0.1, 0.2]), max_drop={NAME: 1}).checks[0].why.startswith("none of 2 paired samples")
    )
    [worse] = ragauge.gate(run_of([0.1]), one, max_drop={NAME: 0.3}, confident=True).checks
    assert worse.why.startswith("no interval: there is one")
    for confident in (False, True):
        assert ragauge.gate(one, one, max_drop={NAME: 0}, confident=confident).passed


@pytest.mark.parametrize("count", [2, 9, 10])
@pytest.mark.parametrize("interval", ["jackknife", "percentile"])
def test_few_equal_values_are_no_confidence(count: int, interval: str) -> None:
    rows = [{"id": str(number), "x": 0.7} for number in range(count)]
    run = ragauge.evaluate(rows, NAME, interval=interval)
    worse = ragauge.evaluate([{**row, "x": 0.6} for row in rows], NAME, interval=interval)
    least = ragauge.gate(run, min={NAME: 0.69}, confident=True).checks[0]
    drop = ragauge.gate(worse, run, max_drop={NAME: 0.01}, confident=True).checks[0]
    if count < 10:
        assert least.why.startswith(f"{count} scored samples, but no interval; it takes 10 where all")
        assert drop.why.startswith(
            f"no interval: all {count} differences are equal; compare 10 samples or more, or leave out confident=True"
        )
    else:
        assert not least.why
        assert drop.why.endswith("the whole interval is beyond the limit")
    assert ragauge.gate(run, run, min={NAME: 0.69}, max_drop={NAME: 0.01}).passed
    assert ragauge.gate(run, run, max_drop={NAME: 0}, confident=True).passed


@pytest.mark.parametrize("confident", [False, True])
def test_identical_runs_pass(confident: bool) -> None:
    assert ragauge.gate(RUN, RUN, max_drop={NAME: 0}, confident=confident).passed


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ({}, UsageError, "the gate has no rules"),
        (
            {"baseline": "mrr > 0"},
            UsageError,
            "^the text 'mrr > 0' is taken as .* a baseline run, .* min={",
        ),
        ({"min": {"ndgc": 1}}, UnknownNameError, f"unknown metric of this run: 'ndgc'; .*{NAME}"),
        ({"min": {NAME: "0.8"}}, OptionError, "must be a number; got '0.8'"),
        ({"min_scored": "many"}, OptionError, "a whole number from 0; got 'many'"),
        ({"max_drop": {NAME: 0.1}}, UsageError, "0.1} needs a baseline to compare with; got none"),
        ({"max_drop": {NAME: -0.1}}, OptionError, "'max_drop' of the gate for .* must be a number from 0"),
        ({"min": {NAME: float("nan")}}, OptionError, "must be a number; got nan"),
        ({"max_failed": "many"}, OptionError, "a share from 0 to 1"),
        ({"max_failed": 1.5}, OptionError, "a share from 0 to 1"),
        ({"min_scored": -1}, OptionError, "a whole number from 0"),
        ({"min": {NAME: 0}, "min_coverage": "most"}, OptionError, "'min_coverage' of the gate must be a share from 0"),
        ({"min_coverage": 0.9}, UsageError, "the gate has no rules"),
        ({"min_scored": 1, "level": 1.0}, OptionError, "'level' of the gate"),
        ({"min_scored": 1, "level": "high"}, OptionError, "must be a number between 0 and 1; got .high."),
    ],
)
def test_bad_rules(rules: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ragauge.gate(RUN, **rules)


@pytest.mark.parametrize("option", ["min", "max", "max_drop"])
def test_limits_that_are_no_mapping_are_refused(option: str) -> None:
    limits: Any = {option: "bleu=.1"}
    with pytest.raises(OptionError, match=f"'{option}' of the gate must be numbers by metric, .*; got 'bleu=.1'"):
        ragauge.gate(RUN, RUN, **limits)


RANKED = [
    {"id": f"q{i}", "relevance": {"文": 1}, "retrieved": ["文", "b"] if i % 2 else ["b", "文"], "seconds": i / 10}
    for i in range(20)
]


@pytest.fixture(scope="module")
def ranked() -> Result:
    return ragauge.evaluate(RANKED, ["ndcg@10", "recip_rank", "耗时=column:name=seconds,direction=lower"])


@pytest.mark.parametrize(
    "rules",
    [
        {"min": {"ndcg_cut_10": 0.5, "recip_rank": 0.5, "RR": 0.5}},
        {"max": {"耗时": 2.0, "column:name=seconds,direction=lower": 2}},
        {"max_drop": {"nDCG@10": 0.1, "耗时": 0.1}},
    ],
)
def test_metrics_by_other_names_and_by_labels(ranked: Result, rules: dict[str, Any]) -> None:
    assert ragauge.gate(ranked, ranked if "max_drop" in rules else None, **rules).passed


def test_what_other_names_mean_here_is_said(ranked: Result) -> None:
    found = ragauge.gate(ranked, min={"ndcg_cut_10": 0.9, "mrr": 0.5})
    assert [check.metric for check in found.failures] == ["ndcg@10"]
    assert found.notes == ("ndcg_cut_10 is ndcg@10 here",)


def test_a_label_is_not_another_name() -> None:
    run = ragauge.evaluate(RANKED, ["P=mrr"])
    assert ragauge.gate(run, min={"P": 0.7}).notes == ()


def test_a_metric_that_the_run_lacks_is_named_as_here(ranked: Result) -> None:
    with pytest.raises(UnknownNameError, match=pattern("gates.unknown_other_name")):
        ragauge.gate(ranked, min={"ndcg_cut_5": 0.5})


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"min": {"exact-match": 1.5}}, "from 0 to 1"),
        ({"min": {"exact-match": 80}}, "80 % is 0.8"),
        ({"min": {"exact-match": -0.1}}, "from 0 to 1"),
        ({"max": {"wer": -1}}, "from 0 to inf"),
        ({"max_drop": {"exact-match": 5}}, "5 % is 0.05"),
    ],
)
def test_a_limit_that_no_score_can_reach_is_refused(rule: dict[str, Any], said: str) -> None:
    run = ragauge.evaluate([{"answer": "好", "references": ["好"]}], ["exact-match", "wer"])
    with pytest.raises(OptionError, match=said):
        ragauge.gate(run, run, **rule)


def test_the_ends_of_a_range_may_be_limits() -> None:
    run = ragauge.evaluate([{"answer": "好", "references": ["好"]}] * 2, ["exact-match", "wer"])
    found = ragauge.gate(run, run, min={"exact-match": 1}, max={"wer": 0}, max_drop={"exact-match": 1})
    assert found.passed
