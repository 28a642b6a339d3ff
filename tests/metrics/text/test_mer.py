"""Match error rate: the share of errors among aligned words."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(("answer", "reference", "value"), [
    ("the cat sat on mat", "the cat sits on the mat", 2 / 6),
    ("a b c", "a", 2 / 3),
    ("", "one two", 1.0),
    ("one", "", 1.0),
    ("", "", 0.0),
    ("茶馆开了", "茶馆关了", 1 / 4),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    assert score("mer", answer=answer, references=[reference]) == pytest.approx(value, abs=1e-15)


def test_the_lowest_rate_of_several_references_counts() -> None:
    assert score("mer", answer="a b c e", references=["a b", "a b c d"]) == 0.25
