"""Haystack: an EvaluationRunResult, with its inputs as columns and the scores of each query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ORIGINS: Mapping[str, str] = {}


def samples(rows: Iterable[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:  # noqa: ARG001 - one form
    """Yield a row for each query: its inputs under their names, and the score of each of Haystack's metrics.

    >>> result = {"run_name": "a", "inputs": {"question": ["Who?"]}, "results": {"mrr": {"individual_scores": [1.0]}}}
    >>> next(samples([result], []))
    {'question': 'Who?', 'mrr': 1.0}
    """
    for result in rows:
        inputs, results = result.get("inputs") or {}, result.get("results") or {}
        scores = {name: one.get("individual_scores") for name, one in results.items() if isinstance(one, Mapping)}
        columns = {**inputs, **{name: values for name, values in scores.items() if values}}
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))
