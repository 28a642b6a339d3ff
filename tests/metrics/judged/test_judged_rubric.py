"""Rubric rating by a judge: its number, or the mean of the numbers weighted by their probabilities."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragauge.core.statistics import Status
from ragauge.errors import OptionError
from ragauge.evaluation.partial import measure_cells
from ragauge.metrics.judged.judged_rubric import JudgedRubric

from .toys import ScriptedJudge, always, any_reply, batch_of, cells_of, made


def test_rubric() -> None:
    assert cells_of("judged-rubric", always({"rating": 4}), {}).scores.tolist() == [4.0]
    judge = ScriptedJudge(always({"rating": 4}), probabilities={"4": 0.5, "5": 0.5})
    assert measure_cells(made("judged-rubric", judge), batch_of({})).scores.tolist() == [4.5]
    message = judge.asked_for[0].messages[-1][1]
    assert "Criteria:\npoliteness\n" in message
    assert "Who opened it?" in message
    assert "It rained." not in message
    judge = ScriptedJudge(always({"rating": 4}))
    measure_cells(made("judged-rubric", judge, shows=("contexts", "references"), high=7), batch_of({}))
    message = judge.asked_for[0].messages[-1][1]
    assert "It rained." in message
    assert "Who opened it?" not in message
    assert "from 1 (worst) to 7 (best)" in message
    assert judge.asked_for[0].labels == ("1", "2", "3", "4", "5", "6", "7")


def test_it_needs_a_judge_and_criteria() -> None:
    with pytest.raises(OptionError, match="judged-rubric asks a judge, and none is named"):
        JudgedRubric(criteria="politeness")
    with pytest.raises(OptionError, match="judged-rubric needs criteria"):
        JudgedRubric(judge=ScriptedJudge(any_reply))


def test_criteria_of_a_file(tmp_path: Path) -> None:
    path, judge = tmp_path / "criteria.txt", ScriptedJudge(always({"rating": 2}))
    path.write_text("\ufeff礼貌 · أدب · สุภาพ\n", encoding="utf-8")
    metric = made("judged-rubric", judge, criteria=None, file=str(path))
    assert measure_cells(metric, batch_of({})).scores.tolist() == [2.0]
    assert "Criteria:\n礼貌 · أدب · สุภาพ\n" in judge.asked_for[0].messages[-1][1]


def test_an_empty_answer_is_rated_and_a_null_one_is_missing() -> None:
    judge = ScriptedJudge(always({"rating": 1}))
    cells = measure_cells(made("judged-rubric", judge), batch_of({"answer": ""}, {"answer": None}))
    assert cells.scores[0] == 1.0
    assert cells.sums.status.tolist() == [Status.OK, Status.MISSING]
    assert len(judge.asked_for) == 1


def test_what_it_reads_and_its_range() -> None:
    metric = made("judged-rubric", ScriptedJudge(any_reply), shows=("references", "contexts"), low=0, high=10)
    assert metric.needs == (("answer", "references", "contexts"),)
    assert metric.range == (0.0, 10.0)
