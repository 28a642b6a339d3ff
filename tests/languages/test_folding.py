"""Texts folded character by character are as those folded whole."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.languages.folding import folded, is_mark
from tests.repeats import others_long

LANGUAGES = {
    "en": "Ⅳ Ångström’s ﬁnal",
    "zh": "它有８８４９米，（高）！",
    "ja": "ｶﾞラス と か\u3099らす",
    "ko": "가 \u1100\u1161\u11a8 ㄱ",
    "ru": "Ёлка и\u0306 Й",
    "ar": "يَّ لا\u064e ﷺ",
    "hi": "\u095b \u091c\u093c \u0929 \u0928\u093c ड़\u094d",
    "th": "น้ำ กู่ ํา",
    "de": "GROẞ ß İ",
    "fr": "e\u0301\u0323 E\u0323\u0301",
    "el": "ΐ Σς \u03b9\u0308\u0301 ᾳ",
}


def whole(text: str) -> str:
    form = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text.replace("\n", " ")).casefold())
    return form if not text.isascii() else text.replace("\n", " ").lower()


def check(texts: Sequence[str]) -> None:
    assert ["".join(map(chr, one)) for one in folded(texts).to_lists()] == [whole(text) for text in texts]


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages(language: str) -> None:
    check([LANGUAGES[language], "", "plain", LANGUAGES[language] * 2])


# Beyond, most are Chinese characters and emoji.
@pytest.mark.parametrize("points", others_long([range(0x3400), range(0x3400, 0x30000)]), ids=["first", "others"])
def test_every_character_alone_and_between_letters(points: range) -> None:
    every = list(map(chr, points))
    check(every)
    check([f"a{char}b" for char in every])


MARKS = [chr(point) for point in range(0x20000) if is_mark(chr(point))]
# Every character that is written in parts, so that parts meet that compose.
PARTS = sorted({char for point in range(0x20000) for char in unicodedata.normalize("NFD", chr(point))} - {"\r"})


@given(st.lists(st.text(st.one_of(st.sampled_from(MARKS), st.sampled_from(PARTS), st.characters()), max_size=8)))
def test_any_characters(texts: list[str]) -> None:
    check(texts)


def test_characters_that_compose_are_known() -> None:
    composed = (unicodedata.normalize("NFD", chr(point)) for point in range(sys.maxunicode + 1))
    assert all(is_mark(text[1]) for text in composed if len(text) > 1)


def test_many_marks() -> None:
    check(["a" + "\u0301" * 50 + "\u0323" * 50, "b", "\u0323\u0301" * 40])
