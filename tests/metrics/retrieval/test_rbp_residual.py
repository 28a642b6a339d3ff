"""Residual of rank-biased precision: what nobody knows."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(("spec", "relevance", "value"), [
    ("rbp-residual:p=0.5", {"a": 1, "n": 0}, 1 - 0.5 * (1 + 0.25)),
    ("rbp-residual@1:p=0.5", {"a": 1, "n": 0}, 0.5),
    ("rbp-residual:p=0.5", {"a": 1, "n": -1}, 0.5),
    ("rbp-residual:p=0.5,unjudged=drop", {"a": 1, "n": 0}, 1 - 0.5 * (1 + 0.5)),
])  # fmt: skip
def test_values_worked_by_hand(spec: str, relevance: dict[str, int], value: float) -> None:
    """Ranks 1 and 3 are judged; those that were dropped leave ranks 1 and 2."""
    assert score(spec, retrieved=["a", "x", "n"], relevance=relevance) == value


def test_with_every_unjudged_document_relevant_rbp_is_higher_by_it_at_most() -> None:
    run, known = ["a", "x", "n", "y"], {"a": 1, "n": 0}
    low, high = (score("rbp", retrieved=run, relevance=rel) for rel in (known, {**known, "x": 1, "y": 1}))
    residual = score("rbp-residual", retrieved=run, relevance=known)
    assert high - low < residual == pytest.approx(high - low + 0.8**4, rel=1e-12)
