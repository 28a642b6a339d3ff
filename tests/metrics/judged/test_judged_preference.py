"""Pairwise preference by a judge: the share of two comparisons, one for each order, that the answer wins."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells

from .toys import FULL, ScriptedJudge, always, batch_of, cells_of, made


def test_preference_in_both_orders() -> None:
    def longer(_prompt: str, message: str) -> Any:
        return {"better": 1 if message.index("Lin Wan") < message.index("Nobody") else 2}

    cells = cells_of("judged-preference", longer, {}, {"other_answer": FULL["answer"]})
    assert cells.scores.tolist() == [1.0, 0.5]
    assert cells.parts["consistent"].tolist() == pytest.approx([1.0, math.nan], nan_ok=True)
    first = cells_of("judged-preference", always({"better": 1}), {})
    assert (first.scores[0], first.parts["consistent"][0]) == (0.5, 0.0)
    tie = cells_of("judged-preference", always({"better": 0}), {})
    assert (tie.scores[0], tie.parts["consistent"][0]) == (0.5, 1.0)
    once = ScriptedJudge(lambda _prompt, message: longer("", message) if "Answer 1:\n<" in message else "x")
    assert measure_cells(made("judged-preference", once), batch_of({})).scores.tolist() == [1.0]
    half = ScriptedJudge(
        lambda _p, message: {"better": 1} if message.index("Lin") < message.index("Nob") else "refused: no"
    )
    assert measure_cells(made("judged-preference", half), batch_of({})).sums.status.tolist() == [Status.FAILED]


def test_a_preference_weighted_by_probabilities() -> None:
    """P(first) = .5, P(tie) = .25, P(second) = .25: .625 shown first, 1 - .625 shown second; together 1/2."""
    judge = ScriptedJudge(always({"better": 1}), probabilities={"0": 0.25, "1": 0.5, "2": 0.25})
    assert measure_cells(made("judged-preference", judge), batch_of({})).scores.tolist() == [0.5]
    assert made("judged-preference", judge).explain(batch_of({}))["why"].to_pylist() == [
        "preferred 0.625, shown first",
        "preferred 0.375, shown second",
    ]


@pytest.mark.parametrize("text", ["林婉。", "لين وان.", "หลินหวัน"])
def test_equal_answers_are_a_tie_without_a_question(text: str) -> None:
    judge = ScriptedJudge(always({"better": 1}))
    cells = measure_cells(made("judged-preference", judge), batch_of({"answer": text, "other_answer": f" {text} "}))
    assert cells.scores.tolist() == [0.5]
    assert judge.asked_for == []


def test_the_column_of_the_other_answers() -> None:
    metric = made("judged-preference", ScriptedJudge(always({"better": 2})), other="baseline")
    assert metric.needs == (("question", "answer", "baseline"),)
    cells = measure_cells(metric, batch_of({"baseline": None}, {"baseline": "Nobody."}))
    assert cells.sums.status.tolist() == [Status.MISSING, Status.OK]
