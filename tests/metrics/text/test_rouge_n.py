"""ROUGE-N: the harmonic mean of the shares of n-grams that answer and reference have in common."""

from __future__ import annotations

import pytest

from ragauge import score


def test_values_worked_by_hand() -> None:
    given = {"answer": "the cat sat", "references": ["the cat ran off"]}
    # Words: 2 of 3 and 2 of 4; pairs of words: 1 of 2 and 1 of 3.
    assert score("rouge-1", **given) == pytest.approx(4 / 7, rel=1e-12)
    assert score("rouge-2", **given) == pytest.approx(2 / 5, rel=1e-12)
    assert score("rouge-n@3", **given) == 0.0


def test_rouge_n_at_1_is_rouge_1() -> None:
    given = {"answer": "a b b", "references": ["b c"]}
    assert score("rouge-n@1", **given) == score("rouge-1", **given)
