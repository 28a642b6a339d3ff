"""Answer relevancy by a judge: the mean cosine with the questions that the judge writes."""

from __future__ import annotations

import pytest

from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells
from tests.metrics.rag.given import Placed

from .toys import ScriptedJudge, always, batch_of, cells_of, made


def test_answer_relevancy() -> None:
    replies = {"questions": ["Who opened it?", "Who opened it?", "Who opened it?"], "evasive": False}
    rows = [{}, {"answer": ""}, {"question": ""}]
    cells = cells_of("judged-answer-relevancy", always(replies), *rows)
    assert cells.scores[:2].round(12).tolist() == [1.0, 0.0]
    assert cells.sums.status[2] == Status.UNDEFINED
    assert cells_of("judged-answer-relevancy", always({**replies, "evasive": True}), {}).scores.tolist() == [0.0]


VECTORS = {"Why?": (1.0, 0.0), "So?": (0.6, 0.8), "No?": (-1.0, 0.0)}


def test_the_mean_cosine_worked_by_hand() -> None:
    """Cosines of 1 and .6 have a mean of .8; -1 and .6 one of -.2, which is clipped to 0 by default."""
    for written, clip, score in (("Why? So?", True, 0.8), ("No? So?", True, 0.0), ("No? So?", False, -0.2)):
        judge = ScriptedJudge(always({"questions": written.split(), "evasive": False}))
        metric = made("judged-answer-relevancy", judge, questions=2, embedder=Placed(VECTORS), clip=clip)
        assert metric.range == ((0.0, 1.0) if clip else (-1.0, 1.0))
        found = measure_cells(metric, batch_of({"question": "Why?"})).scores
        assert found.tolist() == [pytest.approx(score, abs=1e-6)]


def test_a_question_without_a_vector_fails_the_sample() -> None:
    judge = ScriptedJudge(always({"questions": ["Lost?"], "evasive": False}))
    metric = made("judged-answer-relevancy", judge, questions=1, embedder=Placed(VECTORS))
    cells = measure_cells(metric, batch_of({"question": "Why?"}))
    assert cells.sums.status.tolist() == [Status.FAILED]
    assert cells.sums.reasons == {0: "no vector for Lost?"}


@pytest.mark.parametrize("question", ["谁开的？", "من افتتحه؟", "ใครเปิดร้านนี้"])
def test_the_same_question_in_any_language_scores_1(question: str) -> None:
    replies = {"questions": [question] * 3, "evasive": False}
    found = cells_of("judged-answer-relevancy", always(replies), {"question": question}).scores
    assert found.tolist() == [pytest.approx(1.0, abs=1e-6)]


def test_a_null_answer_is_missing() -> None:
    cells = cells_of("judged-answer-relevancy", always({"questions": [], "evasive": False}), {"answer": None})
    assert cells.sums.status.tolist() == [Status.MISSING]
