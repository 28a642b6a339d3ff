"""Nuggets by a judge: a rating of 2, 1 or 0 for each that the data assign nothing to, all of a sample at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Reply
from ragauge.core.registry import entries
from ragauge.core.statistics import Status
from ragauge.errors import DataError
from ragauge.evaluation.partial import measure_cells
from ragauge.judges.typed import of_messages
from ragauge.metrics.judged.judged_nugget_all import JudgedNuggetAll

from .toys import ScriptedJudge, batch_of, cells_of, data_in, made

NAMES = ("judged-nugget-all", "judged-nugget-vital", "judged-nugget-strict-all", "judged-nugget-strict-vital")
RATED = {"Opened in 1990.": 2, "由林婉创办。": 1, "فيه حديقة.": 0, "ปิดวันจันทร์": 2}


def ratings(*numbers: int) -> dict[str, Any]:
    return {"nuggets": [{"nugget": place, "rating": one} for place, one in enumerate(numbers, 1)]}


def script(_prompt: str, message: str) -> Any:
    """Rate the nuggets, which are the texts of the message that are known."""
    return ratings(*[RATED[text] for text in data_in(message) if text in RATED])


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
    assert counts == [1, 1, 1, 1]


def test_all_nuggets_of_a_sample_are_one_question() -> None:
    judge = ScriptedJudge(script)
    measure_cells(made("judged-nugget-all", judge), batch_of(ROW, {**ROW, "answer": "Anders."}))
    assert [data_in(one.messages[-1][1])[-4:] for one in judge.asked_for] == [list(RATED)] * 2
    assert [one.max_tokens for one in judge.asked_for] == [64 + 4 * 40] * 2


@dataclass(frozen=True)
class Deciding:
    """A decision model that gives each nugget the same shares of 0, 1 and 2, and keeps what it is asked."""

    asked_for: list[Any] = field(default_factory=list, compare=False)
    questions_at_once: int = 3
    signature: str = "deciding"

    def ask(self, questions: Any, _check: Any, _session: Any = None) -> list[Reply]:
        self.asked_for.extend(of_messages(one.messages)[1] for one in questions)
        return [
            Reply(status="ok", value={"probabilities": [[0.2, 0.3, 0.5] for _ in of_messages(one.messages)[1]]})
            for one in questions
        ]


def test_probabilities_of_ratings_count() -> None:
    """2 with .5, 1 with .3 and 0 with .2: a mean of 1.3 of 2; strict, .5."""
    judge, batch = Deciding(), batch_of({"nuggets": nuggets("vital", "vital", "okay", "okay")})
    assert measure_cells(made("judged-nugget-all", judge), batch).scores.tolist() == [pytest.approx(0.65)]
    assert measure_cells(made("judged-nugget-all", judge, strict=True), batch).scores.tolist() == [0.5]
    assert [len(one) for one in judge.asked_for] == [3, 1]
    first = judge.asked_for[0][0]
    assert (first["type"], [one["label"] for one in first["levels"]]) == ("score", ["0", "1", "2"])
    assert "the whole fact" in first["levels"][2]["description"]
    assert next(iter(RATED)) in first["instructions"]


def test_a_sample_fails_without_all_ratings_where_one_counts() -> None:
    def lost(prompt: str, message: str) -> Any:
        return "refused: no" if "حديقة" in message else script(prompt, message)

    cells = cells_of("judged-nugget-all", lost, ROW, {"nuggets": nuggets("vital")})
    assert cells.sums.status.tolist() == [Status.FAILED, Status.OK]
    assigned = [{**one, "assignment": "support"} for one in nuggets("okay")]
    okay = {"nuggets": [*assigned, {"text": "فيه حديقة.", "importance": "okay"}]}
    assert cells_of("judged-nugget-all", lost, okay, importance="vital").sums.status.tolist() == [Status.UNDEFINED]


@pytest.mark.parametrize(
    ("entries", "wrong"), [([(1, 2)], "from 1 to 2; got entries for 1"), ([(1, 1), (1, 2), (2, 0)], "contradict")]
)
def test_each_nugget_has_one_rating(entries: list[tuple[int, int]], wrong: str) -> None:
    reply = {"nuggets": [{"nugget": nugget, "rating": rating} for nugget, rating in entries]}
    cells = cells_of("judged-nugget-all", lambda *_: reply, {"nuggets": nuggets("vital", "okay")})
    assert wrong in cells.sums.reasons[0]


PROPOSED = [
    {"text": text, "importance": one} for text, one in zip(RATED, ("vital", "vital", "okay", "okay"), strict=True)
]


def proposing(prompt: str, message: str) -> Any:
    return {"nuggets": PROPOSED} if prompt == "facts" else script(prompt, message)


def test_without_a_column_the_judge_proposes_by_question_and_references() -> None:
    judge = ScriptedJudge(proposing)
    rows = [{"id": name, "question": "Wer?", "references": ["Lin.", " "], "answer": answer}
            for name, answer in (("a", "Lin Wan."), ("b", "Niemand."), ("c", ""))]  # fmt: skip
    metrics = [made("judged-nugget-all", judge, **more) for more in ({}, {"importance": "vital", "strict": True})]
    result = ragauge.evaluate(rows, metrics, evidence=True, resamples=0)
    assert [result.scores(name).tolist() for name in result.metrics] == [[0.625, 0.625, 0.0], [0.5, 0.5, 0.0]]
    asked = [(one.prompt, data_in(one.messages[-1][1])) for one in judge.asked_for]
    # One proposal for all three, of which the answer is no part; an empty answer is not rated.
    assert [texts for prompt, texts in asked if prompt == "facts"] == [["Wer?", "Lin."]]
    assert [prompt for prompt, _ in asked].count("nuggets") == 2
    assert result.evidence is not None
    assert {row["what"] for row in result.evidence.rows(result.sample_ids())} == {"vital nugget", "okay nugget"}


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ({"nuggets": []}, Status.UNDEFINED),
        ("refused: no", Status.FAILED),
        ({"nuggets": PROPOSED[:1] * 3}, Status.FAILED),
        ({"nuggets": [{"text": " ", "importance": "vital"}]}, Status.FAILED),
    ],
)
def test_proposals_that_cannot_be_used(reply: Any, status: Status) -> None:
    batch = Batch(pa.table({"id": ["a"], "question": ["?"], "references": [["Lin."]], "answer": ["Lin."]}))
    cells = measure_cells(made("judged-nugget-all", ScriptedJudge(lambda *_: reply), most=2), batch)
    assert cells.sums.status.tolist() == [status]


def test_a_decision_model_proposes_none() -> None:
    batch = Batch(pa.table({"id": ["a"], "question": ["?"], "references": [["Lin."]], "answer": ["Lin."]}))
    with pytest.raises(DataError, match=r"judged-nugget-all needs a column nuggets with judge .*writes no nuggets"):
        measure_cells(made("judged-nugget-all", Deciding()), batch)


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
