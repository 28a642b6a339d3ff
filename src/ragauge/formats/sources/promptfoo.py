"""promptfoo: the results of an evaluation, a sample for each test, prompt and provider."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragauge.formats.sources.export import Export, row_by_row
from ragauge.formats.sources.payloads import CONTEXTS, answer_of, passages_of, question_of

_RIGHT = frozenset({"equals", "similar", "factuality", "model-graded-factuality", "context-recall"})
"""Assertions whose value is the right answer."""
_REFERENCES = ("expected", "reference", "ground_truth", "expected_answer", "expected_output", "answer")
_QUESTIONS = ("question", "query", "user_input", "input", "prompt", "message")


def _samples(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a sample for each result in a row, which may be one."""
    within = row.get("results")
    while isinstance(within, Mapping):
        within = within.get("results")
    for place, one in enumerate(within if isinstance(within, list) else [row]):
        if isinstance(one, Mapping):
            yield _sample(one, place)


def _sample(one: Mapping[str, Any], place: int) -> dict[str, Any]:
    values, response = one.get("vars") or {}, one.get("response") or {}
    test = one.get("testCase") or {}
    provider = one.get("provider")
    named = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider
    test_number = one.get("testIdx", place)
    sample = {"id": f"{test_number}-{one.get('promptIdx', 0)}-{named}", "provider": named}
    used = [next((key for key in names if key in values), None) for names in (_QUESTIONS, CONTEXTS, _REFERENCES)]
    question, contexts, references = used
    others = {key: value for key, value in values.items() if key not in used}
    sample["question"] = question_of(values[question] if question else values if len(values) == 1 else None)
    sample["answer"] = answer_of(response.get("output")) if isinstance(response, Mapping) else response
    sample["contexts"] = passages_of(values.get(contexts) if contexts else None)
    sample["references"] = values[references] if references else _asserted(test.get("assert"))
    if sample["answer"] is None and one.get("error"):
        sample["failure"] = str(one["error"])
    return {**others, **{name: value for name, value in sample.items() if value is not None}}


def _asserted(assertions: Any) -> list[str] | None:
    every = assertions if isinstance(assertions, list) else []
    right = [one.get("value") for one in every if isinstance(one, Mapping) and one.get("type") in _RIGHT]
    return [one for one in right if isinstance(one, str)] or None


def _is_of_older(row: Mapping[str, Any]) -> bool:
    results = row.get("results")
    return isinstance(results, Mapping) and isinstance(results.get("results"), list)


_ORIGINS = {
    "question": "vars",
    "answer": "response.output",
    "references": "vars, or values of assertions",
    "contexts": "vars",
}
EXPORTS = (
    Export(
        "promptfoo results",
        [("vars", "response"), ("evalId", "results")],
        row_by_row(_samples),
        _ORIGINS,
        fits=_is_of_older,
    ),
)
