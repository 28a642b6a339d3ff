"""What holds of every judged metric: failures, questions that are not asked, and questions that metrics share."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.core.protocol import columns_read
from ragauge.core.registry import lookup
from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells

from .toys import EVERY, FULL, ScriptedJudge, always, any_reply, batch_of, made, relevant, support, useful


@pytest.mark.parametrize("name", EVERY)
def test_explain_asks_nothing(name: str) -> None:
    judge = ScriptedJudge(any_reply)
    metric, batch = made(name, judge), batch_of({})
    assert measure_cells(metric, batch).sums.status.tolist() == [Status.OK]
    asked = len(judge.asked_for)
    assert asked > 0
    assert metric.explain(batch).num_rows > 0
    measure_cells(metric, batch)
    assert len(judge.asked_for) == asked


@pytest.mark.parametrize("name", EVERY)
def test_a_judge_that_fails_is_never_a_score(name: str) -> None:
    judge = ScriptedJudge(always("refused: I will not"))
    metric, batch = made(name, judge), batch_of({}, {"answer": "Another."})
    cells = measure_cells(metric, batch)
    assert cells.sums.status.tolist() == [Status.FAILED, Status.FAILED]
    assert np.isnan(cells.scores).all()
    assert set(cells.sums.reasons.values()) == {"refused: I will not"}
    asked = len(judge.asked_for)
    assert metric.explain(batch).num_rows == 0
    assert len(judge.asked_for) == asked


@pytest.mark.parametrize("name", EVERY)
def test_a_reply_about_too_few_or_too_many_fails_with_the_complaint(name: str) -> None:
    one_more = [
        support([1], [], []), useful(True, True, True), relevant(True), {"questions": ["a?"], "evasive": False},
        {"claims": [""]}, {"entities": [""]},
    ]  # fmt: skip
    by_prompt = dict(zip(("support", "useful", "relevant", "questions", "claims", "entities"), one_more, strict=True))
    judge = ScriptedJudge(lambda prompt, _message: by_prompt.get(prompt, "malformed: rating must be one of 0, 1, 2"))
    cells = measure_cells(made(name, judge), batch_of({}))
    assert cells.sums.status.tolist() == [Status.FAILED]
    assert cells.sums.reasons[0].startswith(("wrong: there must be", "wrong: each of", "malformed:"))


@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_asked_about_samples_that_lack_a_value_or_that_the_system_failed_on(name: str) -> None:
    judge = ScriptedJudge(any_reply)
    columns = ("answer", "question", "contexts", "references", "other_answer", "nuggets")
    metric = made(name, judge)
    needed = columns_read(metric, FULL)
    rows = [{column: None} for column in columns if column in needed]
    batch = batch_of(*rows, {"failure": "timeout"})
    cells = measure_cells(metric, batch)
    assert judge.asked_for == []
    assert cells.sums.status.tolist() == [Status.MISSING] * len(rows) + [Status.FAILED]


@pytest.mark.parametrize("name", EVERY)
def test_equal_samples_are_one_question(name: str) -> None:
    judge, alone = ScriptedJudge(any_reply), ScriptedJudge(any_reply)
    measure_cells(made(name, judge), batch_of({}, {}, {}))
    measure_cells(made(name, alone), batch_of({}))
    assert len(judge.asked_for) == len({question.messages for question in judge.asked_for}) == len(alone.asked_for)


def test_metrics_share_their_questions() -> None:
    judge, batch = ScriptedJudge(any_reply), batch_of({})
    alone = 0
    for name in ("judged-faithfulness", "judged-context-recall", "judged-factual-correctness"):
        measure_cells(made(name, judge), batch)
        apart = ScriptedJudge(any_reply)
        measure_cells(made(name, apart), batch_of({}))
        alone += len(apart.asked_for)
    assert len(judge.asked_for) == alone == 4
    for name in ("judged-noise-sensitivity", "judged-answer-correctness"):
        for options in ({}, {"beta": 2.0} if name == "judged-answer-correctness" else {"mode": "irrelevant"}):
            measure_cells(made(name, judge, **options), batch)
    assert len(judge.asked_for) == 4


@pytest.mark.parametrize(
    "name",
    ["judged-faithfulness", "judged-factual-correctness", "judged-answer-correctness", "judged-noise-sensitivity"],
)
def test_sentences_that_are_left_out_are_counted(name: str) -> None:
    row = {"answer": "Lin Wan opened it. I don't know the rest."}
    rows = made(name, ScriptedJudge(any_reply)).measure(batch_of(row))
    assert rows.noted["nothing claimed"].tolist() == [1]
    assert "nothing claimed" in made(name, ScriptedJudge(any_reply)).notes
    assert made(name, ScriptedJudge(any_reply), claims="judge").measure(batch_of(row)).noted == {}


@pytest.mark.parametrize("name", ["judged-faithfulness", "judged-factual-correctness", "judged-context-recall"])
def test_the_prompts_that_a_metric_uses_are_those_of_its_claims(name: str) -> None:
    judge = ScriptedJudge(always(support([])))
    by_sentences, by_judge = (lookup("metric", name).cls(judge=judge, claims=how) for how in ("sentences", "judge"))
    assert by_sentences.prompts_used == ("support",)
    assert by_judge.prompts_used == ("claims", "support")
