"""Extractive density: what is not seen in its values, which stand beside those of extractive coverage."""

from __future__ import annotations

from ragauge import evaluate


def test_pooled_it_is_that_of_all_words() -> None:
    """1 + 9 over 1 + 3 words; the mean of the samples is 2."""
    rows = [{"answer": "x", "contexts": ["x"]}, {"answer": "a b c", "contexts": ["a b c"]}]
    result = evaluate(rows, ["extractive-density", "extractive-density:average=pooled"], resamples=0)
    assert (result["extractive-density"].value, result["extractive-density:average=pooled"].value) == (2.0, 2.5)
