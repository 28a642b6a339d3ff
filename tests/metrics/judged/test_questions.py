"""What a judge is asked: which texts of a sample it sees, how long its reply may be, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from ragauge.core.ingredients import Question
from ragauge.core.statistics import Rows, Status
from ragauge.evaluation.partial import measure_cells
from ragauge.judges.question import ReplyForm
from ragauge.metrics.judged._base import VARIANCE, mean_of
from ragauge.metrics.judged._forms import CLAIMS, ENTITIES, PREFERENCE, QUESTIONS, SUPPORT, USEFUL, rating

from .toys import FULL, ScriptedJudge, any_reply, batch_of, data_in, made

QUESTION, ANSWER, REFERENCE = FULL["question"], FULL["answer"], FULL["references"][0]
PASSAGES, CLAIMED = FULL["contexts"], ["Lin Wan opened it.", "It has a garden."]


def asked(name: str, *rows: Mapping[str, Any], **options: Any) -> list[Question]:
    judge = ScriptedJudge(any_reply)
    measure_cells(made(name, judge, **options), batch_of(*rows or ({},)))
    return judge.asked_for


@pytest.mark.parametrize(
    ("name", "options", "texts"),
    [
        ("judged-faithfulness", {}, [[QUESTION, *PASSAGES, *CLAIMED]]),
        ("judged-faithfulness", {"claims": "judge"}, [[QUESTION, ANSWER], [QUESTION, *PASSAGES, *CLAIMED]]),
        ("judged-citation-recall", {}, [[QUESTION, *PASSAGES, *CLAIMED]]),
        ("judged-context-recall", {}, [[QUESTION, *PASSAGES, REFERENCE]]),
        ("judged-factual-correctness", {}, [[QUESTION, REFERENCE, *CLAIMED], [QUESTION, ANSWER, REFERENCE]]),
        ("judged-answer-correctness", {}, [[QUESTION, REFERENCE, *CLAIMED], [QUESTION, ANSWER, REFERENCE]]),
        (
            "judged-noise-sensitivity",
            {},
            [[QUESTION, *PASSAGES, *CLAIMED], [QUESTION, *PASSAGES, REFERENCE], [QUESTION, REFERENCE, *CLAIMED]],
        ),
        ("judged-context-precision", {}, [[QUESTION, REFERENCE, *PASSAGES]]),
        ("judged-context-utilization", {}, [[QUESTION, ANSWER, *PASSAGES]]),
        ("judged-context-relevancy", {}, [[QUESTION, *PASSAGES]]),
        ("judged-context-entity-recall", {}, [[REFERENCE], ["\n".join(PASSAGES)]]),
        ("judged-answer-relevancy", {}, [[ANSWER]]),
        ("judged-answer-rating", {}, [[QUESTION, ANSWER, REFERENCE], [QUESTION, REFERENCE, ANSWER]]),
        ("judged-context-rating", {}, [[QUESTION, *PASSAGES]]),
        ("judged-nugget-all", {}, [[QUESTION, ANSWER, REFERENCE]]),
        ("judged-passage-relevance", {}, [[QUESTION, text] for text in PASSAGES]),
        ("judged-groundedness-rating", {}, [[QUESTION, *PASSAGES, ANSWER]]),
        ("judged-preference", {}, [[QUESTION, ANSWER, "Nobody."], [QUESTION, "Nobody.", ANSWER]]),
        ("judged-rubric", {}, [[QUESTION, ANSWER]]),
        ("judged-rubric", {"shows": ("references", "contexts")}, [[*PASSAGES, REFERENCE, ANSWER]]),
    ],
)
def test_what_a_judge_sees(name: str, options: dict[str, Any], texts: list[list[str]]) -> None:
    seen = [data_in(question.messages[-1][1]) for question in asked(name, **options)]
    assert sorted(map(sorted, seen)) == sorted(map(sorted, texts))


@pytest.mark.parametrize("name", ["judged-faithfulness", "judged-context-precision", "judged-groundedness-rating"])
def test_a_blank_question_is_not_shown(name: str) -> None:
    with_it, *without = asked(
        name, {}, {"question": " "}, {"question": None, "answer": "Other.", "references": ["Other."]}
    )
    assert "Question:" in with_it.messages[-1][1]
    assert len(without) == 2
    assert not any("Question:" in one.messages[-1][1] for one in without)


def test_blank_passages_keep_their_numbers_and_blank_references_are_not_shown() -> None:
    [one] = asked("judged-context-precision", {"contexts": ["", "It rained."], "references": [" ", "Lin Wan."]})
    assert data_in(one.messages[-1][1]) == [QUESTION, "Lin Wan.", "", "It rained."]
    assert "from 1 to 2" in one.messages[-1][1]


def test_claims_of_the_judge_are_those_of_open_samples_and_texts_that_are_not_blank() -> None:
    rows: list[dict[str, Any]] = [
        {"failure": "timeout"},
        {"contexts": None},
        {"references": ["", "It has a garden."]},
        {},
    ]
    texts = [data_in(one.messages[-1][1]) for one in asked("judged-context-recall", *rows, claims="judge")]
    assert [one for one in texts if len(one) == 2] == [[QUESTION, "It has a garden."], [QUESTION, REFERENCE]]


@pytest.mark.parametrize(
    ("form", "data", "tokens"),
    [
        (SUPPORT, {"count": 1}, 104),
        (SUPPORT, {"count": 100}, 4064),
        (SUPPORT, {"count": 101}, 4096),
        (USEFUL, {"count": 2}, 144),
        (CLAIMS, {"text": "x" * 10}, 148),
        (CLAIMS, {"text": "x" * 3000}, 4096),
        (ENTITIES, {"text": "x" * 10}, 84),
        (QUESTIONS, {"count": 3}, 256),
        (PREFERENCE, {}, 32),
        (rating("rubric", 1, 100), {}, 32),
    ],
)
def test_the_most_tokens_of_a_reply(form: ReplyForm, data: dict[str, Any], tokens: int) -> None:
    assert form.tokens(data) == tokens


def test_tokens_to_think_come_on_top() -> None:
    plain, thinking = asked("judged-rubric"), asked("judged-rubric", thinking=500)
    assert [one.max_tokens for one in plain + thinking] == [32, 532]


def test_the_labels_of_ratings() -> None:
    assert (PREFERENCE.label, PREFERENCE.labels) == ("better", ("0", "1", "2"))
    assert (rating("accuracy").label, rating("accuracy").labels) == ("rating", ("0", "1", "2"))
    assert rating("rubric", 3, 5).labels == ("3", "4", "5")
    assert SUPPORT.label == ""
    assert SUPPORT.labels == ()
    assert rating("rubric", 3, 5).expected({}) == {"rating": 3}


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (SUPPORT, {"claims": [{"claim": 1, "passages": [1]}, {"claim": 2, "passages": [1]}]}),
        (USEFUL, {"passages": [{"passage": 1, "useful": True}, {"passage": 2, "useful": True}]}),
        (CLAIMS, {"claims": ["It says: 茶馆开了。", "It says: 下雨了。"]}),
    ],
)
def test_the_reply_that_a_dry_run_counts(form: ReplyForm, expected: Any) -> None:
    assert form.expected({"count": 2, "text": "茶馆开了。下雨了。"}) == expected


def test_many_entries_are_cut_in_a_complaint() -> None:
    reply = {"passages": [{"passage": number, "useful": True} for number in range(1, 31)]}
    shown = SUPPORT.complaint({"count": 40, "passages": []}, {"claims": []}), USEFUL.complaint({"count": 40}, reply)
    assert shown[0] == "there must be one entry for each claim from 1 to 40; got entries for none"
    assert shown[1] == (
        "there must be one entry for each passage from 1 to 40; got entries for "
        + ", ".join(str(number) for number in range(1, 21))
    )


def rows_of_one(*samples: tuple[int, float], reasons: Mapping[int, str] | None = None) -> Rows:
    """Return the statistics of one judge: status and value of each sample."""
    status = np.array([status for status, _ in samples], dtype=np.uint8)
    value = np.array([value for _, value in samples])
    columns = {"value": value, "count": np.ones(len(samples)), "recall": value / 2}
    return Rows.of(columns, status=status, reasons=reasons or {}, noted={"note": np.arange(len(samples))})


def test_the_mean_of_three_judges() -> None:
    ok, undefined, failed, missing = Status.OK, Status.UNDEFINED, Status.FAILED, Status.MISSING
    three = [
        rows_of_one((ok, 0.0), (ok, 0.25), (ok, 1.0), (undefined, 0.0), (ok, 1.0), (missing, 0.0)),
        rows_of_one((ok, 0.5), (undefined, 0.0), (failed, 0.0), (undefined, 0.0), (failed, 0.0), (missing, 0.0),
                    reasons={2: "b", 4: "first"}),
        rows_of_one((ok, 1.0), (ok, 0.75), (ok, 1.0), (undefined, 0.0), (failed, 0.0), (missing, 0.0),
                    reasons={4: "second"}),
    ]  # fmt: skip
    mean = mean_of(three)
    assert mean.status.tolist() == [ok, ok, failed, undefined, failed, missing]
    assert mean["value"].tolist()[:2] == [0.5, 0.5]
    assert mean["recall"].tolist()[:2] == [0.25, 0.25]
    # The unbiased variance of 0, .5, 1 and of .25, .75.
    assert mean[VARIANCE].tolist()[:2] == [0.25, 0.125]
    assert mean["count"].tolist()[:2] == [1.0, 1.0]
    assert mean.reasons == {2: "b", 4: "first"}
    assert mean.noted["note"].tolist() == [0, 3, 6, 9, 12, 15]


def test_notes_of_ratings_without_probabilities() -> None:
    def counted(judge: ScriptedJudge, **options: Any) -> list[int]:
        batch = batch_of({}, {"answer": ""}, {"answer": "Other."})
        rows: Rows = made("judged-answer-rating", judge, **options).measure(batch)
        return [int(count) for count in rows.noted["without probabilities"]]

    assert counted(ScriptedJudge(any_reply)) == [2, 0, 2]
    assert counted(ScriptedJudge(any_reply, probabilities={"1": 1.0})) == [0, 0, 0]
    assert counted(ScriptedJudge(any_reply), weighted=False) == [0, 0, 0]
