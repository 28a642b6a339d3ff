"""A metric of a plain function, in each of its forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.sample import Sample
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.metrics import Column, FunctionMetric
from ragauge.metrics.parse import parse

pytestmark = pytest.mark.usefixtures("registered")

ROWS = [{"id": "a", "answer": "one two", "tone": 2}, {"id": "b", "answer": None, "tone": 1}]


def test_plain_and_with_arguments_and_called_directly() -> None:
    @ragauge.metric
    def a_tone(sample: Sample) -> Any:
        return sample.tags["tone"]

    @ragauge.metric(name="words", needs=("answer",), range=(0, 9), direction="lower", stage="end-to-end", revision=2)
    def count(sample: Sample) -> float:
        return len((sample.answer or "").split())

    result = ragauge.evaluate(ROWS, [a_tone, "words"], resamples=0)
    assert (result["a-tone"].value, result["words"].value) == (1.5, 2.0)
    assert (result["words"].scored, result["words"].missing, result["words"].direction) == (1, 1, "lower")
    assert count(Sample(answer="x y z")) == 3
    assert parse("words") is count


def test_the_signature_is_the_same_in_every_process() -> None:
    made = ragauge.metric(name="m", revision=4)(lambda sample: 1.0)
    signature = ragauge.evaluate(ROWS, made, resamples=0)["m"].signature
    assert signature.startswith("m|average=samples|direction=higher|needs=|range=-inf/inf|stage=generation|revision=4|")
    assert "0x" not in signature
    assert "0x" not in repr(made)


@pytest.mark.parametrize(
    ("value", "status", "reason"),
    [
        (1, "ok", None),
        (True, "ok", None),
        (np.float32(0.5), "ok", None),
        (None, "undefined", None),
        (math.nan, "undefined", None),
        (math.inf, "failed", "ValueError: a metric must return a finite number or None; got an infinity"),
        ("high", "failed", "TypeError: a metric must return a number or None; got str"),
    ],
)
def test_what_a_function_may_return(value: Any, status: str, reason: str | None) -> None:
    made = ragauge.metric(name="m")(lambda sample: value)
    result = ragauge.evaluate(ROWS, made, resamples=0)
    assert set(result.statuses("m")) == {status}
    assert set(result.reasons("m").values()) == ({reason} if reason else set())


def test_an_exception_fails_its_sample_only() -> None:
    made = ragauge.metric(name="m")(lambda sample: len(sample.answer or 1 / 0))  # type: ignore[arg-type]
    result = ragauge.evaluate(ROWS, made, resamples=0)
    assert result.statuses("m").tolist() == ["ok", "failed"]
    assert dict(result.reasons("m")) == {1: "ZeroDivisionError: division by zero"}


def test_rows_that_lack_a_column_or_failed_are_not_passed_on() -> None:
    seen: list[str | None] = []

    @ragauge.metric(needs=("answer",))
    def noting(sample: Sample) -> float:
        seen.append(sample.id)
        return 1.0

    result = ragauge.evaluate([*ROWS, {"id": "c", "answer": "x", "failure": "down"}], noting, resamples=0)
    assert seen == ["a"]
    assert result.statuses("noting").tolist() == ["ok", "missing", "failed"]


def test_defining_it_again_replaces_it() -> None:
    for value in (1.0, 2.0):
        ragauge.metric(name="again")(lambda sample, value=value: value)  # type: ignore[misc]
    assert ragauge.evaluate(ROWS, "again", resamples=0)["again"].value == 2.0


def test_a_name_of_ours_cannot_be_taken() -> None:
    with pytest.raises(UsageError, match="two metrics are named 'ndcg'"):
        ragauge.metric(name="ndcg")(lambda sample: 1.0)


@pytest.mark.parametrize("name", ["a:b", "a@b", "a,b", " a"])
def test_a_name_must_fit_into_a_spec(name: str) -> None:
    with pytest.raises(OptionError, match="must be a name without '@', ':' and ','"):
        ragauge.metric(name=name)(lambda sample: 1.0)


@pytest.mark.parametrize("spec", ["m@3", "m:k=3"])
def test_it_takes_no_options(spec: str) -> None:
    ragauge.metric(name="m")(lambda sample: 1.0)
    with pytest.raises(OptionError, match=r"m has no option '[@k]'; it takes none"):
        parse(spec)


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("direction", "up", "higher or lower"),
        ("stage", "generate", "retrieval, generation or end-to-end"),
        ("range", (1, 0), "two numbers, the lowest and the highest value"),
        ("range", (0, math.nan), "two numbers, the lowest and the highest value"),
        ("range", (0, "1"), "two numbers, the lowest and the highest value"),
        ("range", 1, "two numbers, the lowest and the highest value"),
        ("needs", "answer", "a tuple of names of columns, as in ('answer',)"),
    ],
)
def test_a_wrong_option_of_the_decorator_is_refused(option: str, value: Any, allowed: str) -> None:
    wrong: dict[str, Any] = {option: value}
    with pytest.raises(OptionError) as refused:
        ragauge.metric(name="m", **wrong)(lambda sample: 1.0)
    assert str(refused.value) == f"option {option!r} of @metric must be {allowed}; got {value!r}"


def test_lists_are_taken_as_tuples() -> None:
    lists: dict[str, Any] = {"needs": ["answer"], "range": [0, 1]}
    made = ragauge.metric(name="m", **lists)(lambda sample: 1.0)
    assert (made.needs, made.range) == ((("answer",),), (0, 1))


def test_a_wrong_average_of_the_class_is_refused() -> None:
    wrong: dict[str, Any] = {"average": "pooled"}
    with pytest.raises(OptionError, match="option 'average' of @metric must be samples; got 'pooled'"):
        FunctionMetric("m", lambda sample: 1.0, ((),), (0.0, 1.0), "higher", "generation", **wrong)


def test_wrong_options_of_a_column_are_refused() -> None:
    for option, value in (("direction", "up"), ("stage", "generate"), ("average", "pooled"), ("low", "a")):
        wrong: dict[str, Any] = {option: value}
        with pytest.raises(OptionError, match=f"option '{option}' of column must be .*; got '{value}'"):
            Column(name="latency", **wrong)


def test_a_name_in_place_of_the_function_is_refused() -> None:
    wrong: Any = "shout"
    with pytest.raises(OptionError, match=r"must be a function of one sample, and options by name, .*; got 'shout'"):
        ragauge.metric(wrong)


@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
def test_a_column_with_an_infinity_has_no_mean(infinite: float) -> None:
    with pytest.raises(DataError, match="column 'tone' holds an infinity, which has no mean"):
        ragauge.evaluate([{"tone": 1.0}, {"tone": infinite}], "column:name=tone")
