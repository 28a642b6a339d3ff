"""LlamaIndex: responses with their source nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragauge.formats.objects import own_fields, plain_value
from ragauge.formats.sources.export import Export, Rows
from ragauge.formats.sources.payloads import answer_of

_MOVED = frozenset({"response", "source_nodes", "query", "query_str", "response_txt", "metadata"})


def _samples(rows: Rows, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a sample for each response; a response does not hold its question, so a note says when none has one."""
    has_question = False
    for outer in rows:
        name = _response_in(outer)
        row = outer if name is None else _with_response(outer, name)
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


def _response_in(row: Mapping[str, Any]) -> str | None:
    """Return the key of a row under which a response is, with its nodes; None where none is."""
    return next((name for name, one in row.items() if "source_nodes" in (own_fields(one) or ())), None)


def _with_response(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    others = {key: value for key, value in row.items() if key != name}
    return {**plain_value(own_fields(row[name])), **others}


_ORIGINS = {"question": "query", "answer": "response", "contexts": "source_nodes"}
EXPORTS = (
    Export(
        "LlamaIndex responses",
        [("source_nodes",)],
        _samples,
        _ORIGINS,
        lambda row: "source_nodes" not in row and _response_in(row) is not None,
    ),
)
