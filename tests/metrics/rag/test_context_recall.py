"""Context recall: the share of reference sentences that were retrieved; its edges."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status
from ragauge.metrics.rag.context_recall import ContextRecall

from .given import Marked, batch_of, cells, scores

MARKS = Marked({("One.", "x"): 1.0, ("Two.", "y"): 1.0})
METRIC = ContextRecall(support=MARKS)


def test_share_of_the_references_sentences() -> None:
    assert scores(METRIC, {"references": ["One. Two. Three."], "contexts": ["x", "y"]}) == [2 / 3]
    assert scores(METRIC, {"references": ["One. Two. Three."], "contexts": ["x"]}) == [1 / 3]


def test_the_best_of_several_references() -> None:
    assert scores(METRIC, {"references": ["Three. One.", "Two.", "Four."], "contexts": ["x", "y"]}) == [1.0]


def test_all_of_several_reference_passages() -> None:
    sample = {"reference_contexts": ["Three. One.", "Two.", "Four."], "contexts": ["x", "y"]}
    assert scores(METRIC, sample) == [2 / 4]


@pytest.mark.parametrize(
    ("sample", "status", "score"),
    [
        ({"references": ["One."], "contexts": []}, Status.OK, 0.0),
        ({"references": [], "contexts": ["x"]}, Status.UNDEFINED, None),
        ({"references": ["", " "], "contexts": []}, Status.UNDEFINED, None),
        ({"references": ["One."], "contexts": None}, Status.MISSING, None),
    ],
)
def test_edges(sample: dict[str, Any], status: Status, score: float | None) -> None:
    found = cells(METRIC, sample)
    assert found.sums.status.tolist() == [status]
    assert score is None or found.scores.tolist() == [score]


def test_evidence() -> None:
    table = METRIC.explain(batch_of({"references": ["One. Three."], "contexts": ["x"]}))
    assert table["text"].to_pylist() == ["One.", "Three."]
    assert table["supported"].to_pylist() == [True, False]
    assert set(table["what"].to_pylist()) == {"reference sentence"}
