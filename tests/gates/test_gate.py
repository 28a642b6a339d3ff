"""What passes a gate and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ragauge
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
    assert [check.why for check in found.failures] == ([] if passed else ["the score is below by 0.010"])


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
    assert ragauge.gate(run, max_failed="5%", min_scored=18).passed
    found = ragauge.gate(run, max_failed=0.04, min_scored=19)
    assert [check.why for check in found.checks] == [
        f"1 of 20 failed under {NAME}",
        f"only 18 of 20 are scored under {NAME}",
    ]
    assert "5 %" in str(found)


def test_nothing_to_judge_fails_and_says_so() -> None:
    empty, one = run_of([None, None]), run_of([0.5])
    assert ragauge.gate(empty, min={NAME: 0.0}).checks[0].why.startswith("no sample was scored: 0 failed, 2 missing")
    assert ragauge.gate(one, min={NAME: 0.0}, confident=True).checks[0].why.startswith("1 scored samples, but")
    assert (
        ragauge.gate(empty, run_of([0.1, 0.2]), max_drop={NAME: 1}).checks[0].why.startswith("none of 2 paired samples")
    )
    assert (
        ragauge.gate(one, one, max_drop={NAME: 1}, confident=True).checks[0].why.startswith("no interval from 1 sample")
    )
    assert ragauge.gate(one, one, max_drop={NAME: 0}).passed


@pytest.mark.parametrize("confident", [False, True])
def test_identical_runs_pass(confident: bool) -> None:
    assert ragauge.gate(RUN, RUN, max_drop={NAME: 0}, confident=confident).passed


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ({}, UsageError, "the gate has no rules"),
        ({"min": {"ndgc": 1}}, UnknownNameError, f"unknown metric of this run: 'ndgc'; .*{NAME}"),
        ({"min": {NAME: "0.8"}}, OptionError, "must be a number; got '0.8'"),
        ({"min_scored": "many"}, OptionError, "a whole number from 0; got 'many'"),
        ({"max_drop": {NAME: 0.1}}, UsageError, "0.1} needs a baseline to compare with; got none"),
        ({"max_drop": {NAME: -0.1}}, OptionError, "'max_drop' of the gate for .* must be a number from 0"),
        ({"min": {NAME: float("nan")}}, OptionError, "must be a number; got nan"),
        ({"max_failed": "many"}, OptionError, "a share from 0 to 1"),
        ({"max_failed": 1.5}, OptionError, "a share from 0 to 1"),
        ({"min_scored": -1}, OptionError, "a whole number from 0"),
        ({"min_scored": 1, "level": 1.0}, OptionError, "'level' of the gate"),
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
