"""Haystack: outputs of pipelines, generated answers, and evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragauge.formats.sources.export import Export, Rows
from ragauge.formats.sources.payloads import answer_of

_OUTPUTS = frozenset({"replies", "answers", "documents"})


def samples(rows: Rows, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a sample for each generated answer and each output of a pipeline.

    >>> next(samples([{"llm": {"replies": ["Anna."]}, "retriever": {"documents": [{"content": "Tea."}]}}], []))
    {'answer': 'Anna.', 'contexts': [{'content': 'Tea.'}]}
    """
    for row in rows:
        if "data" in row:
            yield _of_answer(row)
        else:
            yield from _of_pipeline(row, notes)


def _of_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"question": answer.get("query"), "answer": answer.get("data"), "contexts": answer.get("documents")}


def _of_pipeline(outputs: Mapping[str, Any], notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the sample of one run: of an answer builder, else of replies and of the last component with documents."""
    components = [one for one in outputs.values() if isinstance(one, Mapping)]
    answers = [one for component in components for one in component.get("answers") or ()]
    documents = [component["documents"] for component in components if component.get("documents") is not None]
    replies = [component["replies"] for component in components if component.get("replies")]
    if answers and isinstance(answers[0], Mapping) and "data" in answers[0]:
        sample = _of_answer(answers[0])
        held = sample["contexts"] or (documents[-1] if documents else None)
        yield {**sample, "contexts": held}
        return
    for kind, several in (("documents", documents), ("replies", replies)):
        what = f"{len(several)} components of the pipeline returned {kind}; those of the last were read"
        if len(several) > 1 and what not in notes:
            notes.append(what)
    answer = {"answer": answer_of(replies[-1][0])} if replies else {}
    yield {**answer, **({"contexts": documents[-1]} if documents else {})}


def _is_of_pipeline(row: Mapping[str, Any]) -> bool:
    """Return whether a row holds the outputs of components by their names."""
    outputs = list(row.values())
    if not outputs or not all(isinstance(one, Mapping) for one in outputs):
        return False
    # Each of a component's outputs is a list: a row of samples has texts or numbers within its objects.
    lists = all(isinstance(next(iter(one.values()), []), list) for one in outputs)
    return lists and any(not _OUTPUTS.isdisjoint(one) for one in outputs)


def evaluated(rows: Rows, _notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each query of an EvaluationRunResult: its inputs, and the score of each of Haystack's metrics.

    >>> result = {"run_name": "a", "inputs": {"question": ["Who?"]}, "results": {"mrr": {"individual_scores": [1.0]}}}
    >>> next(evaluated([result], []))
    {'question': 'Who?', 'mrr': 1.0}
    """
    for result in rows:
        inputs, results = result.get("inputs") or {}, result.get("results") or {}
        scores = {name: one.get("individual_scores") for name, one in results.items() if isinstance(one, Mapping)}
        columns = {**inputs, **{name: values for name, values in scores.items() if values}}
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))


EXPORTS = (
    Export("a Haystack evaluation", [("run_name", "inputs", "results")], evaluated),
    Export(
        "Haystack results",
        [("data", "query", "documents")],
        samples,
        {"question": "query of the answer", "answer": "data of the answer, or replies", "contexts": "documents"},
        fits=_is_of_pipeline,
    ),
)
