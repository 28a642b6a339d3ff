"""Which n-grams stand for a text: against a slow reading of the definition."""

import unicodedata
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ragauge.embedders.ngrams import SHAPES, features
from ragauge.languages.folding import folded

RUNS = {
    "han": r"[\p{Han}\u3005-\u3007\p{Bopomofo}]+",
    "katakana": r"[\p{Katakana}\u30fc]+",
    "hiragana": r"\p{Hiragana}+",
    "hangul": r"\p{Hangul}+",
    "complex": r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]+",
    "word": r"[a-zéß0-9\p{Cyrillic}\p{Devanagari}\p{Arabic}]+",
}


def windows(run: Any, orders: Any) -> Any:
    return [run[i : i + order] for order in orders for i in range(len(run) - order + 1)]


def slow(text: Any) -> Any:
    """List the n-grams of a text of the letters that RUNS knows."""
    found: list[tuple[str, ...]] = []
    for name, pattern in RUNS.items():
        shape = SHAPES[name]
        for run in regex.findall(pattern, text, regex.V1):
            found += [(name, "whole", run)] if shape.whole else []
            found += [(name, part) for part in windows(f"<{run}>" if shape.edged else run, shape.orders)]
            if name == "hangul":
                found += [("jamo", part) for part in windows(unicodedata.normalize("NFD", run), (3, 4, 5))]
    return found


letters = st.text(st.sampled_from("ab1 中文字ひらカタカーナ가각한글ไทยкотहिन्दीعرب、."), max_size=30)


@given(st.lists(letters, min_size=1, max_size=6))
def test_there_are_as_many_of_each_as_the_definition_says(texts: Any) -> None:
    found = features(folded(texts))
    for row, text in enumerate(texts):
        part = slice(found.offsets[row], found.offsets[row + 1])
        wanted = slow(text.replace("हिन्दी", "हिन्दी"))
        counts = sorted(wanted.count(gram) for gram in set(wanted))
        assert sorted(found.counts[part].tolist()) == counts
        assert (np.diff(found.keys[part].astype(np.int64)) > 0).all()


def keys(text: Any) -> Any:
    return set(features(folded([text])).keys.tolist())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("ＧＰＴ-４", "gpt 4"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("한글", unicodedata.normalize("NFD", "한글")),
        ("كِتَابٌ", "كتاب"),
        ("كتـــاب", "كتاب"),
        ("co\u00adop", "coop"),
        ("line\nend", "line end"),
    ],
)
def test_what_is_written_differently_is_the_same(one: Any, other: Any) -> None:
    assert keys(one) == keys(other)


def test_order_of_characters_matters_and_neighbouring_texts_do_not_run_together() -> None:
    assert keys("中文") != keys("文中")
    both = features(folded(["中", "文"]))
    assert len(both.keys) == 2


def test_endings_of_korean_words_share_letters() -> None:
    assert len(keys("갔다") & keys("갑니다")) > 0


@pytest.mark.parametrize("text", ["", " ", "。！?", "\u200b", "😀", "\n\n"])
def test_texts_without_letters_have_none(text: Any) -> None:
    assert keys(text) == set()


def test_many_texts_have_the_ngrams_that_each_has_alone() -> None:
    some = [
        "Lin Wan opened it.",
        "林婉在成都開了茶館",
        "茶館とコーヒー",
        "찻집을 열었다",
        "Чайная",
        "مقهى",
        "चाय",
        "ร้านน้ำชา",
        "",
        "x",
    ]
    texts = [" ".join(some[place:] * (1 + place * place)) for place in range(len(some))] + some * 20
    together, alone = features(folded(texts)), [features(folded([text])) for text in texts]
    assert together.counts.sum() > 4096 > max(one.counts.sum() for one in alone)
    assert together.keys.dtype == np.uint32
    assert together.keys.tolist() == [key for one in alone for key in one.keys.tolist()]
    assert together.counts.tolist() == [count for one in alone for count in one.counts.tolist()]
    assert together.offsets.tolist() == np.cumsum([0, *(len(one.keys) for one in alone)]).tolist()
