"""chrF: the F-score of character n-grams, in which recall weighs more."""

from __future__ import annotations

import pytest

from ragauge import score


def test_the_same_text_is_1_and_no_letter_in_common_is_0() -> None:
    assert score("chrf", answer="tea house", references=["tea house"]) == pytest.approx(1.0)
    assert score("chrf", answer="abc", references=["xyz"]) == 0.0


def test_recall_weighs_more_than_precision() -> None:
    # Half of what should be there costs more than twice as much as there should be.
    short = score("chrf", answer="green", references=["green tea"])
    long = score("chrf", answer="green tea", references=["green"])
    assert short < long


def test_words_count_too_in_chrf_plus_plus() -> None:
    given = {"answer": "tea green", "references": ["green tea"]}
    assert score("chrf++", **given) != score("chrf", **given)
