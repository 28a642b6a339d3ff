"""Scores of sentences by words: absent words, types of answer, headings, and samples that are too long."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.embedders import get
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.relevance import sentence_scores
from ragauge.grounding.relevance.lexical import LexicalRelevance
from ragauge.grounding.relevance.sentence_scores import SentenceScores
from tests.metrics.rag.given import batch_of


def scores_of(question: str, *passages: str) -> SentenceScores:
    return SentenceScores.of(batch_of({"question": question, "contexts": [*passages]}), Lexical())


def test_too_long_a_sample_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_scores, "MOST_COMPARED", 10)
    samples = (
        {"question": "Who opened the tea house?", "contexts": ["Lin Wan opened the tea house. It rained.", "Cats."]},
        {"question": "谁开了这家茶馆？", "contexts": ["下雨了。林婉开了这家茶馆。", "猫在睡觉。"]},
        {"question": "Why?", "contexts": []},
    )
    found = LexicalRelevance().passages(batch_of(*samples), get())
    assert np.isnan(found.values.values).all()
    assert {reason.partition(":")[0] for reason in found.reasons.values()} == {"too long"}
    assert found.unknown.tolist() == [True, True, False]


def test_absent_words() -> None:
    sample = {"question": "Who wrote Faust in 1808?", "contexts": ["Goethe wrote it.", "", "Faust: wrote in 1808."]}
    scores = sentence_scores.SentenceScores.of(batch_of(sample), Lexical())
    assert scores.absent_words() == [["faust", "1808"], []]


def test_a_type_that_is_absent_costs() -> None:
    scores = scores_of("How many rooms has the tea house?", "Tea house: it has 12 rooms.", "Tea house: rooms.")
    assert scores.without_type.tolist() == [False, True]
    having, lacking = scores.values
    assert having > lacking + 0.2


def test_a_heading_counts_for_each_sentence_of_its_passage() -> None:
    scores = scores_of("Who wrote Faust?", "Faust: a play. He wrote it.", "A play. He wrote it.")
    _, with_heading, _, without = scores.values.tolist()
    assert with_heading > without + 0.05


def test_a_word_elsewhere_in_the_passage_counts_a_little() -> None:
    scores = scores_of("Who wrote Faust?", "Faust is a play. He wrote it.", "A play. He wrote it.")
    _, beside, _, alone = scores.values.tolist()
    assert beside > alone


def test_the_longer_of_two_sentences_is_less_likely_the_answer() -> None:
    short, long = scores_of(
        "Who wrote Faust?", "Goethe wrote Faust.", "Goethe wrote Faust, a play of two parts."
    ).values
    assert short > long


def test_a_question_without_a_word_has_scores_of_0() -> None:
    scores = scores_of("?!", "Goethe wrote Faust.")
    assert scores.values.tolist() == [0.0]
    assert scores.without_word.tolist() == [True]


def test_reasons_name_absent_words_by_where_they_are_absent() -> None:
    scores = scores_of("How many rooms has the tea house?", "It has rooms.", "A house of two rooms. A garden.")
    best = scores.groups.place_of_highest(scores.values)
    assert scores.why(best).tolist() == [
        "not in any passage: tea; not in this passage: house; not beside them: a number of rooms",
        "not in any passage: tea",
    ]
