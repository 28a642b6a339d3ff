"""Grades of passages: one question a passage, blank ones have 0, and what has no score."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells

from .toys import ScriptedJudge, always, batch_of, cells_of, data_in, made

NAME = "judged-passage-relevance"
GRADES = {
    "It opened in May.": 3,
    "Она открылась.": 2,
    "茶館。": 1,
    "ฝนตก": 0,
    "فتح في مايو": 3,
    "Ανοίγει νωρίς.": 2,
    "Açıldı.": 1,
}


def script(_prompt: str, message: str) -> Any:
    return {"rating": GRADES[data_in(message)[-1]]}


def test_the_mean_grade_as_a_share_of_3_in_any_language() -> None:
    rows = [{"contexts": [text]} for text in GRADES] + [{"contexts": ["It opened in May.", "", "茶館。"]}]
    found = cells_of(NAME, script, *rows).scores.tolist()
    assert found == pytest.approx([*(grade / 3 for grade in GRADES.values()), 4 / 9])


def test_each_passage_is_asked_about_by_itself_and_equal_ones_once() -> None:
    judge = ScriptedJudge(script)
    measure_cells(made(NAME, judge), batch_of({"contexts": ["茶館。", "ฝนตก"]}, {"contexts": ["ฝนตก", " "]}))
    assert [data_in(one.messages[-1][1])[-1] for one in judge.asked_for] == ["茶館。", "ฝนตก"]
    assert judge.asked_for[0].labels == ("0", "1", "2", "3")


def test_what_has_no_score_and_what_scores_0() -> None:
    rows: list[dict[str, Any]] = [{"question": " "}, {"contexts": []}, {"contexts": ["", " "]}, {"contexts": None}]
    cells = cells_of(NAME, always("refused: no"), *rows, {})
    assert cells.sums.status.tolist() == [Status.UNDEFINED, Status.OK, Status.OK, Status.MISSING, Status.FAILED]
    assert cells.scores[1:3].tolist() == [0.0, 0.0]


def test_probabilities_count_and_evidence_has_the_grades() -> None:
    shares = {"0": 0.0, "1": 0.25, "2": 0.75, "3": 0.0}
    judge, batch = ScriptedJudge(always({"rating": 2}), probabilities=shares), batch_of({"contexts": ["a", ""]})
    assert measure_cells(made(NAME, judge), batch).scores.tolist() == [pytest.approx(1.75 / 6)]
    rows = made(NAME, judge).explain(batch).to_pylist()
    assert [(row["what"], row["text"], row["similarity"]) for row in rows] == [
        ("graded passage", "a", pytest.approx(1.75 / 3)), ("graded passage", "", 0.0),
    ]  # fmt: skip
