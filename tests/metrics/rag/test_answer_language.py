"""Answer language: the share of the answer that is in the wanted language."""

from __future__ import annotations

import math

import pytest

from ragauge import evaluate, score
from tests.metrics.text.test_every_language import TEXTS

TOLD = {name: texts for name, texts in TEXTS.items() if name not in ("el", "vi")}


@pytest.mark.parametrize("language", TOLD)
def test_every_language_by_the_column_and_by_the_question(language: str) -> None:
    answer, _ = TOLD[language]
    others = [text for name, (text, _) in TEXTS.items() if name.partition("-")[0] != language.partition("-")[0]]
    assert score("answer-language", answer=answer, language=language) == 1
    assert [score("answer-language", answer=other, language=language) for other in others] == [0.0] * len(others)
    assert score("answer-language", answer=answer, question=answer) == 1


@pytest.mark.parametrize(("tag", "simplified", "traditional"), [
    ("zh", 1, 1), ("zh-CN", 1, 0), ("zh_Hant", 0, 1), ("zh-TW", 0, 1), ("zh-Hans-SG", 1, 0),
])  # fmt: skip
def test_simplified_and_traditional_chinese(tag: str, simplified: int, traditional: int) -> None:
    assert score("answer-language", answer=TEXTS["zh"][0], language=tag) == simplified
    assert score("answer-language", answer=TEXTS["zh-Hant"][0], language=tag) == traditional


@pytest.mark.parametrize("answer", ["Чайний будинок відкривається о дев'ятій ранку.", "Кућа се отвара у девет ујутру."])
def test_another_cyrillic_alphabet_is_not_russian(answer: str) -> None:
    assert score("answer-language", answer=answer, language="ru") == 0
    assert score("answer-language", answer="Чайный дом в городе Київ открыт с девяти часов утра.", language="ru") == 1


def test_the_script_of_chinese_is_that_of_each_sentence() -> None:
    japanese, chinese = "お茶の店は九時に開きます。", "茶馆早上九点开门。"
    found = score("answer-language", answer=japanese + chinese, language="zh-CN")
    assert found == len(chinese) / len(japanese + chinese)


def test_a_mixed_answer_counts_by_characters() -> None:
    first, second = "The house opens at nine.", "它在周一关门。"
    found = score("answer-language", answer=f"{first} {second}", language="en")
    assert found == pytest.approx(len(first) / (len(first) + len(second)), abs=1e-15)


@pytest.mark.parametrize(("answer", "language"), [("Paris", "en"), ("1974", "zh"), ("Het is elke dag open.", "nl")])
def test_where_nothing_tells_it_is_undefined(answer: str, language: str) -> None:
    result = evaluate([{"answer": answer, "language": language}], "answer-language", resamples=0)["answer-language"]
    assert (math.isnan(result.value), result.undefined) == (True, 1)


def test_an_empty_answer_is_in_no_language() -> None:
    assert score("answer-language", answer="", language="en") == 0


@pytest.mark.parametrize(("name", "language"), [
    ("English", "en"), (" ENGLISH ", "en"), ("eng", "en"), ("en_US", "en"), ("英语", "en"), ("Englisch", "en"),
    ("ภาษาอังกฤษ", "en"), ("中文", "zh"), ("Chinese", "zh"), ("Simplified Chinese", "zh"), ("简体中文", "zh"),
    ("繁體中文", "zh-Hant"), ("zho", "zh"), ("日本語", "ja"), ("한국어", "ko"), ("русский", "ru"), ("हिन्दी", "hi"),
    ("العربية", "ar"), ("ไทย", "th"),
])  # fmt: skip
def test_a_language_may_be_named(name: str, language: str) -> None:
    assert score("answer-language", answer=TEXTS[language][0], language=name) == 1


def test_what_names_none_of_the_languages_is_undefined() -> None:
    answer = TEXTS["en"][0]
    rows = [{"answer": answer, "language": language} for language in ("English", "Klingon", "pt-BR", "", None)]
    found = evaluate(rows, "answer-language")["answer-language"]
    assert (found.value, found.scored, found.undefined, found.missing) == (1, 1, 3, 1)
