"""Exact match: whether an answer equals a reference, after normalising."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge import score
from ragauge.metrics.text._answers import Normalised

OPTIONS = list(product(("fold", "lower", "keep"), ("unicode", "ascii", "none"), (True, False)))
PIECES = ["the", "The", "an", "a", " ", "\t", "\x1c", "\x00", "\x7f", ".", "_", "-", "'", "b", "1"]


@given(text=st.lists(st.sampled_from(PIECES), max_size=12).map("".join), options=st.sampled_from(OPTIONS))
def test_a_text_of_ascii_is_normalised_as_beside_a_word_of_other_letters(text: str, options: tuple[Any, ...]) -> None:
    normalised = Normalised(*options)
    assert f"{normalised.text(text)} é".strip() == normalised.text(f"{text} é")


@pytest.mark.parametrize(
    ("answer", "references", "value"),
    [
        ("The Tea House!", ["tea house"], 1.0),
        ("tea", ["coffee", "tea"], 1.0),
        ("茶馆。", ["茶馆"], 1.0),
        ("tea house", ["tea"], 0.0),
        ("", ["tea"], 0.0),
    ],
)
def test_case_articles_and_punctuation_do_not_count(answer: str, references: list[str], value: float) -> None:
    assert score("exact-match", answer=answer, references=references) == value


def test_case_may_be_kept() -> None:
    assert score("exact-match:case=keep", answer="Tea", references=["tea"]) == 0.0
