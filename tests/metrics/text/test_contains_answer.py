"""A reference stands in an answer as whole tokens, in eleven languages; in English as has_answer of DPR says."""

from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest
import regex

import ragauge
from ragauge.core.ragged import Ragged
from ragauge.metrics.text import contains_answer
from ragauge.metrics.text.contains_answer import plain_numbers, stand_in
from tests.parity.texts import batch_of
from tests.repeats import others_long


def contains(answer: str, *references: str, spec: str = "contains-answer") -> float:
    metric = ragauge.parse(spec)
    return float(metric.score(metric.measure(batch_of([answer], [list(references)])).totals()))


NUMBER_WORDS = {
    "en": ("It has sixty-two thousand seats and is twelve kilometres away.", "62,000", "12 kilometres", "twelve"),
    "zh": ("茶馆有十二个房间。", "12个", "十二"),
    "ja": ("部屋は十二部屋あります。", "12部屋", "十二"),
    "ko": ("방이 열두 개 있다.", "12 개", "12"),
    "ru": ("В доме двенадцать комнат.", "12", "12 комнат"),
    "ar": ("في البيت اثنا عشر غرفة.", "12", "١٢"),
    "hi": ("उस घर में बारह कमरे हैं।", "12 कमरे", "१२"),
    "th": ("มีห้องสิบสองห้อง", "12 ห้อง", "๑๒"),
    "de": ("Es hat zwölf Zimmer und ist zwölf Kilometer lang.", "12", "12 Kilometer"),
    "es": ("La casa tiene doce habitaciones en el piso de arriba.", "12", "12 habitaciones"),
    "fr": ("Il y a quatre-vingts pièces dans la maison.", "80", "80 pièces"),
}


@pytest.mark.parametrize("language", others_long(NUMBER_WORDS, 3))
def test_number_words_are_digits(language: str) -> None:
    answer, *references = NUMBER_WORDS[language]
    assert [contains(answer, reference) for reference in references] == [1.0] * len(references)
    assert contains(answer, "13") == 0.0
    # The other way round: digits in the answer, words in the reference.
    assert contains(references[0], answer.strip("。.।")) == contains(references[0], references[0] + "x") == 0.0


def test_number_words_are_read_alike_on_both_sides() -> None:
    assert contains("It is Twelve Monkeys.", "1995", "Twelve Monkeys") == 1.0
    assert contains("Zwölf.", "12") == contains("12", "zwölf") == contains("The answer is 12.", "twelve") == 1.0
    assert contains("It happened once in 1990.", "11") == 0.0
    assert contains("It has one garden.", "1") == 0.0
    assert contains("It has twelve rooms.", "12", spec="contains-answer:numbers=false") == 0.0


HELD = {
    "en": ("The first climbers were Tenzing and Edmund Hillary, in 1953.", "Edmund Hillary"),
    "zh": ("珠穆朗玛峰高八千多米，位于中国和尼泊尔边境。", "尼泊尔"),
    "zh-number": ("珠穆朗玛峰高8,849米。", "8849米"),
    "zh-numeral": ("山高八千八百四十九米。", "8849米"),
    "ja": ("最初に登頂したのはエドモンド・ヒラリーである。", "エドモンド・ヒラリー"),
    "ja-width": ("高さは８８４９メートルです。", "8849メートル"),
    "ko": ("대한민국의 수도는 서울특별시입니다.", "서울특별시"),
    "ru": ("Столица России — город Москва, основанный в 1147 году.", "Москва"),
    "ar": ("عاصمة مصر هي القاهرة، وعدد سكانها ١٠٬٠٠٠٬٠٠٠ نسمة.", "القاهرة"),
    "ar-number": ("عدد سكانها ١٠٬٠٠٠٬٠٠٠ نسمة", "10,000,000"),
    "hi": ("भारत की राजधानी नई दिल्ली है।", "नई दिल्ली"),
    "hi-number": ("ऊँचाई ८,८४९ मीटर है।", "8849"),
    "th": ("เมืองหลวงของประเทศไทยคือกรุงเทพมหานคร", "กรุงเทพมหานคร"),
    "th-number": ("สูง ๘,๘๔๙ เมตร", "8849"),
    "de": ("Die Hauptstadt hat 3.769.495 Einwohner und heißt Berlin.", "3 769 495".replace(" ", "\u202f")),
    "es": ("La capital es Bogotá, ¿verdad?", "bogotá"),
    "fr": ("C'est l'Île-de-France, près de Paris.", "l’Île de France"),
}


