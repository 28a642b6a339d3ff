"""Notes on latency, tokens, cost and further tries of answers."""

from __future__ import annotations

import pytest

from ragauge.systems.answers import SystemAnswer, notes_on
from ragauge.systems.pace import Asking, seconds_between_calls


def answer(number: int, **columns: float) -> SystemAnswer:
    return SystemAnswer(str(number), "?", {"answer": "x", **columns}, latency=float(number))


def test_a_share_of_the_answers_came_within_a_time_that_was_measured() -> None:
    (note,) = notes_on([answer(number) for number in range(1, 101)])
    expected = "latency of 100 answers in seconds: half within 50.0, 90 % 90.0, 95 % 95.0, 99 % 99.0, slowest 100"
    assert note.replace(".0", "") == expected.replace(".0", "")


def test_what_is_spent_is_added_up_and_who_does_not_say_it_is_counted() -> None:
    notes = notes_on([answer(1, cost=0.1), answer(2, cost=0.2), answer(3)])
    assert notes[1] == "cost: 0.3, 0.15 an answer; unknown for 1 answer"


def test_failed_answers_have_no_latency_and_further_tries_are_counted() -> None:
    failed = SystemAnswer("a", "?", None, latency=9.0, failure="TimeoutError", attempts=2)
    assert notes_on([failed]) == ["1 further try for 1 question, after failures that looked temporary"]
    assert notes_on([failed, failed])[-1].startswith("2 further tries for 2 questions, ")


@pytest.mark.parametrize(
    ("latency", "asking", "rate"),
    [
        (1.0, Asking(), "30/min"),
        (1.0, Asking(concurrency=4), "120/min"),
        (1.0, Asking(concurrency=4, rate="1/s"), "30/min"),
        (90.0, Asking(), "20/hour"),
        (0.0823, Asking(), "300/min"),
        (0.0417, Asking(), "600/min"),
        (1.7, Asking(concurrency=2), "30/min"),
        (33.0, Asking(), "50/hour"),
        (4000.0, Asking(), "1/hour"),
    ],
)
def test_causes_of_further_tries_are_counted_and_too_many_requests_halve_the_rate(
    latency: float, asking: Asking, rate: str
) -> None:
    answers = [
        SystemAnswer("a", "?", {"answer": "x"}, latency=latency, attempts=3, causes=("429", "429")),
        SystemAnswer("b", "?", {"answer": "x"}, latency=latency, attempts=3, causes=("503", "ConnectionError")),
    ]
    tries, advice = notes_on(answers, asking)[-2:]
    assert tries.endswith(": 429 (too many requests) 2 times, 503 (service unavailable) 1 time, ConnectionError 1 time")
    assert advice.endswith(f"to ask it more slowly: rate={rate!r}")
    assert seconds_between_calls(rate) > 0
