"""Several answers to each question of a run."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import ColumnError, OptionError, UsageError
from ragauge.results.result import Result

ANSWERS = {"q1": ["tea", "tea", "tea"], "q2": ["tea", "ale", "ale"], "q3": ["ale", "ale", "ale"], "q4": ["tea"]}


def run(answers: dict[str, list[Any]] = ANSWERS, cluster: str | None = "q", metrics: Any = "exact-match") -> Result:
    rows = [
        {"id": f"{name}#{place}", "q": name, "answer": answer, "references": ["tea"], "latency": float(place)}
        for name, several in answers.items()
        for place, answer in enumerate(several)
    ]
    return ragauge.evaluate(rows, metrics, cluster=cluster)


def test_chances_by_question_and_the_questions_left_out() -> None:
    [one] = ragauge.repeats(run()).scores
    assert (one.questions, one.answers, one.total, one.k, one.short) == (4, 10, 10, 3, 1)
    assert one.mean.value == pytest.approx((1 + 1 / 3 + 0 + 1) / 4)
    assert (one.any_of.value, one.all_of.value) == pytest.approx((2 / 3, 1 / 3))
    assert one.flips.value == pytest.approx((0 + 2 / 3 + 0) / 3)
    assert one.mean.low < one.mean.value < one.mean.high
    [two] = ragauge.repeats(run(), k=2).scores
    assert (two.any_of.value, two.all_of.value) == pytest.approx(((1 + 2 / 3 + 0) / 3, 1 / 3))
    shown = " ".join(str(ragauge.repeats(run())).split())
    assert "pass@3" in shown
    assert "exact-match: 1 question has fewer than 3 scored answers, left out of pass@k and pass^k" in shown


def test_the_interval_of_equal_numbers_of_answers_is_that_of_the_run_by_clusters() -> None:
    result = run({f"q{i}": ["tea"] * (i % 4) + ["ale"] * (3 - i % 4) for i in range(12)})
    [one] = ragauge.repeats(result).scores
    score = result["exact-match"]
    assert (one.mean.value, one.mean.low) == pytest.approx((score.value, score.low), abs=0.02)


def test_what_more_would_tell() -> None:
    always = ragauge.repeats(run({f"q{i}": [["tea", "ale"][i % 2]] * 4 for i in range(10)}))["exact-match"]
    assert (always.within, always.more_answers) == (0.0, 1.0)
    by_chance = ragauge.repeats(run({f"q{i}": ["tea", "ale"] * 2 for i in range(10)}))["exact-match"]
    assert (by_chance.between, by_chance.more_answers) == pytest.approx((0.0, 0.5**0.5))
    same = ragauge.repeats(run({f"q{i}": ["tea"] * 4 for i in range(10)}))
    said = "more questions help"
    assert [said in str(one) for one in (same, ragauge.repeats(run({"q0": ["tea", "ale"], "q1": ["tea", "tea"]})))] == [
        False,
        True,
    ]
    assert always.more_questions == by_chance.more_questions == pytest.approx(0.5**0.5)


def test_scores_that_are_not_0_or_1_need_the_one_that_passes() -> None:
    result = run(metrics=["token-f1", "column:name=latency,direction=lower"])
    latency = "column:name=latency,direction=lower"
    assert isnan(ragauge.repeats(result, metrics=latency).scores[0].any_of.value)
    # token-f1 is 0 or 1 here; the latencies are 0, 1, 2.
    assert ragauge.repeats(result, passing=0)[latency].all_of.value == 0.0
    assert ragauge.repeats(result, passing=1, k=1)[latency].any_of.value == pytest.approx((2 / 3 * 3 + 1) / 4)
    assert "as in passing=0.5" in " ".join(str(ragauge.repeats(result, metrics=latency)).split())


def test_answers_without_a_score_are_left_out_and_told() -> None:
    result = run({"q1": ["tea", None, "ale"], "q2": ["tea", "tea", "ale"], "q3": [None, None, None]})
    [one] = ragauge.repeats(result).scores
    assert (one.questions, one.answers, one.total) == (2, 5, 9)
    assert "4 of 9 answers have no score" in str(ragauge.repeats(result))
    [none] = ragauge.repeats(run({"q1": [None, None]})).scores
    assert isnan(none.mean.value)
    assert none.questions == 0
    assert none.to_dict()["mean"] == {"value": None, "low": None, "high": None}


def test_rows_without_a_question_are_each_their_own() -> None:
    rows = [{"q": q, "answer": "tea", "references": ["tea"]} for q in ("a", "a", None, None)]
    [one] = ragauge.repeats(ragauge.evaluate(rows, "exact-match"), "q").scores
    assert one.questions == 3


def test_a_saved_run_and_the_column_of_its_questions(tmp_path: Path) -> None:
    run(cluster=None).save(tmp_path / "run")
    with pytest.raises(UsageError, match="name the column whose values are the questions, as in by='question_id'"):
        ragauge.repeats(tmp_path / "run")
    with pytest.raises(ColumnError, match="by must be a column of the run; it has no 'topic'"):
        ragauge.repeats(tmp_path / "run", "topic")
    with pytest.raises(UsageError, match="no two answers share a value of id; name the column of their questions"):
        ragauge.repeats(tmp_path / "run", "id")
    assert ragauge.repeats(tmp_path / "run", "q").to_dict() == ragauge.repeats(run()).to_dict()


@pytest.mark.parametrize(
    ("option", "message"),
    [({"k": 0}, "'k' of repeats"), ({"level": 1}, "'level' of repeats"), ({"passing": "x"}, "'passing' of repeats")],
)
def test_wrong_options(option: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ragauge.repeats(run(), **option)


def test_a_score_that_no_answer_can_have_does_not_pass() -> None:
    with pytest.raises(UsageError, match=r"passing=2\.0 is beyond exact-match, whose scores are from 0 to 1"):
        ragauge.repeats(run(), passing=2)
