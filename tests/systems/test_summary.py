"""Notes on latency, tokens, cost and further tries of answers."""

from __future__ import annotations

from ragauge.systems.answers import SystemAnswer, notes_on


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
