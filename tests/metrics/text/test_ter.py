"""Translation edit rate: words to insert, delete, replace or shift."""

from __future__ import annotations

import pytest

from ragauge import evaluate, score


@pytest.mark.parametrize(("answer", "reference", "value"), [
    ("on the mat the cat sat", "the cat sat on the mat", 1 / 6),
    ("the cat sat on the mat", "the cat sat on the mat", 0.0),
    ("c b a", "a b c", 2 / 3),
    ("a b x", "a b c", 1 / 3),
    ("b c d a x", "a b c d", 2 / 4),
    ("", "a b", 1.0),
    ("a b c", "", 1.0),
    ("", "", 0.0),
    ("坐猫", "猫坐", 1 / 2),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, reference: str, value: float) -> None:
    """The fifth: a moves to the front, x goes."""
    assert score("ter", answer=answer, references=[reference]) == pytest.approx(value, abs=1e-15)


def test_a_shift_is_one_edit_and_costs_fewer_than_wer_finds() -> None:
    texts = {"answer": "d e f a b c", "references": "a b c d e f"}
    assert (score("ter", **texts), score("wer", **texts)) == (1 / 6, 1.0)


def test_the_nearest_reference_counts_over_the_mean_length() -> None:
    """One edit against the first, over (2 + 4) / 2 words."""
    assert score("ter", answer="a x", references=["a b", "c d e f"]) == pytest.approx(1 / 3, abs=1e-15)


def test_the_corpus_value_is_that_of_all_words() -> None:
    """1 of 1 and 0 of 3: a mean would be .5."""
    rows = [{"answer": "x", "references": ["a"]}, {"answer": "b c d", "references": ["b c d"]}]
    assert evaluate(rows, "ter", resamples=0)["ter"].value == 0.25


def test_texts_that_take_too_long_fail_and_others_do_not() -> None:
    rows = [{"answer": "a " * 20_000, "references": ["b " * 20_000]}, {"answer": "b", "references": ["b"]}]
    result = evaluate(rows, "ter", resamples=0)["ter"]
    assert (result.value, result.failed) == (0.0, 1)
