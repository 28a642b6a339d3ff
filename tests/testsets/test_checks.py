"""What speaks against a proposal, in eleven languages."""

from __future__ import annotations

import pytest

from ragauge.testsets.checks import copies, near_duplicates, pointing, reasons_against

from .corpora import LANGUAGES, TEXTS

STRANGERS = {
    "zh": "王小明", "ja": "田中太郎", "ko": "김철수", "ru": "Пётр Сидоров", "ar": "خالد سمير", "hi": "राम कुमार",
    "th": "สมชาย",
}  # fmt: skip


def reason(question: str, answer: str, passage: str) -> str:
    return reasons_against([question], [answer], [passage])[0]


@pytest.mark.parametrize("tag", LANGUAGES)
def test_a_good_proposal_passes(tag: str) -> None:
    told = TEXTS[tag]
    assert reason(told.question, told.answer, told.passage) == ""
    assert pointing(told.question) == ""


@pytest.mark.parametrize("tag", LANGUAGES)
def test_a_question_that_points_at_the_passage(tag: str) -> None:
    told = TEXTS[tag]
    assert reason(told.pointing, told.answer, told.passage).startswith("the question points at the passage: ")


@pytest.mark.parametrize("tag", LANGUAGES)
def test_a_question_that_copies_a_sentence(tag: str) -> None:
    told = TEXTS[tag]
    first = next(one for one in told.passage.replace("。", ".").split(".") if len(one) > 8)
    assert reason(f"{first}?", told.answer, told.passage) == "the question copies the passage"


@pytest.mark.parametrize("tag", LANGUAGES)
def test_an_answer_that_is_not_in_the_passage(tag: str) -> None:
    told = TEXTS[tag]
    assert reason(told.question, STRANGERS.get(tag, "Peter Schmidt"), told.passage) == (
        "the answer is not grounded in the passage"
    )


@pytest.mark.parametrize("tag", [tag for tag in LANGUAGES if tag not in ("en", "de", "fr", "es")])
def test_a_question_in_another_script(tag: str) -> None:
    told = TEXTS[tag]
    assert reason(TEXTS["en"].question, told.answer, told.passage) == (
        "the question is in another script than the passage"
    )


@pytest.mark.parametrize(
    "question",
    [
        "What does article 5 of the constitution say?",
        "Was steht in Artikel 5 des Grundgesetzes?",
        "Which document is needed to open a bank account?",
        "根据中国宪法第五条，什么是最高的？",
        "中文中最常用的汉字是什么？",
        "日本文学的最高奖项是什么？",
        "日本文化センターはどこにありますか。",
        "한글은 누가 만들었습니까?",
        "Что говорится в статье 5 конституции?",
        "What is the title of the text that Champollion deciphered?",
        "ใครเป็นผู้เขียนบทความเรื่องชาเขียว",
    ],
)
def test_what_only_looks_like_pointing(question: str) -> None:
    assert pointing(question) == ""


@pytest.mark.parametrize(
    ("question", "passage", "is_copy"),
    [
        ("The tea house opened in 1990?", "The tea house opened in 1990.", True),
        ("Who founded it in a lane behind the temple?", "Lin Wan founded it in a lane behind the temple.", True),
        ("When did the tea house open?", "The tea house opened in 1990.", False),
        ("茶馆于1990年开业吗？", "茶馆于1990年开业。", True),
        ("茶馆是哪一年开业的？", "茶馆于1990年开业。", False),
        ("?", "Tea.", False),
        ("", "Tea.", False),
    ],
)
def test_copies(question: str, passage: str, is_copy: bool) -> None:
    assert copies(question, passage) is is_copy


def test_of_nearly_equal_questions_the_first_stays() -> None:
    questions = [
        "When did the Yunshan tea house open?",
        "云山茶馆是哪一年开业的？",
        "When did the Yunshan tea house open??",
        "云山茶馆是哪一年开业的呢？",
        "Where is the Yunshan tea house?",
        "when did the YUNSHAN tea house open",
    ]
    assert near_duplicates(questions) == {2: 0, 3: 1, 5: 0}
    assert near_duplicates([]) == {}
    assert near_duplicates([TEXTS[tag].question for tag in LANGUAGES]) == {}


def test_a_dropped_question_drops_no_other() -> None:
    steps = ["a b c d e f g h i j k l", "b c d e f g h i j k l m", "c d e f g h i j k l m n"]
    assert all(one not in near_duplicates(steps).values() for one in near_duplicates(steps))


def test_many_questions_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = [f"What is the number of house {place % 40} in lane {place % 7}?" for place in range(150)]
    whole = near_duplicates(questions)
    monkeypatch.setattr("ragauge.testsets.checks._PAIRS", 1000)
    assert near_duplicates(questions) == whole
