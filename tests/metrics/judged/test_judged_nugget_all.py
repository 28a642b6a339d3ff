"""Nuggets by a judge: one rating of 2, 1 or 0 for each that the data assign nothing to."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.registry import entries
from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells
from ragauge.metrics.judged.judged_nugget_all import JudgedNuggetAll

from .toys import ScriptedJudge, batch_of, cells_of, data_in, made

NAMES = ("judged-nugget-all", "judged-nugget-vital", "judged-nugget-strict-all", "judged-nugget-strict-vital")
RATED = {"Opened in 1990.": 2, "由林婉创办。": 1, "فيه حديقة.": 0, "ปิดวันจันทร์": 2}


def script(_prompt: str, message: str) -> Any:
    """Rate the nugget, which is the last text in the message."""
    return {"rating": RATED[data_in(message)[-1]]}


def nuggets(*importance: str) -> list[dict[str, Any]]:
    return [{"text": text, "importance": one} for text, one in zip(RATED, importance, strict=False)]


ROW = {"nuggets": nuggets("vital", "vital", "okay", "okay")}


def test_ratings_are_the_three_steps_in_any_language() -> None:
    values = [cells_of("judged-nugget-all", script, ROW, **options).scores.tolist() for options in (
        {}, {"importance": "vital"}, {"strict": True}, {"importance": "vital", "strict": True})]  # fmt: skip
    assert values == [[(1 + 0.5 + 0 + 1) / 4], [0.75], [0.5], [0.5]]


def test_assignments_are_kept_and_empty_answers_are_not_asked_about() -> None:
    given = [{**one, "assignment": "partial_support"} for one in ROW["nuggets"][:1]] + ROW["nuggets"][1:2]
    judge = ScriptedJudge(script)
    batch = batch_of({"nuggets": given}, {"nuggets": given, "answer": " "}, {"nuggets": []})
    cells = measure_cells(made("judged-nugget-all", judge), batch)
    assert cells.scores[:2].tolist() == [(0.5 + 0.5) / 2, (0.5 + 0) / 2]
    assert cells.sums.status.tolist() == [Status.OK, Status.OK, Status.UNDEFINED]
    assert len(judge.asked_for) == 1
    strict = measure_cells(made("judged-nugget-all", judge, strict=True), batch)
    assert strict.scores[:2].tolist() == [0.0, 0.0]


def test_the_four_names_share_their_questions() -> None:
    judge, batch = ScriptedJudge(script), batch_of(ROW)
    counts = []
    for name in ("judged-nugget-vital", "judged-nugget-strict-vital", "judged-nugget-all", "judged-nugget-strict-all"):
        entry = entries("metric")[name]
        assert entry.cls is JudgedNuggetAll
        fixed: dict[str, Any] = {
            key: value == "true" if key == "strict" else value for key, value in entry.fixed.items()
        }
        measure_cells(JudgedNuggetAll(judge=judge, **fixed), batch)
        counts.append(len(judge.asked_for))
    assert counts == [2, 2, 4, 4]


def test_probabilities_of_ratings_count() -> None:
    """2 with .5, 1 with .3 and 0 with .2: a mean of 1.3 of 2; strict, .5."""
    judge = ScriptedJudge(lambda *_: {"rating": 2}, probabilities={"0": 0.2, "1": 0.3, "2": 0.5})
    batch = batch_of({"nuggets": nuggets("vital")})
    assert measure_cells(made("judged-nugget-all", judge), batch).scores.tolist() == [pytest.approx(0.65)]
    assert measure_cells(made("judged-nugget-all", judge, strict=True), batch).scores.tolist() == [0.5]
    assert measure_cells(made("judged-nugget-all", judge, weighted=False), batch).scores.tolist() == [1.0]


def test_a_lost_rating_fails_the_sample_only_where_the_nugget_counts() -> None:
    def lost(prompt: str, message: str) -> Any:
        return "refused: no" if "حديقة" in message else script(prompt, message)

    cells = cells_of("judged-nugget-all", lost, ROW, {"nuggets": nuggets("vital")})
    assert cells.sums.status.tolist() == [Status.FAILED, Status.OK]
    assert cells_of("judged-nugget-all", lost, ROW, importance="vital").scores.tolist() == [0.75]


def test_evidence_has_a_row_for_each_nugget_that_counts() -> None:
    batch = batch_of(ROW, {**ROW, "answer": None})
    rows = (
        made("judged-nugget-all", ScriptedJudge(script))
        .explain(batch)
        .select(["id", "what", "text", "supported", "why"])
    )
    part = "the answer supports it in part"
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        ("s0", "vital nugget", "Opened in 1990.", True, None),
        ("s0", "vital nugget", "由林婉创办。", False, part),
        ("s0", "okay nugget", "فيه حديقة.", False, None),
        ("s0", "okay nugget", "ปิดวันจันทร์", True, None),
    ]
    vital = made("judged-nugget-all", ScriptedJudge(script), importance="vital").explain(batch)
    assert vital["what"].to_pylist() == ["vital nugget"] * 2
