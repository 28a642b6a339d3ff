"""Character error rate: the characters to change, over those of the reference."""

from __future__ import annotations

import pytest

from ragauge import evaluate, score


@pytest.mark.parametrize(("answer", "reference", "value"), [
    ("sitting", "kitten", 3 / 6),
    ("茶馆", "茶楼", 0.5),
    ("ab", "a b", 1 / 3),
    ("abc", "", 3.0),
    ("", "", 0.0),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    assert score("cer", answer=answer, references=[reference]) == pytest.approx(value, abs=1e-15)


def test_the_lowest_rate_of_several_references_counts() -> None:
    assert score("cer", answer="abcx", references=["ab", "abcd"]) == 0.25


def test_the_corpus_value_is_all_errors_over_all_characters() -> None:
    rows = [{"answer": "x", "references": ["a"]}, {"answer": "bcd", "references": ["bcd"]}]
    assert evaluate(rows, "cer", resamples=0)["cer"].value == 0.25
