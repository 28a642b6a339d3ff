"""Context relevance rated by a judge: its rating of 0 to 2 as a share of 2."""

from __future__ import annotations

import pytest

from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells

from .toys import ScriptedJudge, always, any_reply, batch_of, cells_of, made


def test_ratings_as_shares_of_2() -> None:
    cells = cells_of("judged-context-rating", always({"rating": 1}), {}, {"contexts": ["", " "]})
    assert cells.scores.tolist() == [0.5, 0.0]
    assert cells_of("judged-context-rating", always({"rating": 2}), {}).scores.tolist() == [1.0]


def test_ratings_weighted_by_their_probabilities() -> None:
    """Labels 1 and 2 with .5 each: 1.5 of 2; as written it is 2 of 2."""
    judge = ScriptedJudge(always({"rating": 2}), probabilities={"0": 0.0, "1": 0.5, "2": 0.5})
    assert measure_cells(made("judged-context-rating", judge), batch_of({})).scores.tolist() == [0.75]
    assert measure_cells(made("judged-context-rating", judge, weighted=False), batch_of({})).scores.tolist() == [1.0]


EDGES = [("", Status.UNDEFINED), ("\u3000", Status.UNDEFINED), (None, Status.MISSING)]


@pytest.mark.parametrize(("question", "status"), EDGES)
def test_nothing_is_asked_without_a_question(question: str | None, status: Status) -> None:
    judge = ScriptedJudge(any_reply)
    cells = measure_cells(made("judged-context-rating", judge), batch_of({"question": question}))
    assert cells.sums.status.tolist() == [status]
    assert judge.asked_for == []


@pytest.mark.parametrize("text", ["谁开的？", "من افتتحه؟", "ใครเปิดร้านนี้"])
def test_the_judge_sees_the_text_and_all_passages(text: str) -> None:
    judge = ScriptedJudge(any_reply)
    made("judged-context-rating", judge).measure(batch_of({"question": text, "contexts": ["شاي", "茶", "ชา"]}))
    [question] = judge.asked_for
    assert all(one in question.messages[-1][1] for one in (text, "شاي", "茶", "ชา"))
