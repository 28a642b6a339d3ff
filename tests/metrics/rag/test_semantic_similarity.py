"""Semantic similarity: the cosine, clipped or not, and its edges."""

from __future__ import annotations

import math

import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.errors import OptionError
from ragauge.metrics.rag.semantic_similarity import SemanticSimilarity
from tests.approved import pattern

from .given import Placed, batch_of, cells, scores

VECTORS = {"a": (1.0, 0.0), "b": (-1.0, 0.0), "c": (0.6, 0.8), "d": (0.0, 0.0)}


def score(answer: str, *references: str, **options: object) -> float:
    metric = SemanticSimilarity(embedder=Placed(VECTORS), **options)  # type: ignore[arg-type]
    return scores(metric, {"answer": answer, "references": list(references)})[0]


def test_cosine() -> None:
    assert score("a", "c") == pytest.approx(0.6)
    assert score("a", "c", "a") == 1.0
    assert score("a", "d") == 0.0


def test_negative_cosines() -> None:
    assert (score("a", "b"), score("a", "b", clip=False)) == (0.0, -1.0)
    assert str(ragauge.parse("semantic-similarity:compat=ragas")) == "semantic-similarity:clip=false"
    assert SemanticSimilarity(clip=False).range == (-1.0, 1.0)


def test_at_least() -> None:
    assert (score("a", "c", at_least=0.5), score("a", "c", at_least=0.7)) == (1.0, 0.0)
    assert score("a", "c", at_least=0.0) == 1.0
    with pytest.raises(OptionError, match=pattern("metrics.option_at_least_of_semantic_similarity_must")):
        SemanticSimilarity(at_least=2.0)


def test_edges() -> None:
    metric = SemanticSimilarity(embedder=Placed(VECTORS))
    found = cells(
        metric,
        {"answer": "", "references": ["a"]},
        {"answer": "a", "references": []},
        {"answer": "a", "references": ["  "]},
        {"answer": None, "references": ["a"]},
        {"answer": "a", "references": ["lost"]},
        {"answer": "", "references": ["lost"]},
    )
    states = [Status.OK, Status.UNDEFINED, Status.UNDEFINED, Status.MISSING, Status.FAILED, Status.OK]
    assert found.sums.status.tolist() == states
    assert (found.scores[0], found.scores[5]) == (0.0, 0.0)
    assert math.isnan(found.scores[4])
    assert dict(found.sums.reasons) == {4: "no vector for lost"}


def test_evidence() -> None:
    table = SemanticSimilarity(embedder=Placed(VECTORS)).explain(batch_of({"answer": "a", "references": ["b", "c"]}))
    (row,) = table.to_pylist()
    assert (row["id"], row["what"], row["text"], row["best"], row["supported"]) == ("s0", "answer", "a", "c", None)
    assert row["similarity"] == pytest.approx(0.6)
