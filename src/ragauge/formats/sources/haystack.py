"""Haystack: outputs of pipelines, generated answers, and evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragauge.formats.sources.export import Export, row_by_row
from ragauge.formats.sources.payloads import answer_of

_OUTPUTS = frozenset({"replies", "answers", "documents"})


def sample_of(row: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return the sample of a generated answer, or of the outputs of a pipeline.

    Of a pipeline those of an answer builder count, else the replies and the documents of the last component that has
    some.

    >>> sample_of({"llm": {"replies": ["Anna."]}, "retriever": {"documents": [{"content": "Tea."}]}}, [])
    {'answer': 'Anna.', 'contexts': [{'content': 'Tea.'}]}
    """
    if "data" in row:
        return {"question": row.get("query"), "answer": row.get("data"), "contexts": row.get("documents")}
    components = [one for one in row.values() if isinstance(one, Mapping)]
    answers = [one for component in components for one in component.get("answers") or ()]
    documents = [component["documents"] for component in components if component.get("documents") is not None]
    replies = [component["replies"] for component in components if component.get("replies")]
    if answers and isinstance(answers[0], Mapping) and "data" in answers[0]:
        sample = sample_of(answers[0], notes)
        return {**sample, "contexts": sample["contexts"] or (documents[-1] if documents else None)}
    for kind, several in (("documents", documents), ("replies", replies)):
        note = f"{len(several)} components of the pipeline returned {kind}; those of the last were read"
        if len(several) > 1 and note not in notes:
            notes.append(note)
    answer = {"answer": answer_of(replies[-1][0])} if replies else {}
    return {**answer, **({"contexts": documents[-1]} if documents else {})}


def _is_of_pipeline(row: Mapping[str, Any]) -> bool:
    """Return whether a row holds the outputs of components by their names."""
    outputs = list(row.values())
    if not outputs or not all(isinstance(one, Mapping) for one in outputs):
        return False
    # Each of a component's outputs is a list: a row of samples has texts or numbers within its objects.
    lists = all(isinstance(next(iter(one.values()), []), list) for one in outputs)
    return lists and any(not _OUTPUTS.isdisjoint(one) for one in outputs)


def _evaluated(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each query of an EvaluationRunResult: its inputs, and the score of each of Haystack's metrics."""
    inputs, results = result.get("inputs") or {}, result.get("results") or {}
    scores = {name: one.get("individual_scores") for name, one in results.items() if isinstance(one, Mapping)}
    columns = {**inputs, **{name: values for name, values in scores.items() if values}}
    for row in zip(*columns.values(), strict=True):
        yield dict(zip(columns, row, strict=True))


EXPORTS = (
    Export(
        "Haystack results",
        [("data", "query", "documents")],
        lambda rows, notes: (sample_of(row, notes) for row in rows),
        {"question": "query of the answer", "answer": "data of the answer, or replies", "contexts": "documents"},
        fits=_is_of_pipeline,
    ),
    Export("a Haystack evaluation", [("run_name", "inputs", "results")], row_by_row(_evaluated)),
)
