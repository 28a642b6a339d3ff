"""What each judged metric makes of a judge's replies, and what it does not ask."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.batch import Batch
from ragauge.core.registry import lookup
from ragauge.core.statistics import Status
from ragauge.evaluation.partial import Cells, measure_cells
from ragauge.metrics.judged.judged_factual_correctness import ClaimAgreement

from .toys import NEEDED, ScriptedJudge, relevant, support, useful

EVERY = [
    "judged-answer-correctness", "judged-answer-rating", "judged-answer-relevancy", "judged-context-entity-recall",
    "judged-context-precision", "judged-context-rating", "judged-context-recall", "judged-context-relevancy",
    "judged-context-utilization", "judged-factual-correctness", "judged-faithfulness", "judged-groundedness-rating",
    "judged-noise-sensitivity", "judged-preference", "judged-rubric",
]  # fmt: skip
FULL: Mapping[str, Any] = {
    "question": "Who opened it?",
    "answer": "Lin Wan opened it. It has a garden.",
    "contexts": ["Lin Wan opened it.", "It rained."],
    "references": ["Lin Wan opened it."],
    "other_answer": "Nobody.",
}


def batch_of(*rows: Mapping[str, Any]) -> Batch:
    full = [{"id": f"s{place}", **FULL, "failure": None, **row} for place, row in enumerate(rows)]
    return Batch(pa.Table.from_pylist(full))


def cells_of(name: str, script: Callable[[str, str], Any], *rows: Mapping[str, Any], **options: Any) -> Cells:
    return measure_cells(made(name, ScriptedJudge(script), **options), batch_of(*rows))


def made(name: str, judge: Any, **options: Any) -> Any:
    return lookup("metric", name).cls(judge=judge, **{**NEEDED.get(name, {}), **options})


def always(value: Any) -> Callable[[str, str], Any]:
    return lambda _prompt, _message: value


def any_reply(prompt: str, message: str) -> Any:
    """Reply in the right form, whatever is asked, with the first claim, passage or sentence marked."""
    listed = {"support": "Claims:", "useful": "Passages:", "relevant": "Sentences:"}
    if prompt in listed:
        block = message.partition(listed[prompt])[2].partition("\n\n")[0]
        marks = [number == 0 for number in range(block.count("\n["))]
        form = {"support": lambda *marks: support(*[[1] if mark else [] for mark in marks])}
        return {"useful": useful, "relevant": relevant, **form}[prompt](*marks)
    replies = {
        "claims": {"claims": ["Lin Wan opened it.", "It has a garden."]},
        "entities": {"entities": ["Lin Wan"]},
        "questions": {"questions": ["Who opened it?"] * 3, "evasive": False},
        "preference": {"better": 1},
    }
    return replies.get(prompt, {"rating": 1})


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
    columns = ("answer", "question", "contexts", "references", "other_answer")
    metric = made(name, judge)
    needed = {column for way in metric.needs for column in way}
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


def test_claims_of_the_judge() -> None:
    def script(prompt: str, message: str) -> Any:
        if prompt == "claims":
            return {"claims": ["a", "b", "c", "d"] if "garden" in message else []}
        return support([1], [], [1], [1])

    cells = cells_of("judged-faithfulness", script, {}, {"answer": "Hello!"}, claims="judge")
    assert cells.scores[0] == 0.75
    assert cells.sums.status.tolist() == [Status.OK, Status.UNDEFINED]


def test_context_recall_takes_the_best_reference() -> None:
    rows: list[dict[str, Any]] = [{"references": texts} for texts in (["One. Two.", "Three."], [], [" "])]
    rows.append({"contexts": []})
    cells = cells_of("judged-context-recall", always(support([1], [], [2])), *rows)
    assert cells.scores[0] == 1.0
    assert cells.sums.status.tolist() == [Status.OK, Status.UNDEFINED, Status.UNDEFINED, Status.OK]
    assert cells.scores[3] == 0.0


@pytest.mark.parametrize("name", ["judged-context-precision", "judged-context-utilization"])
def test_context_precision(name: str) -> None:
    script = always(useful(True, False, True))
    three = {"contexts": ["a", "b", "c"]}
    assert cells_of(name, script, three).scores.tolist() == [pytest.approx(5 / 6, abs=1e-15)]
    assert cells_of(name, script, three, k=2).scores.tolist() == [1.0]
    assert cells_of(name, always(useful(False, False)), {}, {"contexts": []}).scores.tolist() == [0.0, 0.0]
    nothing = cells_of(name, script, {"answer": "", "references": []})
    assert nothing.sums.status[0] == (Status.UNDEFINED if name == "judged-context-precision" else Status.OK)


def test_context_relevancy() -> None:
    cells = cells_of("judged-context-relevancy", always(relevant(True, False)), {}, {"contexts": []}, {"question": " "})
    assert cells.scores[:2].tolist() == [0.5, 0.0]
    assert cells.sums.status[2] == Status.UNDEFINED


def test_answer_relevancy() -> None:
    replies = {"questions": ["Who opened it?", "Who opened it?", "Who opened it?"], "evasive": False}
    rows = [{}, {"answer": ""}, {"question": ""}]
    cells = cells_of("judged-answer-relevancy", always(replies), *rows)
    assert cells.scores[:2].round(12).tolist() == [1.0, 0.0]
    assert cells.sums.status[2] == Status.UNDEFINED
    assert cells_of("judged-answer-relevancy", always({**replies, "evasive": True}), {}).scores.tolist() == [0.0]


def of_two(answer: Any, reference: Any) -> Callable[[str, str], Any]:
    """Reply ``answer`` where the claims are those of the answer, else ``reference``."""
    return lambda _prompt, message: answer if "garden" in message.partition("Claims:")[2] else reference


def test_factual_correctness() -> None:
    script = of_two(support([1], []), support([1]))
    cells = cells_of("judged-factual-correctness", script, {})
    assert cells.scores[0] == pytest.approx(2 / 3, abs=1e-15)
    assert {name: part[0] for name, part in cells.parts.items()} == {"precision": 0.5, "recall": 1.0}
    for mode, expected in (("precision", 0.5), ("recall", 1.0)):
        assert cells_of("judged-factual-correctness", script, {}, mode=mode).scores[0] == expected
    # Of two references the second agrees more.
    two = {"references": ["It rained.", "Lin Wan opened it."]}
    cells = cells_of("judged-factual-correctness", of_two(support([2], [2]), support([], [1])), two)
    assert cells.scores[0] == 1.0
    cells = cells_of("judged-factual-correctness", always(support([])), {"answer": ""}, {"references": [""]})
    assert cells.scores[0] == 0.0
    assert cells.sums.status.tolist() == [Status.OK, Status.UNDEFINED]


def test_answer_correctness() -> None:
    script = of_two(support([1], []), support([1]))
    alone = cells_of("judged-answer-correctness", script, {}, weights=(1, 0))
    assert alone.scores[0] == pytest.approx(2 / 3, abs=1e-15)
    both = cells_of("judged-answer-correctness", script, {})
    similarity = both.parts["similarity"][0]
    assert 0 < similarity < 1
    assert both.scores[0] == pytest.approx(0.75 * 2 / 3 + 0.25 * similarity, abs=1e-15)


def test_noise_sensitivity() -> None:
    def script(_prompt: str, message: str) -> Any:
        passages, _, claims = message.partition("Claims:")
        if "garden" not in claims:
            return support([1])
        return support([1], [1]) if "rained" in passages else support([1], [])

    assert cells_of("judged-noise-sensitivity", script, {}).scores.tolist() == [0.5]
    assert cells_of("judged-noise-sensitivity", script, {}, mode="irrelevant").scores.tolist() == [0.0]
    cells = cells_of("judged-noise-sensitivity", script, {"answer": ""}, {"references": []}, {"contexts": []})
    assert cells.sums.status.tolist() == [Status.UNDEFINED, Status.UNDEFINED, Status.OK]


def test_context_entity_recall() -> None:
    def script(_prompt: str, message: str) -> Any:
        return {
            "entities": ["LIN wan", "Ｐａｒｉｓ"] if "rained" in message else ["Lin Wan", "lin wan", "Paris", "1990"]
        }

    assert cells_of("judged-context-entity-recall", script, {}).scores[0] == pytest.approx(2 / 3)
    assert cells_of("judged-context-entity-recall", script, {}, match="exact").scores[0] == 0.0
    cells = cells_of("judged-context-entity-recall", always({"entities": []}), {}, {"contexts": []})
    assert cells.sums.status.tolist() == [Status.UNDEFINED, Status.UNDEFINED]


@pytest.mark.parametrize(
    ("name", "worst"),
    [
        ("judged-answer-rating", {"answer": ""}),
        ("judged-context-rating", {"contexts": ["", " "]}),
        ("judged-groundedness-rating", {"contexts": []}),
    ],
)
def test_ratings(name: str, worst: Mapping[str, Any]) -> None:
    cells = cells_of(name, always({"rating": 1}), {}, worst)
    assert cells.scores.tolist() == [0.5, 0.0]
    assert cells_of(name, always({"rating": 2}), {}).scores.tolist() == [1.0]
    judge = ScriptedJudge(always({"rating": 2}), probabilities={"0": 0.0, "1": 0.5, "2": 0.5})
    assert measure_cells(made(name, judge), batch_of({})).scores.tolist() == [0.75]
    assert measure_cells(made(name, judge, weighted=False), batch_of({})).scores.tolist() == [1.0]


def test_an_answer_is_rated_in_both_orders() -> None:
    judge = ScriptedJudge(
        lambda _prompt, message: {"rating": 2 if message.index("garden") < message.rindex("Lin") else 0}
    )
    cells = measure_cells(made("judged-answer-rating", judge), batch_of({}))
    first, second = [question.messages[-1][1] for question in judge.asked_for]
    assert first != second
    assert cells.scores.tolist() == [0.5]


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


def test_precision_and_both_recalls_of_claims() -> None:
    counts = {"right": [2, 0, 0, 3], "claimed": [3, 2, 0, 3], "covered": [1, 0, 0, 4], "stated": [4, 2, 0, 4]}
    found = ClaimAgreement(np.arange(4), **{name: np.array(some, dtype=float) for name, some in counts.items()})
    assert found.precision().tolist() == [2 / 3, 0, 0, 1]
    assert found.recall("own").tolist() == [1 / 4, 0, 0, 1]
    assert found.recall("mixed").tolist() == [2 / 5, 0, 0, 1]


@pytest.mark.parametrize("name", ["judged-faithfulness", "judged-factual-correctness", "judged-context-recall"])
def test_the_prompts_that_a_metric_uses_are_those_of_its_claims(name: str) -> None:
    judge = ScriptedJudge(always(support([])))
    by_sentences, by_judge = (lookup("metric", name).cls(judge=judge, claims=how) for how in ("sentences", "judge"))
    assert by_sentences.prompts_used == ("support",)
    assert by_judge.prompts_used == ("claims", "support")
