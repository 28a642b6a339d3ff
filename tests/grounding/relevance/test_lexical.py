"""Relevance by words: the formula, computed again one pair at a time; independence of other samples; edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import regex

from ragauge.core.batch import Batch
from ragauge.core.ragged import Ragged
from ragauge.embedders import get
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.relevance.lexical import LexicalRelevance
from ragauge.grounding.relevance.question import answer_type, is_chinese, question_words
from ragauge.grounding.support import pairs
from ragauge.languages.simplified import simplified
from ragauge.sentences import sentences
from tests.metrics.rag.given import batch_of

# Question, passages: the first answers it, the second is on its topic, the third on another.
CASES: dict[str, tuple[str, list[str]]] = {
    "en": ("Who opened the tea house?", ["Lin Wan opened the tea house. It rained.", "The tea house is red.", "Cats."]),
    "zh": ("谁开了这家茶馆？", ["下雨了。林婉开了这家茶馆。", "茶馆是红色的。", "猫在睡觉。"]),
    "ja": ("この茶館を開いたのは誰ですか？", ["林婉がこの茶館を開いた。雨だった。", "茶館は赤い。", "猫が寝ている。"]),
    "ko": ("이 찻집을 연 사람은 누구입니까?", ["린완이 이 찻집을 연 사람이다.", "찻집은 빨갛다.", "고양이가 잔다."]),
    "ru": ("Кто открыл чайный дом?", ["Линь Вань открыла чайный дом.", "Чайный дом красный.", "Кошки спят."]),
    "ar": ("من افتتح بيت الشاي؟", ["افتتح لين وان بيت الشاي.", "بيت الشاي أحمر.", "القطط تنام."]),
    "hi": ("चाय घर किसने खोला?", ["लिन वान ने चाय घर खोला।", "चाय घर लाल है।", "बिल्लियाँ सोती हैं।"]),
    "th": ("ใครเปิดโรงน้ำชา", ["หลินหว่านเปิดโรงน้ำชา", "โรงน้ำชาสีแดง", "แมวนอนหลับ"]),
    "de": ("Wer eröffnete das Teehaus?", ["Lin Wan eröffnete das Teehaus.", "Das Teehaus ist rot.", "Es schneit."]),
    "es": ("¿Quién abrió la casa de té?", ["Lin Wan abrió la casa de té.", "La casa es roja.", "Los gatos duermen."]),
    "fr": ("Qui a ouvert la maison de thé ?", ["Lin Wan a ouvert la maison de thé.", "La maison rouge.", "Il neige."]),
}  # fmt: skip
MORE: list[dict[str, Any]] = [
    {"question": "How many rooms has the tea house?", "contexts": ["Tea house: it has 12 rooms.", "Tea house: rooms."]},
    {"question": "羅浮宮在哪裡？", "contexts": ["罗浮宫在巴黎。", "羅浮宮在巴黎。"]},
    {"question": "", "contexts": ["One."]},
    {"question": "?!", "contexts": ["One."]},
    {"question": "Why?", "contexts": []},
    {"question": "Why rain?", "contexts": ["", " ", "Rain. Rain falls."]},
    {"question": None, "contexts": None},
]
SAMPLES = [{"question": question, "contexts": passages} for question, passages in CASES.values()] + MORE


def probabilities(samples: Sequence[dict[str, Any]]) -> list[list[float]]:
    return LexicalRelevance().passages(batch_of(*samples), get()).values.to_lists()


def by_hand(question: str, passage: str) -> float:
    """Compute one probability as the docstring of `LexicalRelevance` has it."""
    chinese = is_chinese(question)
    [words] = question_words([question], Lexical().table)
    texts, grams = sentences(passage), _grams
    weights = [grams(word) for word in words]
    unspaced = [regex.match(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]", word) is not None for word in words]
    worth = [sum(of.values()) // 4 if run else max(of.values()) for of, run in zip(weights, unspaced, strict=True)]
    heading = passage[: max(passage.find(": ", 0, 120), 0)]

    def share(of: dict[int, int], text: str) -> float:
        there = grams(simplified(text) if chinese else text)
        return sum(weight for gram, weight in of.items() if gram in there) / sum(of.values())

    scores = []
    for text in texts:
        logs = 1536 * math.log(0.8)
        for of, w in zip(weights, worth, strict=True):
            elsewhere = 0.3 * max(share(of, other) for other in texts)
            logs += w * math.log(0.2 + max(share(of, text), elsewhere, share(of, heading)))
        score = math.exp(logs / (sum(worth) + 1536)) - 0.2 - 0.02 * math.log(len(text))
        expected = answer_type(question)
        lacks = expected is not None and bool(expected.absent(np.array([text], dtype=object))[0])
        scores.append(score - 0.3 * lacks)
    return 1 / (1 + math.exp(2.75 - 5.84 * max(scores)))


def _grams(text: str) -> dict[int, int]:
    vectors = Lexical().encode([text], "passage")
    return dict(zip(vectors.keys.tolist(), vectors.weights.tolist(), strict=True))


@pytest.mark.parametrize("sample", [*SAMPLES[: len(CASES)], *MORE[:2]], ids=[*CASES, "count", "script"])
def test_the_formula(sample: dict[str, Any]) -> None:
    [found] = probabilities([sample])
    expected = [by_hand(sample["question"], passage) for passage in sample["contexts"]]
    np.testing.assert_allclose(found, expected, atol=2e-5)


@pytest.mark.parametrize("language", CASES)
def test_the_passage_with_the_answer_comes_first(language: str) -> None:
    question, passages = CASES[language]
    [[answering, on_topic, other]] = probabilities([{"question": question, "contexts": passages}])
    assert answering > on_topic > other


def test_a_sample_does_not_depend_on_the_others() -> None:
    together = probabilities(SAMPLES)
    assert together == [found for sample in SAMPLES for found in probabilities([sample])]
    assert together[::-1] == probabilities(SAMPLES[::-1])


def test_nor_does_a_passage() -> None:
    sample = SAMPLES[0]
    [together] = probabilities([sample])
    alone = [probabilities([{**sample, "contexts": [text]}])[0][0] for text in sample["contexts"]]
    assert together == alone


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = probabilities(SAMPLES)
    monkeypatch.setattr(pairs, "BLOCK", 5)
    assert probabilities(SAMPLES) == whole


def test_edges() -> None:
    empty, no_word, no_passage, blank, null = probabilities(MORE[2:])
    assert empty == no_word == [0.0]
    assert no_passage == null == []
    assert blank[:2] == [0.0, 0.0]
    assert blank[2] > 0.3


def test_chinese_is_one_script() -> None:
    [[simple, traditional]] = probabilities(MORE[1:2])
    assert simple == traditional > 0.5


def test_of_lists() -> None:
    questions, passages = Ragged.of([["Who?"], []]), Ragged.of([["Rain.", ""], ["Snow."]])
    found = LexicalRelevance().probabilities(questions, passages)
    assert found.shape == (3,)
    assert found[1:].tolist() == [0.0, 0.0]


def test_a_batch_keeps_its_scores() -> None:
    batch: Batch = batch_of(SAMPLES[0])
    first = LexicalRelevance().passages(batch, get())
    assert first.values.to_lists() == LexicalRelevance(weight=0.1).passages(batch, get()).values.to_lists()
