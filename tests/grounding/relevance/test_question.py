"""The words of questions: what is left out, in many languages; runs without spaces; one Chinese script."""

from __future__ import annotations

import unicodedata

import pytest

from ragauge.embedders.ngrams import shipped
from ragauge.grounding.relevance.question import is_chinese, question_words
from ragauge.languages.simplified import simplified


def words(question: str) -> list[str]:
    [found] = question_words([question], shipped())
    return found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who was the first director of the Louvre?", ["first", "director", "louvre"]),
        ("谁是卢浮宫的第一任馆长？", ["卢浮宫", "第一", "任馆长"]),
        ("誰是羅浮宮的第一任館長？", ["罗浮宫", "第一", "任馆长"]),
        ("ルーヴル美術館の初代館長は誰ですか？", ["ルーヴル", "美術館", "初", "代館長"]),
        ("루브르 박물관의 초대 관장은 누구입니까?", ["루브르", "박물관", "초대", "관장"]),
        ("Кто был первым директором Лувра?", ["первым", "директором", "лувра"]),
        ("من هو أول مدير لمتحف اللوفر؟", ["أول", "مدير", "لمتحف", "اللوفر"]),
        ("लौवर के पहले निदेशक कौन थे?", ["लौवर", "पहले", "निदेशक"]),
        ("Wer war der erste Direktor des Louvre?", ["erste", "direktor", "louvre"]),
        ("¿Quién fue el primer director del Louvre?", ["primer", "director", "louvre"]),
        ("Qui a été le premier directeur du Louvre ?", ["été", "premier", "directeur", "louvre"]),
    ],
)
def test_words_that_say_what_a_question_is_about(question: str, expected: list[str]) -> None:
    assert words(question) == expected


def test_thai_is_taken_in_parts() -> None:
    parts = words("ใครเป็นผู้นำคนแรกของพิพิธภัณฑ์ลูฟวร์")
    assert "".join(parts) == unicodedata.normalize("NFKC", "เป็นผู้นำคนแรกของพิพิธภัณฑ์ลูฟวร์")
    assert len(parts) > 4


@pytest.mark.parametrize("question", ["Who is it?", "是谁？", "どこですか", "누구입니까", "кто это", "ما هو", "क्या है"])
def test_a_question_of_such_words_alone_keeps_them(question: str) -> None:
    assert words(question)


def test_one_question_does_not_depend_on_the_others() -> None:
    questions = ["张三丰出生在哪里？", "Where was he born?", "彼はどこで生まれましたか？", "", "!?"]
    together = question_words(questions, shipped())
    assert together == [words(question) for question in questions]
    assert together[3:] == [[], []]


@pytest.mark.parametrize("quoted", ["「あいうえお」とは何ですか？", "《あいうえお》はいつ？"])
def test_hiragana_counts_where_it_is_quoted(quoted: str) -> None:
    assert "あいうえお" in words(quoted)
    assert "あいうえお" not in words(quoted.translate({ord(mark): None for mark in "「」《》"}) + "東京")


def test_one_chinese_script() -> None:
    assert simplified("臺灣的圖書館") == "台湾的图书馆"
    assert simplified("台湾的图书馆, a library") == "台湾的图书馆, a library"
    assert len(simplified("乾隆皇帝、頭髮、皇后")) == len("乾隆皇帝、頭髮、皇后")
    assert simplified(simplified("萬里長城")) == simplified("萬里長城")


@pytest.mark.parametrize("text", ["東京の図書館", "서울의 圖書館", "library", ""])
def test_other_languages_keep_their_characters(text: str) -> None:
    assert not is_chinese(text)
