"""Abstention: the answers that decline, of all questions and of those that can be answered."""

from __future__ import annotations

import pytest

from ragauge import evaluate, score
from ragauge.errors import DataError
from tests.grounding.test_evasion import CLAIMS, EVASIVE, UNSAID
from tests.metrics.text.test_every_language import TEXTS

NOTE = "refusals may be unknown"


@pytest.mark.parametrize("language", UNSAID)
def test_statements_about_the_passages_decline_alone_and_in_part(language: str) -> None:
    said = UNSAID[language]
    claim = next((text for text in CLAIMS.get(language, []) if len(text) > 8), "It opens at nine in the morning.")
    assert score("abstention", answer=said) == 1
    mixed = [f"{one}\n{claim}" for one in said]
    assert score("abstention", answer=mixed) == 0.5


def test_answers_that_evade_decline_and_others_do_not() -> None:
    assert score("abstention", answer=EVASIVE) == 1
    assert score("abstention", answer=[text for texts in TEXTS.values() for text in texts]) == 0


@pytest.mark.parametrize(("answer", "expected"), [
    ("", 1), ("  \n", 1), ("Sorry! I don't know. Let me know if you have more questions.", 1),
    ("Sure! It opens at nine.", 0), ("I don't know, but it opens at nine.", 0), ("1990", 0), ("Hello!", 0),
])  # fmt: skip
def test_what_declines(answer: str, expected: float) -> None:
    assert score("abstention", answer=answer) == expected


def test_a_language_that_may_be_unknown_is_counted() -> None:
    answers = [TEXTS["el"][0], "Katten sitter på mattan bredvid fönstret och tittar ut.", "לא כתוב במסמך מתי זה נפתח."]
    result = evaluate([{"answer": answer} for answer in answers], "abstention", resamples=0)["abstention"]
    assert (result.value, dict(result.noted)[NOTE]) == (0, 3)
    listed = evaluate([{"answer": one} for one, _ in TEXTS.values() if one != answers[0]], "abstention", resamples=0)
    assert dict(listed["abstention"].noted).get(NOTE, 0) <= 1  # Vietnamese is not told from others


@pytest.mark.parametrize("mark", [True, 1, "true", "Yes", "1"])
def test_over_refusal_looks_at_questions_that_can_be_answered(mark: object) -> None:
    rows = [
        {"answer": "I don't know.", "answerable": mark},
        {"answer": "At nine.", "answerable": mark},
        {"answer": "I don't know.", "answerable": "no" if isinstance(mark, str) else False},
    ]
    result = evaluate(rows, ["over-refusal", "abstention:among=unanswerable"], resamples=0)
    over, declined = result.table
    assert (over.value, over.undefined, over.direction) == (0.5, 1, "lower")
    assert (declined.value, declined.undefined) == (1.0, 2)


def test_references_say_which_questions_can_be_answered() -> None:
    references = [["Nine."], [], [""], ["The passages do not say."], ["我不知道。", "九点。"]]
    rows = [{"answer": "I don't know.", "references": one} for one in references]
    result = evaluate(rows, "over-refusal", resamples=0)
    scores = [row["over-refusal"] for row in result.to_arrow().to_pylist()]
    assert scores == [1.0, None, None, None, 1.0]


@pytest.mark.parametrize("mark", ["perhaps", 2, " "])
def test_all_marks_that_say_neither_yes_nor_no_are_named(mark: object) -> None:
    rows = [{"id": str(row), "answer": "At nine.", "answerable": mark} for row in range(8)]
    with pytest.raises(DataError) as caught:
        evaluate(rows, "over-refusal", resamples=0)
    shown = ", ".join(f"{row} ({mark!r})" for row in range(5))
    assert str(caught.value).endswith(f"in each row; not {shown}, 3 more")


def test_evidence_names_the_sentences_that_decline() -> None:
    answer = "The passages do not say when. It is in Hangzhou."
    result = evaluate([{"id": "a", "answer": answer}], "abstention", resamples=0, evidence=True)
    rows = result.explain("a").to_pylist()
    assert [(row["text"], row["similarity"]) for row in rows] == [
        ("The passages do not say when.", 1.0),
        ("It is in Hangzhou.", 0.0),
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Dazu steht in den Dokumenten nichts. Kann ich Ihnen sonst noch helfen?", 1.0),
        ("文書には記載がありません。他にお手伝いできることはありますか？", 1.0),
        ("В документах об этом ничего не сказано. Могу я помочь чем-то ещё?", 1.0),
        ("لا تذكر الوثائق ذلك. هل يمكنني مساعدتك في شيء آخر؟", 1.0),
        ("दस्तावेज़ों में इसका उल्लेख नहीं है। क्या मैं और मदद कर सकता हूँ?", 1.0),
        ("The documents do not say. It opens at nine. Anything else?", 0.5),
        ("It opens at nine. Anything else?", 0.0),
    ],
)
def test_a_question_beside_a_refusal_answers_nothing(answer: str, expected: float) -> None:
    assert score("abstention", answer=answer) == expected
