"""Abstention F1, against counts of a loop."""

from __future__ import annotations

import pytest

from ragauge import evaluate, score
from tests.metrics.rag.test_abstention_accuracy import samples


@pytest.mark.parametrize("seed", range(5))
def test_it_equals_a_loop(seed: int) -> None:
    made = samples(seed)
    result = evaluate([row for _, _, row in made], "abstention-f1", resamples=0)["abstention-f1"]
    both = sum(declines for declines, can, _ in made if not can)
    declined = sum(declines for declines, _, _ in made)
    should = sum(not can for _, can, _ in made)
    assert result.value == pytest.approx(2 * both / (declined + should), rel=1e-15)
    assert result.parts == {"precision": both / declined, "recall": both / should}


@pytest.mark.parametrize(("answer", "answerable", "expected"), [
    ("At nine.", True, 1), ("At nine.", False, 0), ("I don't know.", True, 0), ("I don't know.", False, 1),
])  # fmt: skip
def test_one_sample(answer: str, answerable: bool, expected: float) -> None:
    assert score("abstention-f1", answer=answer, answerable=answerable) == expected
