"""Scores beside a ranking that say another order than the ranking."""

from __future__ import annotations

from typing import Any

import pytest

import ragauge


def notes(rows: list[dict[str, Any]], metric: str = "mrr") -> list[str]:
    result = ragauge.evaluate(rows, [metric], resamples=0)
    return [note for note in result.data.notes if "another order" in note]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        *[("scores", [0.1, 0.9]), ("score", [1, 2]), ("distances", [0.9, 0.1]), ("rank", [2, 1])],
        ("similarity", [0, 1]),
        *[("相似度", [0.1, 0.9]), ("類似度", [0.1, 0.9]), ("유사도", [0.1, 0.9]), ("ранг", [2, 1])],
        *[("رتبة", [2, 1]), ("रैंक", [2, 1]), ("อันดับ", [2, 1])],
    ],
)
def test_another_order_is_noted(name: str, numbers: list[float]) -> None:
    row = {"retrieved": ["d1", "d2"], "relevance": {"d2": 1}, name: numbers}
    [note] = notes([row, row | {name: numbers[::-1]}])
    assert note.startswith(f"{name} says another order than retrieved in 1 of 2 samples looked at;")
    assert not notes([row | {name: numbers[::-1]}])


def test_what_ranks_needs_no_note() -> None:
    row = {"retrieved": ["d1", "d2"], "relevance": {"d2": 1}, "scores": [0.1, 0.9]}
    by_scores = ragauge.evaluate([row], ["mrr"], map={"retrieved_scores": "scores"}, resamples=0)
    assert by_scores["mrr"].value == 1
    assert not [note for note in by_scores.data.notes if "another order" in note]
    # Not one for each document, not numbers, and not a ranking that is read.
    assert not notes([row | {"scores": [0.1]}])
    assert not notes([row | {"scores": ["a", "b"]}])
    assert not notes([row | {"answer": "a", "references": ["a"]}], "exact-match")


def test_scores_within_passages_are_noted() -> None:
    contexts = [{"text": "Zug", "score": 0.1}, {"text": "Lin grows tea.", "score": 0.9}]
    row = {"contexts": contexts, "reference_contexts": ["Lin grows tea."]}
    [note] = notes([row])
    assert note.startswith("the score within contexts says another order than contexts in 1 of 1 samples")
    assert not notes([row | {"contexts": contexts[::-1]}])


def test_distances_and_ranks_within_documents_rank_them() -> None:
    for key, better, worse in [("distance", 0.1, 0.9), ("rank", 1, 2), ("score", 0.9, 0.1)]:
        found = [{"doc_id": "d1", key: worse}, {"doc_id": "d2", key: better}]
        row = {"retrieved": found, "relevance": {"d2": 1}}
        assert ragauge.evaluate([row], ["mrr"], resamples=0)["mrr"].value == 1, key
