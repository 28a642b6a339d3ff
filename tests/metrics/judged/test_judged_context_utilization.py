"""Context utilization by a judge: average precision of the passages that are useful for the answer."""

from __future__ import annotations

import pytest

from ragauge.core.statistics import Status

from .toys import ScriptedJudge, always, any_reply, batch_of, cells_of, made, useful


def test_a_value_worked_by_hand() -> None:
    """Useful at ranks 2 and 3: (1/2 + 2/3) / 2 = 7/12; up to rank 2, 1/2."""
    three = {"contexts": ["a", "b", "c"]}
    script = always(useful(False, True, True))
    assert cells_of("judged-context-utilization", script, three).scores.tolist() == [pytest.approx(7 / 12, abs=1e-15)]
    assert cells_of("judged-context-utilization", script, three, k=2).scores.tolist() == [0.5]


def test_it_needs_no_reference_and_is_never_undefined() -> None:
    cells = cells_of(
        "judged-context-utilization", always(useful(True, False)), {"references": []}, {"answer": ""}, {"contexts": []}
    )
    assert cells.scores.tolist() == [1.0, 0.0, 0.0]
    assert cells.sums.status.tolist() == [Status.OK] * 3


def test_nothing_is_asked_about_an_empty_answer() -> None:
    judge = ScriptedJudge(any_reply)
    made("judged-context-utilization", judge).measure(batch_of({"answer": "\u3000"}))
    assert judge.asked_for == []


def test_the_judge_sees_the_answer_in_its_own_script() -> None:
    judge = ScriptedJudge(any_reply)
    made("judged-context-utilization", judge).measure(batch_of({"answer": "ชาเขียว"}, {"answer": "شاي أخضر"}))
    first, second = [question.messages[-1][1] for question in judge.asked_for]
    assert "ชาเขียว" in first
    assert "شاي أخضر" in second
