"""Context relevancy: the share of relevant sentences among those retrieved; its edges."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status
from ragauge.metrics.rag.context_relevancy import ContextRelevancy

from .given import Marked, batch_of, cells, scores

MARKS = Marked({("Why?", "One."): 1.0, ("So.", "One."): 1.0, ("Then.", "Four."): 1.0})
SAMPLE = {"question": "Why?", "answer": "So. Then.", "contexts": ["One. Two.", "Three. Four."]}


def test_to_the_question_or_to_the_answer() -> None:
    assert scores(ContextRelevancy(support=MARKS), SAMPLE) == [1 / 4]
    assert scores(ContextRelevancy(support=MARKS, to="answer"), SAMPLE) == [2 / 4]


def test_needs_what_it_is_held_against() -> None:
    assert ContextRelevancy().needs == (("question", "contexts"),)
    assert ContextRelevancy(to="answer").needs == (("answer", "contexts"),)


def test_a_question_is_held_to_the_threshold_of_relevance() -> None:
    assert "|threshold=0.25 measured|" in ContextRelevancy().identity
    assert "|threshold=0.65 measured|" in ContextRelevancy(to="answer").identity


@pytest.mark.parametrize(
    ("to", "change", "status"),
    [
        ("question", {"question": " "}, Status.UNDEFINED),
        ("question", {"contexts": []}, Status.OK),
        ("question", {"contexts": ["", " "]}, Status.OK),
        ("answer", {"answer": ""}, Status.OK),
        ("answer", {"answer": None}, Status.MISSING),
    ],
)
def test_edges(to: Any, change: dict[str, Any], status: Status) -> None:
    found = cells(ContextRelevancy(support=MARKS, to=to), {**SAMPLE, **change})
    assert found.sums.status.tolist() == [status]
    assert status != Status.OK or found.scores.tolist() == [0.0]


def test_evidence() -> None:
    table = ContextRelevancy(support=MARKS).explain(batch_of(SAMPLE))
    assert table["text"].to_pylist() == ["One.", "Two.", "Three.", "Four."]
    assert table["supported"].to_pylist() == [True, False, False, False]
    assert set(table["best"].to_pylist()) == {"Why?"}
