"""The share of each question word in each text, held against sets of n-grams."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.core.ragged import Ragged
from ragauge.core.texts import VectorSpace
from ragauge.embedders.lexical import Lexical
from ragauge.embedders.sparse import SparseVectors
from ragauge.grounding.relevance.words import QuestionWords, WordShares

WORDS = [["tea", "house"], [], ["茶馆", "opened", "opened"]]
TEXTS = [["The tea house.", "A teapot.", ""], ["Tea."], ["林婉开了这家茶馆。", "He opens it."]]


def shares_of(words: list[list[str]], texts: list[list[str]], left_out: list[bool] | None = None) -> WordShares:
    space = VectorSpace(Lexical())
    lists = Ragged.of(texts, object)
    numbers = space.numbers(lists.values.tolist(), "passage")
    own = QuestionWords.of(words, space)
    assert isinstance(space.vectors, SparseVectors)
    masked = np.array(left_out or [False] * len(words))
    return WordShares.of(own, space.vectors, Ragged(numbers, lists.offsets), masked)


def grams(text: str) -> dict[int, int]:
    vectors = Lexical().encode([text], "passage")
    return dict(zip(vectors.keys.tolist(), vectors.weights.tolist(), strict=True))


def share(word: str, text: str) -> float:
    weights, there = grams(word), grams(text)
    return sum(weight for gram, weight in weights.items() if gram in there) / sum(weights.values())


def test_shares_of_words_in_the_texts_of_their_sample() -> None:
    shares = shares_of(WORDS, TEXTS)
    expected = [
        share(word, text) for words, texts in zip(WORDS, TEXTS, strict=True) for word in words for text in texts
    ]
    assert shares.between(0, 5).tolist() == expected
    assert expected[0] == 1.0 > expected[1] > expected[2] == 0.0


@pytest.mark.parametrize("cut", range(6))
def test_runs_of_words_give_the_same_shares(cut: int) -> None:
    shares = shares_of(WORDS, TEXTS)
    parts = [shares.between(0, cut), shares.between(cut, 5)]
    assert np.concatenate(parts).tolist() == shares.between(0, 5).tolist()


def test_a_sample_that_is_left_out_has_no_pairs() -> None:
    some, every = shares_of(WORDS, TEXTS, [True, False, False]), shares_of(WORDS, TEXTS)
    last_sample = every.between(2, 5).tolist()
    assert some.between(0, 5).tolist() == last_sample
    assert every.without(np.array([True, False, False])).between(0, 5).tolist() == last_sample
    assert some.steps[:2].tolist() == [0, 0]
    assert (every.steps[:2] >= 3).all()


def test_the_worth_of_a_word_is_that_of_its_rarest_ngram_and_of_a_run_by_its_length() -> None:
    words = shares_of(WORDS, TEXTS).words
    assert words.worth[0] == max(grams("tea").values())
    assert words.worth[2] == sum(grams("茶馆").values()) // 4
    assert words.of_samples(words.worth).tolist() == [words.worth[:2].sum(), 0, words.worth[2:].sum()]
    assert words.totals[1] == sum(grams("house").values())