@pytest.mark.parametrize("language", HELD)
def test_a_reference_stands_in_a_sentence(language):
    answer, reference = HELD[language]
    assert contains(answer, reference) == 1
    assert contains(reference, answer) == 0
    assert contains(answer, "xyz", reference) == 1


APART = [
    ("In Parish.", "Paris"),
    ("Paris is in France; Texas has another.", "Paris, Texas"),
    ("It has 18849 steps.", "8849"),
    ("It was -40 degrees.", "40"),
    ("It grew by 3.5 %.", "3"),
    ("новомосковск", "Москва"),
    ("القاهرية", "القاهرة"),
    ("दिल्लीवाला", "दिल्ली"),
    ("최대구간", "대구"),
    ("上海北路", "北京"),
    ("Berliner", "Berlin"),
    ("Los Ángeles", "Los Angeles"),
    ("1,2,3", "123"),
]


@pytest.mark.parametrize(("answer", "reference"), APART)
def test_parts_of_words_and_numbers_do_not_count(answer, reference):
    assert contains(answer, reference) == 0


ALIKE = [
    ("the U.S. Senate", "US"),
    ("a U.S. senator", "U.S."),
    ("written in C++, mostly", "C++"),
    ("THE BEATLES!", "The Beatles"),
    ("The", "The"),
    ("Scotland's coast", "Scotland"),
    ("Großstraße 3,5 km", "GROSSSTRASSE 3.5 km"),
    ("co\u00adoperate", "cooperate"),
    ("서울은 넓다", "서울"),
    ("KBS방송국", "방송국"),
    (unicodedata.normalize("NFD", "한국어는 어렵다"), "한국어"),
]


@pytest.mark.parametrize(("answer", "reference"), ALIKE)
def test_forms_of_one_text(answer, reference):
    assert contains(answer, reference) == 1


def test_empty_texts():
    assert contains("", "x") == 0
    assert contains("x", "") == 0
    assert contains("", "") == 1
    assert contains("?!", "...") == 1


def test_options():
    assert contains("the 8,849 m", "8849", spec="contains-answer:numbers=false") == 0
    assert contains("东京人", "东京", spec="contains-answer:unspaced=words") == 0
    assert contains("go to the park", "to park") == 1
    assert contains("go to the park", "to park", spec="contains-answer:articles=false") == 0
    assert contains("Paris, France", "Paris France") == 1
    assert contains("Paris, France", "Paris France", spec="contains-answer:punctuation=keep") == 0


def test_no_reference_is_undefined():
    metric = ragauge.parse("contains-answer")
    assert np.isnan(metric.score(metric.measure(batch_of(["x"], [[]])).totals()))


NUMBERS = {
    "1,234.5": "1234.5", "1.234,5": "1234.5", "1'234": "1234", "1,2": "1.2", "0,125": "0,125",
    "1,2,3": "1,2,3", "一億二千万": "120000000", "十万": "100000", "一万零五": "10005", "8千": "8000",
    "三千": "3000", "两百": "200", "万一": "万一", "三星": "三星", "一九九〇年": "1990年", "百万": "1000000",
    "3亿5千万": "350000000", "2亿": "200000000", "12,345,67": "12,345,67", "2024": "2024", "１２": "12",
    "۱۲۳": "123",
}  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_plain_numbers(text):
    assert plain_numbers(text) == NUMBERS[text]


