"""Edit similarity: one minus the edits from answer to reference, over the longer length."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(
    ("answer", "reference", "value"),
    [("kitten", "sitting", 1 - 3 / 7), ("茶馆", "茶楼", 0.5), ("tea", "tea", 1.0), ("abc", "xyz", 0.0)],
)
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    assert score("edit-similarity", answer=answer, references=[reference]) == pytest.approx(value, rel=1e-12)


def test_the_nearest_reference_counts() -> None:
    assert score("edit-similarity", answer="tea", references=["coffee", "tee"]) == pytest.approx(2 / 3, rel=1e-12)
