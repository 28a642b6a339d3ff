"""ROUGE-Lsum: ROUGE-L by sentence, where each sentence of the reference takes the union of its matches."""

from __future__ import annotations

from ragauge import score


def test_sentences_in_another_order_lose_nothing() -> None:
    given = {"answer": "The cat sat.\nIt rained.", "references": ["It rained.\nThe cat sat."]}
    assert score("rouge-lsum", **given) == 1.0
    assert score("rouge-l", **given) < 1.0


def test_one_sentence_is_rouge_l() -> None:
    given = {"answer": "police kill the gunman", "references": ["police ended the gunman"]}
    assert score("rouge-lsum", **given) == score("rouge-l", **given)
