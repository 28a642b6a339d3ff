"""LlamaIndex: responses with their source nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragauge.formats.sources.export import Export, Rows
from ragauge.formats.sources.payloads import answer_of

_MOVED = frozenset({"response", "source_nodes", "query", "query_str", "response_txt", "metadata"})


def samples(rows: Rows, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a sample for each response; a response does not hold its question, so a note says when none has one.

    >>> node = {"node": {"id_": "n1", "text": "Tea."}, "score": 0.5}
    >>> next(samples([{"response": "Anna.", "source_nodes": [node], "metadata": None}], []))["answer"]
    'Anna.'
    """
    has_question = False
    for row in rows:
        question = row.get("query") or row.get("query_str")
        has_question = has_question or question is not None
        answer = row.get("response", row.get("response_txt"))
        others = {name: value for name, value in row.items() if name not in _MOVED}
        question_column = {} if question is None else {"question": question}
        yield {**others, **question_column, "answer": answer_of(answer), "contexts": row.get("source_nodes")}
    if not has_question:
        notes.append(
            "a LlamaIndex response does not hold its question; for metrics that need it give dicts with query too"
        )


RESPONSES = Export(
    "LlamaIndex responses",
    [("source_nodes",)],
    samples,
    {"question": "query", "answer": "response", "contexts": "source_nodes"},
)
