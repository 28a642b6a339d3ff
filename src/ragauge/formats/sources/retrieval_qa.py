"""LangChain's RetrievalQA: a dict of query, result and source documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ORIGINS: Mapping[str, str] = {"question": "query", "answer": "result", "contexts": "source_documents"}
_NAMES = {origin: known for known, origin in ORIGINS.items()}


def samples(rows: Iterable[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:  # noqa: ARG001 - one form
    """Yield the rows under the names of known columns.

    >>> next(samples([{"query": "Who?", "result": "Anna.", "source_documents": []}], []))
    {'question': 'Who?', 'answer': 'Anna.', 'contexts': []}
    """
    yield from ({_NAMES.get(name, name): value for name, value in row.items()} for row in rows)
