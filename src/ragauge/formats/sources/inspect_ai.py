"""inspect_ai: samples of a log, with the completion of the model and the scores of inspect's scorers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragauge.formats.sources.payloads import answer_of, documents_of, question_of

ORIGINS: Mapping[str, str] = {
    "question": "input",
    "answer": "output.completion",
    "references": "target",
    "contexts": "metadata",
}
CONTEXTS = ("contexts", "retrieved_contexts", "context", "documents", "docs", "passages", "chunks")
"""Names in the metadata under which passages stand."""


def samples(rows: Iterable[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:  # noqa: ARG001 - one form
    """Yield each sample of each log; a further epoch of a sample has its number behind the id.

    >>> row = {"id": 1, "input": "Who?", "target": "Anna", "output": {"completion": "Anna."}, "messages": []}
    >>> next(samples([row], []))
    {'id': '1', 'question': 'Who?', 'references': 'Anna', 'answer': 'Anna.'}
    """
    for row in rows:
        log = row.get("samples")
        for one in log if isinstance(log, list) else [row]:
            if isinstance(one, Mapping):
                yield _sample(one)


def _sample(one: Mapping[str, Any]) -> dict[str, Any]:
    epoch = one.get("epoch") or 1
    name = str(one.get("id")) if epoch == 1 else f"{one.get('id')}-{epoch}"
    output, metadata, error = one.get("output") or {}, one.get("metadata") or {}, one.get("error")
    held = next((metadata[key] for key in CONTEXTS if metadata.get(key) is not None), None)
    contexts = documents_of([held] if isinstance(held, str) else held)
    others = {key: value for key, value in metadata.items() if value is not held}
    scores = {key: _value(score) for key, score in (one.get("scores") or {}).items()}
    sample = {"id": name, "question": question_of(one.get("input")), "references": one.get("target")}
    if error is not None:
        sample["failure"] = str(error.get("message") if isinstance(error, Mapping) else error)
    else:
        sample["answer"] = output["completion"] if output.get("completion") else answer_of(output.get("choices"))
    if contexts is not None:
        sample["contexts"] = contexts
    return {**others, **scores, **sample}


def _value(score: Any) -> Any:
    return score.get("value") if isinstance(score, Mapping) else score
