"""Metrics that look for support of claims: by features, by n-gram recall, and the words that an answer contains."""

from __future__ import annotations

from tests.fuzz.targets import _scored

_SPECS = (
    "groundedness:support=features",
    "answer-correctness",
    "context-recall",
    "context-precision",
    "groundedness:support=ngram-recall",
    "contains-answer",
)
STRATEGY = _scored.strategy(_SPECS)


def target(data: bytes) -> None:
    """Score a sample."""
    _scored.score(_SPECS, data)
