"""Answer relevancy: RAGAS' mean of cosines, its two rules for evasion, its edges."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.errors import ColumnError, DataError
from ragauge.grounding.evasion import are_evasive
from ragauge.metrics.rag.answer_relevancy import AnswerRelevancy
from tests.approved import pattern

from .given import Placed, batch_of, cells, scores

VECTORS = {"q": (1.0, 0.0), "g1": (0.6, 0.8), "g2": (1.0, 0.0), "g3": (-1.0, 0.0), "g4": (-0.6, 0.8), "a": (0.8, 0.6)}


def score(*generated: str, answer: str = "a", marks: Any = None, **options: Any) -> float:
    row = {"question": "q", "answer": answer, "generated_questions": list(generated)}
    metric = AnswerRelevancy(embedder=Placed(VECTORS), **options)
    return scores(metric, {**row, "noncommittal": marks} if marks is not None else row)[0]


def test_mean_cosine_of_generated_questions() -> None:
    assert score("g1", "g2") == pytest.approx(0.8)
    assert score("g1", "g2", "g1") == pytest.approx(2.2 / 3)


def test_the_answer_stands_in_for_its_questions_where_there_are_none() -> None:
    metric = AnswerRelevancy(embedder=Placed(VECTORS))
    found = cells(metric, {"question": "q", "answer": "a"})
    assert found.scores.tolist() == [pytest.approx(0.8)]
    assert found.parts["questions"].tolist() == [0.0]
    assert score("g2", questions="direct") == pytest.approx(0.8)
    with pytest.raises(ColumnError, match="generated_questions"):
        ragauge.score("answer-relevancy:questions=column", question="q", answer="a")


def test_questions_are_embedded_as_queries_and_an_answer_as_a_passage() -> None:
    embedder = Placed(VECTORS, symmetric=False)
    metric = AnswerRelevancy(embedder=embedder)
    cells(metric, {"question": "q", "answer": "a"})
    cells(metric, {"question": "q", "answer": "a", "generated_questions": ["g1"]})
    assert embedder.roles == {"q": "query", "a": "passage", "g1": "query"}


def test_the_signature_says_which_was_compared() -> None:
    row = {"question": "Who?", "answer": "Lin Wan."}
    direct = ragauge.evaluate([row], "answer-relevancy", resamples=0)
    made = ragauge.evaluate([{**row, "generated_questions": ["Who?"]}], "answer-relevancy", resamples=0)
    assert "|questions=direct|" in direct["answer-relevancy"].signature
    assert "|questions=column|" in made["answer-relevancy"].signature
    assert str(direct.metrics["answer-relevancy"]) == "answer-relevancy:questions=direct"


def test_the_number_of_questions_is_a_part() -> None:
    row = {"question": "q", "answer": "a", "generated_questions": ["g1", "", "g2"]}
    assert cells(AnswerRelevancy(embedder=Placed(VECTORS)), row).parts["questions"].tolist() == [2.0]


def test_negative_cosines() -> None:
    assert (score("g3"), score("g3", clip=False)) == (0.0, -1.0)
    assert score("g3", "g2", "g1") == pytest.approx(0.2)
    assert AnswerRelevancy(clip=False).range == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("marks", "rule", "zero"),
    [
        ([1, 0], "any", True),
        ([1, 0], "all", False),
        ([1, 1], "all", True),
        ([1, 1], "off", False),
        ([0, 0], "any", False),
        ([], "all", False),
        (True, "all", True),
        (0, "any", False),
        ("false", "any", False),
        ("True", "all", True),
        (["no", "yes"], "any", True),
    ],
)
def test_marks_of_evasion(marks: Any, rule: str, zero: bool) -> None:
    assert score("g1", "g2", marks=marks, noncommittal=rule) == (0.0 if zero else pytest.approx(0.8))


def test_a_mark_that_is_none_is_named() -> None:
    with pytest.raises(DataError, match=pattern("metrics.a_mark_of_the_column_noncommittal_must")):
        score("g1", marks="perhaps")


def test_presets_only_fill_options() -> None:
    assert str(ragauge.parse("answer-relevancy:compat=ragas")) == "answer-relevancy:clip=false,questions=column"
    assert ragauge.parse("answer-relevancy:compat=ragas-0.2") == AnswerRelevancy(
        clip=False, questions="column", noncommittal="any"
    )


def test_edges() -> None:
    found = cells(
        AnswerRelevancy(embedder=Placed(VECTORS)),
        {"question": "q", "answer": "", "generated_questions": ["g2"]},
        {"question": "q", "answer": "a", "generated_questions": []},
        {"question": " ", "answer": "a", "generated_questions": ["g2"]},
        {"question": "q", "answer": None, "generated_questions": ["g2"]},
        {"question": "q", "answer": "a", "generated_questions": ["g2", "lost"]},
        {"question": "q", "answer": "I don't know.", "generated_questions": ["lost"]},
    )
    states = [Status.OK, Status.OK, Status.UNDEFINED, Status.MISSING, Status.FAILED, Status.OK]
    assert found.sums.status.tolist() == states
    assert [found.scores[place] for place in (0, 1, 5)] == [0.0, 0.0, 0.0]
    assert math.isnan(found.scores[4])


EVASIVE = {
    "en": [
        "I don't know.",
        "I’m sorry, I can't answer that.",
        "I'm unable to answer that question.",
        "I don't have enough information to answer the question.",
        "I do not have access to that information.",
        "I have no idea.",
        "The context does not mention the founder.",
        "There is no answer in the provided passages.",
        "The answer is not in the context.",
        "The information isn't available.",
        "Not mentioned in the context.",
        "Unknown",
    ],
    "zh": [
        "我不知道。",
        "抱歉，无法回答这个问题。",
        "文中没有提到开店的年份。",
        "文中没有说明。",
        "提供的内容中没有包含这个问题的答案。",
        "暂无相关信息。",
        "無從得知。",
        "我並不清楚。",
    ],
    "ja": [
        "わかりません。",
        "お答えできません。",
        "お答えすることはできません。",
        "その情報は見つかりませんでした。",
        "文脈には記載されていません。",
        "申し訳ありませんが、回答できません。",
    ],
    "ko": [
        "모르겠습니다.",
        "죄송합니다, 답변할 수 없습니다.",
        "제공된 문맥에서 답을 찾을 수 없습니다.",
        "관련 정보가 없습니다.",
        "분명하지 않습니다.",
        "잘 모릅니다.",
    ],
    "ru": [
        "Я не знаю.",
        "К сожалению, я не могу ответить.",
        "В тексте не указано.",
        "В тексте об этом не говорится.",
        "Невозможно ответить на этот вопрос.",
        "Информация отсутствует.",
        "Недостаточно информации.",
    ],
}
COMMITTED = [
    "Lin Wan founded it in 1990.",
    "There is no information desk.",
    "They have enough information to proceed.",
    "The store is not available on Mondays.",
    "Not far from Rome.",
    "Nobody knew where she went, but the letters that she wrote to her sister say that she lived in Rome for years.",
    "林婉在1990年开了这家茶馆。",
    "糕点不包含牛奶。",
    "林婉さんが1990年に開きました。",
    "カフェインは含まれていません。",
    "린완이 1990년에 열었습니다.",
    "정보통신부입니다.",
    "Её основала Линь Вань в 1990 году.",
    "Информационное агентство.",
    "",
]


@pytest.mark.parametrize("language", EVASIVE)
def test_answers_that_evade(language: str) -> None:
    assert [text for text in EVASIVE[language] if not are_evasive([text])[0]] == []


def test_answers_that_do_not_evade() -> None:
    assert [text for text in COMMITTED if are_evasive([text])[0]] == []


def test_evidence() -> None:
    row = {"question": "q", "answer": "a", "generated_questions": ["g1", "g2"]}
    table = AnswerRelevancy(embedder=Placed(VECTORS)).explain(batch_of(row))
    assert table["text"].to_pylist() == ["g1", "g2"]
    assert set(table["what"].to_pylist()) == {"generated question"}
    assert table["similarity"].to_pylist() == [pytest.approx(0.6), 1.0]
    direct = AnswerRelevancy(embedder=Placed(VECTORS), questions="direct").explain(batch_of(row))
    assert direct["what"].to_pylist() == ["answer"]
