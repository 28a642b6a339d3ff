"""BLEU: the geometric mean of n-gram precisions, times a penalty for short answers."""

from __future__ import annotations

from math import exp

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # Precisions 4/5 and 2/4 of words and pairs, no penalty: the answer is as long as the reference.
    found = score("bleu:order=2,smooth=none", answer="the cat sat on mats", references=["the cat lay on mats"])
    assert found == pytest.approx((4 / 5 * 2 / 4) ** 0.5, rel=1e-12)


def test_a_short_answer_is_penalised() -> None:
    # exp(1 - 4/2): half as long as the reference.
    found = score("bleu:order=1,smooth=none", answer="the cat", references=["the cat sat down"])
    assert found == pytest.approx(exp(-1), rel=1e-12)


def test_the_same_text_is_1() -> None:
    assert score("bleu", answer="the cat sat on the mat", references=["the cat sat on the mat"]) == pytest.approx(1.0)


def test_a_word_counts_no_more_often_than_in_the_reference() -> None:
    found = score("bleu:order=1,smooth=none", answer="the the the", references=["the cat sat"])
    assert found == pytest.approx(1 / 3, rel=1e-12)
