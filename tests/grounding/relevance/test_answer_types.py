"""Types of answer: which questions ask for one, and which sentences have it."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.grounding.relevance.question import answer_type


@pytest.mark.parametrize(
    ("question", "name", "having", "lacking"),
    [
        ("How many episodes are there?", "a number of episodes", "It had 24 episodes.", "The episodes were long."),
        ("How many episodes are there?", "a number of episodes", "Episodes 1 to 24", "In 1998; episodes followed."),
        ("How many moons has it?", "a number of moons", "It has two large moons.", "Its moons are large."),
        ("Wie viele Einwohner hat Bern?", "a number of einwohner", "134.000 Einwohner", "Die Einwohner von Bern."),
        ("¿Cuántos habitantes tiene Lima?", "a number of habitantes", "diez millones de habitantes", "sus habitantes"),
        ("Сколько серий в сериале?", "a number of серий", "В нём 24 серии.", "Серии длинные."),
        ("How tall is the tower?", "a length or a duration", "It is 330 m tall.", "It is tall."),
        ("青山公路全长多少？", "a length or a duration", "全长约50公里。", "这是一条公路。"),
        ("青山公路全長多少？", "a length or a duration", "全長約50公里。", "這是一條公路。"),
        ("Wie alt ist die Uni Wien?", "an age or a year", "Sie wurde 1365 gegründet.", "Sie liegt in Wien."),
        ("彼は何歳ですか？", "an age or a year", "彼は25歳です。", "彼は東京にいます。"),
        ("그의 나이는?", "an age or a year", "그는 25세이다.", "그는 서울에 있다."),
        ("How big is the park?", "a size", "It covers 50 acres.", "It is green."),
    ],
)
def test_a_type_and_who_has_it(question: str, name: str, having: str, lacking: str) -> None:
    found = answer_type(question)
    assert found is not None
    assert found.name == name
    assert found.absent(np.array([having, lacking], dtype=object)).tolist() == [False, True]


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote it?",
        "When was it built?",
        "谁写的？",
        "いつですか",
        "언제?",
        "кто?",
        "ما هو؟",
        "कौन?",
        "ใคร",
        "",
        "how many",
    ],
)
def test_other_questions_ask_for_none(question: str) -> None:
    assert answer_type(question) is None


def test_a_numeral_is_a_word_of_its_own() -> None:
    found = answer_type("How many dogs does she have?")
    assert found is not None
    texts = ["Someone's dogs bark.", "One of her dogs barks.", "Two of her big dogs bark.", "Ten. Dogs bark."]
    assert found.absent(np.array(texts, dtype=object)).tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("茶馆有多少房间？", "茶馆有12个房间。", "茶馆建于1990年5月。"),
        ("茶馆有多少房间？", "茶馆有十二个房间。", "茶馆有很多房间。"),
        ("部屋はいくつありますか。", "部屋は12あります。", "1990年に開業した。"),
        ("社員は何人ですか。", "社員は十二人です。", "社員は多いです。"),
        ("방이 몇 개 있습니까?", "방이 12개 있다.", "1990년에 문을 열었다."),
    ],
)
def test_a_number_that_is_no_date(question: str, right: str, wrong: str) -> None:
    found = answer_type(question)
    assert found is not None
    assert found.absent(np.array([right, wrong], dtype=object)).tolist() == [False, True]
