"""Context utilization: the average precision of the passages that support the answer; its edges."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status
from ragauge.metrics.rag.context_utilization import ContextUtilization

from .given import Marked, batch_of, cells, scores

MARKS = Marked({("One.", "x"): 1.0, ("Two.", "y"): 1.0})
METRIC = ContextUtilization(support=MARKS)


def test_a_value_worked_by_hand() -> None:
    """Passages at ranks 2 and 3 support a sentence of the answer: (1/2 + 2/3) / 2 = 7/12; up to rank 2, 1/2."""
    row = {"answer": "One. Two.", "contexts": ["other", "x", "y"]}
    assert scores(METRIC, row) == [pytest.approx(7 / 12, abs=1e-15)]
    assert scores(ContextUtilization(support=MARKS, k=2), row) == [0.5]
    assert scores(ContextUtilization(support=MARKS, epsilon=1.0), row) == [pytest.approx(7 / 18, abs=1e-15)]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"answer": ""}, Status.OK),
        ({"answer": "Three."}, Status.OK),
        ({"contexts": []}, Status.OK),
        ({"contexts": ["", " "]}, Status.OK),
        ({"answer": None}, Status.MISSING),
        ({"contexts": None}, Status.MISSING),
    ],
)
def test_an_answer_without_support_scores_0_and_is_never_undefined(change: dict[str, Any], status: Status) -> None:
    found = cells(METRIC, {"answer": "One.", "contexts": ["x"], **change})
    assert found.sums.status.tolist() == [status]
    assert status != Status.OK or found.scores.tolist() == [0.0]


@pytest.mark.parametrize(
    ("answer", "passages"),
    [
        ("افتتح لين وان المقهى.", ["هطل المطر.", "افتتح لين وان المقهى عام 1990."]),
        ("林婉开了这家茶馆。", ["下雨了。", "林婉于1990年开了这家茶馆。"]),
        ("หลินหวันเปิดร้านน้ำชา", ["ฝนตก", "หลินหวันเปิดร้านน้ำชาในปี 1990"]),
    ],
)
def test_in_any_language_the_passage_that_holds_the_answer_counts(answer: str, passages: list[str]) -> None:
    """Arabic, Chinese and Thai: the second passage alone supports the answer, so 1/2; ranked first, 1."""
    rows = [{"answer": answer, "contexts": order} for order in (passages, passages[::-1])]
    assert scores(ContextUtilization(), *rows) == [0.5, 1.0]


def test_evidence() -> None:
    table = METRIC.explain(batch_of({"answer": "One.", "contexts": ["x", "y"]}))
    assert table["text"].to_pylist() == ["x", "y"]
    assert table["best"].to_pylist()[0] == "One."
    assert table["supported"].to_pylist() == [True, False]
    assert set(table["what"].to_pylist()) == {"passage"}
