"""Compression ratio: words of the passages for each word of the answer."""

from __future__ import annotations

import pytest

from ragauge import score
from tests.metrics.text.test_every_language import TEXTS


@pytest.mark.parametrize(("answer", "contexts", "value"), [
    ("a cat", ["The cat sat.", "It slept."], 2.5),
    ("", ["a b"], 2.0),
    ("a b", [""], 0.0),
    ("茶馆关门", ["茶馆今天关门"], 1.5),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, contexts: list[str], value: float) -> None:
    assert score("compression-ratio", answer=answer, contexts=contexts) == value


@pytest.mark.parametrize("language", TEXTS)
def test_every_language(language: str) -> None:
    text, _ = TEXTS[language]
    assert score("compression-ratio", answer=text, contexts=[text, text]) == 2
