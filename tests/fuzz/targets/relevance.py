"""Metrics that look for what passages and answers have to do with a question."""

from __future__ import annotations

from tests.fuzz.targets import _scored

_SPECS = (
    "context-relevancy:relevance=lexical",
    "context-precision:to=question",
    "context-utilization",
    "answer-relevancy",
    "context-relevancy:support=ngram-recall",
)
STRATEGY = _scored.strategy(_SPECS)


def target(data: bytes) -> None:
    """Score a sample."""
    _scored.score(_SPECS, data)
