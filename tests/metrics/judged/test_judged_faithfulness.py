"""Faithfulness by a judge: claims with a citation, divided by all claims of the answer."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells

from .toys import ScriptedJudge, always, any_reply, batch_of, cells_of, made, support


def test_faithfulness() -> None:
    script = always(support([2], []))
    cells = cells_of("judged-faithfulness", script, {}, {"contexts": []}, {"contexts": ["", " "]}, {"answer": ""})
    assert cells.scores[:3].tolist() == [0.5, 0.0, 0.0]
    assert cells.sums.status.tolist() == [Status.OK, Status.OK, Status.OK, Status.UNDEFINED]


@pytest.mark.parametrize("answer", ["I don't know.", "我不知道。", "わかりません。", "모르겠습니다.", "Не знаю."])
def test_an_answer_that_claims_nothing_is_not_faithful_or_unfaithful(answer: str) -> None:
    judge = ScriptedJudge(any_reply)
    cells = measure_cells(made("judged-faithfulness", judge), batch_of({"answer": answer}))
    assert cells.sums.status.tolist() == [Status.UNDEFINED]
    assert judge.asked_for == []


def test_claims_of_the_judge() -> None:
    def script(prompt: str, message: str) -> Any:
        if prompt == "claims":
            return {"claims": ["a", "b", "c", "d"] if "garden" in message else []}
        return support([1], [], [1], [1])

    cells = cells_of("judged-faithfulness", script, {}, {"answer": "Hello!"}, claims="judge")
    assert cells.scores[0] == 0.75
    assert cells.sums.status.tolist() == [Status.OK, Status.UNDEFINED]


@pytest.mark.parametrize("answer", ["افتتحه لين وان. فيه حديقة.", "林婉开的。里面有花园。", "หลินหวันเปิดร้านนี้ ร้านมีสวน"])
def test_claims_are_sentences_in_any_language(answer: str) -> None:
    """Arabic, Chinese and Thai: two sentences, of which the judge finds the first."""
    cells = cells_of("judged-faithfulness", any_reply, {"answer": answer}, language="en")
    assert cells.scores.tolist() == [0.5]


def test_a_missing_answer_is_neither_scored_nor_undefined() -> None:
    cells = cells_of("judged-faithfulness", any_reply, {"answer": None}, {"contexts": None})
    assert cells.sums.status.tolist() == [Status.MISSING, Status.MISSING]
