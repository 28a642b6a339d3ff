"""LlamaIndex: responses with their source nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragauge.formats.sources.export import Export, Rows
from ragauge.formats.sources.payloads import answer_of

_MOVED = frozenset({"response", "source_nodes", "query", "query_str", "response_txt", "metadata"})


def _samples(rows: Rows, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a sample for each response; a response does not hold its question, so a note says when none has one."""
    has_question = False
    for row in rows:
        question = row.get("query") or row.get("query_str")
        has_question |= question is not None
        sample = {name: value for name, value in row.items() if name not in _MOVED}
        sample |= {} if question is None else {"question": question}
        answer = answer_of(row.get("response", row.get("response_txt")))
        yield {**sample, "answer": answer, "contexts": row.get("source_nodes")}
    if not has_question:
        notes.append(
            "a LlamaIndex response does not hold its question; for metrics that need it give dicts with query too"
        )


_ORIGINS = {"question": "query", "answer": "response", "contexts": "source_nodes"}
EXPORTS = (Export("LlamaIndex responses", [("source_nodes",)], _samples, _ORIGINS),)
