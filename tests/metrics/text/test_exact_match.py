"""Exact match: whether an answer equals a reference, after normalising."""

from __future__ import annotations

import pytest

from ragauge import score


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
