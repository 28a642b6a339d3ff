"""Abstention accuracy, against a loop over samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge import evaluate
from ragauge.errors import DataError

WHOLE, PART, NONE = "资料里没有提到。", "The passages do not say when. It is in Hangzhou.", "At nine."


def samples(seed: int) -> list[tuple[float, bool, dict[str, object]]]:
    """Return how far each answer declines, whether its question can be answered, and its row."""
    chosen = np.random.default_rng(seed)
    made = []
    for place, can in zip(chosen.integers(3, size=60).tolist(), (chosen.random(60) < 0.7).tolist(), strict=True):
        text, declines = [(WHOLE, 1.0), (PART, 0.5), (NONE, 0.0)][place]
        made.append((declines, can, {"answer": text, "answerable": can}))
    return made


@pytest.mark.parametrize("seed", range(5))
def test_it_equals_a_loop(seed: int) -> None:
    made = samples(seed)
    result = evaluate([row for _, _, row in made], "abstention-accuracy", resamples=0)["abstention-accuracy"]
    right = [1 - declines if can else declines for declines, can, _ in made]
    over = [declines for declines, can, _ in made if can]
    missed = [1 - declines for declines, can, _ in made if not can]
    assert result.value == sum(right) / len(right)
    assert result.parts == {"over-refusal": sum(over) / len(over), "missed-refusal": sum(missed) / len(missed)}


@pytest.mark.parametrize("column", ["is_answerable", "is_impossible", "unanswerable"])
@pytest.mark.parametrize("words", [(True, False), ("yes", "no"), (1, 0)])
def test_the_opposite_of_a_mark_is_read_with_a_note(column: str, words: tuple[Any, Any]) -> None:
    opposite = column != "is_answerable"
    rows = [
        {"answer": text, "references": [""], "answerable": can, column: words[can == opposite]}
        for text, can in (("At nine.", True), ("I don't know.", False), ("I don't know.", True), ("In 1990.", False))
    ]
    wanted = evaluate(rows, "abstention-accuracy", resamples=0)["abstention-accuracy"]
    assert not wanted.noted
    for row in rows:
        del row["answerable"]
    found = evaluate(rows, "abstention-accuracy", resamples=0)["abstention-accuracy"]
    assert (found.value, found.parts) == (wanted.value, wanted.parts)
    assert found.noted == ({"said by its opposite": 4} if opposite else {})


def test_a_mark_of_an_opposite_that_says_nothing_is_refused() -> None:
    rows = [{"id": "q", "answer": "At nine.", "is_impossible": "perhaps"}]
    with pytest.raises(DataError, match=r"column is_impossible must have true or false.*; not q \('perhaps'\)"):
        evaluate(rows, "abstention-accuracy", resamples=0)
