"""Haystack: outputs of pipelines, and generated answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragauge.formats.sources.payloads import answer_of

ORIGINS: Mapping[str, str] = {
    "question": "query of the answer",
    "answer": "data of the answer, or replies",
    "contexts": "documents",
}


def samples(rows: Iterable[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:
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
