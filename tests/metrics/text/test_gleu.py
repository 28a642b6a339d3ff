"""GLEU: the lower of n-gram precision and recall."""

from __future__ import annotations

import pytest

from ragauge import evaluate, score


@pytest.mark.parametrize(("answer", "reference", "value"), [
    ("the cat is here", "the cat was here", 4 / 10),
    ("a b", "a b c", 3 / 6),
    ("a b c", "a b", 3 / 6),
    ("", "a", 0.0),
    ("a", "", 0.0),
    ("a", "a", 1.0),
    ("茶馆", "茶楼", 1 / 3),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    """The first: the, cat, here and the pair the cat, of 4 + 3 + 2 + 1 n-grams."""
    assert score("gleu", answer=answer, references=[reference]) == pytest.approx(value, abs=1e-15)


def test_the_reference_of_highest_score_counts() -> None:
    assert score("gleu", answer="a b", references=["a c", "a b c"]) == 0.5


def test_the_corpus_value_is_that_of_all_n_grams() -> None:
    """0 of 1 and 3 of 3: a mean would be .5."""
    rows = [{"answer": "x", "references": ["a"]}, {"answer": "b c", "references": ["b c"]}]
    assert evaluate(rows, "gleu", resamples=0)["gleu"].value == 0.75
