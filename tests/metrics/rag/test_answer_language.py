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


def test_characters_of_both_scripts_tell_nothing() -> None:
    both = "他不在家，了不起的老台北人都在云山。"
    assert [score("answer-language", answer=both, language=tag) for tag in ("zh-TW", "zh-CN")] == [1, 1]


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


# Sentences that say the same: the museum stands by the river and opens at nine; of close relatives too.
OTHERS = {
    "it": "Il museo è vicino al fiume e non apre prima delle nove.",
    "pt": "O museu fica perto do rio e não abre antes das nove.",
    "ca": "El museu és a prop del riu i no obre abans de les nou.",
    "nl": "Het museum ligt aan de rivier en gaat niet voor negen uur open.",
    "da": "Museet ligger ved floden og åbner ikke før klokken ni.",
    "sv": "Museet ligger vid floden och öppnar inte före klockan nio.",
    "pl": "Muzeum jest nad rzeką i nie otwiera się przed dziewiątą.",
    "cs": "Muzeum je u řeky a neotevírá se před devátou hodinou.",
    "tr": "Müze nehrin yanında ve saat dokuzdan önce açılmıyor, çok güzel bir yer.",
    "vi": "Bảo tàng ở gần sông và không mở cửa trước chín giờ.",
    "uk": "Музей стоїть біля річки і не відчиняється до дев'ятої години.",
    "bg": "Музеят е до реката и не отваря преди девет часа.",
    "el": "Το μουσείο είναι κοντά στο ποτάμι και ανοίγει στις εννέα.",
    "he": "המוזיאון נמצא ליד הנהר ונפתח בתשע.",
    "bn": "জাদুঘরটি নদীর পাশে এবং নয়টায় খোলে।",
    "ta": "அருங்காட்சியகம் ஆற்றின் அருகே உள்ளது.",
}

# The Russian sentence is short, and its words are Ukrainian ones too.
RELATIVES = {"uk": "ru"}


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_told_by_words_or_by_their_script(language: str) -> None:
    rows = [{"answer": answer, "language": language} for answer in (OTHERS[language], *OTHERS.values())]
    rows += [
        {"answer": text, "language": language}
        for name, (text, _) in TEXTS.items()
        if name not in (language, RELATIVES.get(language))
    ]
    found = evaluate(rows, "answer-language", resamples=0).scores("answer-language")
    assert found[0] == 1
    assert [rows[place]["answer"] for place in range(1, len(rows)) if found[place] > 0] == [OTHERS[language]]
    assert score("answer-language", answer=OTHERS[language], question=OTHERS[language]) == 1


def test_relatives_that_the_same_words_speak_for_are_both_right() -> None:
    answer = "Hun er ikke her."
    assert [score("answer-language", answer=answer, language=one) for one in ("da", "nb", "norsk", "nl")] == [
        1,
        1,
        1,
        0,
    ]


@pytest.mark.parametrize(("answer", "language"), [("Paris", "en"), ("1974", "zh"), ("It opens at nine.", "yo")])
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


@pytest.mark.parametrize(("language", "answer", "expected"), [
    ("sr", "Zgrada je otvorena i u njoj je muzej koji je poznat.", 1),
    ("sr-Latn", "Zgrada je otvorena i u njoj je muzej.", 1),
    ("English (US)", "It opens at nine.", 1), ("Farsi", "موزه در کنار رودخانه است و ساعت نه باز می‌شود.", 1),
    ("中文（简体）", "茶館早上開門。", 0), ("zh_CN.UTF-8", "茶館早上開門。", 0),
    ("Brazilian Portuguese", "Não abre aos domingos.", 1),
    ("yue", "茶館早上開門。", 1),
])  # fmt: skip
def test_other_names_and_ways_of_writing(language: str, answer: str, expected: float) -> None:
    assert score("answer-language", answer=answer, language=language) == expected


def test_few_han_characters_are_no_proof_against_japanese() -> None:
    assert math.isnan(score("answer-language", answer="東京都。", question="日本の首都はどこですか？"))
    assert score("answer-language", answer="这是东京。", language="ja") == 0
    assert score("answer-language", answer="日本的首都是東京，人口超過一千三百萬。", language="ja") == 0
    assert score("answer-language", answer="東京都。首都は東京都です。", language="ja") == 1
    assert score("answer-language", answer="東京都。", language="zh") == 1


def test_what_names_none_of_the_languages_is_undefined() -> None:
    answer = TEXTS["en"][0]
    rows = [{"answer": answer, "language": language} for language in ("English", "Klingon", "yo-NG", "", None)]
    found = evaluate(rows, "answer-language")["answer-language"]
    assert (found.value, found.scored, found.undefined, found.missing) == (1, 1, 3, 1)


@pytest.mark.parametrize(
    ("answer", "right", "wrong"),
    [
        ("Потяг відправляється о дев'ятій.", "uk", "be"),
        ("Потяг відправляється о дев’ятій", "uk", "ru"),
        ("Без било каквог коцкања", "sr", "ru"),
        ("Без папярэдняга ўзгаднення", "be", "uk"),
        ("Поезд отправляется в девять.", "ru", "be"),
    ],
)
def test_letters_that_russian_lacks_tell_the_language_of_short_texts(answer: str, right: str, wrong: str) -> None:
    assert score("answer-language", answer=answer, language=right) == 1
    assert score("answer-language", answer=answer, language=wrong) == 0