# DPR's convention, as its paper and issue threads describe it: tokens are runs of letters, marks and numbers, or one
# other visible character; texts are decomposed, in lower case, and the answer is a run of the text.
_TOKEN = regex.compile(r"[\p{L}\p{N}\p{M}]+|[^\p{Z}\p{C}]")


def has_answer(references: list[str], text: str) -> bool:
    words = [word.lower() for word in _TOKEN.findall(unicodedata.normalize("NFD", text))]
    for reference in references:
        wanted = [word.lower() for word in _TOKEN.findall(unicodedata.normalize("NFD", reference))]
        if any(words[place : place + len(wanted)] == wanted for place in range(len(words) - len(wanted) + 1)):
            return True
    return False


def test_dpr_says_the_same():
    draw = random.Random(7)  # noqa: S311 - no secret is drawn
    pieces = ["the", "The", "cat", "café", "U.S.", "8,849", "it's", "A-1", "Paris", "paris,", "(x)", "“q”", "né", "3%"]
    texts = [" ".join(draw.choices(pieces, k=draw.randint(1, 12))) for _ in range(400)]
    references = [[" ".join(draw.choices(pieces, k=draw.randint(1, 3))) for _ in range(3)] for _ in texts]
    metric = ragauge.parse("contains-answer:compat=dpr")
    ours = metric.measure(batch_of(texts, references))["match"]
    theirs = [has_answer(some, text) for some, text in zip(references, texts, strict=True)]
    assert ours.astype(bool).tolist() == theirs
    assert 20 < sum(theirs) < 380


def test_runs_are_those_of_a_plain_search():
    draw = np.random.default_rng(3)
    answers = Ragged.of([draw.integers(0, 6, draw.integers(0, 30)).tolist() for _ in range(500)], dtype=np.int64)
    wanted = Ragged.of([(2 * draw.integers(0, 3, draw.integers(0, 5))).tolist() for _ in range(500)], dtype=np.int64)

    def plain(answer: list[int], run: list[int]) -> bool:
        tokens, size = [code // 2 for code in answer], len(run)
        at = (place for place in range(len(answer) - size + 1) if place == len(answer) or answer[place] % 2 == 0)
        return (
            not answer if not run else any(tokens[place : place + size] == [code // 2 for code in run] for place in at)
        )

    expected = [plain(*pair) for pair in zip(answers.to_lists(), wanted.to_lists(), strict=True)]
    assert stand_in(answers, wanted).tolist() == expected


def test_runs_of_one_hash_are_compared(monkeypatch):
    monkeypatch.setattr(contains_answer, "_MIX", np.uint64(0))
    answers, wanted = Ragged.of([[2, 4, 6, 8], [2, 4]]), Ragged.of([[6, 8], [4, 2]])
    assert stand_in(answers, wanted).tolist() == [True, False]


def test_blocks_do_not_matter(monkeypatch):
    draw = random.Random(1)  # noqa: S311 - no secret is drawn
    answers = [" ".join(draw.choices("abcd", k=draw.randint(0, 20))) for _ in range(100)]
    references = [[" ".join(draw.choices("abcd", k=3)) for _ in range(2)] for _ in answers]
    metric = ragauge.parse("contains-answer:articles=false")
    whole = metric.measure(batch_of(answers, references))["match"]
    monkeypatch.setattr(contains_answer, "_BLOCK", 7)
    assert metric.measure(batch_of(answers, references))["match"].tolist() == whole.tolist()


@pytest.mark.parametrize(
    "unit", others_long(["a ", "1,", "字", "千万", "가", "́", ".", "8,849 ", "十", "五", "1千", "1."], 4)
)
def test_long_texts_take_linear_time(unit):
    text = unit * 15_000
    assert contains(text, text[:-2], unit, "zzz") in (0, 1)
