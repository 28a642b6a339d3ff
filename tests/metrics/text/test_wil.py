"""Word information lost: what of reference and answer does not agree."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(("answer", "reference", "value"), [
    ("the cat sat on mat", "the cat sits on the mat", 1 - 4 / 6 * 4 / 5),
    ("a b c", "a", 1 - 1 / 3),
    ("", "one two", 1.0),
    ("one", "", 1.0),
    ("", "", 0.0),
    ("茶馆开了", "茶馆关了", 1 - 9 / 16),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    assert score("wil", answer=answer, references=[reference]) == pytest.approx(value, abs=1e-15)


def test_the_lowest_loss_of_several_references_counts() -> None:
    assert score("wil", answer="a b c e", references=["a b", "a b c d"]) == pytest.approx(1 - 9 / 16)
