"""Scores of generated text that a person can check by hand."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.errors import DataError
from tests.parity.texts import batch_of

FOX = "The quick brown fox jumps over the lazy dog."
SHORTER = "The brown fox jumped over the dog."
ON_THE_MAT = "the cat is on the mat"
THERE_IS = "there is a cat on the mat"


def totals(spec: str, answer: str, *references: str):
    metric = ragauge.parse(spec)
    return metric, metric.measure(batch_of([answer], [list(references)])).totals()


def score(spec: str, answer: str, *references: str) -> float:
    metric, sums = totals(spec, answer, *references)
    return float(metric.score(sums))


def parts(spec: str, answer: str, *references: str) -> dict[str, float]:
    metric, sums = totals(spec, answer, *references)
    return {name: float(value) for name, value in metric.parts(sums).items()}


def test_rouge_of_the_fox():
    """Six of nine words stand in order: the brown fox over the dog; two of eight pairs: brown fox, over the."""
    assert parts("rouge-1", SHORTER, FOX)["recall"] == 6 / 9
    assert parts("rouge-2", SHORTER, FOX)["recall"] == 2 / 8
    assert parts("rouge-l", SHORTER, FOX) == {"recall": 6 / 9, "precision": 6 / 7}
    assert score("rouge-l", SHORTER, FOX) == pytest.approx(0.75, abs=1e-15)


def test_rouge_2_of_the_fox_with_stems():
    """Jumps and jumped are one stem: fox jump and jump over match as well."""
    assert parts("rouge-2:stemmer=porter", SHORTER, FOX)["recall"] == 4 / 8


def test_bleu_takes_what_any_reference_has():
    assert score("bleu:order=2", ON_THE_MAT, ON_THE_MAT, THERE_IS) == 1.0


NLTK = "bleu:compat=nltk,smooth=method4,tokenizer=whitespace,weights=.5/.5/0/0"


def test_bleu_against_one_reference():
    """Five of six words and two of five pairs match, one word is lacking: sqrt(5/6 * 2/5) * exp(1 - 7/6)."""
    assert score(NLTK, ON_THE_MAT, THERE_IS) == pytest.approx(0.4887164517296948, abs=1e-15)


def test_bleu_with_the_blank_tokens_that_jieba_keeps():
    pytest.importorskip("rjieba")
    found = score(NLTK.replace("whitespace", "zh[spaces=true]"), ON_THE_MAT, THERE_IS)
    assert found == pytest.approx(0.754157890123445, abs=1e-15)
    found = score(NLTK.replace("whitespace", "zh"), ON_THE_MAT, THERE_IS)
    assert found == pytest.approx(0.4887164517296948, abs=1e-15)


def test_the_flat_list_mistake():
    """Each *word* of the one reference becomes a reference, read letter by letter: a famous wrong number."""
    words = ["there", " ", "is", " ", "a", " ", "cat", " ", "on", " ", "the", " ", "mat"]
    bleu_score = pytest.importorskip("nltk.translate.bleu_score")
    hypothesis = ["the", " ", "cat", " ", "is", " ", "on", " ", "the", " ", "mat"]
    wrong = bleu_score.sentence_bleu(words, hypothesis, (0.5, 0.5, 0, 0), bleu_score.SmoothingFunction().method4)
    assert wrong == pytest.approx(0.046689450558483385, abs=1e-15)
    with pytest.raises(DataError, match="references_are_words=true"):
        score(NLTK, ON_THE_MAT, *words)
    assert 0 < score(f"{NLTK},references_are_words=true", ON_THE_MAT, *words) < 1


def test_token_f1_and_exact_match():
    assert score("exact-match", "the Eiffel Tower!", "Eiffel tower") == 1
    assert score("exact-match", "Eiffel", "Eiffel tower") == 0
    assert score("token-f1", "Eiffel", "Eiffel tower") == pytest.approx(2 / 3)
    assert score("token-f1", "北京大学", "北京") == pytest.approx(2 / 3)


def test_edit_similarity():
    assert score("edit-similarity", "sitting", "kitten") == pytest.approx(1 - 3 / 7)


def test_meteor():
    """Three of three words aligned, in two runs; six words in the reference."""
    expected = (1 - 0.5 * (2 / 3) ** 3) * (0.5 / (0.9 * 1 + 0.1 * 0.5))
    assert score("meteor", "the cat sat", "on the mat sat the cat") == pytest.approx(expected)
